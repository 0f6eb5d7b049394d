/** Removes one finalizer from many objects, or several from one, in one run with a request for each. */
import { type ApplicableRemedy, requestWords } from '../../../forecast/index.ts';
import { isDeleting } from '../../../graph/index.ts';
import { enumerated, type KubeObject, type ResourceType } from '../../../model/index.ts';
import { worstRisk } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { costOf, type Handler, riskOf } from '../../finalizers/handler.ts';
import { handlerOn } from '../../finalizers/on-object.ts';
import { finalizerRemoval } from '../deletion-remedies.ts';
import { remedy } from '../remedy-requests.ts';
import { type Extent, FINALIZER_FROM_ALL, takenFrom } from './extent.ts';

export const SEVERAL = 'remove-finalizers';

/** Returns true if no controller will remove it; if one may, a single yes must not remove it from many. */
function isAbandoned({ presence, nothingLeft }: Handler): boolean {
  return presence === 'absent' || nothingLeft !== undefined;
}

export interface FinalizerOfMany {
  readonly type: ResourceType;
  readonly finalizer: string;
}

/** Returns undefined if no object in the extent carries the finalizer, or if a controller may still act. */
export function removeFromAll(
  tracked: TrackedView,
  extent: Extent,
  { type, finalizer }: FinalizerOfMany,
): ApplicableRemedy | undefined {
  const taken = takenFrom(
    extent,
    type,
    each =>
      isDeleting(each) &&
      each.finalizers.includes(finalizer) &&
      isAbandoned(handlerOn(tracked, each, finalizer)),
  );
  if (taken === undefined) return undefined;
  const { objects, words, inTurn } = taken;
  const handlers = objects.map(each => handlerOn(tracked, each, finalizer));
  const costs = [...new Set(handlers.map(costOf))];
  return remedy({
    id: `${FINALIZER_FROM_ALL}/${requestWords.kubectlType(tracked.view.catalog, type)}/${finalizer}`,
    title:
      inTurn === ''
        ? `remove ${finalizer} from ${words}: ${costs.join()}`
        : `remove ${finalizer} from ${words} that are being deleted${inTurn}: of each, ${costs.join(', or ')}`,
    risk: worstRisk(handlers.map(riskOf)),
    acts: objects.map(each => finalizerRemoval(tracked, each, finalizer)),
  });
}

export function finalizerOfMany({ view }: TrackedView, rest: string): FinalizerOfMany | undefined {
  const slash = rest.indexOf('/');
  const word = view.catalog.resolveWord(rest.slice(0, slash));
  const type = word.known ? word.types[0] : undefined;
  const finalizer = rest.slice(slash + 1);
  return type === undefined || finalizer === '' ? undefined : { type, finalizer };
}

/** Returns an empty list for a single finalizer. */
export function removeSeveral(
  tracked: TrackedView,
  object: KubeObject,
  finalizers: readonly string[],
): ApplicableRemedy[] {
  const named = object.finalizers.filter(each => finalizers.includes(each));
  if (named.length < 2) return [];
  const handlers = named.map(each => handlerOn(tracked, object, each));
  return [
    remedy({
      id: `${SEVERAL}/${named.join(',')}`,
      title: `remove ${enumerated(named)} from ${object.name}, one after the other: ${handlers
        .map(each => `${each.finalizer}: ${costOf(each)}`)
        .join('; ')}`,
      risk: worstRisk(handlers.map(riskOf)),
      // Removal starts at the end, so that the indexes of the others stay as they were seen.
      acts: named.toReversed().map(each => finalizerRemoval(tracked, object, each)),
    }),
  ];
}

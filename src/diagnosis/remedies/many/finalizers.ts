/**
 * One finalizer removed from many objects of a kind, and several removed from one object: each by a request of its own, one
 * after the other, in one run that is forecast, confirmed and journalled as one. From many only one named finalizer, and only
 * where nobody is left who would remove it.
 */
import type { ApplicableRemedy } from '../../../forecast/action.ts';
import { kubectlType } from '../../../forecast/requests.ts';
import { isDeleting } from '../../../graph/deletion.ts';
import type { KubeObject } from '../../../model/object.ts';
import { enumerated } from '../../../model/text/titles.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import { worstRisk } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { costOf, type Handler, riskOf } from '../../finalizers/handler.ts';
import { handlerOn } from '../../finalizers/on-object.ts';
import { finalizerRemoval } from '../deletion.ts';
import { remedy } from '../request.ts';
import { type Extent, FINALIZER_FROM_ALL, takenFrom } from './extent.ts';

/** What the id of a removal of several finalizers begins with. */
export const SEVERAL = 'remove-finalizers';

/** Whether nobody may still remove it: else it isn't for a single yes to remove it from many. */
function isAbandoned({ presence, nothingLeft }: Handler): boolean {
  return presence === 'absent' || nothingLeft !== undefined;
}

export interface FinalizerOfMany {
  readonly type: ResourceType;
  readonly finalizer: string;
}

/** Undefined where nothing in the extent carries it, or where somebody may still act. */
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
  const { objects, words } = taken;
  const handlers = objects.map(each => handlerOn(tracked, each, finalizer));
  const costs = [...new Set(handlers.map(costOf))];
  return remedy({
    id: `${FINALIZER_FROM_ALL}/${kubectlType(tracked.view.catalog, type)}/${finalizer}`,
    title: `remove ${finalizer} from ${words} that are being deleted, one after the other: of each, ${costs.join(', or ')}`,
    risk: worstRisk(handlers.map(riskOf)),
    acts: objects.map(each => finalizerRemoval(tracked, each, finalizer)),
  });
}

/** The same by what stands behind its id's first word, which a run that goes on asks for again. */
export function finalizerOfMany({ view }: TrackedView, rest: string): FinalizerOfMany | undefined {
  const slash = rest.indexOf('/');
  const word = view.catalog.resolveWord(rest.slice(0, slash));
  const type = word.known ? word.types[0] : undefined;
  const finalizer = rest.slice(slash + 1);
  return type === undefined || finalizer === '' ? undefined : { type, finalizer };
}

/** All of these finalizers of one object; none where there is but one. */
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
      // From the last on, so that the places of the others stay as they were seen.
      acts: named.toReversed().map(each => finalizerRemoval(tracked, object, each)),
    }),
  ];
}

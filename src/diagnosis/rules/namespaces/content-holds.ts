/** Finalizers that hold objects others wait for, and their handlers; namespaces and definitions share the wording. */

import { requestWords } from '../../../forecast/index.ts';
import { compareBytes } from '../../../graph/index.ts';
import type { KubeObject } from '../../../model/index.ts';
import { withSuspects } from '../../admission/gatekeepers.ts';
import { firstOf } from '../../cluster/namespace-content.ts';
import { finalizersEvidence } from '../../engine/evidence.ts';
import type { Evidence, FindingDraft, OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import type { Handler } from '../../finalizers/handler.ts';
import { handlerAdvice, removal } from '../../remedies/handler-remedies.ts';
import { byType, extentOf } from '../../remedies/many/extent.ts';
import { removeFromAll } from '../../remedies/many/finalizers.ts';
import { waitingHandler } from '../../waits/chain.ts';
import { amount } from './namespace-case.ts';

export interface FinalizerHold extends Handler {
  readonly objects: readonly KubeObject[];
}

const worstFirst = ['absent', 'unknown', 'unhealthy', 'present'] as const;
const OFFERED = 3;

export function namespaceHolds(tracked: TrackedView, objects: readonly KubeObject[]): FinalizerHold[] {
  const carried = objects.flatMap(object =>
    object.finalizers.map(finalizer => ({
      object,
      handler: waitingHandler(tracked, object, finalizer),
    })),
  );
  // Objects with the same finalizer are split if only some have nothing left to wait for, or wait for something else.
  const carriers = Map.groupBy(
    carried,
    ({ handler: { finalizer, nothingLeft, waits } }) =>
      `${finalizer} ${nothingLeft?.because ?? waits?.brief ?? ''}`,
  );
  const holds = [...carriers.values()].flatMap(list => {
    const [first] = list;
    return first === undefined ? [] : { ...first.handler, objects: list.map(({ object }) => object) };
  });
  // Sorts down to the name, so that the order of observation never shows.
  return holds.sort(
    (a, b) =>
      worstFirst.indexOf(a.presence) - worstFirst.indexOf(b.presence) ||
      Number(b.waits?.isStuck === true) - Number(a.waits?.isStuck === true) ||
      b.objects.length - a.objects.length ||
      compareBytes(a.finalizer, b.finalizer) ||
      compareBytes(a.words, b.words),
  );
}

/** `ConfigMap held is held by the finalizer example.com/hold, and nothing …`; shows two holds at most. */
export function holdWords(holds: readonly FinalizerHold[]): string {
  const shown = holds.slice(0, 2).map(({ objects, finalizer, words }) => {
    const verb = objects.length === 1 ? 'is' : 'are';
    return `${amount(objects)} ${verb} held by the finalizer ${finalizer}${words === '' ? '' : `, and ${words}`}`;
  });
  const more = holds.length - shown.length;
  return `${shown.join('; ')}${more === 0 ? '' : `; and ${more} more finalizer${more === 1 ? ' holds' : 's hold'} others`}`;
}

export function holdEvidence(holds: readonly FinalizerHold[]): Evidence[] {
  return holds.flatMap(({ objects, evidence }) => [
    ...firstOf(objects, OFFERED).map(each =>
      finalizersEvidence(
        each,
        `${each.type.kind} ${each.name}: metadata.finalizers: [${each.finalizers.join(', ')}]`,
      ),
    ),
    ...evidence,
  ]);
}

/** Adds webhooks and policies that may keep the first hold's finalizer from being removed. */
export function withHoldSuspects(
  tracked: TrackedView,
  [hold]: readonly FinalizerHold[],
  draft: FindingDraft,
): FindingDraft {
  const [object] = firstOf(hold?.objects ?? [], 1);
  if (hold === undefined || object === undefined) return draft;
  return withSuspects(tracked, { object, handler: hold, draft, about: `${object.type.kind} ${object.name}` });
}

/** Adds the finalizer to the ids of its handler's advice. */
export function controllerRemedies(handler: Handler): OfferedRemedy[] {
  return handlerAdvice(handler).map(each => ({ ...each, id: `${each.id}/${handler.finalizer}` }));
}

/** Advises on each finalizer's handler first, then offers the dangerous removal by hand from a few objects. */
export function holdRemedies(
  tracked: TrackedView,
  anchor: KubeObject,
  holds: readonly FinalizerHold[],
): OfferedRemedy[] {
  // One controller may handle several finalizers; its advice is listed once.
  const elsewhere = holds
    .flatMap(controllerRemedies)
    .filter(({ title }, index, all) => index === all.findIndex(each => each.title === title));
  const byHand = holds.flatMap(hold =>
    firstOf(hold.objects, OFFERED).flatMap(object =>
      removal(tracked, object, hold).map(each => ({
        ...each,
        id: `remove-finalizer/${requestWords.kubectlType(tracked.view.catalog, object.type)}/${object.name}/${hold.finalizer}`,
      })),
    ),
  );
  const fromAll = holds.flatMap(({ objects, finalizer }) =>
    [...byType(objects).keys()].flatMap(
      type => removeFromAll(tracked, extentOf(tracked, anchor, type), { type, finalizer }) ?? [],
    ),
  );
  const several = fromAll.filter(
    ({ id, requests }, index) => requests.length > 1 && index === fromAll.findIndex(each => each.id === id),
  );
  return [...elsewhere, ...byHand, ...several];
}

/**
 * What holds things that have to go before something else can, by finalizer: which objects, who should remove it,
 * and whether that is there. Namespaces and definitions tell of their content in the same words.
 */

import { kubectlType } from '../../../forecast/requests.ts';
import { compareBytes } from '../../../graph/node.ts';
import type { KubeObject } from '../../../model/object.ts';
import { finalizersEvidence } from '../../engine/evidence.ts';
import type { Evidence, OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Handler, handlerAdvice, removal } from '../../finalizers/handler.ts';
import { handlerOn } from '../../finalizers/on-object.ts';
import { byType, extentOf } from '../../remedies/many/extent.ts';
import { removeFromAll } from '../../remedies/many/finalizers.ts';
import { amount } from './case.ts';
import { firstOf } from './content.ts';

export interface FinalizerHold extends Handler {
  /** What carries it, never empty. */
  readonly objects: readonly KubeObject[];
}

const worstFirst = ['absent', 'unknown', 'unhealthy', 'present'] as const;
/** Objects for which a remedy each is offered. */
const OFFERED = 3;

export function namespaceHolds(tracked: TrackedView, objects: readonly KubeObject[]): FinalizerHold[] {
  const carried = objects.flatMap(object =>
    object.finalizers.map(finalizer => ({ object, handler: handlerOn(tracked, object, finalizer) })),
  );
  // Of one finalizer some may have nothing left to wait for.
  const carriers = Map.groupBy(
    carried,
    ({ handler: { finalizer, nothingLeft } }) => `${finalizer} ${nothingLeft?.because ?? ''}`,
  );
  const holds = [...carriers.values()].flatMap(list => {
    const [first] = list;
    return first === undefined ? [] : { ...first.handler, objects: list.map(({ object }) => object) };
  });
  // Down to the name, so that the order in which things were seen shows nowhere.
  return holds.sort(
    (a, b) =>
      worstFirst.indexOf(a.presence) - worstFirst.indexOf(b.presence) ||
      b.objects.length - a.objects.length ||
      compareBytes(a.finalizer, b.finalizer) ||
      compareBytes(a.words, b.words),
  );
}

/** `ConfigMap held is held by the finalizer example.com/hold, and nothing …`; two holds at most are shown. */
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

/** To have its controller remove the finalizer: the same as is said of each object that carries it. */
export function controllerRemedies(handler: Handler): OfferedRemedy[] {
  return handlerAdvice(handler).map(each => ({ ...each, id: `${each.id}/${handler.finalizer}` }));
}

/** First who should remove each finalizer; then, dangerous, the removal by hand from each of a few objects. */
export function holdRemedies(
  tracked: TrackedView,
  anchor: KubeObject,
  holds: readonly FinalizerHold[],
): OfferedRemedy[] {
  // One controller may have several finalizers, and is looked at once.
  const elsewhere = holds
    .flatMap(controllerRemedies)
    .filter(({ title }, index, all) => index === all.findIndex(each => each.title === title));
  const byHand = holds.flatMap(hold =>
    firstOf(hold.objects, OFFERED).flatMap(object =>
      removal(tracked, object, hold).map(each => ({
        ...each,
        id: `remove-finalizer/${kubectlType(tracked.view.catalog, object.type)}/${object.name}/${hold.finalizer}`,
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

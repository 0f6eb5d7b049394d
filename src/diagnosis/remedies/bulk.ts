/**
 * One finalizer removed from many objects of a kind, and several removed from one object: each by a request of its own, one
 * after the other, in one run that is forecast, confirmed and journalled as one. From many only one named finalizer, and only
 * where nobody is left who would remove it.
 */
import type { ApplicableRemedy } from '../../forecast/action.ts';
import { kubectlType } from '../../forecast/requests.ts';
import { isDeleting } from '../../graph/deletion.ts';
import { compareBytes } from '../../graph/node.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { compareRisk } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { enumerated } from '../engine/words.ts';
import { costOf, type Handler, riskOf } from '../finalizers/handler.ts';
import { handlerOn } from '../finalizers/on-object.ts';
import { finalizerRemoval } from './deletion.ts';
import { remedy } from './request.ts';

/** What ids of these remedies begin with. */
export const FROM_ALL = 'remove-finalizer-from-all';
export const SEVERAL = 'remove-finalizers';

/** More are left to the next run, which goes on where this one ends. */
const MOST = 500;

/** Whether somebody may still remove it: then it isn't for a single yes to remove it from many. */
function isAbandoned({ presence, nothingLeft }: Handler): boolean {
  return presence === 'absent' || nothingLeft !== undefined;
}

/**
 * `anchor`: the object that the remedy is offered on: a namespace, a definition, or one of the carriers, which then comes
 * last, so that a run which was cut short can go on. `carriers`: objects of one kind. None where somebody may still act.
 */
export function removeFromAll(
  tracked: TrackedView,
  anchor: KubeObject,
  carriers: readonly KubeObject[],
  handler: Handler,
): ApplicableRemedy[] {
  const { finalizer } = handler;
  const [first] = carriers;
  if (first === undefined || !isAbandoned(handler)) return [];
  const { catalog } = tracked.view;
  const { type } = first;
  const held = carriers
    .filter(
      each =>
        each.type === type &&
        isDeleting(each) &&
        each.finalizers.includes(finalizer) &&
        isAbandoned(handlerOn(tracked, each, finalizer)),
    )
    .sort((a, b) => Number(a.uid === anchor.uid) - Number(b.uid === anchor.uid) || byName(a, b));
  const chosen = held.length <= MOST ? held : [...held.slice(0, MOST - 1), ...held.slice(-1)];
  const count = held.length <= MOST ? `all ${held.length}` : `the first ${MOST} of ${held.length}`;
  return [
    remedy({
      id: `${FROM_ALL}/${kubectlType(catalog, type)}/${finalizer}`,
      title: `remove ${finalizer} from ${count} ${type.resource}${inWhichNamespace(anchor)} that are being deleted, one after the other: of each, ${costOf(handler)}`,
      risk: riskOf(handler),
      acts: chosen.map(each => finalizerRemoval(tracked, each, finalizer)),
    }),
  ];
}

function inWhichNamespace({ facts, name, namespace, type }: KubeObject): string {
  if (facts?.kind === 'Namespace') return ` in ${name}`;
  return type.namespaced ? ` in ${namespace}` : '';
}

/** The same by its id, which a run that goes on asks for again: with a single object left too. */
export function fromAllById(
  tracked: TrackedView,
  anchor: KubeObject,
  rest: string,
): ApplicableRemedy | undefined {
  const slash = rest.indexOf('/');
  const word = tracked.view.catalog.resolveWord(rest.slice(0, slash));
  const type = word.known ? word.types[0] : undefined;
  const finalizer = rest.slice(slash + 1);
  if (type === undefined || finalizer === '') return undefined;
  const carriers = carriersOf(tracked, anchor, type).filter(each => each.finalizers.includes(finalizer));
  const [first] = carriers;
  return first && removeFromAll(tracked, anchor, carriers, handlerOn(tracked, first, finalizer))[0];
}

/** What an anchor stands for: what is in the namespace, the definition's instances, or what is of its kind beside it. */
function carriersOf(tracked: TrackedView, anchor: KubeObject, type: ResourceType): readonly KubeObject[] {
  const { facts } = anchor;
  if (facts?.kind === 'Namespace') return type.namespaced ? [...tracked.list(type, anchor.name)] : [];
  if (facts?.kind === 'CustomResourceDefinition')
    return facts.group === type.group && facts.plural === type.resource ? [...tracked.all(type)] : [];
  return type === anchor.type ? alike(tracked, anchor) : [];
}

/**
 * From an object and all that are alike beside it; none where it is alone. Not among the remedies of its finding: as many
 * objects have one, and each would repeat all of them.
 */
export function removeFromAllAlike(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
): ApplicableRemedy[] {
  const handler = handlerOn(tracked, object, finalizer);
  return removeFromAll(tracked, object, alike(tracked, object), handler).filter(
    ({ requests }) => requests.length > 1,
  );
}

/** Objects of its kind in its namespace. */
function alike(tracked: TrackedView, { type, namespace }: KubeObject): readonly KubeObject[] {
  return [...tracked.list(type, namespace)];
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
  const worst = handlers
    .map(handler => ({ risk: riskOf(handler) }))
    .sort(compareRisk)
    .at(-1);
  return [
    remedy({
      id: `${SEVERAL}/${named.join(',')}`,
      title: `remove ${enumerated(named)} from ${object.name}, one after the other: ${handlers
        .map(each => `${each.finalizer}: ${costOf(each)}`)
        .join('; ')}`,
      risk: worst?.risk ?? 'dangerous',
      // From the last on, so that the places of the others stay as they were seen.
      acts: named.toReversed().map(each => finalizerRemoval(tracked, object, each)),
    }),
  ];
}

function byName(a: KubeObject, b: KubeObject): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

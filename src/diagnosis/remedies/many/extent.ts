/**
 * Which objects a remedy for many takes in: what is beside an object, in a namespace or of a definition, or what somebody
 * has chosen; and how that stands in its title.
 */
import { compareBytes } from '../../../graph/node.ts';
import type { KubeObject, Uid } from '../../../model/object.ts';
import { formatCount } from '../../../model/text/titles.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export interface Extent {
  readonly objects: readonly KubeObject[];
  /** What stands before their kind: `chosen `, or nothing. */
  readonly which: string;
  /** What stands after it: ` in shop`, or nothing. */
  readonly where: string;
  /** The object that a command names: it comes last, so that a run which was cut short can go on by the same command. */
  readonly last?: Uid;
}

/** What ids of remedies for many begin with. */
const forMany = [
  'remove-finalizer-from-all',
  'prune-reference-from-all',
  'repair-reference-from-all',
] as const;

export const [FINALIZER_FROM_ALL, PRUNE_FROM_ALL, REPAIR_FROM_ALL] = forMany;

/** Whether a remedy is about many objects of a kind, one request for each. */
export function isForMany(id: string): boolean {
  return forMany.some(each => id.startsWith(`${each}/`));
}

/** More are left to the next run, which goes on where this one ends. */
const MOST = 500;

/** What an object stands for: what is in the namespace, the definition's instances, or what is of its kind beside it. */
export function extentOf(tracked: TrackedView, anchor: KubeObject, type: ResourceType): Extent {
  const { facts, name, namespace, uid } = anchor;
  if (facts?.kind === 'Namespace')
    return {
      objects: type.namespaced ? [...tracked.list(type, name)] : [],
      which: '',
      where: ` in ${name}`,
      last: uid,
    };
  const where = anchor.type.namespaced ? ` in ${namespace}` : '';
  const isInstance =
    facts?.kind === 'CustomResourceDefinition' &&
    facts.group === type.group &&
    facts.plural === type.resource;
  const objects = isInstance
    ? [...tracked.all(type)]
    : type === anchor.type
      ? [...tracked.list(type, namespace)]
      : [];
  return { objects, which: '', where, last: uid };
}

/** These and no others. */
export function chosen(objects: readonly KubeObject[]): Extent {
  return { objects, which: 'chosen ', where: '' };
}

/** What a remedy for many takes in of an extent, in the order in which it goes through them. */
export interface Taken {
  /** Of one kind. */
  readonly objects: readonly KubeObject[];
  /** `all 3 chosen configmaps`, `the first 500 of 1,204 pods in shop` */
  readonly words: string;
}

/** Undefined where none fits. */
export function takenFrom(
  { objects, which, where, last }: Extent,
  type: ResourceType,
  fits: (object: KubeObject) => boolean,
): Taken | undefined {
  const fitting = objects
    .filter(each => each.type === type && fits(each))
    .sort((a, b) => Number(a.uid === last) - Number(b.uid === last) || byName(a, b));
  const total = fitting.length;
  if (total === 0) return undefined;
  const some = total <= MOST ? fitting : [...fitting.slice(0, MOST - 1), ...fitting.slice(-1)];
  const count =
    total <= MOST ? `all ${formatCount(total)}` : `the first ${formatCount(MOST)} of ${formatCount(total)}`;
  return { objects: some, words: `${count} ${which}${type.resource}${where}` };
}

function byName(a: KubeObject, b: KubeObject): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

/** Objects by their kind, in the order in which they come. */
export function byType(objects: readonly KubeObject[]): ReadonlyMap<ResourceType, readonly KubeObject[]> {
  return Map.groupBy(objects, ({ type }) => type);
}

/** The objects that a remedy for many includes, with the words for its title. */
import { compareBytes } from '../../../graph/index.ts';
import { formatCount, type KubeObject, type ResourceType, type Uid } from '../../../model/index.ts';
import { kindAndNames } from '../../engine/kind-words.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export interface Extent {
  readonly objects: readonly KubeObject[];
  /** Words before the kind: `chosen `, or empty. */
  readonly which: string;
  /** Words after the kind: ` in shop`, or empty. */
  readonly where: string;
  /** The object that a command names. It comes last, so that the same command can continue an interrupted run. */
  readonly last?: Uid;
}

const forMany = [
  'remove-finalizer-from-all',
  'prune-reference-from-all',
  'repair-reference-from-all',
] as const;

export const [FINALIZER_FROM_ALL, PRUNE_FROM_ALL, REPAIR_FROM_ALL] = forMany;

/** Unblocks one or several objects, and everything that they wait for. */
export const UNBLOCK_ALL = 'unblock-all';

export function isForMany(id: string): boolean {
  return id === UNBLOCK_ALL || forMany.some(each => id.startsWith(`${each}/`));
}

/** The next run continues after this many. */
export const MOST = 500;

/** Returns a namespace's content, a definition's instances, or the anchor's kind in its namespace. */
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

export function chosen(objects: readonly KubeObject[]): Extent {
  return { objects, which: 'chosen ', where: '' };
}

/** The objects that one run of a bulk remedy changes, in order. */
export interface Taken {
  readonly objects: readonly KubeObject[];
  /** `all 3 chosen configmaps`, `the first 500 of 1,204 pods in shop`, `Pod web-0` */
  readonly words: string;
  /** `, one after the other`; empty for one object. */
  readonly inTurn: string;
}

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
  if (total === 1) return { objects: fitting, words: kindAndNames(fitting), inTurn: '' };
  const some = total <= MOST ? fitting : [...fitting.slice(0, MOST - 1), ...fitting.slice(-1)];
  const count =
    total <= MOST ? `all ${formatCount(total)}` : `the first ${formatCount(MOST)} of ${formatCount(total)}`;
  return {
    objects: some,
    words: `${count} ${which}${type.resource}${where}`,
    inTurn: ', one after the other',
  };
}

function byName(a: KubeObject, b: KubeObject): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

export function byType(objects: readonly KubeObject[]): ReadonlyMap<ResourceType, readonly KubeObject[]> {
  return Map.groupBy(objects, ({ type }) => type);
}

/**
 * What is really in a namespace, as the namespace controller would find it, and which kinds of it cannot be seen: its
 * conditions are believed only of those, and only where they name all that was left (docs/kubernetes.md §8).
 */
import { isContent } from '../../../forecast/reported-content.ts';
import { isDeleting } from '../../../graph/deletion.ts';
import { compareBytes, type Identity } from '../../../graph/node.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { KubeObject } from '../../../model/object.ts';
import { counted, pluralOf } from '../../../model/text/titles.ts';
import { groupResource, type ResourceType } from '../../../model/types/resource-type.ts';
import { reportedIn } from '../../engine/holds.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** In no order: a namespace can hold thousands, and is judged again with each that goes. */
export interface NamespaceContent {
  readonly pods: readonly KubeObject[];
  /** Everything else that can be discovered. */
  readonly others: readonly KubeObject[];
  /** Objects seen before, of kinds whose discovery fails now: they stay stored. */
  readonly hidden: readonly KubeObject[];
  /**
   * Kinds that could hold something in it and cannot be seen: `widgets.example.com`, `*.metrics.k8s.io`. Those are left out
   * that were empty when its controller looked.
   */
  readonly unseen: readonly string[];
  /** Whether kinds are left out on the word of its conditions. */
  readonly reported: boolean;
}

/** Objects of kinds that are no longer served aren't content: the namespace controller knows nothing of them. */
export function namespaceContent(tracked: TrackedView, namespace: KubeObject): NamespaceContent {
  const { view } = tracked;
  const pods: KubeObject[] = [];
  const others: KubeObject[] = [];
  const hidden: KubeObject[] = [];
  for (const object of tracked.contents(namespace.name)) {
    const { type } = object;
    if (!view.catalog.serves(type)) {
      if (view.groupFailed(type.group, type.version)) hidden.push(object);
    } else if (type.group === '' && type.resource === 'pods') pods.push(object);
    else others.push(object);
  }
  const kinds = view.catalog.types
    .filter(type => isContent(type) && !tracked.sees(type, namespace.name))
    .map(groupResource);
  const left = kinds.length === 0 ? undefined : reportedIn(tracked, namespace);
  const reported = left?.all === true;
  const unseen = reported ? left.resources.map(({ resource }) => resource) : kinds;
  // Of a group that cannot be discovered nobody knows which kinds it has.
  const groups = view.failedGroups.map(({ resource }) => resource);
  return { pods, others, hidden, unseen: [...unseen, ...groups], reported };
}

/** What is being deleted and held by finalizers. */
export function isHeld(object: KubeObject): boolean {
  return isDeleting(object) && object.finalizers.length > 0;
}

/** Of what a finding is about, so many are listed with it. */
const LISTED = 20;

/** The objects for a finding's `related`: the deciding ones, and then others. */
export function relatedTo(deciding: readonly KubeObject[], others: readonly KubeObject[] = []): Identity[] {
  const first = firstOf(deciding, LISTED);
  const known = new Set(first);
  const rest = firstOf(others, LISTED).filter(each => !known.has(each));
  return [...first, ...rest].slice(0, LISTED).map(identityOfObject);
}

/** `2 ConfigMaps, 1 Widget`: by kind, most first. */
export function kindsOf(objects: readonly KubeObject[]): string {
  const counts = new Map<ResourceType, number>();
  for (const { type } of objects) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a.kind < b.kind ? -1 : 1))
    .map(([{ kind, resource }, count]) => counted(count, kind, pluralOf(kind, resource)))
    .join(', ');
}

/** The first so many by kind, namespace and name, found without sorting all of them. */
export function firstOf(objects: readonly KubeObject[], count: number): KubeObject[] {
  const first: KubeObject[] = [];
  for (const object of objects) {
    const last = first.at(-1);
    if (first.length === count && last !== undefined && compare(object, last) >= 0) continue;
    const at = first.findIndex(each => compare(object, each) < 0);
    first.splice(at < 0 ? first.length : at, 0, object);
    if (first.length > count) first.pop();
  }
  return first;
}

function compare(a: KubeObject, b: KubeObject): number {
  return (
    compareBytes(a.type.kind, b.type.kind) ||
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.name, b.name)
  );
}

/**
 * A clause; `''` where the namespace stays or cannot be seen. Everything in a namespace goes with it
 * (docs/kubernetes.md §8).
 */
export function namespaceGoing(tracked: TrackedView, object: KubeObject): string {
  if (object.namespace === '') return '';
  const namespace = tracked.findKind('v1', 'Namespace', '', object.namespace);
  return namespace !== undefined && isDeleting(namespace)
    ? `its namespace ${object.namespace} is being deleted with everything in it`
    : '';
}

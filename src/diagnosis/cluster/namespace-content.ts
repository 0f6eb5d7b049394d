/**
 * The real content of a namespace, as its controller would find it, and the kinds that cannot be seen. Conditions count
 * only for those, and only if they name all that was left (docs/kubernetes.md §8).
 */
import { ReportedContent } from '../../forecast/index.ts';
import { compareBytes, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import { counted, type KubeObject, ResourceType, wordForms } from '../../model/index.ts';
import { reportedIn } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

/** Unsorted: a namespace can hold thousands of objects and is judged again after each deletion. */
export interface NamespaceContent {
  readonly pods: readonly KubeObject[];
  readonly others: readonly KubeObject[];
  /** Objects seen earlier whose kinds can't be discovered now; they are still stored. */
  readonly hidden: readonly KubeObject[];
  /** Kinds that may have objects: `widgets.example.com`, `*.metrics.k8s.io`; not those its controller found empty. */
  readonly unseen: readonly string[];
  /** True if `unseen` omits kinds because the conditions name all that was left. */
  readonly reported: boolean;
}

/** Excludes kinds that are no longer served, which the namespace controller doesn't know either. */
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
    .filter(type => ReportedContent.isContent(type) && !tracked.sees(type, namespace.name))
    .map(ResourceType.groupResource);
  const left = kinds.length === 0 ? undefined : reportedIn(tracked, namespace);
  const reported = left?.all === true;
  const unseen = reported ? left.resources.map(({ resource }) => resource) : kinds;
  // The kinds of a group that can't be discovered are unknown.
  const groups = view.failedGroups.map(({ resource }) => resource);
  return { pods, others, hidden, unseen: [...unseen, ...groups], reported };
}

export function isHeld(object: KubeObject): boolean {
  return isDeleting(object) && object.finalizers.length > 0;
}

const LISTED = 20;

export function relatedTo(deciding: readonly KubeObject[], others: readonly KubeObject[] = []): Identity[] {
  const first = firstOf(deciding, LISTED);
  const known = new Set(first);
  const rest = firstOf(others, LISTED).filter(each => !known.has(each));
  return [...first, ...rest].slice(0, LISTED).map(identityOfObject);
}

/** `2 ConfigMaps, 1 Widget`: by kind, the most frequent first. */
export function kindsOf(objects: readonly KubeObject[]): string {
  const counts = new Map<ResourceType, number>();
  for (const { type } of objects) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a.kind < b.kind ? -1 : 1))
    .map(([{ kind, resource }, count]) => counted(count, kind, wordForms.plural(kind, resource)))
    .join(', ');
}

/** Returns the first `count` by kind, namespace and name without sorting all of them. */
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

/** Builds a clause; `''` if the namespace stays or cannot be seen. Its content goes with it (docs/kubernetes.md §8). */
export function namespaceGoing(tracked: TrackedView, object: Pick<KubeObject, 'namespace'>): string {
  if (object.namespace === '') return '';
  const namespace = tracked.findKind('v1', 'Namespace', '', object.namespace);
  return namespace !== undefined && isDeleting(namespace)
    ? `its namespace ${object.namespace} is being deleted with everything in it`
    : '';
}

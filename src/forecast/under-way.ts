/** Finds what happens even without an action; only its findings are simulated. */
import { type ClusterView, type GraphNode, objectDeletion } from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  nodeFacts,
  ORPHAN_FINALIZER,
  objectState,
  podFacts,
  type ResourceType,
  type Sliced,
  type Taint,
  tolerationRules,
  type Uid,
} from '../model/index.ts';
import { PodGcRules, podGcNodes } from '../podgc/index.ts';
import { type GraphBase, specialStores } from '../simulation/index.ts';

export interface UnderWay {
  readonly objects: readonly KubeObject[];
  /** All finished pods, which PodGC counts against its threshold. */
  readonly finishedPods: readonly KubeObject[];
  /** A deletion that a running collector would have finished; undefined if none. */
  readonly overdue: KubeObject | undefined;
  /** Deletions whose controllers should have acted; they continue only after a change. */
  readonly atRest: ReadonlySet<KubeObject>;
}

const OBJECTS_OF_A_SLICE = 1000;

/** Milliseconds after which the collector must have acted on an unblocked deletion. */
const OVERDUE = 15_000;

/** Milliseconds after which a short deletion counts as stuck (docs/kubernetes.md §10 rows 8 and 9). */
const PATIENCE = 60_000;

/** A namespace's controller looks again after at most a minute, and then needs time. */
const NAMESPACE_PATIENCE = 120_000;

/** `isDenied`: a policy denies the collector's update of the object. */
export function* findUnderWay(
  view: ClusterView,
  base: GraphBase,
  { now, isDenied }: { readonly now: number; readonly isDenied: (object: KubeObject) => boolean },
): Sliced<UnderWay> {
  const index = view.indexEnding();
  const podType = view.catalog.resolveKind('v1', 'Pod');
  const objects = new Set<KubeObject>();
  const finishedPods: KubeObject[] = [];
  let overdue: KubeObject | undefined;
  const atRest = new Set<KubeObject>();
  let looked = 0;
  const isSliceFull = (): boolean => ++looked % OBJECTS_OF_A_SLICE === 0;
  for (const node of nodesOf(view, index.virtual())) {
    if (isSliceFull()) yield;
    for (const dependent of awaitingCollection(view, node)) objects.add(dependent);
  }
  for (const node of nodesOf(view, index.ending())) {
    if (isSliceFull()) yield;
    const { object } = node;
    if (object === undefined) continue;
    if (object.deletionTimestamp !== undefined) {
      objects.add(object);
      const isLate = isOverdue(view, node, object, now);
      // The collector tries again and again.
      const isTried = isLate && isDenied(object);
      if (overdue === undefined && isLate && !isTried) overdue = object;
      if (!isTried && (isAtRest(view, base, node, now) || isPastGrace(view, object, now))) atRest.add(object);
    }
    if (isPod(object, podType) && objectState.isTerminated(object)) finishedPods.push(object);
  }
  const leaving = leavingPods(view, base);
  for (const nodeName of leaving === undefined ? [] : index.nodeNames()) {
    const isLeaving = leaving?.(nodeName);
    for (const pod of isLeaving === undefined ? [] : view.podsOn(nodeName)) {
      if (isSliceFull()) yield;
      if (isPod(pod, podType) && isLeaving?.(pod) === true) objects.add(pod);
    }
  }
  const { threshold } = PodGcRules.atWork(view);
  if (threshold > 0 && finishedPods.length > threshold) {
    for (const pod of finishedPods) objects.add(pod);
  }
  return { objects: [...objects], finishedPods, overdue, atRest };
}

function* nodesOf({ graph }: ClusterView, uids: Iterable<Uid>): IterableIterator<GraphNode> {
  for (const uid of uids) {
    const node = graph.get(uid);
    if (node !== undefined) yield node;
  }
}

function isPod({ facts, type }: KubeObject, pods: ResourceType | undefined): boolean {
  return facts?.kind === 'Pod' && (type === pods || (type.kind === 'Pod' && type.group === ''));
}

/** Returns, for the name of a node, the test for its pods that leave by themselves; undefined if none do. */
function leavingPods(
  view: ClusterView,
  base: GraphBase,
): ((nodeName: string) => ((pod: KubeObject) => boolean) | undefined) | undefined {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined) return undefined;
  // With a scope, only needed nodes are read.
  if (view.scope !== undefined) return () => pod => isLeavingInScope(view, type, pod);
  if (!view.sees(type, '')) return undefined;
  return nodeName => {
    const node = base.find(type, '', nodeName);
    if (node === undefined) return () => true;
    const taints = tolerationRules.noExecute(nodeFacts(node)?.taints ?? []);
    return taints.length === 0 ? undefined : pod => isToBeEvicted(pod, taints);
  };
}

/** Checks if these taints evict the pod, now or later (docs/kubernetes.md §7). */
function isToBeEvicted(pod: KubeObject, taints: readonly Taint[]): boolean {
  const tolerations = podFacts(pod)?.tolerations;
  return (
    tolerations !== undefined &&
    tolerationRules.toleratedFor(tolerations, taints) !== Number.POSITIVE_INFINITY
  );
}

/** Checks if the pod is to leave its node, which is read only if a deletion waits for the pod. */
function isLeavingInScope(view: ClusterView, nodeType: ResourceType, pod: KubeObject): boolean {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  const isAwaited =
    pod.deletionTimestamp !== undefined ||
    pod.owners.some(({ uid }) => view.graph.get(uid)?.object?.deletionTimestamp !== undefined);
  const node = isAwaited
    ? view.find(nodeType, '', nodeName)
    : view.graph.find(nodeType, '', nodeName)?.object;
  if (node !== undefined) return isToBeEvicted(pod, tolerationRules.noExecute(nodeFacts(node)?.taints ?? []));
  return view.absences.of(podGcNodes.lookUp(nodeName)).state === 'confirmed';
}

/** Yields dependents of an owner known not to exist. */
function* awaitingCollection(view: ClusterView, owner: GraphNode): IterableIterator<KubeObject> {
  for (const { object } of owner.dependents) {
    if (object === undefined) continue;
    const due = object.owners.some(reference => {
      if (reference.uid !== owner.identity.uid) return false;
      const type = view.catalog.resolveKind(reference.apiVersion, reference.kind);
      // The collector remembers deleted owners even after their kind is gone.
      if (type === undefined) return view.graph.absent.peek({ ...owner.identity });
      const namespace = type.namespaced ? object.namespace : '';
      return (
        view.seesOwnerAt(type, namespace, reference.name) &&
        view.absences.of({ ...reference, namespace }).state !== 'found'
      );
    });
    if (due) yield object;
  }
}

/** Checks if only the collector's finalizers hold it, for a while, with no visible blocker. */
function isOverdue(view: ClusterView, node: GraphNode, object: KubeObject, now: number): boolean {
  const since = object.deletionTimestamp ?? now;
  if (now - since < OVERDUE || !view.complete) return false;
  if (object.finalizers.includes(ORPHAN_FINALIZER)) return true;
  if (!objectDeletion.isForeground(object) || !object.finalizers.includes(FOREGROUND_FINALIZER)) return false;
  for (const dependent of node.dependents)
    if (objectDeletion.isBlockedBy(dependent, object.uid)) return false;
  return true;
}

/** Checks if its controllers should have finished. Definitions never rest: instances are looked for repeatedly. */
function isAtRest(
  view: ClusterView,
  base: GraphBase,
  { object, dependents }: GraphNode,
  now: number,
): boolean {
  if (object === undefined) return false;
  const { facts } = object;
  if (facts?.kind === 'Namespace' && facts.specFinalizers.includes(specialStores.namespaceFinalizer)) {
    // A controller that never reported never ran. Otherwise it returns while its content is being deleted.
    if (facts.conditions.length === 0) return now - lastNewsOf(object) >= PATIENCE;
    return now - lastNewsOf(object) >= NAMESPACE_PATIENCE && !isBeingEmptied(view, base, object.name);
  }
  if (objectDeletion.finalizers(object).length === 0 || facts?.kind === 'CustomResourceDefinition')
    return false;
  if (facts?.kind === 'Pod' && object.deletionGracePeriodSeconds !== 0) return false;
  let latest = lastNewsOf(object);
  for (const { object: dependent } of dependents)
    if (dependent !== undefined && objectDeletion.isBlockedBy(dependent, object.uid))
      latest = Math.max(latest, objectDeletion.requestedAt(dependent) ?? 0);
  return now - latest >= PATIENCE;
}

/** Checks if the kubelet of a ready or unseen node failed to confirm the end of the pod in time. */
function isPastGrace(view: ClusterView, pod: KubeObject, now: number): boolean {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  const { deletionTimestamp: over, deletionGracePeriodSeconds: grace = 0 } = pod;
  if (nodeName === '' || grace === 0 || over === undefined || now - over < PATIENCE) return false;
  const type = view.catalog.resolveKind('v1', 'Node');
  const node = type && view.graph.find(type, '', nodeName)?.object;
  if (node === undefined) return type === undefined || !view.seesAt(type, '', nodeName);
  return objectState.isNodeReady(node);
}

/** Returns when its deletion began or a namespace's controller last reported. */
function lastNewsOf(object: KubeObject): number {
  const news = object.facts?.kind === 'Namespace' ? object.facts.conditions : [];
  return Math.max(objectDeletion.requestedAt(object) ?? 0, ...news.map(({ since }) => since ?? 0));
}

function isBeingEmptied({ catalog }: ClusterView, base: GraphBase, namespace: string): boolean {
  for (const type of catalog.types) {
    if (!type.namespaced || !type.preferred) continue;
    for (const { deletionTimestamp } of base.list(type, namespace))
      if (deletionTimestamp !== undefined) return true;
  }
  return false;
}

/** Milliseconds after which a deletion counts as stuck, and the moment from which they count. */
export const patience = { usual: PATIENCE, withNamespaces: NAMESPACE_PATIENCE, begins: lastNewsOf };

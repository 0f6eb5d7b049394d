/**
 * Why an object that is being deleted is still there when nothing moves any more: the finalizers that hold it,
 * and for each the one thing at the end of the chain (spec §3, §4, §8, §10).
 */
import { classifyReferences } from '../collector/classify.ts';
import { LiveLookup } from '../collector/live-lookup.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import { isDeleting, isForeground } from '../graph/deletion.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER, type Uid } from '../model/object.ts';
import { isNodeReady, podFacts } from '../podgc/passes.ts';
import { CRD_CLEANUP_FINALIZER, NAMESPACE_FINALIZER } from '../simulation/api-special-stores.ts';
import type { Discovery } from '../simulation/discovery.ts';
import type { ObjectStore } from '../simulation/store.ts';

export interface EndState {
  readonly view: ClusterView;
  readonly store: ObjectStore;
  readonly discovery: Discovery;
}

/** Of things of one kind that hold something up, so many are named. */
const NAMED = 5;

/** `Pod web-2`, with its namespace where that isn't the one around it. */
function title(object: KubeObject, namespace: string): string {
  const place = object.namespace === '' || object.namespace === namespace ? '' : `${object.namespace}/`;
  return `${object.type.kind} ${place}${object.name}`;
}

/** Finalizers as the contract lists them: those of a namespace's spec before those of its metadata. */
export function finalizersOf(object: KubeObject): readonly string[] {
  return object.facts?.kind === 'Namespace'
    ? [...object.facts.specFinalizers, ...object.finalizers]
    : object.finalizers;
}

/** In words, each naming one thing; never empty. */
export function waitingFor(state: EndState, object: KubeObject): string[] {
  const reasons: string[] = [];
  for (const finalizer of new Set(finalizersOf(object))) reasons.push(...heldBy(state, object, finalizer));
  if (reasons.length === 0) reasons.push(...withoutFinalizer(state, object));
  return reasons;
}

function heldBy(state: EndState, object: KubeObject, finalizer: string): string[] {
  switch (finalizer) {
    case FOREGROUND_FINALIZER:
      return blockers(state, object);
    case ORPHAN_FINALIZER:
      return ['the garbage collector, which can not take the owner references off all dependents'];
    case NAMESPACE_FINALIZER:
      return object.facts?.kind === 'Namespace' ? content(state, object) : foreign(finalizer);
    case CRD_CLEANUP_FINALIZER:
      return instances(state, object);
    case 'kubernetes.io/pvc-protection':
      return users(state, object);
    case 'kubernetes.io/pv-protection':
      return claimOf(object);
    default:
      return foreign(finalizer);
  }
}

function foreign(finalizer: string): string[] {
  return [`finalizer ${finalizer}, which its own controller has to remove`];
}

function blockingDependents({ store }: EndState, owner: Uid): KubeObject[] {
  const blocking = store
    .ownedBy(owner)
    .filter(each => each.owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion));
  return blocking.sort(byName);
}

/** What a foreground deletion waits for, each with what holds it in turn. */
function blockers(state: EndState, owner: KubeObject): string[] {
  const blocking = blockingDependents(state, owner.uid);
  if (blocking.length === 0) {
    return state.view.complete
      ? ['the garbage collector, though nothing that can be seen blocks it']
      : ['a dependent that can not be seen, or the garbage collector'];
  }
  return named(blocking, dependent => blocker(state, owner, dependent));
}

function blocker(state: EndState, owner: KubeObject, dependent: KubeObject): string {
  if (dependent.uid === owner.uid) {
    return 'itself: its owner reference to itself blocks its deletion (blockOwnerDeletion)';
  }
  const path = chain(state, owner, dependent);
  return `${title(dependent, owner.namespace)}, ${path}`;
}

/** From a blocking dependent down to the thing that decides. */
function chain(state: EndState, owner: KubeObject, dependent: KubeObject): string {
  const seen: KubeObject[] = [owner];
  const words: string[] = [];
  let at = dependent;
  for (;;) {
    const cycle = seen.findIndex(({ uid }) => uid === at.uid);
    if (cycle >= 0) {
      const members = seen.slice(cycle).map(each => title(each, owner.namespace));
      return members.length === 1
        ? [...words, 'which waits for itself by a blocking owner reference to itself'].join(', ')
        : `${[...words].join(', ')}: a cycle of blocking owner references (${members.join(' → ')} → ${members[0] ?? ''}), each deleting in the foreground and waiting for the next`;
    }
    seen.push(at);
    if (!isDeleting(at)) return [...words, notDeleting(state, at)].join(', ');
    const next = isForeground(at) ? blockingDependents(state, at.uid) : [];
    const others = finalizersOf(at).filter(each => each !== FOREGROUND_FINALIZER);
    const [first] = [...next].sort(
      (a, b) => Number(seen.some(({ uid }) => uid === a.uid)) - Number(seen.some(({ uid }) => uid === b.uid)),
    );
    if (first === undefined || others.length > 0) {
      return [...words, leaf(state, at, others)].join(', ');
    }
    words.push(`which waits for ${title(first, owner.namespace)}`);
    at = first;
  }
}

function leaf(state: EndState, object: KubeObject, finalizers: readonly string[]): string {
  const [finalizer] = finalizers;
  if (finalizer === undefined) return `which waits for ${withoutFinalizer(state, object).join(' and ')}`;
  if (finalizer.startsWith('kubernetes.io/pv')) {
    return `which waits for ${heldBy(state, object, finalizer).join(' and ')} (finalizer ${finalizer})`;
  }
  return `held by finalizer ${finalizers.join(' and ')}`;
}

/** Why the collector doesn't delete a dependent whose owner waits for it. */
function notDeleting({ view, store }: EndState, object: KubeObject): string {
  const lookup = new LiveLookup(view);
  const classified = classifyReferences(object.owners, object.namespace, {
    scopeOf: (apiVersion, kind) => lookup.scopeOf(apiVersion, kind),
    getOwner: identity => {
      const type = view.catalog.resolveKind(identity.apiVersion, identity.kind);
      const found = type && store.find(type, identity.namespace, identity.name);
      if (found === undefined) return lookup.getOwner(identity);
      return { state: 'found', uid: found.uid, foreground: isForeground(found) };
    },
    remembersAbsent: () => false,
    rememberAbsent: () => {},
  });
  if (!classified.failed) return 'which is not being deleted';
  const { kind, apiVersion, name } = classified.reference;
  if (classified.because === 'clusterScope') {
    return `which is cluster-scoped and never collected for a namespaced owner (${kind} ${name})`;
  }
  return classified.because === 'unresolvable'
    ? `which is never collected while its owner kind ${apiVersion} ${kind} can not be resolved`
    : `which is not collected while its owner ${kind} ${name} can not be looked up`;
}

/** Pods that mount a claim. */
function users({ view, store }: EndState, claim: KubeObject): string[] {
  const podType = view.catalog.resolveKind('v1', 'Pod');
  const pods = podType === undefined ? [] : store.list(podType, claim.namespace);
  const using = pods.filter(pod => {
    const facts = podFacts(pod);
    if (facts === undefined || facts.nodeName === '') return false;
    return (
      facts.claims.includes(claim.name) ||
      facts.ephemeralVolumes.some(volume => `${pod.name}-${volume}` === claim.name)
    );
  });
  if (using.length === 0) return foreign('kubernetes.io/pvc-protection');
  return named(using.sort(byName), pod => {
    const inTurn =
      isForeground(pod) &&
      claim.owners.some(({ uid, blockOwnerDeletion }) => uid === pod.uid && blockOwnerDeletion === true);
    return inTurn
      ? `${title(pod, claim.namespace)}, which mounts it and itself waits for this claim in its foreground deletion: a deadlock`
      : `${title(pod, claim.namespace)}, which mounts it`;
  });
}

function claimOf(volume: KubeObject): string[] {
  const facts = volume.facts?.kind === 'PersistentVolume' ? volume.facts : undefined;
  if (facts?.phase !== 'Bound') return foreign('kubernetes.io/pv-protection');
  return [`PersistentVolumeClaim ${facts.claimNamespace}/${facts.claimName}, to which it is bound`];
}

function instances(state: EndState, definition: KubeObject): string[] {
  const { store, discovery } = state;
  const { facts } = definition;
  const [type] = facts?.kind === 'CustomResourceDefinition' ? discovery.typesOf(facts) : [];
  const left = type === undefined ? [] : store.list(type).sort(byName);
  if (left.length === 0) return ['its instances, which can not be seen'];
  return named(left, each => withHold(state, each, ''));
}

/** What a terminating namespace still contains. */
function content(state: EndState, namespace: KubeObject): string[] {
  const { view, store, discovery } = state;
  const failed = discovery.failedGroupVersions;
  const reasons = failed.length === 0 ? [] : [`the discovery of ${failed.join(', ')}, which fails`];
  const left: KubeObject[] = [];
  for (const type of view.catalog.types) {
    if (!type.preferred || !type.namespaced || !type.verbs.includes('delete')) continue;
    left.push(...store.list(type, namespace.name));
  }
  const unique = [...new Set(left)];
  // Pods come first, and nothing else is deleted before they are gone.
  const pods = unique.filter(({ type }) => type.kind === 'Pod' && type.group === '');
  const held = (pods.length > 0 ? pods : unique).filter(isDeleting).sort(byName);
  if (held.length === 0 && reasons.length === 0) return ['content that can not be seen'];
  return [...reasons, ...named(held, each => withHold(state, each, namespace.name))];
}

function withHold(state: EndState, object: KubeObject, namespace: string): string {
  const finalizers = finalizersOf(object);
  const held =
    finalizers.length === 0
      ? `which waits for ${withoutFinalizer(state, object).join(' and ')}`
      : `held by finalizer ${finalizers.join(' and ')}`;
  return `${title(object, namespace)}, ${held}`;
}

/** Only a pod can be deleting without a finalizer: its kubelet has to confirm. */
function withoutFinalizer({ view, store }: EndState, object: KubeObject): string[] {
  const nodeName = podFacts(object)?.nodeName ?? '';
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  if (nodeName === '') return ['the API server'];
  const node = nodeType && store.find(nodeType, '', nodeName);
  if (node === undefined) return [`the kubelet on ${nodeName}`];
  return isNodeReady(node)
    ? [`the kubelet on ${nodeName}`]
    : [`the kubelet on ${nodeName}: the node is not ready, so nobody confirms that the pod has stopped`];
}

function named(objects: readonly KubeObject[], word: (object: KubeObject) => string): string[] {
  const words = objects.slice(0, NAMED).map(word);
  if (objects.length > NAMED) words.push(`${objects.length - NAMED} more like these`);
  return words;
}

function byName(a: KubeObject, b: KubeObject): number {
  return compare(a.namespace, b.namespace) || compare(a.type.kind, b.type.kind) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

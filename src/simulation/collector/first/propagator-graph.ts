/**
 * The first collector's graph (docs/collector.md; pkg/controller/garbagecollector/ garbagecollector.go processEvent,
 * v1.5.8). It goes by uids alone and tracks neither deletions nor unobserved owners.
 */
import type { Branch } from '../../../collector/index.ts';
import { type GraphEvent, type GraphNode, Identity, OwnershipNode } from '../../../graph/index.ts';
import { type KubeObject, ORPHAN_FINALIZER, type OwnerReference, type Uid } from '../../../model/index.ts';

export interface PropagatorEffects {
  dirty(node: GraphNode): void;
  orphan(node: GraphNode): void;
  /** Called for an unchecked reference that disagrees with its owner. */
  unchecked(dependent: GraphNode): void;
  /** Called when an existing object leaves the graph because a reference gives wrong coordinates. */
  mistaken(node: GraphNode): void;
  /** Called when an object already being deleted gets the finalizer orphan, which is ignored. */
  unnoticed(node: GraphNode): void;
}

/** A limited list of uids of proven absent owners; the least recently used is forgotten. */
export class AbsentUids {
  readonly limit: number;
  /** The last known identity, for onlookers: the collector uses the uid alone. */
  readonly #owners = new Map<Uid, Identity>();

  constructor(limit: number) {
    this.limit = limit;
  }

  add(identity: Identity): void {
    this.#owners.delete(identity.uid);
    this.#owners.set(identity.uid, identity);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > this.limit && oldest !== undefined) this.#owners.delete(oldest);
  }

  has(uid: Uid): boolean {
    const identity = this.#owners.get(uid);
    if (identity !== undefined) this.add(identity);
    return identity !== undefined;
  }

  values(): IterableIterator<Identity> {
    return this.#owners.values();
  }
}

export class PropagatorGraph {
  readonly absent: AbsentUids;
  readonly #effects: PropagatorEffects;
  readonly #index = new Map<Uid, OwnershipNode>();

  constructor(effects: PropagatorEffects, absentOwners: number) {
    this.#effects = effects;
    this.absent = new AbsentUids(absentOwners);
  }

  get size(): number {
    return this.#index.size;
  }

  get(uid: Uid): GraphNode | undefined {
    return this.#index.get(uid);
  }

  nodes(): IterableIterator<GraphNode> {
    return this.#index.values();
  }

  process(event: GraphEvent): readonly Branch[] {
    if (event.op === 'upsert') return this.#upsert(event.object, event.old);
    // Treats an event made after a look-up like any other, even if the object was observed meanwhile.
    if (event.op === 'delete') return this.#remove(event.object.uid);
    const node = this.#index.get(event.identity.uid);
    if (node !== undefined && !node.virtual) this.#effects.mistaken(node);
    return this.#remove(event.identity.uid);
  }

  #upsert(object: KubeObject, old: KubeObject | undefined): readonly Branch[] {
    const begins = deletionBegins(object, old);
    const known = this.#index.get(object.uid);
    if (known === undefined) {
      const node = new OwnershipNode(object, undefined);
      this.#index.set(object.uid, node);
      this.#link(node, node.owners);
      if (begins === 'OrphaningBegan') this.#effects.orphan(node);
      return begins === undefined ? ['NodeAdded'] : ['NodeAdded', begins];
    }
    const branches: Branch[] = known.virtual ? ['VirtualNodeObserved'] : [];
    // An owner's claimed identity isn't updated when it is observed.
    known.setObject(object, true);
    if (begins === 'OrphaningBegan') this.#effects.orphan(known);
    else if (old !== undefined && orphansLate(object, old)) this.#effects.unnoticed(known);
    if (this.#changeOwners(known, object)) branches.push('OwnersChanged');
    if (begins !== undefined) branches.push(begins);
    return branches.length === 0 ? ['NothingChanged'] : branches;
  }

  #changeOwners(known: OwnershipNode, object: KubeObject): boolean {
    const before = byUid(known.owners);
    const after = byUid(object.owners);
    const added = [...after.values()].filter(({ uid }) => !before.has(uid));
    const removed = [...before.values()].filter(({ uid }) => !after.has(uid));
    if (added.length === 0 && removed.length === 0) return false;
    known.owners = object.owners;
    this.#link(known, added);
    this.#unlink(known, removed);
    return true;
  }

  #link(node: OwnershipNode, references: readonly OwnerReference[]): void {
    for (const reference of references) {
      let owner = this.#index.get(reference.uid);
      if (owner === undefined) {
        owner = new OwnershipNode(undefined, Identity.claimed(reference, node.identity.namespace));
        this.#index.set(reference.uid, owner);
        this.#effects.dirty(owner);
      } else if (disagrees(node, reference, owner)) this.#effects.unchecked(node);
      owner.addDependent(node);
    }
  }

  #unlink(node: OwnershipNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.#index.get(uid)?.deleteDependent(node);
  }

  #remove(uid: Uid): readonly Branch[] {
    const node = this.#index.get(uid);
    if (node === undefined) return ['NodeUnknown'];
    this.#index.delete(uid);
    this.#unlink(node, node.owners);
    const isRemembered = node.dependents.size > 0;
    if (isRemembered) this.absent.add(node.identity);
    for (const dependent of node.dependents) this.#effects.dirty(dependent);
    return isRemembered ? ['NodeRemoved', 'AbsenceRemembered'] : ['NodeRemoved'];
  }
}

/** Keeps the last of several references to one uid. */
function byUid(references: readonly OwnerReference[]): ReadonlyMap<Uid, OwnerReference> {
  return new Map(references.map(reference => [reference.uid, reference]));
}

/** Applies today's rule for references to verify (docs/kubernetes.md §1.3). */
function disagrees(node: OwnershipNode, reference: OwnerReference, owner: OwnershipNode): boolean {
  const { namespace } = owner.identity;
  return (namespace !== '' && namespace !== node.namespace) || !Identity.matches(reference, owner.identity);
}

/** Ignores a finalizer added after the deletion. */
function deletionBegins(
  { deletionTimestamp, finalizers }: KubeObject,
  old: KubeObject | undefined,
): 'OrphaningBegan' | 'DeletionBegan' | undefined {
  if (deletionTimestamp === undefined || old?.deletionTimestamp !== undefined) return undefined;
  return finalizers.includes(ORPHAN_FINALIZER) ? 'OrphaningBegan' : 'DeletionBegan';
}

function orphansLate({ deletionTimestamp, finalizers }: KubeObject, old: KubeObject): boolean {
  const comes = finalizers.includes(ORPHAN_FINALIZER) && !old.finalizers.includes(ORPHAN_FINALIZER);
  return deletionTimestamp !== undefined && comes;
}

/**
 * The graph of the first collector as its propagator kept it (docs/vintage.md; pkg/controller/garbagecollector/
 * garbagecollector.go processEvent, v1.5.8). Its nodes are those of today's graph; apart from that, because it knows
 * neither who is being deleted nor whom it has only heard of, and goes by uids alone.
 */
import type { Branch } from '../../../collector/step.ts';
import {
  claimedIdentity,
  type GraphEvent,
  type GraphNode,
  type Identity,
  matchesCoordinates,
} from '../../../graph/node.ts';
import { OwnershipNode } from '../../../graph/ownership-node.ts';
import { type KubeObject, ORPHAN_FINALIZER, type OwnerReference, type Uid } from '../../../model/object.ts';

/** What a propagator queues, and what it passes over that today's collector would look into. */
export interface PropagatorEffects {
  dirty(node: GraphNode): void;
  orphan(node: GraphNode): void;
  /** A reference disagrees with what is known of its owner, and nobody is told to look. */
  unchecked(dependent: GraphNode): void;
  /** An object that is known to exist leaves the graph, because it wasn't found where somebody's reference says it is. */
  mistaken(node: GraphNode): void;
  /** What was being deleted already gets the finalizer orphan, and nobody is told. */
  unnoticed(node: GraphNode): void;
}

/** Uids of owners that were proven absent, so many at most; the one that was asked for longest ago is forgotten. */
export class AbsentUids {
  readonly limit: number;
  /** What each was last known as, for onlookers: the collector goes by the uid alone. */
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

  /** From the least to the most recently used. */
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

  /** Returns what the event meant, for onlookers. */
  process(event: GraphEvent): readonly Branch[] {
    if (event.op === 'upsert') return this.#upsert(event.object, event.old);
    // An event that was made up after a look-up is one like any other, also where the object was observed meanwhile.
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
    // What was heard of an owner before it was observed stays what it goes by.
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
        owner = new OwnershipNode(undefined, claimedIdentity(reference, node.identity.namespace));
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

/** Of several references to one uid the last counts. */
function byUid(references: readonly OwnerReference[]): ReadonlyMap<Uid, OwnerReference> {
  return new Map(references.map(reference => [reference.uid, reference]));
}

/** As today's graph builder finds out that a reference has to be verified (docs/kubernetes.md §1.3). */
function disagrees(node: OwnershipNode, reference: OwnerReference, owner: OwnershipNode): boolean {
  const { namespace } = owner.identity;
  return (namespace !== '' && namespace !== node.namespace) || !matchesCoordinates(reference, owner.identity);
}

/** Only the deletion itself counts: a finalizer that comes later isn't noticed. */
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

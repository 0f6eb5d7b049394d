/**
 * The ownership graph, kept from events exactly as kube-controller-manager's graph builder keeps it (docs/kubernetes.md
 * §1; pkg/controller/garbagecollector/graph_builder.go, v1.36). Synchronous and without I/O: a listener receives what
 * the collector would queue or report.
 */
import {
  type Change,
  FOREGROUND_FINALIZER,
  joinApiVersion,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  parseApiVersion,
  type ResourceType,
  type Uid,
  UidMap,
} from '../model/index.ts';
import { deletionShows, isDeleting, objectDeletion } from './deletion.ts';
import {
  AbsentOwners,
  alternateIdentity,
  isClaimed,
  partitionDependents,
  smallestClaim,
} from './index/claims.ts';
import { CoordinateIndex } from './index/coordinates.ts';
import { type GraphChanges, type GraphEffects, type GraphEvent, type GraphNode, Identity } from './node.ts';
import { OwnerChanges } from './owner-changes.ts';
import { identityOfObject, OwnershipNode } from './ownership-node.ts';

export interface OwnershipGraphOptions {
  /**
   * Lifetime of virtual nodes and the identity of nodes.
   * - `while-referenced` (default, without delete workers): unobserved owners that references name are virtual nodes,
   *   under the smallest claim; observed nodes take their latest object's identity. The graph is a function of the
   *   objects, whatever the order of events.
   * - `until-collected`: as in the collector, virtual nodes stay until a virtual delete, a deleted owner leaves its
   *   dependents without a node, and nodes keep the identity first observed.
   */
  readonly virtualOwners?: 'while-referenced' | 'until-collected';
  readonly effects?: GraphEffects;
  readonly absentOwners?: number;
}

export class OwnershipGraph {
  readonly absent: AbsentOwners;
  readonly #index = new UidMap<OwnershipNode>();
  readonly #coordinates = new CoordinateIndex(() => this.#index.values());
  readonly #effects: GraphEffects | undefined;
  readonly #asCollector: boolean;
  #touched = new Set<OwnershipNode>();
  #removed = new Set<OwnershipNode>();

  constructor(options: OwnershipGraphOptions = {}) {
    this.absent = new AbsentOwners(options.absentOwners);
    this.#effects = options.effects;
    this.#asCollector = options.virtualOwners === 'until-collected';
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

  /** Indexes every type by coordinates; call it before there are any objects. */
  indexCoordinates(): void {
    this.#coordinates.keepAll();
  }

  ofType(type: ResourceType): Iterable<GraphNode> {
    return this.#coordinates.ofType(type);
  }

  inNamespace(type: Pick<ResourceType, 'group' | 'resource'>, namespace: string): Iterable<GraphNode> {
    return this.#coordinates.inNamespace(type, namespace);
  }

  find(
    type: Pick<ResourceType, 'group' | 'resource'>,
    namespace: string,
    name: string,
  ): GraphNode | undefined {
    return this.#coordinates.find(type, namespace, name);
  }

  /** Applies a source's changes; each node's object is the previous state. */
  apply(changes: readonly Change[]): GraphChanges {
    for (const change of changes) {
      const node = this.#index.get(change.op === 'upsert' ? change.object.uid : change.uid);
      if (change.op === 'upsert') this.#upsert(node, change.object, node?.object);
      else if (node?.object !== undefined) {
        const { type } = change;
        const { apiVersion, kind } = type;
        const identity = { ...identityOfObject(node.object), apiVersion, kind };
        this.#remove(node, identity, change.unseen !== true);
      }
    }
    return this.#takeChanges();
  }

  process(event: GraphEvent): GraphChanges {
    if (event.op === 'upsert') {
      this.#upsert(this.#index.get(event.object.uid), event.object, event.old);
    } else if (event.op === 'delete') {
      const known = this.#index.get(event.object.uid);
      if (known !== undefined) {
        const node = known.virtual ? this.#observe(known, event.object) : known;
        this.#remove(node, identityOfObject(event.object));
      }
    } else {
      // The event splits group and version, so `/v1` becomes `v1` and no longer equals the claim (graph_builder.go
      // enqueueVirtualDeleteEvent and identityFromEvent, v1.36).
      const { group, version } = parseApiVersion(event.identity.apiVersion);
      this.#virtualDelete({ ...event.identity, apiVersion: joinApiVersion(group, version) });
    }
    return this.#takeChanges();
  }

  #takeChanges(): GraphChanges {
    const changes = { touched: this.#touched, removed: this.#removed };
    this.#touched = new Set();
    this.#removed = new Set();
    return changes;
  }

  #upsert(known: OwnershipNode | undefined, object: KubeObject, old: KubeObject | undefined): void {
    if (known === undefined) {
      const node = new OwnershipNode(object, undefined);
      node.beingDeleted = isDeleting(object);
      node.deletingDependents = objectDeletion.isForeground(object);
      this.#index.set(object.uid, node);
      this.#coordinates.add(node);
      this.#touched.add(node);
      this.#link(node, node.owners);
      this.#transition(node, object, old);
      return;
    }
    const previous = known.object;
    let node = known;
    if (previous === undefined) {
      node = this.#observe(known, object);
    } else {
      if (previous.type !== object.type) this.#coordinates.remove(node);
      node.setObject(object, this.#asCollector);
      if (previous.type !== object.type) this.#coordinates.add(node);
      this.#touched.add(node);
    }
    this.#updateOwners(node, object.owners);
    if (isDeleting(object)) node.beingDeleted = true;
    else if (!this.#asCollector) node.beingDeleted = false;
    if (!this.#asCollector) node.deletingDependents = objectDeletion.isForeground(object);
    if (previous !== undefined && deletionShows(previous, object)) this.#touchNeighbours(node);
    this.#transition(node, object, old);
  }

  /**
   * Observes the object of a virtual node. If its identity differs from the claim, a new node replaces the old one, and
   * dependents with another claim are checked.
   */
  #observe(node: OwnershipNode, object: KubeObject): OwnershipNode {
    const identity = identityOfObject(object);
    let observed = node;
    if (!Identity.isSame(identity, node.identity)) {
      for (const dependent of partitionDependents(node.dependents, identity).nonmatching) {
        if (identity.namespace !== '' && dependent.namespace !== identity.namespace) {
          this.#reportInvalidNamespace(dependent, identity.uid);
        }
        this.#queueDelete(dependent);
      }
      observed = this.#replace(node, identity);
    }
    observed.setObject(object, this.#asCollector);
    this.#coordinates.add(observed);
    this.#touched.add(observed);
    for (const dependent of observed.dependents) this.#touched.add(dependent);
    return observed;
  }

  #updateOwners(node: OwnershipNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    const changes = OwnerChanges.between(before, owners);
    if (changes === undefined) {
      // The collector keeps the old list, which may hold a duplicate that was removed.
      if (!this.#asCollector) node.owners = owners;
      if (before.length !== owners.length) this.#settleOwners(before);
      return;
    }
    for (const uid of OwnerChanges.unblocked(changes)) {
      const owner = this.#index.get(uid);
      if (owner !== undefined) this.#queueDelete(owner);
    }
    node.owners = owners;
    this.#link(node, changes.added);
    this.#unlink(node, changes.removed);
    for (const { to } of changes.changed) {
      const owner = this.#index.get(to.uid);
      if (owner === undefined) continue;
      this.#touched.add(owner);
      this.#offerClaim(owner, to, node.namespace);
    }
    this.#settleOwners(before);
  }

  #settleOwners(references: readonly OwnerReference[]): void {
    for (const { uid } of references) {
      const owner = this.#index.get(uid);
      if (owner !== undefined) this.#settleVirtual(owner);
    }
  }

  #link(node: OwnershipNode, references: readonly OwnerReference[]): void {
    let flagged = false;
    for (const reference of references) {
      let owner = this.#index.get(reference.uid);
      if (owner === undefined) {
        owner = new OwnershipNode(undefined, Identity.claimed(reference, node.namespace));
        this.#index.set(reference.uid, owner);
        owner.addDependent(node);
        this.#touched.add(owner);
        this.#queueDelete(owner);
        continue;
      }
      if (owner.addDependent(node)) this.#touched.add(owner);
      flagged ||= this.#contradicts(node, reference, owner);
      this.#offerClaim(owner, reference, node.namespace);
    }
    if (flagged) this.#queueDelete(node);
  }

  /** Reports whether a reference disagrees with its known owner, so it must be verified. */
  #contradicts(node: OwnershipNode, reference: OwnerReference, owner: OwnershipNode): boolean {
    if (this.#effects === undefined) return false;
    const { namespace } = owner;
    if (namespace !== '' && namespace !== node.namespace) {
      if (!owner.virtual) this.#reportInvalidNamespace(node, reference.uid);
      return true;
    }
    if (!Identity.matches(reference, owner.identity)) return true;
    return namespace !== node.namespace && owner.virtual;
  }

  #unlink(node: OwnershipNode, references: readonly OwnerReference[]): void {
    for (const reference of references) {
      const owner = this.#index.get(reference.uid);
      if (owner === undefined) continue;
      if (owner.deleteDependent(node)) this.#touched.add(owner);
      this.#settleVirtual(owner);
    }
  }

  /** Gives a virtual node the smallest claim, if no workers run. */
  #offerClaim(owner: OwnershipNode, reference: OwnerReference, namespace: string): void {
    if (this.#asCollector || !owner.virtual) return;
    const { identity } = owner;
    if (identity.namespace === namespace && Identity.matches(reference, identity)) return;
    const claim = Identity.claimed(reference, namespace);
    if (Identity.compare(claim, identity) < 0) this.#replace(owner, claim);
  }

  /** Drops a virtual node after its last reference, or its identity after its last claim, if no workers run. */
  #settleVirtual(owner: OwnershipNode): void {
    if (this.#asCollector || !owner.virtual) return;
    if (owner.dependents.size === 0) {
      this.#drop(owner);
    } else if (!isClaimed(owner.dependents, owner.identity)) {
      const claim = smallestClaim(owner.dependents, owner.uid);
      if (claim !== undefined) this.#replace(owner, claim);
    }
  }

  #transition(node: OwnershipNode, object: KubeObject, old: KubeObject | undefined): void {
    if (!isDeleting(object)) return;
    if (objectDeletion.begins(old, object, ORPHAN_FINALIZER)) {
      this.#effects?.attemptToOrphan(node);
    } else if (objectDeletion.begins(old, object, FOREGROUND_FINALIZER)) {
      node.deletingDependents = true;
      for (const dependent of node.dependents) {
        this.#touched.add(dependent);
        this.#queueDelete(dependent);
      }
      this.#queueDelete(node);
    }
  }

  /** Removes a node; records the event's `identity` as absent if dependents remain and the deletion was seen. */
  #remove(node: OwnershipNode, identity: Identity, isSeen = true): void {
    this.#drop(node);
    this.#unlink(node, node.owners);
    if (isSeen && node.dependents.size > 0) this.absent.add(identity);
    for (const dependent of node.dependents) {
      if (this.#index.get(dependent.uid) === dependent) this.#touched.add(dependent);
      this.#queueDelete(dependent);
    }
    for (const reference of node.owners) {
      const owner = this.#index.get(reference.uid);
      if (owner?.deletingDependents) this.#queueDelete(owner);
    }
    if (!this.#asCollector) this.#leaveVirtual(node);
  }

  /** Leaves a virtual node for the remaining references, as a fresh graph would have. */
  #leaveVirtual(node: OwnershipNode): void {
    node.deleteDependent(node);
    const claim = smallestClaim(node.dependents, node.uid);
    if (claim === undefined) return;
    const ghost = new OwnershipNode(undefined, claim);
    for (const dependent of node.dependents) ghost.addDependent(dependent);
    this.#index.set(claim.uid, ghost);
    this.#touched.add(ghost);
  }

  #virtualDelete(absent: Identity): void {
    const node = this.#index.get(absent.uid);
    if (node === undefined) return;
    const isAbsent = Identity.isSame(node.identity, absent);
    if (!node.virtual && isAbsent) {
      this.#remove(node, absent);
      return;
    }
    const { matching, nonmatching } = partitionDependents(node.dependents, absent);
    if (node.virtual && nonmatching.length === 0) {
      this.#remove(node, absent);
      return;
    }
    if (matching.length > 0) this.absent.add(absent);
    for (const dependent of matching) {
      this.#touched.add(dependent);
      this.#queueDelete(dependent);
    }
    if (!node.virtual || !isAbsent) return;
    const alternate = alternateIdentity(nonmatching, absent);
    if (alternate !== undefined) {
      this.#effects?.attemptToDelete(this.#replace(node, alternate), true);
    }
  }

  /** Replaces a virtual node by one with another identity, which is a distinct key in every queue. */
  #replace(node: OwnershipNode, identity: Identity): OwnershipNode {
    const replacement = node.cloneAs(identity, undefined);
    this.#touched.delete(node);
    this.#removed.add(node);
    this.#index.set(identity.uid, replacement);
    this.#touched.add(replacement);
    return replacement;
  }

  #drop(node: OwnershipNode): void {
    this.#coordinates.remove(node);
    this.#index.delete(node.uid);
    this.#touched.delete(node);
    this.#removed.add(node);
  }

  #touchNeighbours(node: OwnershipNode): void {
    for (const dependent of node.dependents) this.#touched.add(dependent);
    for (const reference of node.owners) {
      const owner = this.#index.get(reference.uid);
      if (owner !== undefined) this.#touched.add(owner);
    }
  }

  #queueDelete(node: OwnershipNode): void {
    this.#effects?.attemptToDelete(node, false);
  }

  #reportInvalidNamespace(dependent: OwnershipNode, uid: Uid): void {
    const reference = dependent.owners.find(owner => owner.uid === uid);
    if (reference !== undefined) this.#effects?.invalidNamespace(dependent, reference);
  }
}

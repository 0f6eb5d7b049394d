/** State of a cluster at one moment, kept from a source's batches and shared by the command line and the screen. */

import {
  type BlindSpot,
  type CollectorRelease,
  Connection,
  type Content,
  type FinalizerCatalogue,
  getOrInsert,
  isEqualData,
  type KubeObject,
  type LookUp,
  type Pausing,
  type PolledKind,
  type ReadScope,
  ResourceType,
  type SourceBatch,
  TypeCatalog,
  type TypeStatus,
  type Uid,
} from '../model/index.ts';
import { OwnershipGraph } from './graph.ts';
import { Absences } from './index/absences.ts';
import { EndingIndex } from './index/ending.ts';
import { Wants } from './index/wants.ts';
import type { GraphChanges } from './node.ts';

/**
 * Meaning of an object's absence, by type.
 * - `visible`: every object is known, so it doesn't exist.
 * - `partial`: only the namespaces of its status are known.
 * - `listing`: the list isn't complete yet.
 * - `blind`: it cannot be listed, or the collector doesn't watch it, so nothing is known.
 * - `unserved`: the API server doesn't serve it.
 */
export type Visibility = 'visible' | 'partial' | 'listing' | 'blind' | 'unserved';

/** Effects of a batch. A change of types, statuses or failed groups may change any verdict. */
export interface ViewChanges {
  readonly graph: GraphChanges;
  readonly types: boolean;
  readonly statuses: boolean;
  readonly failedGroups: boolean;
  readonly connection: boolean;
  readonly lookUps: readonly LookUp[];
}

/** Facts about a cluster that its objects don't show. */
export interface ClusterSettings {
  readonly serverVersion: string | undefined;
  /** `--terminated-pod-gc-threshold` of kube-controller-manager; 0 or less is no limit, undefined the default. */
  readonly terminatedPodGcThreshold: number | undefined;
  /** Set for a source that isn't followed, such as files. */
  readonly standsStill?: boolean;
  /** Lists may be older than references to objects they lack, as in a live cluster: only a look-up confirms absence. */
  readonly listsMayLag?: boolean;
  readonly collector?: CollectorRelease | undefined;
  /** Finalizers and tools that are known by name; undefined for the built-in ones alone. */
  readonly catalogue?: FinalizerCatalogue | undefined;
  /** Returns the content of a deleting object at once, for sources without look-ups. */
  readonly contentOf?: ((object: KubeObject) => Content | undefined) | undefined;
}

export class ClusterView {
  readonly graph = new OwnershipGraph();
  readonly absences = new Absences(this);
  /** Reads outside of the scope that answers turned out to need. */
  readonly wants = new Wants(this);
  /** Set before anything is concluded from the view. */
  settings: ClusterSettings = { serverVersion: undefined, terminatedPodGcThreshold: undefined };
  #batches = 0;
  #currentCatalog = new TypeCatalog([]);
  #currentFailedGroups: readonly BlindSpot[] = [];
  #currentConnection: Connection = { state: 'connecting' };
  #currentPausing: Pausing | undefined;
  #currentScope: ReadScope | undefined;
  readonly #statusByResource = new Map<string, TypeStatus>();
  #completeness: boolean | undefined;
  readonly #knownNamespaces = new Map<string, boolean>();
  #polledResources: ReadonlySet<string> | undefined;
  #ending: EndingIndex | undefined;

  /** Changes with each batch, after which earlier conclusions may no longer hold. */
  get revision(): number {
    return this.#batches;
  }

  /** Applies a batch; `now` dates deletions of owners. */
  apply(batch: SourceBatch, now: number): ViewChanges {
    this.#batches += 1;
    if (batch.types !== undefined) this.#currentCatalog = new TypeCatalog(batch.types);
    if (batch.failedGroups !== undefined) this.#currentFailedGroups = batch.failedGroups;
    let statuses = false;
    for (const status of batch.statuses ?? []) {
      const key = ResourceType.groupResource(status.type);
      // The number of objects alone changes nothing: each object arrives by itself.
      statuses ||= !isEqualData({ ...this.#statusByResource.get(key), count: 0 }, { ...status, count: 0 });
      this.#statusByResource.set(key, status);
    }
    if (batch.scope !== undefined) this.#currentScope = batch.scope;
    if (batch.connection !== undefined) this.#currentConnection = batch.connection;
    if (batch.pausing !== undefined) this.#currentPausing = batch.pausing ?? undefined;
    const graph = this.graph.apply(batch.changes);
    const lookUps = this.absences.apply(graph, batch, now);
    const changes = {
      graph: withLookedUp(this.graph, graph, lookUps),
      types: batch.types !== undefined,
      statuses,
      failedGroups: batch.failedGroups !== undefined,
      connection: batch.connection !== undefined,
      lookUps,
    };
    if (changes.types || changes.statuses || changes.failedGroups) {
      this.#completeness = undefined;
      this.#knownNamespaces.clear();
      this.#polledResources = undefined;
    }
    this.#ending?.apply(graph);
    return changes;
  }

  /** Returns `now`, or when following stopped: later events aren't visible yet. */
  followedUntil(now: number): number {
    const connection = this.#currentConnection;
    return Connection.isBehind(connection) ? Math.min(now, connection.since) : now;
  }

  /** Returns when an object that still has references was seen to be deleted. */
  vanishedAt(uid: Uid): number | undefined {
    return this.absences.departedAt(uid);
  }

  /** Yields pods with this `spec.nodeName`, even if no such node exists. */
  *podsOn(nodeName: string): IterableIterator<KubeObject> {
    for (const uid of this.indexEnding().podsOn(nodeName)) {
      const object = this.graph.get(uid)?.object;
      if (object?.facts?.kind === 'Pod' && object.facts.nodeName === nodeName) yield object;
    }
  }

  /** Builds the index on the first call, which walks all objects: call it before there are any. */
  indexEnding(): EndingIndex {
    this.#ending ??= new EndingIndex(this.graph.nodes());
    return this.#ending;
  }

  get catalog(): TypeCatalog {
    return this.#currentCatalog;
  }

  /** By `ResourceType.groupResource`; includes types that are no longer served (`gone`). */
  get statuses(): ReadonlyMap<string, TypeStatus> {
    return this.#statusByResource;
  }

  get failedGroups(): readonly BlindSpot[] {
    return this.#currentFailedGroups;
  }

  get connection(): Connection {
    return this.#currentConnection;
  }

  get pausing(): Pausing | undefined {
    return this.#currentPausing;
  }

  get scope(): ReadScope | undefined {
    return this.#currentScope;
  }

  statusOf(type: Pick<ResourceType, 'group' | 'resource'>): TypeStatus | undefined {
    return this.#statusByResource.get(ResourceType.groupResource(type));
  }

  visibility(type: Pick<ResourceType, 'group' | 'resource'>): Visibility {
    if (!this.#currentCatalog.serves(type)) return 'unserved';
    const status = this.statusOf(type);
    switch (status?.state) {
      case 'synced':
        return status.namespaces === undefined ? 'visible' : 'partial';
      case 'listing':
      // An unread type is read as soon as it is wanted.
      case 'unread':
        return 'listing';
      case 'gone':
        // The type is served again, and its list hasn't begun.
        return 'listing';
      case 'blind':
      case undefined:
        return 'blind';
    }
  }

  /** Reports whether all objects of a type in a namespace (`''`: cluster-scoped) are known. Requests a read otherwise. */
  sees(type: ResourceType, namespace: string): boolean {
    if (this.reads(type, namespace)) return true;
    this.wants.note({ type, namespace, name: undefined });
    return false;
  }

  seesAll(type: ResourceType): boolean {
    if (this.visibility(type) === 'visible') return true;
    this.wants.note({ type, namespace: type.namespaced ? undefined : '', name: undefined });
    return false;
  }

  /** Like `sees`, for one object: it is known, or a look-up settled its existence. */
  seesAt(type: ResourceType, namespace: string, name: string): boolean {
    if (this.reads(type, namespace) || this.graph.find(type, namespace, name) !== undefined) return true;
    if (this.#currentScope === undefined) return false;
    this.wants.note({ type, namespace, name });
    const { apiVersion, kind } = type;
    const { state } = this.absences.of({ apiVersion, kind, namespace, name, uid: '' });
    return state === 'confirmed' || state === 'found';
  }

  /** Like `seesAt`, but the name may have been reused since. */
  seesOwnerAt(type: ResourceType, namespace: string, name: string): boolean {
    if (this.statusOf(type)?.piecemeal === true && !this.reads(type, namespace)) return false;
    return this.seesAt(type, namespace, name);
  }

  /** Finds a known object, and requests a read if it lies outside of the scope. */
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const found = this.graph.find(type, namespace, name)?.object;
    if (found === undefined && this.#currentScope !== undefined) this.seesAt(type, namespace, name);
    return found;
  }

  /** Like `sees`, but never requests a read. */
  reads(type: ResourceType, namespace: string): boolean {
    if (ResourceType.holdsNothing(type)) return true;
    const visibility = this.visibility(type);
    if (visibility === 'visible') return true;
    // Some namespaces may be complete while others are being listed.
    if (visibility !== 'partial' && visibility !== 'listing') return false;
    return namespace !== '' && (this.statusOf(type)?.namespaces?.includes(namespace) ?? false);
  }

  /** Reports whether a group's discovery failed, so its kinds are unknown rather than unserved. */
  groupFailed(group: string, version: string): boolean {
    const names =
      group === '' ? ['*', version] : [`*.${group}`, `*.${version}.${group}`, `${group}/${version}`];
    return this.#currentFailedGroups.some(({ resource }) => names.includes(resource));
  }

  /**
   * Returns kinds that cannot be seen, for `Basis.blindSpots`; types still being listed don't count. With `namespace`,
   * returns only namespaced kinds that cannot be seen there.
   */
  blindSpots(namespace?: string): BlindSpot[] {
    const spots: BlindSpot[] = [];
    for (const status of this.#statusByResource.values()) {
      const resource = ResourceType.groupResource(status.type);
      if (!this.#currentCatalog.serves(status.type)) continue;
      if (namespace !== undefined && (!status.type.namespaced || this.reads(status.type, namespace)))
        continue;
      if (status.state === 'blind') {
        spots.push({ resource, reason: status.reason ?? 'cannot be listed' });
      } else if (status.namespaces !== undefined && status.state === 'synced' && !this.#isInScope(status)) {
        const reason = status.reason ?? 'no permission on the whole cluster';
        spots.push({ resource, reason: `${reason}${seenIn(status.namespaces, status.type)}` });
      }
    }
    return [...this.#currentFailedGroups, ...spots].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  /** Returns kinds that are listed but not watched, up to a minute old, for `Basis.polled`. */
  polled(): PolledKind[] {
    const kinds: PolledKind[] = [];
    for (const { type, state, polled } of this.#statusByResource.values())
      if (state === 'synced' && polled !== undefined && this.#currentCatalog.serves(type))
        kinds.push({ resource: ResourceType.groupResource(type), reason: polled });
    return kinds.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  isPolled(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.hasPolled && this.#polledResources?.has(ResourceType.groupResource(type)) === true;
  }

  get hasPolled(): boolean {
    this.#polledResources ??= new Set(this.polled().map(({ resource }) => resource));
    return this.#polledResources.size > 0;
  }

  get complete(): boolean {
    this.#completeness ??= this.#isComplete();
    return this.#completeness;
  }

  /** Reports whether all watched kinds of a namespace that can be listed are known, facts included. */
  knows(namespace: string): boolean {
    return getOrInsert(this.#knownNamespaces, namespace, () => this.#isKnown(namespace));
  }

  #isKnown(namespace: string): boolean {
    const types = this.#currentCatalog.types.filter(
      type => type.namespaced && ResourceType.isMonitored(type),
    );
    return (
      types.length > 0 &&
      types.every(type => {
        const { state, facts, namespaces } = this.statusOf(type) ?? {};
        if (state === 'blind') return true;
        // A kind that is synced in only some namespaces cannot be listed in the others.
        if (state === 'synced') return facts === true;
        return state === 'listing' && namespaces?.includes(namespace) === true;
      })
    );
  }

  /** Reports whether nothing unseen could change a verdict. */
  get completeEverywhere(): boolean {
    return this.#currentScope === undefined && this.complete;
  }

  #isComplete(): boolean {
    const { types } = this.#currentCatalog;
    if (types.length === 0 || this.#currentFailedGroups.length > 0) return false;
    return types.every(type => {
      if (!ResourceType.isMonitored(type) || this.visibility(type) === 'visible') return true;
      const status = this.statusOf(type);
      return status !== undefined && (status.state === 'unread' || this.#isInScope(status));
    });
  }

  #isInScope({ state, namespaces = [] }: TypeStatus): boolean {
    const scope = this.#currentScope;
    const isKnown = state === 'synced' || (state === 'listing' && namespaces.length > 0);
    return isKnown && scope !== undefined && scope.namespaces.every(each => namespaces.includes(each));
  }
}

const NAMED = 5;

function seenIn(namespaces: readonly string[], { namespaced }: ResourceType): string {
  if (namespaces.length === 0) return namespaced ? '; seen in no namespace' : '';
  const more = namespaces.length - NAMED;
  const named = namespaces.slice(0, more > 1 ? NAMED : undefined).join(', ');
  return `; seen only in ${named}${more > 1 ? ` and ${more} more` : ''}`;
}

/** Adds the objects that refer to looked-up owners: their verdict may have changed. */
function withLookedUp(
  graph: OwnershipGraph,
  changes: GraphChanges,
  lookUps: readonly LookUp[],
): GraphChanges {
  if (lookUps.length === 0) return changes;
  const touched = new Set(changes.touched);
  for (const { uid } of lookUps) {
    const node = uid === '' ? undefined : graph.get(uid);
    if (node === undefined) continue;
    touched.add(node);
    for (const dependent of node.dependents) touched.add(dependent);
  }
  return { touched, removed: changes.removed };
}

/** Everything known of a cluster at one moment, kept from a source's batches; command line and screen read the same. */

import { isEqualData } from '../model/equal.ts';
import {
  type BlindSpot,
  type Connection,
  isBehind,
  type LookUp,
  type Pausing,
  type PolledKind,
  type SourceBatch,
  type TypeStatus,
} from '../model/exchange/changes.ts';
import type { ReadScope } from '../model/exchange/reads.ts';
import { getOrInsert } from '../model/maps.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import type { CollectorRelease } from '../model/server/server-behaviour.ts';
import { groupResource, holdsNothing, isMonitored, type ResourceType } from '../model/types/resource-type.ts';
import { TypeCatalog } from '../model/types/type-catalog.ts';
import { OwnershipGraph } from './graph.ts';
import { Absences } from './index/absences.ts';
import { PodIndex } from './index/pods.ts';
import { Wants } from './index/wants.ts';
import type { GraphChanges } from './node.ts';

/**
 * What the absence of an object of a type proves.
 * - `visible`: every object is known, so what isn't there doesn't exist.
 * - `partial`: only in the namespaces of its status.
 * - `listing`: not yet.
 * - `blind`: it cannot be listed, or the collector doesn't watch it, so nothing is known.
 * - `unserved`: the API server doesn't serve it (any more).
 */
export type Visibility = 'visible' | 'partial' | 'listing' | 'blind' | 'unserved';

/** What a batch changed. Where types, statuses or failed groups did, any verdict may have. */
export interface ViewChanges {
  readonly graph: GraphChanges;
  readonly types: boolean;
  readonly statuses: boolean;
  readonly failedGroups: boolean;
  readonly connection: boolean;
  /** Look-ups whose answer is another one than before. */
  readonly lookUps: readonly LookUp[];
}

/** What the objects of a cluster don't tell of it. */
export interface ClusterSettings {
  /** `v1.36.3`; undefined where no server said so. */
  readonly serverVersion: string | undefined;
  /**
   * `--terminated-pod-gc-threshold` of kube-controller-manager, which the API doesn't tell: a number of pods, zero or
   * less for no limit. Undefined where nobody gave it; then the default is assumed.
   */
  readonly terminatedPodGcThreshold: number | undefined;
  /** Nothing is followed, as of files, which may have been copied long after they were written. */
  readonly standsStill?: boolean;
  /**
   * Lists may be older than the objects that refer to what they lack, as those of a live cluster may be, so that what
   * they lack is only assumed to be absent until a look-up has confirmed it.
   */
  readonly listsMayLag?: boolean;
  /** Of a simulated cluster, where it isn't today's. */
  readonly collector?: CollectorRelease | undefined;
}

export class ClusterView {
  readonly graph = new OwnershipGraph();
  readonly absences = new Absences(this);
  /** What answers needed that lies outside of the scope, noted wherever it is looked for. */
  readonly wants = new Wants(this);
  /** Set by whoever reads the source into this view, before anything is concluded from it. */
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
  #pods: PodIndex | undefined;

  /** Another number after each batch: what was concluded before it may not hold any more. */
  get revision(): number {
    return this.#batches;
  }

  /** `now`, in milliseconds since the epoch: with it the view knows later when owners were seen to go. */
  apply(batch: SourceBatch, now: number): ViewChanges {
    this.#batches += 1;
    if (batch.types !== undefined) this.#currentCatalog = new TypeCatalog(batch.types);
    if (batch.failedGroups !== undefined) this.#currentFailedGroups = batch.failedGroups;
    let statuses = false;
    for (const status of batch.statuses ?? []) {
      const key = groupResource(status.type);
      // How many objects there are comes with each of them, and says nothing that they don't say themselves.
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
    this.#pods?.apply(graph);
    return changes;
  }

  /** `now`, or the moment until which everything was followed: what happens after it cannot be seen yet. */
  followedUntil(now: number): number {
    const connection = this.#currentConnection;
    return isBehind(connection) ? Math.min(now, connection.since) : now;
  }

  /** When an object that others still refer to was seen to go, in milliseconds since the epoch, if it was seen. */
  vanishedAt(uid: Uid): number | undefined {
    return this.absences.departedAt(uid);
  }

  /** The pods whose `spec.nodeName` this is, whether there is such a node or not. */
  *podsOn(nodeName: string): IterableIterator<KubeObject> {
    for (const uid of this.indexPods().on(nodeName)) {
      const object = this.graph.get(uid)?.object;
      if (object?.facts?.kind === 'Pod' && object.facts.nodeName === nodeName) yield object;
    }
  }

  /** Kept from the first call on, which takes a walk through all objects: to be called before there are any. */
  indexPods(): PodIndex {
    this.#pods ??= new PodIndex(this.graph.nodes());
    return this.#pods;
  }

  get catalog(): TypeCatalog {
    return this.#currentCatalog;
  }

  /** By `groupResource` of the type. Includes types that are no longer served (`gone`). */
  get statuses(): ReadonlyMap<string, TypeStatus> {
    return this.#statusByResource;
  }

  get failedGroups(): readonly BlindSpot[] {
    return this.#currentFailedGroups;
  }

  get connection(): Connection {
    return this.#currentConnection;
  }

  /** Set while requests that somebody waits for wait to be sent again. */
  get pausing(): Pausing | undefined {
    return this.#currentPausing;
  }

  /** What is read of the cluster; undefined for all of it. */
  get scope(): ReadScope | undefined {
    return this.#currentScope;
  }

  statusOf(type: Pick<ResourceType, 'group' | 'resource'>): TypeStatus | undefined {
    return this.#statusByResource.get(groupResource(type));
  }

  visibility(type: Pick<ResourceType, 'group' | 'resource'>): Visibility {
    if (!this.#currentCatalog.serves(type)) return 'unserved';
    const status = this.statusOf(type);
    switch (status?.state) {
      case 'synced':
        return status.namespaces === undefined ? 'visible' : 'partial';
      case 'listing':
      // Read as soon as it is wanted.
      case 'unread':
        return 'listing';
      case 'gone':
        // Served again, and its list hasn't begun.
        return 'listing';
      case 'blind':
      case undefined:
        return 'blind';
    }
  }

  /**
   * Whether all objects of a type in a namespace (`''`: cluster-scoped) are known: a missing one doesn't exist. Wanted
   * where they lie outside of the scope.
   */
  sees(type: ResourceType, namespace: string): boolean {
    if (this.reads(type, namespace)) return true;
    this.wants.note({ type, namespace, name: undefined });
    return false;
  }

  /** The same in every namespace. */
  seesAll(type: ResourceType): boolean {
    if (this.visibility(type) === 'visible') return true;
    this.wants.note({ type, namespace: type.namespaced ? undefined : '', name: undefined });
    return false;
  }

  /** The same of one object: there is none of these coordinates unless `find` knows it, or a look-up has found it. */
  seesAt(type: ResourceType, namespace: string, name: string): boolean {
    if (this.reads(type, namespace) || this.graph.find(type, namespace, name) !== undefined) return true;
    if (this.#currentScope === undefined) return false;
    this.wants.note({ type, namespace, name });
    const { apiVersion, kind } = type;
    const { state } = this.absences.of({ apiVersion, kind, namespace, name, uid: '' });
    return state === 'confirmed' || state === 'found';
  }

  /** The same of an owner, which may have been another object than the one that is known by its name. */
  seesOwnerAt(type: ResourceType, namespace: string, name: string): boolean {
    if (this.statusOf(type)?.piecemeal === true && !this.reads(type, namespace)) return false;
    return this.seesAt(type, namespace, name);
  }

  /** The object of these coordinates, as far as it is known; wanted where it lies outside of the scope. */
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    const found = this.graph.find(type, namespace, name)?.object;
    if (found === undefined && this.#currentScope !== undefined) this.seesAt(type, namespace, name);
    return found;
  }

  /** As `sees`, of what was read; nothing is wanted for it. */
  reads(type: ResourceType, namespace: string): boolean {
    if (holdsNothing(type)) return true;
    const visibility = this.visibility(type);
    if (visibility === 'visible') return true;
    // Some namespaces may be known while the others are being listed.
    if (visibility !== 'partial' && visibility !== 'listing') return false;
    return namespace !== '' && (this.statusOf(type)?.namespaces?.includes(namespace) ?? false);
  }

  /** Whether the discovery of an API group failed, so that kinds in it are unknown rather than unserved. */
  groupFailed(group: string, version: string): boolean {
    const names =
      group === '' ? ['*', version] : [`*.${group}`, `*.${version}.${group}`, `${group}/${version}`];
    return this.#currentFailedGroups.some(({ resource }) => names.includes(resource));
  }

  /** What cannot be seen and why: for `Basis.blindSpots`. Types that are still being listed are none. */
  blindSpots(): BlindSpot[] {
    const spots: BlindSpot[] = [];
    for (const status of this.#statusByResource.values()) {
      const resource = groupResource(status.type);
      if (!this.#currentCatalog.serves(status.type)) continue;
      if (status.state === 'blind') {
        spots.push({ resource, reason: status.reason ?? 'cannot be listed' });
      } else if (status.namespaces !== undefined && status.state === 'synced' && !this.#isInScope(status)) {
        const reason = status.reason ?? 'no permission on the whole cluster';
        spots.push({ resource, reason: `${reason}${seenIn(status.namespaces, status.type)}` });
      }
    }
    return [...this.#currentFailedGroups, ...spots].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  /** What can be listed but not watched and why, so that it may be up to a minute old: for `Basis.polled`. */
  polled(): PolledKind[] {
    const kinds: PolledKind[] = [];
    for (const { type, state, polled } of this.#statusByResource.values())
      if (state === 'synced' && polled !== undefined && this.#currentCatalog.serves(type))
        kinds.push({ resource: groupResource(type), reason: polled });
    return kinds.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  /** Whether what is known of a type may be up to a minute old. */
  isPolled(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.hasPolled && this.#polledResources?.has(groupResource(type)) === true;
  }

  /** Whether that is so of any type. */
  get hasPolled(): boolean {
    this.#polledResources ??= new Set(this.polled().map(({ resource }) => resource));
    return this.#polledResources.size > 0;
  }

  /** Every object in the scope that the collector watches is known. */
  get complete(): boolean {
    this.#completeness ??= this.#isComplete();
    return this.#completeness;
  }

  /**
   * Whether all that can be listed in a namespace and that the collector watches is known, facts included. Of what lies
   * outside of namespaces this says nothing.
   */
  knows(namespace: string): boolean {
    return getOrInsert(this.#knownNamespaces, namespace, () => this.#isKnown(namespace));
  }

  #isKnown(namespace: string): boolean {
    const types = this.#currentCatalog.types.filter(type => type.namespaced && isMonitored(type));
    return (
      types.length > 0 &&
      types.every(type => {
        const { state, facts, namespaces } = this.statusOf(type) ?? {};
        if (state === 'blind') return true;
        // Of one that is synced in some namespaces alone, the others cannot be listed.
        if (state === 'synced') return facts === true;
        return state === 'listing' && namespaces?.includes(namespace) === true;
      })
    );
  }

  /** The same of the whole cluster: nothing unseen could change a verdict. */
  get completeEverywhere(): boolean {
    return this.#currentScope === undefined && this.complete;
  }

  #isComplete(): boolean {
    const { types } = this.#currentCatalog;
    if (types.length === 0 || this.#currentFailedGroups.length > 0) return false;
    return types.every(type => {
      if (!isMonitored(type) || this.visibility(type) === 'visible') return true;
      const status = this.statusOf(type);
      return status !== undefined && (status.state === 'unread' || this.#isInScope(status));
    });
  }

  /** Known in all of what is read of it. */
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

/** The objects that refer to what was looked up: what is said of them may be another thing now. */
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

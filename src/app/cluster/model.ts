/** One cluster as the screen reads it. Changes in place: copying 150,000 objects per frame would be too slow. */

import { Judgement, OwnerStanding } from '../../collector/index.ts';
import type { ManagedBy } from '../../diagnosis/index.ts';
import { ClusterView, Forest, type GraphNode, type ViewChanges } from '../../graph/index.ts';
import {
  type BlindSpot,
  type Change,
  type Connection,
  isEqualData,
  type OwnerReference,
  type PolledKind,
  ResourceType,
  type SourceBatch,
  type Uid,
} from '../../model/index.ts';
import { RowsBeside } from '../painting/beside.ts';
import type { Painting } from '../painting/painting.ts';
import { matcher, type NodeMatcher, SearchIndex } from '../search/node-index.ts';
import type { TreeSort } from '../settings/settings.ts';
import type { ActivityLog } from './activity-rows.ts';
import type { CollectorWatch } from './collector.ts';
import type { Diagnostics } from './diagnostics.ts';
import { Managers } from './manager-rows.ts';
import { deletionOf, NamespaceCounts, type NamespaceSummary } from './namespace-counts.ts';
import { PodGc } from './podgc-rows.ts';
import { Problems, type Trouble } from './problems.ts';
import { Pulse } from './pulse-rows.ts';
import type { TreeFolds } from './tree/folds.ts';
import type { Grouping } from './tree/groups.ts';
import type { TreeGroup } from './tree/item.ts';
import { LONE, orderOf, troubleRank } from './tree/order.ts';
import { TreeRows } from './tree/tree-rows.ts';
import { TreeTrouble } from './tree/trouble.ts';

export interface ClusterModelOptions {
  readonly namespace: string | undefined;
  /** Namespace read first: see `ReadPlan.first`. */
  readonly first?: string;
  readonly like?: ClusterModel;
}

export type TreeFilter =
  | { readonly kind: 'words'; readonly words: string; readonly loose?: boolean }
  | { readonly kind: 'problems' }
  | { readonly kind: 'targets'; readonly title: string; readonly matches: NodeMatcher };

export interface ClusterSummary {
  readonly objects: number;
  readonly kinds: number;
  readonly listed: number;
  readonly connection: Connection;
  readonly blindSpots: readonly BlindSpot[];
  /** Kinds up to a minute old. */
  readonly polled: readonly PolledKind[];
}

/** Up to this many rows everything starts unfolded: a few screens. Above it, roots alone give the better overview. */
const SMALL_SCOPE_ROWS = 200;
/** Milliseconds between updates of the progress. */
const PROGRESS_MS = 250;

export class ClusterModel {
  readonly view = new ClusterView();
  rows: TreeRows;
  readonly #first: string | undefined;
  #scope: string | undefined;
  #forest: Forest;
  #sort: TreeSort = 'trouble';
  #trouble = new TreeTrouble();
  #knownTrouble: number | undefined;
  /** While a forecast is painted: the trouble that groups count. */
  #countedTrouble: number | undefined;
  #isTroubleKnown = false;
  /** Ranks from before the painting: painted objects keep their places. */
  #held = new Map<Uid, number>();
  readonly #rankOf = (node: GraphNode): number =>
    this.#held.get(node.uid) ?? troubleRank(node, this.#trouble);
  #counts: NamespaceCounts | undefined;
  #allListed = false;
  /** Set once the scope is listed; until then a large scope folds by itself. */
  #settled = false;
  #filter: { matches: NodeMatcher; keep: Set<Uid>; kind: TreeFilter['kind'] } | undefined;
  #filteredProblems = 0;
  /** Rules for a namespace that is complete before the cluster is. */
  #ahead: Diagnostics | undefined;
  #found: Problems | undefined;
  #allKnown = false;
  #surveyed: PodGc | undefined;
  #taken: PodGc | undefined;
  #preparing: Iterator<undefined, void> | undefined;
  #preparedAt = 0;
  #managers: Managers | undefined;
  #activity: ActivityLog | undefined;
  #collector: CollectorWatch | undefined;
  #pulse: Pulse | undefined;
  #index: SearchIndex | undefined;
  readonly #virtual = new Set<Uid>();
  #beside: RowsBeside | undefined;
  #painting: Painting | undefined;
  /** Objects that a narrowed tree shows only because they are painted. */
  #widened: readonly Uid[] = [];
  #progress:
    | { readonly at: number; readonly scope: string | undefined; readonly summary: ClusterSummary }
    | undefined;

  constructor({ namespace, first, like }: ClusterModelOptions) {
    this.#first = first;
    this.#scope = namespace;
    this.#forest = new Forest(this.view.graph, { namespace });
    this.rows = this.#newRows(like?.rows.folds);
    if (like !== undefined) this.#settled = true;
    // Indexed object by object, so that no key has to wait for a bulk index later.
    this.view.indexEnding();
    this.view.graph.indexCoordinates();
  }

  get namespace(): string | undefined {
    return this.#scope;
  }

  get allKnown(): boolean {
    return this.#allKnown;
  }

  /** True once the namespace on the screen is complete, though more may come. */
  get scopeKnown(): boolean {
    return this.#scope !== undefined && this.view.knows(this.#scope);
  }

  /** Managers view; undefined until the diagnosis starts. Sorted by `Managers.sortMore`. */
  get managers(): Managers | undefined {
    const { diagnostics } = this.#found ?? {};
    if (diagnostics === undefined) return undefined;
    this.#managers ??= new Managers(this.view, this.#forest, diagnostics);
    return this.#managers;
  }

  managedBy(node: GraphNode): readonly ManagedBy[] {
    return this.#found?.diagnostics.managedBy(this.view, node) ?? [];
  }

  get problems(): Problems | undefined {
    return this.#found;
  }

  get podGc(): PodGc | undefined {
    return this.#taken;
  }

  /** Activity since everything was known; undefined until then. */
  get activity(): ActivityLog | undefined {
    return this.#activity;
  }

  /** Undefined until everything is known. */
  get pulse(): Pulse | undefined {
    if (this.#taken === undefined) return undefined;
    this.#pulse ??= new Pulse(this);
    return this.#pulse;
  }

  get collector(): CollectorWatch | undefined {
    return this.#collector;
  }

  /** Sets the server's version, which decides the rules. */
  learnVersion(serverVersion: string | undefined): void {
    this.view.settings = { ...this.view.settings, serverVersion };
  }

  /** Judges the namespace on the screen as soon as it is complete. */
  judgeAhead(diagnostics: Diagnostics, now: number): void {
    this.#ahead = diagnostics;
    this.followScope(now);
  }

  /** Judges only the shown namespace until all is known: each change of what can be seen puts all findings in doubt. */
  followScope(now: number): void {
    const only = this.#scope ?? this.#found?.diagnosis.namespace ?? this.#first;
    if (this.#ahead === undefined || only === undefined || !this.view.knows(only)) return;
    if (this.#found === undefined) this.#startProblems(this.#ahead, now, only);
    else this.#found.limitTo(only);
  }

  #startProblems(diagnostics: Diagnostics, now: number, only: string | undefined): Problems {
    return (this.#found = new Problems({ view: this.view, now, scope: this.#scope, diagnostics, only }));
  }

  /** Starts the full diagnosis as of `now`: see `Problems.judgeMore`. Surveys come with `prepareMore`. */
  startDiagnosis(diagnostics: Diagnostics, now: number): void {
    this.#ahead = undefined;
    const problems = this.#found ?? this.#startProblems(diagnostics, now, undefined);
    problems.limitTo(undefined);
    if (this.#allKnown) return;
    this.#allKnown = true;
    this.#preparing = this.#preparation(diagnostics);
  }

  prepareMore(now: number): boolean {
    this.#preparedAt = now;
    if (this.#preparing?.next().done !== false) this.#preparing = undefined;
    return this.#preparing !== undefined;
  }

  *#preparation(diagnostics: Diagnostics): Generator<undefined, void> {
    const standsStill = this.view.settings.standsStill === true;
    this.#collector = diagnostics.watchCollector(this.view, this.#scope);
    this.#activity = diagnostics.followActivity(this.view, {
      now: this.#preparedAt,
      scope: this.#scope,
      standsStill,
    });
    yield;
    void this.#namespaceCounts;
    yield;
    const taken = new PodGc(this.view, { now: this.#preparedAt, scope: this.#scope });
    this.#surveyed = taken;
    yield;
    taken.survey.finished.sort();
    yield;
    taken.counts();
    this.#taken = taken;
  }

  /** Applies a batch. Returns false if nothing that can be shown changed. */
  apply(batch: SourceBatch, now: number): boolean {
    const isSame = batch.changes.every(change => isRenewal(change, this.view));
    // A new version alone changes neither ownership nor deletion.
    if (!isSame) {
      this.#activity?.offer(batch.changes, now);
      this.#collector?.offer(batch.changes, now);
    }
    const changes = this.view.apply(batch, now);
    this.#collector?.take(changes, now);
    const isTold = this.#activity?.take(now) === true;
    const isRenewed = isSame && !tellsMore(batch, changes);
    const finds = this.#found?.apply(changes, now) === true;
    const takes = isRenewed ? this.#surveyed?.renew(changes, now) === true : true;
    if (!isRenewed) {
      this.#surveyed?.apply(changes, now);
      this.#takeOver(changes, now);
    }
    if (this.scopeKnown) this.#settled = true;
    this.followScope(now);
    this.followProblems();
    return finds || takes || isTold;
  }

  #takeOver(changes: ViewChanges, now: number): void {
    const { touched, removed } = changes.graph;
    if (touched.size === 0 && removed.size === 0) return;
    for (const node of removed) this.#virtual.delete(node.uid);
    for (const node of touched) {
      if (node.virtual) this.#virtual.add(node.uid);
      else this.#virtual.delete(node.uid);
    }
    this.#forest.apply(changes.graph);
    const came = this.#beside?.apply(changes.graph, now) ?? [];
    this.#counts?.apply(changes.graph);
    const isTroubled = ({ uid }: GraphNode): boolean => this.#trouble.levelOf(uid) !== undefined;
    if (touched.values().some(isTroubled) || removed.values().some(isTroubled))
      this.#knownTrouble = this.#countedTrouble = undefined;
    this.#managers?.apply(changes);
    if (this.#index !== undefined) {
      for (const node of removed) this.#index.remove(node.uid);
      for (const node of touched) this.#index.add(node);
    }
    const kept = new Set<GraphNode>();
    if (this.#filter !== undefined) {
      for (const node of touched) if (this.#filter.matches(node)) this.#keep(node, this.#filter.keep, kept);
      for (const node of came) this.#keep(node, this.#filter.keep, kept);
      this.#widened = [...this.#widened, ...came.map(({ uid }) => uid)];
    }
    this.rows.apply(changes.graph, kept);
    if (!this.#settled && this.rows.length > SMALL_SCOPE_ROWS) {
      this.#settled = true;
      this.rows.setDefault(false);
    }
  }

  advance(now: number): boolean {
    this.#surveyed?.advance(now);
    this.#pulse?.rows.invalidate();
    const isTold = this.#activity?.take(now) === true;
    const finds = this.#found?.advance(now) === true;
    const changed = this.#learnTrouble();
    this.#restand(changed);
    return finds || isTold || changed.size > 0;
  }

  settle(): void {
    this.#allListed = true;
    this.#settled = true;
  }

  setScope(namespace: string | undefined): void {
    this.#scope = namespace;
    this.#forest = new Forest(this.view.graph, { namespace });
    this.#filter = undefined;
    this.#found?.setScope(namespace);
    this.#trouble = new TreeTrouble();
    this.#knownTrouble = this.#countedTrouble = undefined;
    this.#isTroubleKnown = false;
    this.#learnTrouble();
    this.rows = this.#newRows();
    this.#surveyed?.setScope(namespace);
    this.#managers?.setForest(this.#forest);
    this.#activity?.setScope(namespace);
    this.#collector?.setScope(namespace);
  }

  get painting(): Painting | undefined {
    return this.#painting;
  }

  get beside(): RowsBeside | undefined {
    return this.#beside;
  }

  /** Paints a forecast, or removes it with its rows. */
  paint(painting: Painting | undefined): void {
    if (painting === this.#painting) return;
    const before = this.#besideNow();
    const narrowed = this.#narrow();
    this.#painting = painting;
    if (painting === undefined) this.#beside = undefined;
    else {
      this.#beside ??= new RowsBeside(this.view.graph, node => this.inScope(node));
      this.#beside.paint(painting);
    }
    const moved = this.#hold(painting);
    const others = [...before, ...this.#besideNow(), ...narrowed, ...this.#widen(), ...moved];
    this.#restand(new Set(others));
  }

  #besideNow(): readonly GraphNode[] {
    return this.#beside === undefined ? [] : [...this.#beside.owners(), ...this.#beside.rootNodes];
  }

  /** Holds painted objects in place; returns those released. */
  #hold(painting: Painting | undefined): readonly GraphNode[] {
    if (painting !== undefined) {
      for (const { uid } of painting.objects) {
        const node = this.node(uid);
        if (node !== undefined && !this.#held.has(uid)) this.#held.set(uid, this.#rankOf(node));
      }
      return [];
    }
    const held = this.#held;
    this.#held = new Map();
    const changed = this.#learnTrouble();
    const moved = [...held].flatMap(([uid, rank]) => {
      const node = this.node(uid);
      return node === undefined || this.#rankOf(node) === rank ? [] : node;
    });
    return [...moved, ...changed];
  }

  /** Adds painted objects to a narrowed tree; returns the parents whose rows change. */
  #widen(): readonly GraphNode[] {
    const { keep } = this.#filter ?? {};
    if (keep === undefined || this.#painting === undefined) return [];
    const { objects, ghosts } = this.#painting;
    const nodes = objects.flatMap(({ uid }) => this.node(uid) ?? []);
    const wanted = new Set<Uid>(ghosts.map(({ node }) => node.uid));
    for (const node of nodes) this.#keep(node, wanted);
    this.#widened = [...wanted].filter(uid => !keep.has(uid));
    for (const uid of this.#widened) keep.add(uid);
    return [...wanted].flatMap(uid => this.node(uid) ?? []);
  }

  #narrow(): readonly GraphNode[] {
    const widened = this.#widened;
    this.#widened = [];
    for (const uid of widened) this.#filter?.keep.delete(uid);
    return widened.flatMap(uid => this.node(uid)).flatMap(node => (node ? [node, ...this.owners(node)] : []));
  }

  children(node: GraphNode): readonly GraphNode[] {
    const forest = this.#forest;
    return this.#beside === undefined
      ? forest.children(node)
      : this.#beside.children(node, each => forest.children(each));
  }

  setSort(sort: TreeSort): void {
    this.#sort = sort;
    this.rows.setOrder(orderOf(sort, this.#rankOf));
  }

  /** Narrows the tree to matches and their owners. Returns the number of matches; 0 changes nothing. */
  setFilter(filter: TreeFilter | undefined): number {
    if (filter === undefined) {
      this.#filter = undefined;
      this.rows.setFilter(undefined);
      return 0;
    }
    const matches = this.#matcherOf(filter);
    const keep = new Set<Uid>();
    const count = this.#collect(matches, keep);
    if (count === 0) return 0;
    this.#filter = { matches, keep, kind: filter.kind };
    this.#filteredProblems = this.#found?.revision ?? 0;
    this.rows.setFilter(keep);
    return count;
  }

  /** Sorts rows by their current trouble and updates a tree narrowed to problems. */
  followProblems(): void {
    this.#pulse?.rows.invalidate();
    // With very many findings, `advance` does this every second.
    if (this.#found?.hasMany !== true || !this.#isTroubleKnown) this.#restand(this.#learnTrouble());
    const revision = this.#found?.revision ?? 0;
    if (this.#filter?.kind !== 'problems' || revision === this.#filteredProblems) return;
    this.#filteredProblems = revision;
    this.#filter.keep = new Set();
    this.#collect(this.#filter.matches, this.#filter.keep);
    this.#widen();
    this.rows.setFilter(this.#filter.keep);
  }

  #matcherOf(filter: TreeFilter): NodeMatcher {
    switch (filter.kind) {
      case 'words':
        return matcher(filter.words, filter.loose === true ? this.#nodesInScope() : undefined);
      case 'problems':
        return ({ uid }) => this.#found?.isTroubled(uid) ?? false;
      case 'targets':
        return filter.matches;
    }
  }

  #collect(matches: NodeMatcher, keep: Set<Uid>): number {
    let count = 0;
    for (const node of this.#nodesInScope()) {
      if (!matches(node)) continue;
      count += 1;
      this.#keep(node, keep);
    }
    return count;
  }

  #restand(changed: ReadonlySet<GraphNode>): void {
    if (changed.size > 0) this.rows.apply({ touched: new Set(), removed: new Set() }, changed);
  }

  #learnTrouble(): ReadonlySet<GraphNode> {
    const { graph } = this.view;
    const forest = this.#forest;
    const found = this.#found;
    if (found?.complete !== true) return new Set();
    const holds = this.#painting !== undefined;
    const version = found.troubleVersion;
    if (version === this.#knownTrouble || (holds && version === this.#countedTrouble)) return new Set();
    this.#countedTrouble = version;
    if (!holds) {
      this.#knownTrouble = version;
      this.#isTroubleKnown = true;
    }
    const shown = {
      node: (uid: Uid): GraphNode | undefined => {
        const node = graph.get(uid);
        return node !== undefined && forest.contains(node) ? node : undefined;
      },
      owners: (node: GraphNode) => forest.owners(node),
      isRoot: (node: GraphNode) => forest.isRoot(node),
    };
    const changed = this.#trouble.renew(found.troubled(), shown, holds);
    return new Set([...changed].flatMap(uid => graph.get(uid) ?? []));
  }

  /** The tree's first object with the worst problem; undefined without problems or before all is known. */
  get worst(): GraphNode | undefined {
    const { rows } = this;
    return this.#trouble.firstOfWorst(rows.rootsIn(undefined), node => rows.childrenOf(node));
  }

  troubleIn({ key }: TreeGroup): Trouble | undefined {
    return this.#trouble.in(key);
  }

  /** Lists the objects of a group with errors, and those below its objects. */
  errorsIn({ key }: TreeGroup): readonly Uid[] {
    return this.#trouble.errorsIn(key);
  }

  objectsIn(namespace: string): number {
    return this.#namespaceCounts.of(namespace).objects;
  }

  /** Lists the objects being deleted in a namespace, the earliest request first. */
  endingIn(namespace: string): readonly GraphNode[] {
    const since = (node: GraphNode): number => deletionOf(node) ?? 0;
    return [...this.#namespaceCounts.of(namespace).ending].sort((a, b) => since(a) - since(b));
  }

  get #namespaceCounts(): NamespaceCounts {
    this.#counts ??= new NamespaceCounts(this.view.graph);
    return this.#counts;
  }

  get searchIndex(): SearchIndex {
    this.#index ??= new SearchIndex(this.view.graph.nodes());
    return this.#index;
  }

  node(uid: Uid): GraphNode | undefined {
    return this.view.graph.get(uid);
  }

  /** Lists owners in the graph, in the order of references, each once. */
  owners(node: GraphNode): readonly GraphNode[] {
    return ownersIn(this.view, node);
  }

  judge(node: GraphNode): Judgement {
    return Judgement.of(this.view, node);
  }

  ownerStanding(node: GraphNode, reference: OwnerReference): OwnerStanding {
    return OwnerStanding.of(this.view, node, reference);
  }

  *#nodesInScope(): Iterable<GraphNode> {
    for (const node of this.view.graph.nodes()) if (this.inScope(node)) yield node;
  }

  inScope(node: Pick<GraphNode, 'identity' | 'object'>): boolean {
    const isWithin = this.#scope === undefined || (node.object ?? node.identity).namespace === this.#scope;
    return isWithin || this.#forest.isEnding(node);
  }

  summary(): ClusterSummary {
    let kinds = 0;
    let listed = 0;
    for (const status of this.view.statuses.values()) {
      if (status.state === 'gone') continue;
      kinds += 1;
      if (status.state !== 'listing') listed += 1;
    }
    return {
      objects: this.view.graph.size - this.#virtual.size,
      kinds,
      listed,
      connection: this.view.connection,
      blindSpots: this.view.blindSpots(),
      polled: this.view.polled(),
    };
  }

  /** Summarises the listing as of about `now`; cached, since each frame costs as much as some hundred objects. */
  progress(now: number): ClusterSummary {
    const known = this.#progress;
    const isRecent = known !== undefined && Math.abs(now - known.at) < PROGRESS_MS;
    if (isRecent && known.scope === this.#scope) return known.summary;
    const summary = this.summary();
    this.#progress = { at: now, scope: this.#scope, summary };
    return summary;
  }

  /** Returns the Namespace of a heading; undefined if it is cluster-scoped, of a kind or unseen. */
  namespaceOf({ of, namespace }: TreeGroup): GraphNode | undefined {
    if (of !== 'namespace' || namespace === '') return undefined;
    return this.view.graph.find({ group: '', resource: 'namespaces' }, '', namespace);
  }

  /** Reports whether any kind of a namespace is listed; files are all that there is. */
  reads(namespace: string): boolean {
    if (this.view.settings.standsStill === true) return true;
    const { types } = this.view.catalog;
    const isRead = (type: ResourceType): boolean =>
      type.namespaced && ResourceType.isMonitored(type) && this.view.reads(type, namespace);
    return types.some(isRead);
  }

  /** Reports whether namespaces may exist that the user can't list. */
  get hidesNamespaces(): boolean {
    return this.view.blindSpots().some(({ resource }) => resource === 'namespaces');
  }

  /** Lists namespaces that exist or have objects by name, with the number of known objects. */
  namespaces(): NamespaceSummary[] {
    return this.objectCounts()[1];
  }

  /** Counts cluster-scoped objects, and those of namespaces by name. */
  objectCounts(): readonly [clusterScoped: NamespaceSummary, namespaces: NamespaceSummary[]] {
    const counts = this.#namespaceCounts;
    const found = this.#found?.isAllJudged === true ? this.#found.byNamespace() : undefined;
    const summaryOf = (name: string, node?: GraphNode): NamespaceSummary => {
      const { objects, ending } = counts.of(name);
      const own = node && deletionOf(node);
      let deletion = own;
      for (const each of ending)
        deletion = Math.min(deletion ?? Number.POSITIVE_INFINITY, deletionOf(each) ?? 0);
      return {
        name,
        uid: node?.uid,
        objects: objects > 0 || name === '' || this.reads(name) ? objects : undefined,
        terminating: own !== undefined,
        ending: ending.size,
        deletion,
        trouble: found && (found.get(name) ?? { errors: 0, warnings: 0 }),
      };
    };
    const namespaces = counts
      .namespaces()
      .entries()
      .map(([name, node]) => summaryOf(name, node));
    return [summaryOf(''), namespaces.toArray().sort((a, b) => (a.name < b.name ? -1 : 1))];
  }

  #keep(node: GraphNode, keep: Set<Uid>, news?: Set<GraphNode>): void {
    if (keep.has(node.uid)) return;
    keep.add(node.uid);
    news?.add(node);
    for (const owner of this.owners(node)) this.#keep(owner, keep, news);
  }

  #newRows(folds?: TreeFolds): TreeRows {
    const { view } = this;
    const forest = this.#forest;
    const grouping: Grouping = {
      by: this.#scope === undefined ? 'namespace and kind' : 'kind',
      standsAlone: node => this.#rankOf(node) !== LONE,
    };
    const rows = new TreeRows(
      {
        roots: () => this.#beside?.roots(forest.roots()) ?? forest.roots(),
        children: node => this.children(node),
        isRoot: node => this.#beside?.isRoot(node) ?? forest.isRoot(node),
        takeChangedRoots: () => [...forest.takeChangedRoots(), ...(this.#beside?.takeChangedRoots() ?? [])],
        owners: node => ownersIn(view, node),
      },
      {
        order: orderOf(this.#sort, this.#rankOf),
        grouping,
        expanded: true,
        folds,
      },
    );
    if (folds !== undefined) return rows;
    const large = rows.unfoldMore(SMALL_SCOPE_ROWS + 1) || rows.length > SMALL_SCOPE_ROWS;
    if (large) rows.setDefault(false);
    this.#settled = large || this.#allListed || this.scopeKnown;
    return rows;
  }
}

/** Reports whether only the version is new, as in nearly all changes of a quiet cluster: leases are renewed. */
function isRenewal(change: Change, { graph }: ClusterView): boolean {
  if (change.op !== 'upsert') return false;
  const { object } = change;
  const known = graph.get(object.uid)?.object;
  return known !== undefined && isEqualData(known.with({ resourceVersion: object.resourceVersion }), object);
}

function tellsMore({ lookUps, pausing }: SourceBatch, changes: ViewChanges): boolean {
  const { types, statuses, failedGroups, connection } = changes;
  return types || statuses || failedGroups || connection || lookUps !== undefined || pausing !== undefined;
}

function ownersIn(view: ClusterView, node: GraphNode): readonly GraphNode[] {
  const owners = new Set<GraphNode>();
  for (const { uid } of node.owners) {
    const owner = view.graph.get(uid);
    if (owner !== undefined) owners.add(owner);
  }
  return [...owners];
}

/** All pods that PodGC will delete, or seems to, updated by batches at the cost of the changed pods. Time is an input. */
import {
  type ClusterSettings,
  type ClusterView,
  compareBytes,
  type GraphNode,
  isDeleting,
  objectDeletion,
  type TellingFlag,
  type ViewChanges,
} from '../../graph/index.ts';
import {
  isManagerPod,
  type KubeObject,
  type ManagerLease,
  type NodeRemoval,
  podFacts,
  type Uid,
} from '../../model/index.ts';
import { podGcCycle } from '../passes/cycle.ts';
import { FinishedPods } from '../passes/finished-pods.ts';
import { evictablePods, type NodeCondition, nodeCondition, podGcNodes } from '../passes/node-condition.ts';
import { type PodGcRule, PodGcRules, PodGcSettings } from '../passes/rules-of-version.ts';
import { isTaken, terminatingPodsOutOfService } from '../passes/select-pods.ts';
import { ManagerRun, WorkSeen } from './manager-run.ts';
import {
  graceOverFrom,
  type OutlookReason,
  outlookOf,
  type PodGcWorld,
  type PodOutlook,
  type Removal,
  ruleOf,
} from './outlook.ts';

export interface NodeOutlook {
  readonly name: string;
  /** Undefined if it is missing. */
  readonly node: KubeObject | undefined;
  readonly state: NodeCondition;
  /** Set if its deletion was seen. */
  readonly removal: Removal | undefined;
  readonly pods: readonly KubeObject[];
  /** Pods that the taint out-of-service would evict; undefined for a ready or missing node. */
  readonly evictable: readonly KubeObject[] | undefined;
}

export interface Pass {
  readonly rule: PodGcRule;
  readonly pods: readonly KubeObject[];
}

interface Choice {
  /** Passes in the newest version's order, which has all of them. */
  readonly passes: readonly Pass[];
  /** Pods that no rule takes, by name; shown if they resemble candidates. */
  readonly others: readonly KubeObject[];
  readonly requestsMs: number;
}

/** Outlooks that hold within a span. */
interface Told {
  readonly from: number;
  readonly until: number;
  readonly items: readonly PodOutlook[];
}

/** Milliseconds by which a watch may be late. */
const LATE_MS = 1_000;
/** Milliseconds from reconnecting until every kind has caught up. */
const CATCH_UP_MS = 10_000;
/** Most milliseconds until the node lifecycle controller notices a deleted node. */
const NOTICED_MS = 6_000;
/** Milliseconds until a running PodGC has acted on a deleted node. */
const ACTED_MS = 3 * podGcCycle.duration + PodGcSettings.quarantine;

// kube-controller-manager's --kube-api-burst and --kube-api-qps.
const REQUESTS_AT_ONCE = 30;
const REQUESTS_A_SECOND = 20;

export class PodGcSurvey {
  readonly manager = new ManagerRun();
  /** Covers the whole cluster, in any scope. */
  finished: FinishedPods;
  /** False if some cannot be seen, so candidates may be missing. */
  sees = { nodes: false, pods: false };
  readonly #view: ClusterView;
  /** Valid until the server's version or kube-controller-manager's pods change. */
  #read: { readonly by: ClusterSettings; readonly settings: PodGcSettings } | undefined;
  readonly #deleting = new Set<Uid>();
  /** Nodes that aren't simply ready; a missing one while pods name it. */
  readonly #troubled = new Map<string, NodeCondition>();
  readonly #removals = new Map<string, Removal>();
  /** Former missing nodes: a quarantine continues after its node returns for a while. */
  readonly #missedBefore = new Map<string, { readonly from: number; readonly until: number }>();
  /** Selected pods, and the latest possible start. */
  readonly #selected = new Map<Uid, { readonly rule: PodGcRule; readonly since: number }>();
  readonly #work = new WorkSeen();
  /** Events from this time on are reported as they happen. */
  #watchedSince: number;
  #revision = 0;
  #isNew = true;
  /** Valid for one revision: answers are requested every second, and choosing anew is slow. */
  #chosen: Choice | undefined;
  #told: Told | undefined;
  #known: { readonly now: number; readonly world: PodGcWorld } | undefined;

  /** `inParts` defers choosing pods until they are requested, promptly. */
  constructor(
    view: ClusterView,
    { now, inParts = false }: { readonly now: number; readonly inParts?: boolean },
  ) {
    this.#view = view;
    this.#watchedSince = now;
    this.finished = new FinishedPods(this.#settings);
    this.#rebuild(now);
    if (inParts) return;
    this.#choice(now);
    this.#change();
  }

  get rules(): PodGcRules {
    return this.#settings.rules;
  }

  get #settings(): PodGcSettings {
    const { settings: by } = this.#view;
    if (this.#read?.by !== by) this.#read = { by, settings: PodGcSettings.of(this.#view) };
    return this.#read.settings;
  }

  get thresholdFrom(): PodGcSettings['thresholdFrom'] {
    return this.#settings.thresholdFrom;
  }

  get switchedOff(): TellingFlag | undefined {
    return this.#settings.switchedOff;
  }

  /** Changes whenever `items` changes for a reason other than time. */
  get revision(): number {
    return this.#revision;
  }

  get unseenRemovals(): readonly string[] {
    return [...this.#removals].filter(([, { seen }]) => !seen).map(([name]) => name);
  }

  apply(changes: ViewChanges, now: number): void {
    const isBack = changes.connection && this.#follow(now);
    const sees = changes.types || changes.statuses ? this.#look() : this.sees;
    const told =
      changes.graph.touched.values().some(isManager) || changes.graph.removed.values().some(isManager);
    if (told || isBack || sees.nodes !== this.sees.nodes || sees.pods !== this.sees.pods) {
      this.#rebuild(now);
      return this.#change();
    }
    const names = new Set<string>();
    const lost = new Map<string, KubeObject>();
    let isConcerned = changes.lookUps.length > 0;
    const { removed, touched } = changes.graph;
    for (const nodes of [removed, touched]) {
      for (const { object } of nodes) {
        if (object?.facts?.kind === 'Pod') {
          isConcerned ||= this.#looksAt(object);
          if (nodes === touched) this.#notePod(object);
          else {
            this.finished.drop(object.uid);
            this.#deleting.delete(object.uid);
          }
          isConcerned ||= this.#looksAt(object);
          names.add(object.facts.nodeName);
        } else if (object !== undefined && isNode(object)) {
          if (nodes === removed) lost.set(object.name, object);
          names.add(object.name);
        }
      }
    }
    for (const name of names) if (this.#noteNode(name, now, lost.get(name))) isConcerned = true;
    if (isConcerned) this.#change();
  }

  /** Applies `Source.nodeRemovals` to nodes whose deletion wasn't seen. */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    for (const name of this.unseenRemovals) {
      const { first, last } = removals.get(name) ?? { first: 0, last: 0 };
      const by = Math.min(last + LATE_MS, now);
      // Otherwise PodGC would have acted long ago, a clock is off, or a newer pod shows an earlier node of the name.
      const isOfNow = last <= now + LATE_MS && now - last <= ACTED_MS;
      if (!isOfNow || this.#podsOn(name).some(({ creationTimestamp }) => creationTimestamp > by)) continue;
      // A quarantine continues while its node returns briefly.
      const from = Math.max(first, last - podGcCycle.duration - PodGcSettings.quarantine) - NOTICED_MS;
      this.#removals.set(name, { from, by, seen: true });
    }
    this.#change();
  }

  /** Reports whether pods wait for kube-controller-manager and a reading is due; marks it as requested. */
  asksManager(now: number): boolean {
    return this.manager.asks(now, () =>
      this.passes(now).some(({ pods }) => pods.some(pod => this.isComing(pod))),
    );
  }

  /** Applies a reading of the lease; undefined if it is unknown. */
  learnManager(lease: ManagerLease | undefined, now: number): void {
    const { isAway } = this.manager;
    const isOther = this.manager.learn(lease, now);
    if (isOther || this.manager.isAway !== isAway) this.#change();
  }

  items(now: number): readonly PodOutlook[] {
    const due = this.passes(now).flatMap(({ pods }) => pods.map(pod => this.explain(pod, now)));
    return [...due, ...this.others(now)];
  }

  /** Returns due pods by pass, in PodGC's order; time only changes when each is due. */
  passes(now: number): readonly Pass[] {
    return this.#choice(now).passes;
  }

  /** Returns pods that only seem due, by name. */
  others(now: number): readonly PodOutlook[] {
    const { others } = this.#choice(now);
    if (this.#told === undefined || now < this.#told.from || now >= this.#told.until)
      this.#told = this.#tell(others, now);
    return this.#told.items;
  }

  /** Reports whether a due pod will change; vain retries don't count. */
  isComing(pod: KubeObject): boolean {
    return !isTaken(pod, this.rules);
  }

  isLate(now: number, isMeant: (pod: KubeObject) => boolean): boolean {
    return this.passes(now).some(({ rule, pods }) => {
      const coming = pods.filter(pod => isMeant(pod) && this.isComing(pod));
      const isOverdue = (pod: KubeObject): boolean => this.explain(pod, now).due.when === 'overdue';
      if (rule === 'Orphaned') return coming.some(isOverdue);
      // Other rules take a pod one cycle after selecting it.
      const since = ({ uid }: KubeObject): number => this.#selected.get(uid)?.since ?? now;
      const [any, ...more] = coming;
      return (
        any !== undefined &&
        isOverdue(more.reduce((first, pod) => (since(pod) < since(first) ? pod : first), any))
      );
    });
  }

  explain(pod: KubeObject, now: number): PodOutlook {
    return outlookOf(pod, this.#world(now));
  }

  nodes(): readonly NodeOutlook[] {
    return [...this.#troubled.keys()].sort(compareBytes).flatMap(name => this.node(name) ?? []);
  }

  /** Returns undefined for a ready or unknown node. */
  node(name: string): NodeOutlook | undefined {
    const state = this.#troubled.get(name);
    if (state === undefined) return undefined;
    const pods = this.#podsOn(name);
    const removal = this.#removals.get(name);
    return {
      name,
      state,
      pods,
      node: this.nodeNamed(name),
      removal: removal?.seen === true ? removal : undefined,
      evictable: state === 'NotReady' || state === 'OutOfService' ? evictablePods(pods) : undefined,
    };
  }

  #change(): void {
    this.#revision += 1;
    this.#chosen = undefined;
    this.#told = undefined;
    this.#known = undefined;
  }

  /** Applies the connection's state; true after an interruption, when anything may have changed. */
  #follow(now: number): boolean {
    const { state } = this.#view.connection;
    if (state === 'lost' || state === 'catchingUp') this.#watchedSince = Number.POSITIVE_INFINITY;
    if (state !== 'live' || Number.isFinite(this.#watchedSince)) return false;
    this.#watchedSince = now + CATCH_UP_MS;
    this.#removals.clear();
    this.#missedBefore.clear();
    this.#selected.clear();
    return true;
  }

  /** Returns when an event found at `now` happened at the latest. */
  #latest(now: number): number {
    return Number.isFinite(this.#watchedSince) ? Math.max(now, this.#watchedSince) : now;
  }

  #rebuild(now: number): void {
    this.sees = this.#look();
    this.#read = undefined;
    this.finished = new FinishedPods(this.#settings);
    this.#deleting.clear();
    this.#troubled.clear();
    if (!this.sees.nodes) this.#removals.clear();
    const index = this.#view.indexEnding();
    for (const object of this.#objects(index.ending()))
      if (podFacts(object) !== undefined) this.#notePod(object);
    const names = new Set([...this.#removals.keys(), ...index.nodeNames()]);
    const type = this.#view.catalog.resolveKind('v1', 'Node');
    if (type !== undefined)
      for (const { object } of this.#view.graph.ofType(type))
        if (object !== undefined) names.add(object.name);
    for (const name of names) this.#noteNode(name, now, undefined);
  }

  #look(): { readonly nodes: boolean; readonly pods: boolean } {
    const sees = (kind: string): boolean => {
      const type = this.#view.catalog.resolveKind('v1', kind);
      return type !== undefined && this.#view.sees(type, '');
    };
    return { nodes: sees('Node'), pods: sees('Pod') };
  }

  #notePod(pod: KubeObject): void {
    this.finished.note(pod);
    if (isDeleting(pod)) this.#deleting.add(pod.uid);
  }

  /** Returns false for nearly every pod: those that no rule can select until the pod or its node changes. */
  #looksAt({ uid, facts }: KubeObject): boolean {
    if (this.#deleting.has(uid) || this.finished.has(uid)) return true;
    return facts?.kind === 'Pod' && this.#troubled.has(facts.nodeName);
  }

  /** Updates a node's condition; true if it changed. */
  #noteNode(name: string, now: number, lost: KubeObject | undefined): boolean {
    if (name === '') return false;
    if (!this.#seesNode(name)) return this.#troubled.delete(name);
    const before = this.#troubled.get(name);
    const node = this.nodeNamed(name);
    const isNamed = node !== undefined || this.#view.podsOn(name).next().done !== true;
    const state = node === undefined ? 'Missing' : nodeCondition(node);
    const removal = this.#removals.get(name);
    if (state === 'Missing' && isNamed) {
      if (removal === undefined) this.#removals.set(name, this.#removalFound(name, now, lost));
    } else if (removal !== undefined) {
      this.#removals.delete(name);
      this.#missedBefore.set(name, { from: removal.from, until: now });
    }
    if (isNamed && state !== 'Ready') this.#troubled.set(name, state);
    else this.#troubled.delete(name);
    return this.#troubled.get(name) !== before;
  }

  /** Dates a removal; `lost` is the node's last state if its deletion was just reported. */
  #removalFound(name: string, now: number, lost: KubeObject | undefined): Removal {
    const isWatched = now >= this.#watchedSince;
    const seen = lost !== undefined && isWatched;
    const by = seen ? now : this.#latest(now);
    // A recently registered node may have been missing just before.
    const age = now - (lost?.creationTimestamp ?? now);
    const isFirst = seen && age >= podGcCycle.orphanedAfter(PodGcSettings.quarantine).latest;
    // PodGC only misses a node that a pod names; an interruption leaves this open.
    const pods = isWatched ? this.#podsOn(name) : [];
    const named = Math.min(now, ...pods.map(({ creationTimestamp }) => creationTimestamp));
    const before = this.#missedBefore.get(name);
    const goesOn =
      before !== undefined &&
      now - before.until <= podGcCycle.duration + PodGcSettings.quarantine + this.#work.longest;
    const from = isFirst ? now - LATE_MS : isWatched ? named : Number.NEGATIVE_INFINITY;
    return { from: goesOn ? Math.min(before.from, from) : from, by, seen };
  }

  /** Computes outlooks, and until when they hold: grace periods end. */
  #tell(pods: readonly KubeObject[], now: number): Told {
    const world = this.#world(now);
    let until = Number.POSITIVE_INFINITY;
    const items: PodOutlook[] = [];
    for (const pod of pods) {
      const item = outlookOf(pod, world);
      if (isWorthTelling(item)) items.push(item);
      else if (item.reason.kind === 'NodeReady') until = Math.min(until, graceOverFrom(pod));
    }
    return { from: now, until, items };
  }

  /** Chooses pods for this revision; `now` dates newly selected ones. */
  #choice(now: number): Choice {
    if (this.#chosen !== undefined) return this.#chosen;
    const deleting = this.#objects(this.#deleting).sort(byName);
    const outOfService = terminatingPodsOutOfService(deleting, name => this.nodeNamed(name), this.rules);
    const names = [...this.#troubled.keys()].sort(compareBytes);
    const on = (state: NodeCondition): readonly KubeObject[] =>
      names.filter(name => this.#troubled.get(name) === state).flatMap(name => this.#podsOn(name));
    const orphaned = on('Missing');
    const unscheduled = deleting.filter(pod => podFacts(pod)?.nodeName === '');
    const surplus = this.finished.surplus();
    // Each pod costs a patch and a DELETE, finished pods only the DELETE; held pods cost this in every cycle.
    const requests = surplus.length + 2 * (outOfService.length + orphaned.length + unscheduled.length);
    const requestsMs = (Math.max(0, requests - REQUESTS_AT_ONCE) / REQUESTS_A_SECOND) * 1_000;
    const isOff = this.#settings.switchedOff !== undefined;
    const chosen = new Map<PodGcRule, KubeObject[]>(PodGcRules.newest.passes.map(rule => [rule, []]));
    const others = isOff ? [...surplus] : [];
    if (!isOff) chosen.set('Terminated', [...surplus]);
    const world = this.#worldOf(now, requestsMs);
    for (const pod of new Set([...outOfService, ...orphaned, ...on('OutOfService'), ...deleting])) {
      if (this.finished.surplusPlace(pod) !== undefined) continue;
      const rule = isOff ? undefined : ruleOf(pod, world);
      if (rule === undefined) others.push(pod);
      else chosen.get(rule)?.push(pod);
    }
    others.sort(byName);
    const passes = PodGcRules.newest.passes.map(rule => ({ rule, pods: chosen.get(rule) ?? [] }));
    this.#chosen = { passes, others, requestsMs };
    this.#noteSelected(passes, now);
    return this.#chosen;
  }

  #noteSelected(passes: readonly Pass[], now: number): void {
    const coming = new Set<Uid>();
    for (const { rule, pods } of passes) {
      for (const pod of pods) {
        if (!this.isComing(pod)) continue;
        coming.add(pod.uid);
        // A pod from before the start has its own time.
        const told =
          this.#isNew && rule === 'UnscheduledTerminating' ? objectDeletion.requestedAt(pod) : undefined;
        if (told === undefined) this.#selectedSince(pod, rule, now);
        else this.#selected.set(pod.uid, { rule, since: Math.min(told + LATE_MS, now) });
      }
    }
    this.#isNew = false;
    for (const uid of this.#selected.keys()) {
      if (coming.has(uid)) continue;
      this.#selected.delete(uid);
      this.#work.note(now);
    }
    this.#known = undefined;
  }

  #world(now: number): PodGcWorld {
    const { requestsMs } = this.#choice(now);
    if (this.#known?.now !== now) this.#known = { now, world: this.#worldOf(now, requestsMs) };
    return this.#known.world;
  }

  #worldOf(now: number, requestsMs: number): PodGcWorld {
    const { rules, threshold, switchedOff } = this.#settings;
    const { manager, sees } = this;
    return {
      now,
      rules,
      threshold,
      isOff: switchedOff !== undefined,
      sees,
      seesNode: name => this.#seesNode(name),
      nodeState: name => this.#troubled.get(name) ?? 'Ready',
      removalOf: name => this.#removals.get(name) ?? { from: Number.NEGATIVE_INFINITY, by: now, seen: false },
      absenceOf: name => this.#view.absences.of(podGcNodes.lookUp(name)).state,
      surplusPlace: pod => this.finished.surplusPlace(pod),
      selectedSince: (pod, rule) => this.#selectedSince(pod, rule, now),
      requestsMs,
      work: { longest: this.#work.longest, isGoingOn: this.#work.isGoingOn(now) },
      standsStill: this.#view.settings.standsStill === true,
      manager: manager.holder === undefined ? 'unknown' : manager.isAway ? 'away' : 'runs',
      run: manager.runOf(this.#view.graph.size),
    };
  }

  #selectedSince({ uid }: KubeObject, rule: PodGcRule, now: number): number {
    const known = this.#selected.get(uid);
    if (known?.rule === rule) return known.since;
    const since = this.#latest(now);
    this.#selected.set(uid, { rule, since });
    return since;
  }

  /** Files may lack some nodes; a live cluster's last list is outdated once it cannot be listed. */
  #seesNode(name: string): boolean {
    const { standsStill } = this.#view.settings;
    return this.sees.nodes || (standsStill === true && this.nodeNamed(name) !== undefined);
  }

  nodeNamed(name: string): KubeObject | undefined {
    const type = this.#view.catalog.resolveKind('v1', 'Node');
    return type && this.#view.graph.find(type, '', name)?.object;
  }

  #podsOn(name: string): KubeObject[] {
    return [...this.#view.podsOn(name)].sort(byName);
  }

  #objects(uids: Iterable<Uid>): KubeObject[] {
    return [...uids].flatMap(uid => this.#view.graph.get(uid)?.object ?? []);
  }
}

export function byName(a: KubeObject, b: KubeObject): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

function isManager({ object }: GraphNode): boolean {
  return object?.facts?.kind === 'Pod' && isManagerPod(object);
}

function isNode({ type }: KubeObject): boolean {
  return type.kind === 'Node' && type.group === '';
}

const telling: ReadonlySet<OutlookReason['kind']> = new Set([
  'NotTainted',
  'TaintedButReady',
  'RuleUnknownToServer',
  'NodesUnseen',
]);

/** Reports whether the pod looks like a candidate, not like one that ends normally. */
function isWorthTelling({ due, reason, heldBy }: PodOutlook): boolean {
  if (due.when !== 'no' || telling.has(reason.kind)) return true;
  if (reason.kind === 'Taken') return heldBy.length > 0;
  if (reason.kind === 'NodeReady') return reason.graceOver;
  return reason.kind === 'NotDeleting' && reason.nodeState === 'OutOfService';
}

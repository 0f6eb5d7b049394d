/**
 * Every pod of a cluster that PodGC will take, or that looks as if it would, kept current batch by batch: a change
 * costs the pods that it concerns, never the cluster. Times come from outside, so that the same survey serves one
 * answer, a screen and a test.
 */
import type { ClusterSettings, ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import { deletionRequestedAt, isDeleting } from '../../graph/deletion.ts';
import type { TellingFlag } from '../../graph/manager-pods.ts';
import { compareBytes, type GraphNode } from '../../graph/node.ts';
import type { ManagerLease, NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { isManagerPod } from '../../model/facts/manager-flags.ts';
import { type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import { CYCLE_MS, orphanedAfter } from '../passes/cycle.ts';
import { FinishedPods } from '../passes/finished-pods.ts';
import { evictablePods, type NodeCondition, nodeCondition, nodeLookUp } from '../passes/nodes.ts';
import { isTaken, terminatingPodsOutOfService } from '../passes/passes.ts';
import {
  newestRules,
  type PodGcRule,
  type PodGcRules,
  type PodGcSettings,
  podGcSettings,
  QUARANTINE_MS,
} from '../passes/rules-of-version.ts';
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

/** A node that isn't simply ready. */
export interface NodeOutlook {
  readonly name: string;
  /** Undefined where it is missing. */
  readonly node: KubeObject | undefined;
  readonly state: NodeCondition;
  /** When it was deleted, where somebody saw it. */
  readonly removal: Removal | undefined;
  /** Those that are bound to it, by name. */
  readonly pods: readonly KubeObject[];
  /** Those of them that the taint out-of-service would evict; undefined of a node that is ready or missing. */
  readonly evictable: readonly KubeObject[] | undefined;
}

/** Pods that a pass of PodGC takes, in its order. */
export interface Pass {
  readonly rule: PodGcRule;
  readonly pods: readonly KubeObject[];
}

interface Choice {
  /** In the order of the newest version, which has every pass. */
  readonly passes: readonly Pass[];
  /** What no rule takes, by name: told of where it looks like a candidate. */
  readonly others: readonly KubeObject[];
  readonly requestsMs: number;
}

/** The same from a moment on, until another: in milliseconds since the epoch. */
interface Told {
  readonly from: number;
  readonly until: number;
  readonly items: readonly PodOutlook[];
}

/** Milliseconds by which a watch may be late. */
const LATE_MS = 1_000;
/** Milliseconds from the first answer after the connection was lost until every kind has caught up. */
const CATCH_UP_MS = 10_000;
/** Milliseconds after which the node lifecycle controller notices at the latest that a node is gone. */
const NOTICED_MS = 6_000;
/** Milliseconds after which PodGC has acted on a node that is gone, if it is at work. */
const ACTED_MS = 3 * CYCLE_MS + QUARANTINE_MS;

// kube-controller-manager's --kube-api-burst and --kube-api-qps.
const REQUESTS_AT_ONCE = 30;
const REQUESTS_A_SECOND = 20;

export class PodGcSurvey {
  /** Whether kube-controller-manager runs and since when, as far as `learnManager` was told. */
  readonly manager = new ManagerRun();
  /** Of the whole cluster, whatever scope somebody looks at. */
  finished: FinishedPods;
  /** False where nodes or pods cannot all be seen: then there may be candidates that nobody can name. */
  sees = { nodes: false, pods: false };
  readonly #view: ClusterView;
  /** As long as neither the server's version nor the pods of kube-controller-manager are others. */
  #read: { readonly by: ClusterSettings; readonly settings: PodGcSettings } | undefined;
  readonly #deleting = new Set<Uid>();
  /** Nodes that aren't simply ready; a missing one only as long as pods name it. */
  readonly #troubled = new Map<string, NodeCondition>();
  readonly #removals = new Map<string, Removal>();
  /** Nodes that were missing: a quarantine outlasts that a node is back for a while. */
  readonly #missedBefore = new Map<string, { readonly from: number; readonly until: number }>();
  /** Pods that a rule was seen to select, and since when at the latest. */
  readonly #selected = new Map<Uid, { readonly rule: PodGcRule; readonly since: number }>();
  readonly #work = new WorkSeen();
  /** What is told from then on has happened a moment ago: nothing that was missed while nobody watched. */
  #watchedSince: number;
  #revision = 0;
  /** Nothing was chosen yet. */
  #isNew = true;
  /** Of this revision: what time alone changes is asked every second, and choosing thousands of pods anew would be felt. */
  #chosen: Choice | undefined;
  #told: Told | undefined;
  #known: { readonly now: number; readonly world: PodGcWorld } | undefined;

  /**
   * `now` in milliseconds since the epoch. `inParts`: which pods are taken is worked out when they are asked for, which has
   * to be at once.
   */
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

  /** Those of the server's version. */
  get rules(): PodGcRules {
    return this.#settings.rules;
  }

  get #settings(): PodGcSettings {
    const { settings: by } = this.#view;
    if (this.#read?.by !== by) this.#read = { by, settings: podGcSettings(this.#view) };
    return this.#read.settings;
  }

  get thresholdFrom(): PodGcSettings['thresholdFrom'] {
    return this.#settings.thresholdFrom;
  }

  /** Where it is, PodGC takes nothing. */
  get switchedOff(): TellingFlag | undefined {
    return this.#settings.switchedOff;
  }

  /** Moves whenever `items` may be others for another reason than time. */
  get revision(): number {
    return this.#revision;
  }

  /** Nodes that are missing and that nobody saw go. */
  get unseenRemovals(): readonly string[] {
    return [...this.#removals].filter(([, { seen }]) => !seen).map(([name]) => name);
  }

  /** Takes in what a batch did to the view; `now` in milliseconds since the epoch. */
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

  /** Takes in when nodes were noticed to go, by `Source.nodeRemovals`: of those that nobody saw go. */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    for (const name of this.unseenRemovals) {
      const { first, last } = removals.get(name) ?? { first: 0, last: 0 };
      const by = Math.min(last + LATE_MS, now);
      // PodGC would have acted long ago, a clock is off, or a pod was bound to the node since: an earlier life of it.
      const isOfNow = last <= now + LATE_MS && now - last <= ACTED_MS;
      if (!isOfNow || this.#podsOn(name).some(({ creationTimestamp }) => creationTimestamp > by)) continue;
      // A quarantine outlasts that its node comes back for a while.
      const from = Math.max(first, last - CYCLE_MS - QUARANTINE_MS) - NOTICED_MS;
      this.#removals.set(name, { from, by, seen: true });
    }
    this.#change();
  }

  /** Whether pods wait for kube-controller-manager and it is time to ask about it; then it counts as asked. */
  asksManager(now: number): boolean {
    return this.manager.asks(now, () =>
      this.passes(now).some(({ pods }) => pods.some(pod => this.isComing(pod))),
    );
  }

  /** Takes in the lease of kube-controller-manager as it is `now`; undefined where nothing tells. */
  learnManager(lease: ManagerLease | undefined, now: number): void {
    const { isAway } = this.manager;
    const isOther = this.manager.learn(lease, now);
    if (isOther || this.manager.isAway !== isAway) this.#change();
  }

  /** Pods that are due, in the order in which PodGC's passes take them, then those that only look as if they were. */
  items(now: number): readonly PodOutlook[] {
    const due = this.passes(now).flatMap(({ pods }) => pods.map(pod => this.explain(pod, now)));
    return [...due, ...this.others(now)];
  }

  /** Pods that are due, pass by pass, in PodGC's order: time alone changes only by when each is. */
  passes(now: number): readonly Pass[] {
    return this.#choice(now).passes;
  }

  /** Those that only look as if they were due, by name. */
  others(now: number): readonly PodOutlook[] {
    const { others } = this.#choice(now);
    if (this.#told === undefined || now < this.#told.from || now >= this.#told.until)
      this.#told = this.#tell(others, now);
    return this.#told.items;
  }

  /** Whether something is going to happen to a pod that is due: what is tried again in vain doesn't count. */
  isComing(pod: KubeObject): boolean {
    return !isTaken(pod, this.rules);
  }

  /** Whether PodGC should have taken one of those pods long ago. */
  isLate(now: number, isMeant: (pod: KubeObject) => boolean): boolean {
    return this.passes(now).some(({ rule, pods }) => {
      const coming = pods.filter(pod => isMeant(pod) && this.isComing(pod));
      const isOverdue = (pod: KubeObject): boolean => this.explain(pod, now).due.when === 'overdue';
      if (rule === 'Orphaned') return coming.some(isOverdue);
      // Each of the others is due a cycle after it was selected.
      const since = ({ uid }: KubeObject): number => this.#selected.get(uid)?.since ?? now;
      const [any, ...more] = coming;
      return (
        any !== undefined &&
        isOverdue(more.reduce((first, pod) => (since(pod) < since(first) ? pod : first), any))
      );
    });
  }

  /** What PodGC makes of a pod, whatever it is. */
  explain(pod: KubeObject, now: number): PodOutlook {
    return outlookOf(pod, this.#world(now));
  }

  /** Nodes that aren't simply ready, by name. */
  nodes(): readonly NodeOutlook[] {
    return [...this.#troubled.keys()].sort(compareBytes).flatMap(name => this.node(name) ?? []);
  }

  /** One node; undefined where it is simply ready, or nothing names it. */
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

  /** Takes in what the connection is `now`; true where it is back, so that anything may have happened meanwhile. */
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

  /** When that has happened at the latest which is found `now`. */
  #latest(now: number): number {
    return Number.isFinite(this.#watchedSince) ? Math.max(now, this.#watchedSince) : now;
  }

  /** Reads everything anew. */
  #rebuild(now: number): void {
    this.sees = this.#look();
    this.#read = undefined;
    this.finished = new FinishedPods(this.#settings);
    this.#deleting.clear();
    this.#troubled.clear();
    if (!this.sees.nodes) this.#removals.clear();
    const pods = this.#view.indexPods();
    for (const pod of this.#objects(pods.ending())) this.#notePod(pod);
    const names = new Set([...this.#removals.keys(), ...pods.nodeNames()]);
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

  /** False for a pod that is nothing to any rule as long as it and its node stay as they are: nearly every one. */
  #looksAt({ uid, facts }: KubeObject): boolean {
    if (this.#deleting.has(uid) || this.finished.has(uid)) return true;
    return facts?.kind === 'Pod' && this.#troubled.has(facts.nodeName);
  }

  /** Looks at a node as it is now; true where that is another condition than before. */
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

  /** `lost`: the node as it was last, where its removal has just been told. */
  #removalFound(name: string, now: number, lost: KubeObject | undefined): Removal {
    const isWatched = now >= this.#watchedSince;
    const seen = lost !== undefined && isWatched;
    const by = seen ? now : this.#latest(now);
    // A node that was registered a moment ago may have been missed just before.
    const age = now - (lost?.creationTimestamp ?? now);
    const isFirst = seen && age >= orphanedAfter(QUARANTINE_MS).latest;
    // PodGC cannot have missed it before a pod named it. While nobody watched, others may have.
    const pods = isWatched ? this.#podsOn(name) : [];
    const named = Math.min(now, ...pods.map(({ creationTimestamp }) => creationTimestamp));
    const before = this.#missedBefore.get(name);
    const goesOn =
      before !== undefined && now - before.until <= CYCLE_MS + QUARANTINE_MS + this.#work.longest;
    const from = isFirst ? now - LATE_MS : isWatched ? named : Number.NEGATIVE_INFINITY;
    return { from: goesOn ? Math.min(before.from, from) : from, by, seen };
  }

  /** What is told of these pods `now`, and until when it is: grace ends. */
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

  /** Every pod that a rule takes or that looks so, of this revision; which of them it takes is noted `now`. */
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
    // A patch and a DELETE each, and for finished pods the DELETE alone; what finalizers hold is tried in every cycle.
    const requests = surplus.length + 2 * (outOfService.length + orphaned.length + unscheduled.length);
    const requestsMs = (Math.max(0, requests - REQUESTS_AT_ONCE) / REQUESTS_A_SECOND) * 1_000;
    const isOff = this.#settings.switchedOff !== undefined;
    const chosen = new Map<PodGcRule, KubeObject[]>(newestRules.passes.map(rule => [rule, []]));
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
    const passes = newestRules.passes.map(rule => ({ rule, pods: chosen.get(rule) ?? [] }));
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
        // What was there before tells itself since when it is waiting.
        const told = this.#isNew && rule === 'UnscheduledTerminating' ? deletionRequestedAt(pod) : undefined;
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
      absenceOf: name => this.#view.absences.of(nodeLookUp(name)).state,
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

  /** Files may hold some nodes of a cluster; of a live one that can no longer be listed, the last state is out of date. */
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

/** What it was started with may have changed. */
function isManager({ object }: GraphNode): boolean {
  return object?.facts?.kind === 'Pod' && isManagerPod(object.namespace, object.name);
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

/** What looks like a candidate; a pod that merely ends as pods do doesn't. */
function isWorthTelling({ due, reason, heldBy }: PodOutlook): boolean {
  if (due.when !== 'no' || telling.has(reason.kind)) return true;
  if (reason.kind === 'Taken') return heldBy.length > 0;
  if (reason.kind === 'NodeReady') return reason.graceOver;
  return reason.kind === 'NotDeleting' && reason.nodeState === 'OutOfService';
}

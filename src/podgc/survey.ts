/**
 * Every pod of a cluster that PodGC will take, or that looks as if it would, kept current batch by batch: a change
 * costs the pods that it concerns, never the cluster. Times come from outside, so that the same survey serves one
 * answer, a screen and a test.
 */
import type { ClusterView, ViewChanges } from '../graph/cluster-view.ts';
import { isDeleting } from '../graph/deletion.ts';
import { compareBytes } from '../graph/identity.ts';
import type { GraphNode } from '../graph/node.ts';
import type { ManagerLease } from '../model/manager-lease.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { byName, inOrder } from './candidates.ts';
import { CycleTimes, type Span } from './cycle-times.ts';
import { FinishedPods } from './finished-pods.ts';
import { ManagerRun } from './manager-run.ts';
import type { NodeRecord } from './node-record.ts';
import { type Moment, NodeRecords } from './node-records.ts';
import { isTaken, outlookOf, type PodGcWorld, type PodOutlook } from './outlook.ts';
import { podFacts, terminatingPodsOutOfService } from './passes.ts';
import type { PodGcRules } from './rules-of-version.ts';
import { podGcSettings } from './settings.ts';

export interface SurveyOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A node that isn't simply ready, with the pods that are bound to it. */
export interface NodeOutlook {
  readonly record: NodeRecord;
  readonly pods: readonly KubeObject[];
}

/** Milliseconds after which the node lifecycle controller notices at the latest that a node is gone, and writes it down. */
const NOTICED_MS = 6_000;
const SECOND_MS = 1_000;

export class PodGcSurvey {
  private readonly view: ClusterView;
  private removals: ReadonlyMap<string, Span> = new Map();
  private readonly times = new CycleTimes();
  /** Whether kube-controller-manager runs and since when, as far as `learnManager` was told. */
  readonly manager = new ManagerRun();
  private records: NodeRecords;
  private finishedPods: FinishedPods;
  private readonly deleting = new Set<Uid>();
  private seen = { nodes: false, pods: false };
  private watchedSince: number;
  /** Pods that PodGC was seen to have been at. */
  private readonly marked = new Set<Uid>();
  /** Off while what was there before is taken in. */
  private isWatching = false;
  private moves = 0;
  private candidates: { readonly revision: number; readonly pods: readonly KubeObject[] } | undefined;
  private made:
    | { readonly now: number; readonly revision: number; readonly items: readonly PodOutlook[] }
    | undefined;

  constructor(view: ClusterView, { now }: SurveyOptions) {
    this.view = view;
    this.records = new NodeRecords(this.removals);
    this.finishedPods = new FinishedPods(this.threshold, this.rules);
    this.watchedSince = now;
    this.rebuild(now);
  }

  get threshold(): number {
    return podGcSettings(this.view).threshold;
  }

  /** Those of the server's version. */
  get rules(): PodGcRules {
    return podGcSettings(this.view).rules;
  }

  /** Finished pods of the whole cluster, whatever scope somebody looks at. */
  get finished(): FinishedPods {
    return this.finishedPods;
  }

  /** False where nodes or pods can't all be seen: then there may be candidates that nobody can name. */
  get sees(): { readonly nodes: boolean; readonly pods: boolean } {
    return this.seen;
  }

  /** Moves whenever `items` may be others for another reason than time. */
  get revision(): number {
    return this.moves;
  }

  /** Takes in what a batch did to the view; `now` in milliseconds since the epoch. */
  apply(changes: ViewChanges, now: number): void {
    if (changes.connection && this.view.connection.state === 'live') this.watchedSince = now;
    const isSeen = changes.types || changes.statuses ? this.look() : this.seen;
    if (isSeen.nodes !== this.seen.nodes || isSeen.pods !== this.seen.pods) return this.rebuild(now);
    const concerned = this.lose(changes.graph.removed, now);
    if (this.note(changes.graph.touched, now) || concerned) this.moves += 1;
    this.finishedPods.settle(now, true);
  }

  /**
   * Takes in when nodes were noticed to go, by `Source.nodeRemovals`: what was watched is known better, and the rest
   * as well as can be.
   */
  learnRemovals(removals: ReadonlyMap<string, number>, now: number): void {
    const spans = [...removals].map(
      ([name, at]) => [name, { from: at - NOTICED_MS, by: Math.min(at + SECOND_MS, now) }] as const,
    );
    this.removals = new Map(spans);
    this.records.learn(this.removals);
    this.moves += 1;
  }

  /** Takes in the lease of kube-controller-manager as it is `now`, in milliseconds since the epoch. */
  learnManager(lease: ManagerLease, now: number): void {
    const { manager } = this;
    const wasAway = manager.isAway;
    const isOther = manager.learn(lease, now);
    if (!isOther && manager.isAway === wasAway) return;
    const { startedAt } = manager;
    if (startedAt !== undefined) this.times.noteRun(startedAt, this.view.graph.size);
    this.moves += 1;
  }

  /** Pods that are due, in the order in which PodGC's passes take them, then those that only look as if they were. */
  items(now: number): readonly PodOutlook[] {
    if (this.made?.now !== now || this.made.revision !== this.moves) {
      this.made = { now, revision: this.moves, items: this.list(now) };
    }
    return this.made.items;
  }

  /** What PodGC makes of a pod, whatever it is. */
  explain(pod: KubeObject, now: number): PodOutlook {
    return outlookOf(pod, this.world(now));
  }

  /** Nodes that aren't simply ready, by name. */
  nodes(): readonly NodeOutlook[] {
    const nodes: NodeOutlook[] = [];
    for (const [name, uids] of this.records.troubled()) {
      const record = this.records.get(name);
      if (record !== undefined) nodes.push({ record, pods: this.objects(uids).sort(byName) });
    }
    return nodes.sort((a, b) => compareBytes(a.record.name, b.record.name));
  }

  /** The same for one node; undefined where it is simply ready, or nothing names it. */
  node(name: string): NodeOutlook | undefined {
    const record = this.records.get(name);
    const bound = this.records.boundTo(name);
    return record && bound && { record, pods: this.objects(bound).sort(byName) };
  }

  private list(now: number): readonly PodOutlook[] {
    // What time alone changes is asked every second: sorting thousands of pods each time would be felt.
    if (this.candidates?.revision !== this.moves)
      this.candidates = { revision: this.moves, pods: this.choose() };
    const world = this.world(now);
    return inOrder(this.candidates.pods.map(pod => outlookOf(pod, world)));
  }

  /** Every pod that a rule may take or that looks so, those of each pass in its order. */
  private choose(): readonly KubeObject[] {
    const pods = new Map<Uid, KubeObject>();
    const add = (each: Iterable<KubeObject>): void => {
      for (const pod of each) pods.set(pod.uid, pod);
    };
    const deleting = this.objects(this.deleting);
    add(this.finishedPods.surplus());
    add(terminatingPodsOutOfService(deleting, name => this.records.get(name)?.node));
    const lost = [...this.records.troubled()].filter(([name]) => {
      const state = this.records.get(name)?.state;
      return state === 'Missing' || state === 'OutOfService';
    });
    lost.sort(([a], [b]) => compareBytes(a, b));
    for (const [, bound] of lost) add(this.objects(bound).sort(byName));
    add(deleting.sort(byName));
    return [...pods.values()];
  }

  private world(now: number): PodGcWorld {
    let requests = this.finishedPods.surplusCount;
    for (const [name, pods] of this.records.troubled())
      if (this.records.get(name)?.state === 'Missing') requests += 2 * pods.size;
    return {
      now,
      times: this.times,
      rules: this.rules,
      nodesSeen: this.seen.nodes,
      node: name => this.records.get(name),
      surplusPlace: ({ uid }) => this.finishedPods.placeOf(uid),
      threshold: this.threshold,
      requestsMs: timeForRequests(requests),
      manager: this.manager.holder === undefined ? 'unknown' : this.manager.isAway ? 'away' : 'runs',
    };
  }

  private objects(uids: Iterable<Uid>): KubeObject[] {
    const objects: KubeObject[] = [];
    for (const uid of uids) {
      const object = this.view.graph.get(uid)?.object;
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  private rebuild(now: number): void {
    this.isWatching = false;
    this.seen = this.look();
    this.records = new NodeRecords(this.removals);
    this.finishedPods = new FinishedPods(this.threshold, this.rules);
    this.deleting.clear();
    this.marked.clear();
    const moment = { now, watchedSince: this.watchedSince };
    if (this.seen.nodes) {
      for (const { object } of this.view.graph.nodes()) {
        if (object !== undefined && isNode(object)) this.records.note(object, moment);
      }
    }
    for (const { object } of this.view.graph.nodes()) {
      if (object?.facts?.kind === 'Pod') this.notePod(object, moment);
    }
    this.finishedPods.settle(now, false);
    this.isWatching = true;
    this.moves += 1;
  }

  private look(): { readonly nodes: boolean; readonly pods: boolean } {
    const sees = (kind: string): boolean => {
      const type = this.view.catalog.resolveKind('v1', kind);
      return type !== undefined && this.view.sees(type, '');
    };
    return { nodes: sees('Node'), pods: sees('Pod') };
  }

  /** Returns whether nodes were among them, or pods that a rule looks at. */
  private lose(removed: Iterable<GraphNode>, now: number): boolean {
    const moment = { now, watchedSince: this.watchedSince };
    const lost = new Set<string>();
    const unbound = new Set<string>();
    let concerned = false;
    for (const { object } of removed) {
      if (object === undefined) continue;
      if (object.facts?.kind === 'Pod') {
        if (!this.looksAt(object)) continue;
        this.losePod(object, now);
      } else if (this.seen.nodes && isNode(object)) {
        lost.add(object.name);
        if (this.records.lose(object.name, moment)) unbound.add(object.name);
      } else continue;
      concerned = true;
    }
    this.bindAll(unbound, moment);
    for (const name of lost) this.records.forgetUnnamed(name, now);
    return concerned;
  }

  private note(touched: Iterable<GraphNode>, now: number): boolean {
    const moment = { now, watchedSince: this.watchedSince };
    const troubled = new Set<string>();
    let concerned = false;
    for (const { object } of touched) {
      if (object === undefined) continue;
      if (object.facts?.kind === 'Pod') {
        const before = this.looksAt(object);
        this.notePod(object, moment);
        if (!before && !this.looksAt(object)) continue;
      } else if (this.seen.nodes && isNode(object)) {
        const before = this.records.get(object.name)?.state;
        if (this.records.note(object, moment)) troubled.add(object.name);
        // Kubelets report all the time.
        if (this.records.get(object.name)?.state === before) continue;
      } else continue;
      concerned = true;
    }
    this.bindAll(troubled, moment);
    return concerned;
  }

  private bindAll(names: ReadonlySet<string>, moment: Moment): void {
    for (const name of names) for (const pod of this.view.podsOn(name)) this.records.bind(pod, moment);
  }

  /** False for a pod that is nothing to any rule as long as it and its node stay as they are: nearly every one. */
  private looksAt(pod: KubeObject): boolean {
    if (this.deleting.has(pod.uid) || this.finishedPods.has(pod.uid)) return true;
    const record = this.records.get(podFacts(pod)?.nodeName ?? '');
    return record !== undefined && record.state !== 'Ready';
  }

  private notePod(pod: KubeObject, moment: Moment): void {
    this.finishedPods.note(pod);
    if (this.seen.nodes) this.records.bind(pod, moment);
    if (!isDeleting(pod)) return;
    this.deleting.add(pod.uid);
    this.noteMark(pod, moment.now);
  }

  private losePod(pod: KubeObject, now: number): void {
    // Its patch and its end may come in one batch.
    this.noteMark(pod, now);
    this.marked.delete(pod.uid);
    this.finishedPods.drop(pod.uid);
    this.deleting.delete(pod.uid);
    this.records.unbind(pod, now);
  }

  /** PodGC alone gives a pod that no kubelet answers for its final phase: then a cycle has just run. */
  private noteMark(pod: KubeObject, now: number): void {
    // Asked first because it looks at the pod alone.
    if (!isTaken(pod, this.rules) || this.marked.has(pod.uid)) return;
    const { rule, due, reason } = this.explain(pod, now);
    if (reason.kind !== 'Taken' || due.when === 'no') return;
    this.marked.add(pod.uid);
    if (this.isWatching && rule !== 'Terminated') this.times.noteAct(now);
  }
}

/** kube-controller-manager's client sends 30 requests at once and then 20 a second (its --kube-api-qps and -burst). */
function timeForRequests(count: number): number {
  return (Math.max(0, count - 30) / 20) * SECOND_MS;
}

function isNode(object: KubeObject): boolean {
  return object.type.kind === 'Node' && object.type.group === '';
}

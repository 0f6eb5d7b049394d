/**
 * Every pod of a cluster that PodGC will take, or that looks as if it would, kept current batch by batch: a change
 * costs the pods that it concerns, never the cluster. Times come from outside, so that the same survey serves one
 * answer, a screen and a test.
 */
import type { ClusterView, ViewChanges } from '../graph/cluster-view.ts';
import { deletionRequestedAt, isDeleting } from '../graph/deletion.ts';
import { compareBytes } from '../graph/identity.ts';
import type { GraphNode } from '../graph/node.ts';
import type { ManagerLease } from '../model/manager-lease.ts';
import type { NodeRemoval } from '../model/node-removal.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { Acts } from './acts.ts';
import { byName, inOrder } from './candidates.ts';
import { CycleTimes, type Span } from './cycle-times.ts';
import { FinishedPods } from './finished-pods.ts';
import { ManagerRun } from './manager-run.ts';
import type { NodeRecord } from './node-record.ts';
import { NodeRecords } from './node-records.ts';
import { type RemovalSign, signOf } from './node-removal.ts';
import { outlookOf, type PodGcWorld, type PodOutlook } from './outlook.ts';
import { podFacts, terminatingPodsOutOfService } from './passes.ts';
import { requestsMs } from './requests.ts';
import type { PodGcRules } from './rules-of-version.ts';
import { podGcSettings } from './settings.ts';
import { type Moment, Watched } from './watched.ts';

export interface SurveyOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A node that isn't simply ready, with the pods that are bound to it. */
export interface NodeOutlook {
  readonly record: NodeRecord;
  readonly pods: readonly KubeObject[];
}

const SECOND_MS = 1_000;

export class PodGcSurvey {
  private readonly view: ClusterView;
  private signs: ReadonlyMap<string, RemovalSign> = new Map();
  private readonly watched: Watched;
  private readonly acts: Acts;
  private readonly times = new CycleTimes();
  /** Whether kube-controller-manager runs and since when, as far as `learnManager` was told. */
  readonly manager = new ManagerRun();
  private records: NodeRecords;
  private finishedPods: FinishedPods;
  /** Pods that are being deleted, and when that was asked for. */
  private readonly deleting = new Map<Uid, Span>();
  private seen = { nodes: false, pods: false };
  /** Off while what was there before is taken in. */
  private isWatching = false;
  private moves = 0;
  private work: { readonly revision: number; readonly milliseconds: number } | undefined;
  private candidates: { readonly revision: number; readonly pods: readonly KubeObject[] } | undefined;
  private made:
    | { readonly now: number; readonly revision: number; readonly items: readonly PodOutlook[] }
    | undefined;

  constructor(view: ClusterView, { now }: SurveyOptions) {
    this.view = view;
    this.watched = new Watched(now);
    this.acts = new Acts(this.times);
    this.records = new NodeRecords(this.signs);
    this.finishedPods = new FinishedPods(this.threshold, this.rules);
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
    const gap = changes.connection ? this.watched.note(this.view.connection, now) : undefined;
    if (gap !== undefined) this.blur(gap.by);
    const moment = this.watched.moment(now);
    const isSeen = changes.types || changes.statuses ? this.look() : this.seen;
    if (isSeen.nodes !== this.seen.nodes || isSeen.pods !== this.seen.pods) return this.rebuild(now);
    const concerned = this.lose(changes.graph.removed, moment);
    if (this.note(changes.graph.touched, moment) || concerned) this.moves += 1;
    this.finishedPods.settle(moment.happened);
  }

  /**
   * Takes in when nodes were noticed to go, by `Source.nodeRemovals`: what was watched is known better, and the rest
   * as well as can be.
   */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    this.signs = new Map([...removals].map(([name, removal]) => [name, signOf(removal, now)]));
    this.records.learn(this.signs);
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
    const deleting = this.objects(this.deleting.keys());
    add(this.finishedPods.surplus());
    add(terminatingPodsOutOfService(deleting, name => this.records.get(name)?.node, this.rules));
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
    return {
      now,
      times: this.times,
      rules: this.rules,
      sees: this.seen,
      resumedAt: this.watched.resumedAt,
      node: name => this.records.get(name),
      surplusPlace: ({ uid }) => this.finishedPods.placeOf(uid),
      requestedAt: ({ uid }) => this.deleting.get(uid),
      threshold: this.threshold,
      requestsMs: this.requestsMs(),
      manager: this.manager.holder === undefined ? 'unknown' : this.manager.isAway ? 'away' : 'runs',
    };
  }

  private requestsMs(): number {
    if (this.work?.revision !== this.moves) {
      const deleting = this.objects(this.deleting.keys());
      const surplus = this.finishedPods.surplusCount;
      const milliseconds = requestsMs({ surplus, deleting, records: this.records });
      this.work = { revision: this.moves, milliseconds };
    }
    return this.work.milliseconds;
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
    this.records = new NodeRecords(this.signs);
    this.finishedPods = new FinishedPods(this.threshold, this.rules);
    this.deleting.clear();
    this.acts.clear();
    const moment = this.watched.moment(now);
    if (this.seen.nodes) {
      for (const { object } of this.view.graph.nodes()) {
        if (object !== undefined && isNode(object)) this.records.note(object, moment);
      }
    }
    for (const { object } of this.view.graph.nodes()) {
      if (object?.facts?.kind === 'Pod') this.notePod(object, moment);
    }
    this.finishedPods.settle({ from: 0, by: now });
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

  private blur(until: number): void {
    this.records.blur(until);
    this.finishedPods.blur(until);
    this.moves += 1;
  }

  /** Returns whether nodes were among them, or pods that a rule looks at. */
  private lose(removed: Iterable<GraphNode>, moment: Moment): boolean {
    const { now } = moment;
    const lost = new Set<string>();
    const unbound = new Set<string>();
    let concerned = false;
    for (const { object } of removed) {
      if (object === undefined) continue;
      if (object.facts?.kind === 'Pod') {
        if (!this.looksAt(object)) continue;
        this.losePod(object, moment);
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

  private note(touched: Iterable<GraphNode>, moment: Moment): boolean {
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
    this.noteAct(pod, moment);
    this.finishedPods.note(pod);
    if (this.seen.nodes) this.records.bind(pod, moment);
    if (isDeleting(pod) && !this.deleting.has(pod.uid))
      this.deleting.set(pod.uid, this.requested(pod, moment));
  }

  /** When its deletion was asked for: what was seen to be says it better than the API server's clock. */
  private requested(pod: KubeObject, { now, happened }: Moment): Span {
    if (this.isWatching) return happened;
    const at = Math.min(deletionRequestedAt(pod) ?? 0, now);
    return { from: at, by: Math.min(at + SECOND_MS, now) };
  }

  private losePod(pod: KubeObject, moment: Moment): void {
    // Its patch and its end may come in one batch.
    this.noteAct(pod, moment);
    if (outlookOf(pod, this.world(moment.now)).due.when !== 'no') this.acts.noteProgress(moment);
    this.acts.forget(pod.uid);
    this.finishedPods.drop(pod.uid);
    this.deleting.delete(pod.uid);
    this.records.unbind(pod, moment.now);
  }

  private noteAct(pod: KubeObject, moment: Moment): void {
    // What comes into sight just now has been through who knows what.
    const isKnown = this.isWatching && this.looksAt(pod);
    const node = this.records.get(podFacts(pod)?.nodeName ?? '');
    this.acts.note(pod, node, isKnown ? moment : undefined);
  }
}

function isNode(object: KubeObject): boolean {
  return object.type.kind === 'Node' && object.type.group === '';
}

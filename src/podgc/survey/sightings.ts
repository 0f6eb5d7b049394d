/**
 * What is seen of the pods and nodes that a rule of PodGC looks at, and since when, kept current batch by batch: a change
 * costs the pods that it concerns, never the cluster. What follows from it is the survey's.
 */
import type { ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import { deletionRequestedAt, isDeleting } from '../../graph/deletion.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import { FinishedPods } from '../passes/finished-pods.ts';
import { podGcSettings } from '../passes/settings.ts';
import { Acts } from './acts.ts';
import { CycleTimes, type Interval } from './cycle-times.ts';
import { NodeRecords } from './node-records.ts';
import { type RemovalSign, signOf } from './node-removal.ts';
import { type Moment, Watched } from './watched.ts';

const SECOND_MS = 1_000;

export class Sightings {
  /** When PodGC's cycles are, by what was seen of its work. */
  readonly times = new CycleTimes();
  records: NodeRecords;
  /** Of the whole cluster. */
  finished: FinishedPods;
  /** Pods that are being deleted, and when that was asked for. */
  readonly deleting = new Map<Uid, Interval>();
  /** False where nodes or pods cannot all be seen. */
  sees = { nodes: false, pods: false };
  readonly #view: ClusterView;
  readonly #watched: Watched;
  readonly #acts: Acts;
  #signs: ReadonlyMap<string, RemovalSign> = new Map();
  /** Off while what was there before is taken in. */
  #isWatching = false;

  /** `now` in milliseconds since the epoch. */
  constructor(view: ClusterView, now: number) {
    const { threshold, rules } = podGcSettings(view);
    this.#view = view;
    this.#watched = new Watched(now);
    this.#acts = new Acts(this.times);
    this.records = new NodeRecords(this.#signs);
    this.finished = new FinishedPods(threshold, rules);
    this.#rebuild(now);
  }

  /** When the connection came back after it was lost; undefined where it never was. */
  get resumedAt(): number | undefined {
    return this.#watched.resumedAt;
  }

  /** Takes in what a batch did to the view; returns whether that may change what PodGC does. */
  apply(changes: ViewChanges, now: number): boolean {
    const gap = changes.connection ? this.#watched.note(this.#view.connection, now) : undefined;
    if (gap !== undefined) this.#blur(gap.by);
    const moment = this.#watched.moment(now);
    const sees = changes.types || changes.statuses ? this.#look() : this.sees;
    if (sees.nodes !== this.sees.nodes || sees.pods !== this.sees.pods) {
      this.#rebuild(now);
      return true;
    }
    const isConcerned = this.#lose(changes.graph.removed, moment);
    const isNews = this.#note(changes.graph.touched, moment) || isConcerned || gap !== undefined;
    this.finished.settle(moment.happened);
    return isNews;
  }

  /** Takes in what is left of nodes that are gone. */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    this.#signs = new Map([...removals].map(([name, removal]) => [name, signOf(removal, now)]));
    this.records.learn(this.#signs);
  }

  /** Reads everything anew: other kinds can be seen than before. */
  #rebuild(now: number): void {
    this.#isWatching = false;
    this.sees = this.#look();
    const { threshold, rules } = podGcSettings(this.#view);
    this.records = new NodeRecords(this.#signs);
    this.finished = new FinishedPods(threshold, rules);
    this.deleting.clear();
    this.#acts.clear();
    const moment = this.#watched.moment(now);
    if (this.sees.nodes) {
      for (const { object } of this.#view.graph.nodes()) {
        if (object !== undefined && isNode(object)) this.records.note(object, moment);
      }
    }
    for (const { object } of this.#view.graph.nodes()) {
      if (object?.facts?.kind === 'Pod') this.#notePod(object, moment);
    }
    this.finished.settle({ from: 0, by: now });
    this.#isWatching = true;
  }

  #look(): { readonly nodes: boolean; readonly pods: boolean } {
    const sees = (kind: string): boolean => {
      const type = this.#view.catalog.resolveKind('v1', kind);
      return type !== undefined && this.#view.sees(type, '');
    };
    return { nodes: sees('Node'), pods: sees('Pod') };
  }

  #blur(until: number): void {
    this.records.blur(until);
    this.finished.blur(until);
  }

  /** Returns whether nodes were among them, or pods that a rule looks at. */
  #lose(removed: Iterable<GraphNode>, moment: Moment): boolean {
    const { now } = moment;
    const lost = new Set<string>();
    const unbound = new Set<string>();
    let concerned = false;
    for (const { object } of removed) {
      if (object === undefined) continue;
      if (object.facts?.kind === 'Pod') {
        if (!this.#looksAt(object)) continue;
        this.#losePod(object, moment);
      } else if (this.sees.nodes && isNode(object)) {
        lost.add(object.name);
        if (this.records.lose(object.name, moment)) unbound.add(object.name);
      } else continue;
      concerned = true;
    }
    this.#bindAll(unbound, moment);
    for (const name of lost) this.records.forgetUnnamed(name, now);
    return concerned;
  }

  #note(touched: Iterable<GraphNode>, moment: Moment): boolean {
    const troubled = new Set<string>();
    let concerned = false;
    for (const { object } of touched) {
      if (object === undefined) continue;
      if (object.facts?.kind === 'Pod') {
        const before = this.#looksAt(object);
        this.#notePod(object, moment);
        if (!before && !this.#looksAt(object)) continue;
      } else if (this.sees.nodes && isNode(object)) {
        const before = this.records.get(object.name)?.state;
        if (this.records.note(object, moment)) troubled.add(object.name);
        // Kubelets report all the time.
        if (this.records.get(object.name)?.state === before) continue;
      } else continue;
      concerned = true;
    }
    this.#bindAll(troubled, moment);
    return concerned;
  }

  #bindAll(names: ReadonlySet<string>, moment: Moment): void {
    for (const name of names) for (const pod of this.#view.podsOn(name)) this.records.bind(pod, moment);
  }

  /** False for a pod that is nothing to any rule as long as it and its node stay as they are: nearly every one. */
  #looksAt(pod: KubeObject): boolean {
    if (this.deleting.has(pod.uid) || this.finished.has(pod.uid)) return true;
    const record = this.records.get(podFacts(pod)?.nodeName ?? '');
    return record !== undefined && record.state !== 'Ready';
  }

  #notePod(pod: KubeObject, moment: Moment): void {
    this.#noteAct(pod, moment);
    this.finished.note(pod);
    if (this.sees.nodes) this.records.bind(pod, moment);
    if (isDeleting(pod) && !this.deleting.has(pod.uid))
      this.deleting.set(pod.uid, this.#requested(pod, moment));
  }

  /** When its deletion was asked for: what was seen to be says it better than the API server's clock. */
  #requested(pod: KubeObject, { now, happened }: Moment): Interval {
    if (this.#isWatching) return happened;
    const at = Math.min(deletionRequestedAt(pod) ?? 0, now);
    return { from: at, by: Math.min(at + SECOND_MS, now) };
  }

  #losePod(pod: KubeObject, moment: Moment): void {
    // Its patch and its end may come in one batch.
    this.#noteAct(pod, moment);
    if (this.#wasDue(pod)) this.#acts.noteProgress(moment);
    this.#acts.forget(pod.uid);
    this.finished.drop(pod.uid);
    this.deleting.delete(pod.uid);
    this.records.unbind(pod, moment.now);
  }

  #noteAct(pod: KubeObject, moment: Moment): void {
    // What comes into sight just now has been through who knows what.
    const isKnown = this.#isWatching && this.#looksAt(pod);
    const node = this.records.get(podFacts(pod)?.nodeName ?? '');
    this.#acts.note(pod, node, isKnown ? moment : undefined);
  }

  /** PodGC was about to take it, at once or after a quarantine. */
  #wasDue(pod: KubeObject): boolean {
    if (this.finished.placeOf(pod.uid) !== undefined) return true;
    const nodeName = podFacts(pod)?.nodeName ?? '';
    const state = this.records.get(nodeName)?.state;
    return state === 'Missing' || (isDeleting(pod) && (nodeName === '' || state === 'OutOfService'));
  }
}

function isNode(object: KubeObject): boolean {
  return object.type.kind === 'Node' && object.type.group === '';
}

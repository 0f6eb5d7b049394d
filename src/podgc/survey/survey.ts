/**
 * Every pod of a cluster that PodGC will take, or that looks as if it would, kept current batch by batch: a change
 * costs the pods that it concerns, never the cluster. Times come from outside, so that the same survey serves one
 * answer, a screen and a test.
 */
import type { ClusterView, ViewChanges } from '../../graph/cluster-view.ts';
import { compareBytes } from '../../graph/node.ts';
import type { ManagerLease, NodeRemoval } from '../../model/exchange/manager-lease.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { byName, inOrder } from '../passes/candidates.ts';
import type { FinishedPods } from '../passes/finished-pods.ts';
import { nodeLookUp } from '../passes/missing-nodes.ts';
import { terminatingPodsOutOfService } from '../passes/passes.ts';
import type { PodGcRules } from '../passes/rules-of-version.ts';
import { podGcSettings } from '../passes/settings.ts';
import { ManagerRun } from './manager-run.ts';
import type { NodeRecord } from './node-record.ts';
import { isComing, outlookOf, type PodGcWorld, type PodOutlook } from './outlook.ts';
import { requestsMs } from './requests.ts';
import { Sightings } from './sightings.ts';

export interface SurveyOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A node that isn't simply ready, with the pods that are bound to it. */
export interface NodeOutlook {
  readonly record: NodeRecord;
  readonly pods: readonly KubeObject[];
}

export class PodGcSurvey {
  readonly #view: ClusterView;
  readonly #sightings: Sightings;
  /** Whether kube-controller-manager runs and since when, as far as `learnManager` was told. */
  readonly manager = new ManagerRun();
  #moves = 0;
  #work: { readonly revision: number; readonly milliseconds: number } | undefined;
  #candidates: { readonly revision: number; readonly pods: readonly KubeObject[] } | undefined;
  #made:
    | { readonly now: number; readonly revision: number; readonly items: readonly PodOutlook[] }
    | undefined;

  constructor(view: ClusterView, { now }: SurveyOptions) {
    this.#view = view;
    this.#sightings = new Sightings(view, now);
  }

  get threshold(): number {
    return podGcSettings(this.#view).threshold;
  }

  /** Those of the server's version. */
  get rules(): PodGcRules {
    return podGcSettings(this.#view).rules;
  }

  /** Finished pods of the whole cluster, whatever scope somebody looks at. */
  get finished(): FinishedPods {
    return this.#sightings.finished;
  }

  /** False where nodes or pods cannot all be seen: then there may be candidates that nobody can name. */
  get sees(): { readonly nodes: boolean; readonly pods: boolean } {
    return this.#sightings.sees;
  }

  /** Moves whenever `items` may be others for another reason than time. */
  get revision(): number {
    return this.#moves;
  }

  /** Takes in what a batch did to the view; `now` in milliseconds since the epoch. */
  apply(changes: ViewChanges, now: number): void {
    if (this.#sightings.apply(changes, now) || changes.lookUps.length > 0) this.#moves += 1;
  }

  /**
   * Takes in when nodes were noticed to go, by `Source.nodeRemovals`: what was watched is known better, and the rest
   * as well as can be.
   */
  learnRemovals(removals: ReadonlyMap<string, NodeRemoval>, now: number): void {
    this.#sightings.learnRemovals(removals, now);
    this.#moves += 1;
  }

  /** Whether pods wait for kube-controller-manager and it is time to ask about it; then it counts as asked. */
  asksManager(now: number): boolean {
    return this.manager.asks(now, () => this.items(now).some(isComing));
  }

  /**
   * Takes in the lease of kube-controller-manager as it is `now`, in milliseconds since the epoch; undefined where
   * nothing tells.
   */
  learnManager(lease: ManagerLease | undefined, now: number): void {
    const { manager } = this;
    const wasAway = manager.isAway;
    const isOther = manager.learn(lease, now);
    if (!isOther && manager.isAway === wasAway) return;
    const { startedAt } = manager;
    if (startedAt !== undefined) this.#sightings.times.noteRun(startedAt, this.#view.graph.size);
    this.#moves += 1;
  }

  /** Pods that are due, in the order in which PodGC's passes take them, then those that only look as if they were. */
  items(now: number): readonly PodOutlook[] {
    if (this.#made?.now !== now || this.#made.revision !== this.#moves) {
      this.#made = { now, revision: this.#moves, items: this.#list(now) };
    }
    return this.#made.items;
  }

  /** What PodGC makes of a pod, whatever it is. */
  explain(pod: KubeObject, now: number): PodOutlook {
    return outlookOf(pod, this.#world(now));
  }

  /** Nodes that aren't simply ready, by name. */
  nodes(): readonly NodeOutlook[] {
    const nodes: NodeOutlook[] = [];
    for (const [name, uids] of this.#sightings.records.troubled()) {
      const record = this.#sightings.records.get(name);
      if (record !== undefined) nodes.push({ record, pods: this.#objects(uids).sort(byName) });
    }
    return nodes.sort((a, b) => compareBytes(a.record.name, b.record.name));
  }

  /** The same for one node; undefined where it is simply ready, or nothing names it. */
  node(name: string): NodeOutlook | undefined {
    const record = this.#sightings.records.get(name);
    const bound = this.#sightings.records.boundTo(name);
    return record && bound && { record, pods: this.#objects(bound).sort(byName) };
  }

  #list(now: number): readonly PodOutlook[] {
    // What time alone changes is asked every second: sorting thousands of pods each time would be felt.
    if (this.#candidates?.revision !== this.#moves)
      this.#candidates = { revision: this.#moves, pods: this.#choose() };
    const world = this.#world(now);
    return inOrder(this.#candidates.pods.map(pod => outlookOf(pod, world)));
  }

  /** Every pod that a rule may take or that looks so, those of each pass in its order. */
  #choose(): readonly KubeObject[] {
    const pods = new Map<Uid, KubeObject>();
    const add = (each: Iterable<KubeObject>): void => {
      for (const pod of each) pods.set(pod.uid, pod);
    };
    const deleting = this.#objects(this.#sightings.deleting.keys());
    add(this.#sightings.finished.surplus());
    add(terminatingPodsOutOfService(deleting, name => this.#sightings.records.get(name)?.node, this.rules));
    const lost = [...this.#sightings.records.troubled()].filter(([name]) => {
      const state = this.#sightings.records.get(name)?.state;
      return state === 'Missing' || state === 'OutOfService';
    });
    lost.sort(([a], [b]) => compareBytes(a, b));
    for (const [, bound] of lost) add(this.#objects(bound).sort(byName));
    add(deleting.sort(byName));
    return [...pods.values()];
  }

  #world(now: number): PodGcWorld {
    return {
      now,
      times: this.#sightings.times,
      rules: this.rules,
      sees: this.#sightings.sees,
      resumedAt: this.#sightings.resumedAt,
      node: name => this.#sightings.records.get(name),
      absenceOf: name => this.#view.absences.of(nodeLookUp(name)).state,
      surplusPlace: ({ uid }) => this.#sightings.finished.placeOf(uid),
      requestedAt: ({ uid }) => this.#sightings.deleting.get(uid),
      threshold: this.threshold,
      requestsMs: this.#requestsMs(),
      standsStill: this.#view.settings.standsStill === true,
      manager: this.manager.holder === undefined ? 'unknown' : this.manager.isAway ? 'away' : 'runs',
    };
  }

  #requestsMs(): number {
    if (this.#work?.revision !== this.#moves) {
      const deleting = this.#objects(this.#sightings.deleting.keys());
      const surplus = this.#sightings.finished.surplusCount;
      const milliseconds = requestsMs({ surplus, deleting, records: this.#sightings.records });
      this.#work = { revision: this.#moves, milliseconds };
    }
    return this.#work.milliseconds;
  }

  #objects(uids: Iterable<Uid>): KubeObject[] {
    const objects: KubeObject[] = [];
    for (const uid of uids) {
      const object = this.#view.graph.get(uid)?.object;
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }
}

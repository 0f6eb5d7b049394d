/**
 * ReplicaSets and ReplicationControllers: as many active pods as wanted, adopted or created, and the surplus
 * deleted (pkg/controller/replicaset/replica_set.go, v1.36; docs/kubernetes.md §9).
 */
import type { WorkloadFacts } from '../../../model/facts/facts.ts';
import { selects } from '../../../model/facts/label-selector.ts';
import { controllerOf, type KubeObject, workloadFacts } from '../../../model/object.ts';
import type { Controller, ControllerContext, ReportUncertainty } from '../../runtime/controller.ts';
import { draftPod } from './drafts.ts';
import { choosePodsToDelete, isActive, isPodReady } from './pod-ranking.ts';
import { type GroupKind, isKind, POD, type SyncResult, servedType, Workloads } from './workloads.ts';

/** Pods created or deleted per look at one set. */
const BURST_REPLICAS = 500;

const kinds: Readonly<Record<'ReplicaSet' | 'ReplicationController', GroupKind>> = {
  ReplicaSet: { group: 'apps', version: 'v1', kind: 'ReplicaSet' },
  ReplicationController: { group: '', version: 'v1', kind: 'ReplicationController' },
};

export class ReplicaSetController implements Controller {
  readonly name: string;
  readonly #kind: GroupKind;
  readonly #report: ReportUncertainty | undefined;
  #running: { readonly context: ControllerContext; readonly sets: Workloads } | undefined;

  constructor(kind: 'ReplicaSet' | 'ReplicationController', report?: ReportUncertainty) {
    this.#kind = kinds[kind];
    this.name = kind === 'ReplicaSet' ? 'replicaset-controller' : 'replication-controller';
    this.#report = report;
  }

  start(context: ControllerContext): void {
    const sets = new Workloads({
      context,
      owner: this.#kind,
      child: POD,
      matches: (set, pod) => selects(workloadFacts(set)?.selector, pod.labels),
      sync: set => this.#sync(set),
    });
    this.#running = { context, sets };
  }

  #sync(set: KubeObject): SyncResult {
    const facts = workloadFacts(set);
    if (this.#running === undefined || facts === undefined) return 'done';
    // Being deleted it only keeps its status, which nothing depends on: neither claims nor scales
    // (docs/kubernetes.md §9).
    if (set.deletionTimestamp !== undefined) return 'done';
    const { sets } = this.#running;
    const candidates = [...sets.controlled(set), ...sets.ownerless(set)].filter(isActive);
    const claimed = sets.claim(set, candidates, pod => selects(facts.selector, pod.labels));
    if (claimed.failed) return 'retry';
    const result = sets.expectations.satisfied(set.uid) ? this.#scale(set, facts, claimed.children) : 'done';
    this.#writeStatus(set, facts, claimed.children);
    return result;
  }

  #scale(set: KubeObject, facts: WorkloadFacts, pods: readonly KubeObject[]): SyncResult {
    const missing = facts.desired - pods.length;
    if (missing > 0) return this.#createPods(set, facts, Math.min(missing, BURST_REPLICAS));
    if (missing < 0) return this.#deletePods(set, pods, Math.min(-missing, BURST_REPLICAS));
    return 'done';
  }

  #createPods(set: KubeObject, facts: WorkloadFacts, count: number): SyncResult {
    if (this.#running === undefined) return 'done';
    const { context, sets } = this.#running;
    const type = servedType(context, POD);
    if (type === undefined) return 'done';
    const sibling = sets.sibling(set);
    for (let i = 0; i < count; i++) {
      const name = `${set.name}-${context.random.name()}`;
      const draft = draftPod({ type, owner: set, name, labels: facts.templateLabels, sibling });
      const outcome = sets.create(set, draft, `${set.name} wants ${facts.desired} pods`);
      if (outcome === 'terminating') return 'done';
      if (outcome !== 'created') return 'retry';
    }
    return 'done';
  }

  #deletePods(set: KubeObject, pods: readonly KubeObject[], count: number): SyncResult {
    if (this.#running === undefined) return 'done';
    const { context, sets } = this.#running;
    const related = this.#related(set, pods);
    const { chosen, undecided } = choosePodsToDelete({ pods, related, count, now: context.clock.now });
    if (undecided.length > 0) {
      this.#report?.({
        objects: undecided,
        outcomes: ['deleted', 'kept'],
        because: `${set.type.kind} ${set.name} has ${count} too many, and which go depends on deletion costs and on how long each has been ready`,
      });
    }
    const because = `${set.type.kind} ${set.name} has ${count} too many`;
    const failed = chosen.filter(pod => !sets.delete(set, pod, because));
    return failed.length > 0 ? 'retry' : 'done';
  }

  /** Pods of all sets under the same controller. */
  #related(set: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
    const owner = controllerOf(set);
    if (this.#running === undefined || owner === undefined) return pods;
    const { context, sets } = this.#running;
    const siblings = context.cache
      .ownedBy(owner.uid)
      .filter(each => isKind(each.type, this.#kind) && controllerOf(each)?.uid === owner.uid);
    return siblings.flatMap(sibling => sets.controlled(sibling));
  }

  #writeStatus(set: KubeObject, facts: WorkloadFacts, pods: readonly KubeObject[]): void {
    const ready = pods.filter(isPodReady).length;
    const current = pods.length;
    if (facts.current === current && facts.ready === ready && facts.available === ready) return;
    this.#running?.context.api
      .because('its pods changed')
      .patch(
        set,
        { facts: { ...facts, current, ready, available: ready } },
        { uid: set.uid, subresource: 'status' },
      );
  }
}

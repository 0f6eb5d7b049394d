/** Keeps the wanted number of pods (pkg/controller/replicaset/replica_set.go, v1.36; docs/kubernetes.md §9). */

import { compareBytes } from '../../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  labelRules,
  objectState,
  ownEntry,
  type PodFacts,
  podFacts,
  type WorkloadFacts,
  workloadFacts,
} from '../../../model/index.ts';
import {
  type Controller,
  type ControllerContext,
  isKind,
  type ReportUncertainty,
} from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import { Workloads } from './claimed-children.ts';
import { draftPod } from './drafts.ts';

const BURST_REPLICAS = 500;

export class ReplicaSetController implements Controller {
  readonly name: string;
  readonly kinds: readonly ['ReplicaSet' | 'ReplicationController', 'Pod'];
  readonly #report: ReportUncertainty | undefined;
  #context!: ControllerContext;
  #sets!: Workloads;

  constructor(kind: 'ReplicaSet' | 'ReplicationController', report?: ReportUncertainty) {
    this.kinds = [kind, 'Pod'];
    this.name = kind === 'ReplicaSet' ? 'replicaset-controller' : 'replication-controller';
    this.#report = report;
  }

  start(context: ControllerContext): void {
    this.#context = context;
    this.#sets = new Workloads({
      context,
      owner: this.kinds[0],
      child: 'Pod',
      matches: (set, pod) => labelRules.selects(workloadFacts(set)?.selector, pod.labels),
      sync: set => this.#sync(set),
    });
  }

  #sync(set: KubeObject): SyncResult {
    const facts = workloadFacts(set);
    // A deleted set only updates its status: it neither claims nor scales (docs/kubernetes.md §9).
    if (facts === undefined || set.deletionTimestamp !== undefined) return 'done';
    const sets = this.#sets;
    const isMatch = (pod: KubeObject): boolean => labelRules.selects(facts.selector, pod.labels);
    const claimed = sets.claim(set, isMatch, { isCandidate: isActive });
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
    const type = this.#context.type('Pod');
    if (type === undefined) return 'done';
    const sibling = this.#sets.sibling(set);
    for (let i = 0; i < count; i++) {
      const name = `${set.name}-${this.#context.random.name()}`;
      const draft = draftPod({ type, owner: set, name, labels: facts.templateLabels, sibling });
      const outcome = this.#sets.create(set, draft, `${set.name} wants ${facts.desired} pods`);
      if (outcome === 'terminating') return 'done';
      if (outcome !== 'created') return 'retry';
    }
    return 'done';
  }

  #deletePods(set: KubeObject, pods: readonly KubeObject[], count: number): SyncResult {
    const related = this.#related(set, pods);
    const { chosen, undecided } = choosePodsToDelete({ pods, related, count, now: this.#context.clock.now });
    const because = `${set.type.kind} ${set.name} has ${count} too many`;
    if (undecided.length > 0) {
      this.#report?.({
        objects: undecided,
        outcomes: ['deleted', 'kept'],
        because: `${because}, and which go depends on deletion costs and on how long each has been ready`,
      });
    }
    const failed = chosen.filter(pod => !this.#sets.delete(set, pod, because));
    return failed.length > 0 ? 'retry' : 'done';
  }

  #related(set: KubeObject, pods: readonly KubeObject[]): readonly KubeObject[] {
    const owner = controllerOf(set);
    if (owner === undefined) return pods;
    const siblings = this.#context.cache
      .ownedBy(owner.uid)
      .filter(each => isKind(each.type, this.kinds[0]) && controllerOf(each)?.uid === owner.uid);
    return siblings.flatMap(sibling => this.#sets.controlled(sibling));
  }

  #writeStatus(set: KubeObject, facts: WorkloadFacts, pods: readonly KubeObject[]): void {
    const ready = pods.filter(isPodReady).length;
    const current = pods.length;
    if (facts.current === current && facts.ready === ready && facts.available === ready) return;
    this.#sets.writeStatus(set, { ...facts, current, ready, available: ready });
  }
}

/** Returns true for pods that count as replicas: neither deleted nor finished. */
function isActive(pod: KubeObject): boolean {
  return pod.deletionTimestamp === undefined && !objectState.isFinished(pod);
}

export function isPodReady(pod: KubeObject): boolean {
  return podFacts(pod)?.conditions.find(({ type }) => type === 'Ready')?.status === 'True';
}

export interface SurplusChoice {
  readonly chosen: readonly KubeObject[];
  /**
   * Pods, chosen and spared, between which known facts don't decide: the deletion cost and the moment of becoming ready
   * are unknown. Empty if the choice is certain.
   */
  readonly undecided: readonly KubeObject[];
}

export interface SurplusInput {
  readonly pods: readonly KubeObject[];
  /** Active pods of it and of its siblings under one owner, which count as neighbours on a node. */
  readonly related: readonly KubeObject[];
  readonly count: number;
  readonly now: number;
}

function choosePodsToDelete({ pods, related, count, now }: SurplusInput): SurplusChoice {
  if (count >= pods.length) return { chosen: pods, undecided: [] };
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (isActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const sorted = pods
    .map((pod): RankedPod => {
      const facts = podFacts(pod);
      return { pod, facts, ready: isPodReady(pod), neighbours: onNode.get(facts?.nodeName ?? '') ?? 0 };
    })
    .sort((a, b) => certainOrder(a, b) || likelyOrder(a, b, now));
  const chosen = sorted.slice(0, count);
  const spared = sorted[count];
  const last = chosen.at(-1);
  const open =
    last === undefined || spared === undefined || certainOrder(last, spared) !== 0
      ? []
      : sorted.filter(each => certainOrder(each, spared) === 0);
  return { chosen: chosen.map(({ pod }) => pod), undecided: open.map(({ pod }) => pod) };
}

interface RankedPod {
  readonly pod: KubeObject;
  readonly facts: PodFacts | undefined;
  readonly ready: boolean;
  readonly neighbours: number;
}

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Sorts pods without a node first, then by phase, then unready ones. */
function certainOrder(a: RankedPod, b: RankedPod): number {
  return (
    Number((a.facts?.nodeName ?? '') !== '') - Number((b.facts?.nodeName ?? '') !== '') ||
    (ownEntry(phases, a.facts?.phase ?? '') ?? 0) - (ownEntry(phases, b.facts?.phase ?? '') ?? 0) ||
    Number(a.ready) - Number(b.ready)
  );
}

/**
 * Sorts the rest as if no pod had a deletion cost and each ready pod became ready at its creation: most neighbours on
 * its node, then the youngest by powers of two, then by uid.
 */
function likelyOrder(a: RankedPod, b: RankedPod, now: number): number {
  const neighbours = b.neighbours - a.neighbours;
  if (neighbours !== 0) return neighbours;
  const sameAge = a.pod.creationTimestamp === b.pod.creationTimestamp;
  const restarts = (b.facts?.restarts ?? 0) - (a.facts?.restarts ?? 0);
  // Time decides between ready pods before restarts do.
  if (restarts !== 0 && (sameAge || !a.ready)) return restarts;
  return ageRank(a.pod, now) - ageRank(b.pod, now) || (sameAge ? 0 : compareBytes(a.pod.uid, b.pod.uid));
}

/** Returns the power of two of a pod's age in nanoseconds. */
function ageRank(pod: KubeObject, now: number): number {
  const age = (now - pod.creationTimestamp) * 1_000_000;
  return age > 0 ? Math.floor(Math.log2(age)) : -1;
}

export const replicaSets = { choosePodsToDelete, isActive };

/**
 * Which pods a controller with too many deletes first (pkg/controller/controller_utils.go, ActivePodsWithRanks,
 * v1.36). Apart from the controllers, because it also says what the facts leave open: the choice among pods
 * that are equal so far hangs on annotations and times that a snapshot doesn't hold.
 */

import { compareBytes } from '../../../graph/node.ts';
import type { PodFacts } from '../../../model/facts/facts.ts';
import { type KubeObject, podFacts } from '../../../model/object.ts';

/** Not being deleted and not finished: what counts towards a number of replicas. */
export function isActive(pod: KubeObject): boolean {
  const phase = podFacts(pod)?.phase;
  return pod.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

export function isPodReady(pod: KubeObject): boolean {
  return podFacts(pod)?.conditions.find(({ type }) => type === 'Ready')?.status === 'True';
}

export interface SurplusChoice {
  readonly chosen: readonly KubeObject[];
  /**
   * Pods, chosen and spared, among which the facts known for certain don't decide: the deletion cost is an
   * annotation, and the moment of becoming ready isn't kept. Empty where the choice is certain.
   */
  readonly undecided: readonly KubeObject[];
}

export interface SurplusInput {
  /** Active pods of the controller. */
  readonly pods: readonly KubeObject[];
  /** Active pods of it and of its siblings under one owner, which count as doubling up on a node. */
  readonly related: readonly KubeObject[];
  /** How many to delete. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The pods to delete, the first to go first. */
export function choosePodsToDelete({ pods, related, count, now }: SurplusInput): SurplusChoice {
  if (count >= pods.length) return { chosen: pods, undecided: [] };
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (isActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  const sorted = pods
    .map(pod => rank(pod, onNode.get(podFacts(pod)?.nodeName ?? '') ?? 0))
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

function rank(pod: KubeObject, neighbours: number): RankedPod {
  return { pod, facts: podFacts(pod), ready: isPodReady(pod), neighbours };
}

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Without a node first, then by phase, then the ones that aren't ready. */
function certainOrder(a: RankedPod, b: RankedPod): number {
  return (
    Number((a.facts?.nodeName ?? '') !== '') - Number((b.facts?.nodeName ?? '') !== '') ||
    (phases[a.facts?.phase ?? ''] ?? 0) - (phases[b.facts?.phase ?? ''] ?? 0) ||
    Number(a.ready) - Number(b.ready)
  );
}

/**
 * The rest of the order, as if no pod carried a deletion cost and each ready one had been so since its
 * creation: most neighbours on its node, then the youngest by powers of two, then by uid.
 */
function likelyOrder(a: RankedPod, b: RankedPod, now: number): number {
  const neighbours = b.neighbours - a.neighbours;
  if (neighbours !== 0) return neighbours;
  const sameAge = a.pod.creationTimestamp === b.pod.creationTimestamp;
  const restarts = (b.facts?.restarts ?? 0) - (a.facts?.restarts ?? 0);
  // Ready pods are told apart by time before restarts count.
  if (restarts !== 0 && (sameAge || !a.ready)) return restarts;
  return ageRank(a.pod, now) - ageRank(b.pod, now) || (sameAge ? 0 : compareBytes(a.pod.uid, b.pod.uid));
}

/** The power of two of a pod's age in nanoseconds. */
function ageRank(pod: KubeObject, now: number): number {
  const age = (now - pod.creationTimestamp) * 1_000_000;
  return age > 0 ? Math.floor(Math.log2(age)) : -1;
}

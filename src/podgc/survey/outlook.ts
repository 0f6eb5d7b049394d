/**
 * What PodGC makes of one pod, and why: which rule takes it and when, or why a pod that looks like a candidate isn't
 * one. The decisions are those of the passes; this adds what a person asks next.
 */
import { isDeleting } from '../../graph/deletion.ts';
import { isFinished, type KubeObject, podFacts } from '../../model/object.ts';
import type { SurplusPlace } from '../passes/finished-pods.ts';
import { forceDeletion } from '../passes/force-delete.ts';
import {
  isTaken,
  isTerminated,
  terminatingPodsOutOfService,
  unscheduledTerminatingPods,
} from '../passes/passes.ts';
import type { PodGcRule, PodGcRules } from '../passes/rules-of-version.ts';
import { CYCLE_MS } from './cycle.ts';
import type { Act, CycleTimes, Interval } from './cycle-times.ts';
import type { NodeRecord } from './node-record.ts';

/** What is known of whether kube-controller-manager runs. */
export type ManagerState = 'runs' | 'away' | 'unknown';

/** Times in milliseconds since the epoch. */
export type Due =
  /** In the next cycle; `by` at the latest. */
  | { readonly when: 'now'; readonly by: number }
  /** Somewhere in the span; `at` is the moment to name for it. */
  | { readonly when: 'at'; readonly at: number; readonly from: number; readonly by: number }
  /** It should have happened by `by`: PodGC isn't at work, or its requests are refused. */
  | { readonly when: 'overdue'; readonly by: number; readonly manager: ManagerState }
  | { readonly when: 'no' };

/** One of `surplus` finished pods beyond the threshold; the first to go is number 1. */
export interface Beyond {
  readonly place: number;
  readonly surplus: number;
  /** Another pod of the same name and age may go in its place. */
  readonly tied: boolean;
  /** There are more pods than can be seen, so that both numbers are so much at least. */
  readonly partial: boolean;
}

export type OutlookReason =
  | ({ readonly kind: 'OverThreshold' } & Beyond)
  | { readonly kind: 'NodeOutOfService' }
  /**
   * `since`: when the node was seen to go, or must have gone; the quarantine in milliseconds. `restarted`: when
   * kube-controller-manager started after that, and the quarantine anew. `unconfirmed`: no list holds the node, and
   * nothing has confirmed yet that it is gone.
   */
  | {
      readonly kind: 'NodeGone';
      readonly since: Interval;
      readonly seen: boolean;
      readonly quarantine: number;
      readonly restarted: number | undefined;
      readonly unconfirmed?: true;
    }
  | { readonly kind: 'NeverScheduled' }
  /** Deleted without grace and in its final phase: PodGC can do nothing more, and finalizers hold it. */
  | { readonly kind: 'Taken'; readonly beyond?: Beyond }
  /** Deleting, on a node that isn't ready and isn't tainted out of service. */
  | { readonly kind: 'NotTainted' }
  /** Deleting, on a node with the taint that is ready all the same. */
  | { readonly kind: 'TaintedButReady' }
  /** On an out-of-service node, and not being deleted. */
  | { readonly kind: 'NotDeleting'; readonly nodeState: 'OutOfService' | 'NotReady' }
  /** Deleting, on a ready node, whose kubelet has a say. */
  | { readonly kind: 'NodeReady'; readonly graceOver: boolean }
  /** Finished, and not among those beyond the threshold. */
  | { readonly kind: 'BelowThreshold' }
  /** Finished, and pods cannot all be seen, so that nobody can tell whether it is beyond the threshold. */
  | { readonly kind: 'PodsUnseen' }
  | { readonly kind: 'LimitOff' }
  /** Nodes cannot be seen, so that nobody can tell. */
  | { readonly kind: 'NodesUnseen' }
  /** The server's version has no such rule yet. */
  | { readonly kind: 'RuleUnknownToServer' }
  | { readonly kind: 'WaitsForNode' }
  | { readonly kind: 'Live' };

export interface PodOutlook {
  readonly pod: KubeObject;
  /** `''` where it was never bound to one. */
  readonly nodeName: string;
  /** The rule that takes it, or the one that would be the one to. */
  readonly rule: PodGcRule;
  readonly due: Due;
  readonly reason: OutlookReason;
  /** Type of the condition that PodGC writes before it deletes. */
  readonly conditionAdded: string | undefined;
  /** Finalizers, which hold the pod afterwards. */
  readonly heldBy: readonly string[];
}

/** What is known besides the pod. */
export interface PodGcWorld {
  readonly now: number;
  readonly times: CycleTimes;
  readonly rules: PodGcRules;
  /** False where nodes or pods cannot all be seen. */
  readonly sees: { readonly nodes: boolean; readonly pods: boolean };
  /** When the connection came back after it was lost; undefined where it never was. */
  readonly resumedAt: number | undefined;
  node(name: string): NodeRecord | undefined;
  /** Of a node that is missing: what is known of that. */
  absenceOf(name: string): 'confirmed' | 'assumed' | 'found';
  /** Undefined for a pod that isn't beyond the threshold. */
  surplusPlace(pod: KubeObject): SurplusPlace | undefined;
  /** When the deletion of a pod was asked for that is being deleted. */
  requestedAt(pod: KubeObject): Interval | undefined;
  readonly threshold: number;
  /** Milliseconds that all the requests of one cycle take: PodGC's client may send only so many a second. */
  readonly requestsMs: number;
  readonly manager: ManagerState;
  /** Nothing is followed, as of files: nobody knows how long after `now` it is. */
  readonly standsStill: boolean;
}

/** Milliseconds beyond the latest moment until something counts as overdue: clocks differ, and watches are late. */
const PATIENCE_MS = 60_000;
const SECOND_MS = 1_000;
/** Milliseconds in which a kubelet confirms the end of a pod whose grace period is over. */
const KUBELET_MS = 30_000;

type Judged = Pick<PodOutlook, 'rule' | 'due' | 'reason'>;

/** Whether something is going to happen to the pod; what is tried again in vain doesn't count. */
export function isComing({ due, reason }: PodOutlook): boolean {
  return due.when !== 'no' && reason.kind !== 'Taken';
}

/** What decides about the pod cannot be seen: that it isn't due only means that nobody knows. */
export function isUncertain({ kind }: OutlookReason): boolean {
  return kind === 'NodesUnseen' || kind === 'PodsUnseen';
}

export function outlookOf(pod: KubeObject, world: PodGcWorld): PodOutlook {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  const { rule, due, reason } = judge(pod, nodeName, world);
  const patch =
    due.when === 'no' || reason.kind === 'Taken'
      ? undefined
      : forceDeletion(pod, rule, world.rules).find(({ verb }) => verb === 'patchStatus');
  return {
    pod,
    nodeName,
    rule,
    due,
    reason,
    conditionAdded: patch?.verb === 'patchStatus' ? patch.condition?.type : undefined,
    heldBy: pod.finalizers,
  };
}

function judge(pod: KubeObject, nodeName: string, world: PodGcWorld): Judged {
  const surplus = world.surplusPlace(pod);
  if (surplus !== undefined) {
    const { since, ...place } = surplus;
    return inNextCycle(
      pod,
      'Terminated',
      { reason: { kind: 'OverThreshold', ...place, partial: !world.sees.pods }, since },
      world,
    );
  }
  if (unscheduledTerminatingPods([pod]).length > 0) {
    return inNextCycle(
      pod,
      'UnscheduledTerminating',
      { reason: { kind: 'NeverScheduled' }, since: requested(pod, world) },
      world,
    );
  }
  if (nodeName !== '') {
    const bound = judgeBound(pod, nodeName, world);
    if (bound !== undefined) return bound;
  }
  if (isTerminated(pod)) {
    if (world.threshold <= 0) return never('Terminated', { kind: 'LimitOff' });
    return never('Terminated', { kind: world.sees.pods ? 'BelowThreshold' : 'PodsUnseen' });
  }
  if (nodeName === '') return never('UnscheduledTerminating', { kind: 'WaitsForNode' });
  return never('OutOfService', { kind: 'Live' });
}

/** What the pod's node makes of it; undefined where that is nothing to speak of. */
function judgeBound(pod: KubeObject, nodeName: string, world: PodGcWorld): Judged | undefined {
  const deleting = isDeleting(pod);
  if (!world.sees.nodes) return never('OutOfService', { kind: 'NodesUnseen' });
  const record = world.node(nodeName);
  if (record === undefined) return undefined;
  const { state, since, seen, node } = record;
  if (state === 'Missing') {
    const absence = seen ? 'confirmed' : world.absenceOf(nodeName);
    if (absence === 'found') return undefined;
    return afterQuarantine(pod, { since, seen, ...(absence === 'assumed' && { unconfirmed: true }) }, world);
  }
  if (terminatingPodsOutOfService([pod], () => node).length > 0) {
    const asked = requested(pod, world);
    if (!world.rules.passes.includes('OutOfService'))
      return never('OutOfService', { kind: 'RuleUnknownToServer' });
    const both = { from: Math.max(asked.from, since.from), by: Math.max(asked.by, since.by) };
    return inNextCycle(pod, 'OutOfService', { reason: { kind: 'NodeOutOfService' }, since: both }, world);
  }
  if (!deleting) {
    const isLost = state === 'OutOfService' || state === 'NotReady';
    return isLost && !isFinished(pod)
      ? never('OutOfService', { kind: 'NotDeleting', nodeState: state })
      : undefined;
  }
  if (isTaken(pod, world.rules)) return never('OutOfService', { kind: 'Taken' });
  if (state === 'NotReady') return never('OutOfService', { kind: 'NotTainted' });
  if (state === 'TaintedButReady') return never('OutOfService', { kind: 'TaintedButReady' });
  const graceOver = (pod.deletionTimestamp ?? 0) + KUBELET_MS < world.now;
  return never('OutOfService', { kind: 'NodeReady', graceOver });
}

function never(rule: PodGcRule, reason: OutlookReason): Judged {
  return { rule, reason, due: { when: 'no' } };
}

/** The pass selects it again and again, to no effect as long as finalizers hold it. */
function again(rule: PodGcRule, by: number): Judged {
  return { rule, reason: { kind: 'Taken' }, due: { when: 'now', by } };
}

interface Cause {
  readonly reason: OutlookReason;
  /** Since when the rule has been selecting the pod. */
  readonly since: Interval;
}

function inNextCycle(pod: KubeObject, rule: PodGcRule, { reason, since }: Cause, world: PodGcWorld): Judged {
  const { now, times } = world;
  if (isTaken(pod, world.rules)) {
    const held = again(rule, now + CYCLE_MS);
    return reason.kind === 'OverThreshold' ? { ...held, reason: { kind: 'Taken', beyond: reason } } : held;
  }
  const { by, isOverdue } = latest(times.cycleAfter(since).by, world);
  const due: Due = isOverdue ? { when: 'overdue', by, manager: world.manager } : { when: 'now', by };
  return { rule, reason, due };
}

function afterQuarantine(
  pod: KubeObject,
  gone: Pick<NodeRecord, 'since' | 'seen'> & { readonly unconfirmed?: true },
  world: PodGcWorld,
): Judged {
  const { now, times, rules } = world;
  // Missed anew by the cycle after the one that acted, and so on.
  if (isTaken(pod, rules)) return again('Orphaned', now + CYCLE_MS + rules.quarantine);
  const { since } = gone;
  const restarted = times.startedAfter(since.by);
  const reason: OutlookReason = { kind: 'NodeGone', ...gone, quarantine: rules.quarantine, restarted };
  // A pod that came later waits for a quarantine that is under way, or for one that begins with it.
  const late = pod.creationTimestamp > since.by;
  const act = times.actAfterQuarantine(
    late ? { from: since.from, by: pod.creationTimestamp + SECOND_MS } : since,
    rules.quarantine,
  );
  const { by, isOverdue } = latest(act.by, world);
  if (isOverdue) return { rule: 'Orphaned', reason, due: { when: 'overdue', by, manager: world.manager } };
  const from = Math.max(act.from, now);
  return { rule: 'Orphaned', reason, due: { when: 'at', at: momentToName(act, from, world), from, by } };
}

/**
 * Where it is known when the node went a moment that is no more than a cycle off, whichever cycle acts; else the middle
 * of what is most likely.
 */
function momentToName({ from: earliest, soon, by }: Act, from: number, { requestsMs }: PodGcWorld): number {
  const middle = (from + Math.max(from, soon)) / 2;
  const likely = Math.max(middle, Math.min(soon - SECOND_MS, earliest + CYCLE_MS + SECOND_MS));
  return Math.round(Math.min(by + requestsMs, likely + requestsMs / 2));
}

/** The latest moment of an act whose cycle begins by `begins`: never over, unless it is overdue. */
function latest(
  begins: number,
  { now, times, requestsMs, resumedAt = begins, rules, standsStill }: PodGcWorld,
): { readonly by: number; readonly isOverdue: boolean } {
  const by = begins + requestsMs;
  // Seen at work, it is late with nothing.
  if (times.isActing(now)) return { by: Math.max(by, now + requestsMs), isOverdue: false };
  // An API server that was away was so for PodGC as well, which may have lost its quarantines with it.
  const patience = resumedAt > begins ? resumedAt + CYCLE_MS + rules.quarantine + requestsMs : by;
  // What stands still may have been copied long after it was so.
  const isOverdue = !standsStill && patience + PATIENCE_MS < now;
  return { by: isOverdue ? by : Math.max(by, now), isOverdue };
}

function requested(pod: KubeObject, world: PodGcWorld): Interval {
  return world.requestedAt(pod) ?? { from: 0, by: world.now };
}

/** PodGC's decision on one pod: which rule takes it and when, or why not. Cycles can't be seen, so times are spans. */
import { isDeleting } from '../../graph/index.ts';
import { type KubeObject, objectState, podFacts } from '../../model/index.ts';
import { podGcCycle } from '../passes/cycle.ts';
import type { SurplusPlace } from '../passes/finished-pods.ts';
import { ForceDeleteRequest } from '../passes/force-delete.ts';
import type { NodeCondition } from '../passes/node-condition.ts';
import type { PodGcRule, PodGcRules } from '../passes/rules-of-version.ts';
import { isTaken } from '../passes/select-pods.ts';

export type ManagerState = 'runs' | 'away' | 'unknown';

type Due =
  | { readonly when: 'now'; readonly by: number }
  /** Taken within the span; `at` is the time to show. */
  | { readonly when: 'at'; readonly at: number; readonly from: number; readonly by: number }
  /** Late: PodGC isn't running, or its requests are refused. */
  | { readonly when: 'overdue'; readonly by: number; readonly manager: ManagerState }
  | { readonly when: 'no' };

/** Span in which a node was deleted. */
export interface Removal {
  readonly from: number;
  readonly by: number;
  /** False if the node is only known to be missing at `by`. */
  readonly seen: boolean;
}

/** `partial`: some pods are unseen, so place and surplus are minimums. */
export type Beyond = SurplusPlace & { readonly partial: boolean };

export type OutlookReason =
  | ({ readonly kind: 'OverThreshold' } & Beyond)
  | { readonly kind: 'NodeOutOfService' }
  /**
   * `quarantine` in milliseconds. `restarted`: start of kube-controller-manager after the removal, which restarts the
   * quarantine. `unconfirmed`: no look-up confirmed that the node doesn't exist.
   */
  | {
      readonly kind: 'NodeGone';
      readonly removal: Removal;
      readonly quarantine: number;
      readonly restarted: number | undefined;
      readonly unconfirmed: boolean;
    }
  | { readonly kind: 'NeverScheduled' }
  /** Held by finalizers, without grace and in its final phase: PodGC can do nothing more. */
  | { readonly kind: 'Taken'; readonly beyond?: Beyond }
  | { readonly kind: 'NotDeleting'; readonly nodeState: 'OutOfService' | 'NotReady' }
  /** A deleting pod on a node that isn't ready and not tainted out of service. */
  | { readonly kind: 'NotTainted' }
  | { readonly kind: 'TaintedButReady' }
  | { readonly kind: 'NodeReady'; readonly graceOver: boolean }
  | { readonly kind: 'BelowThreshold' }
  /** A finished pod whose place is unknown, because some pods cannot be seen. */
  | { readonly kind: 'PodsUnseen' }
  | { readonly kind: 'LimitOff' }
  | { readonly kind: 'NodesUnseen' }
  | { readonly kind: 'RuleUnknownToServer' }
  | { readonly kind: 'WaitsForNode' }
  | { readonly kind: 'Live' };

export interface PodOutlook {
  readonly pod: KubeObject;
  /** `''` if it was never scheduled. */
  readonly nodeName: string;
  /** The rule that takes it, or would. */
  readonly rule: PodGcRule;
  readonly due: Due;
  readonly reason: OutlookReason;
  /** Type of the condition that PodGC writes before deleting. */
  readonly conditionAdded: string | undefined;
  readonly heldBy: readonly string[];
}

export interface PodGcWorld {
  readonly now: number;
  readonly rules: PodGcRules;
  readonly threshold: number;
  readonly isOff: boolean;
  readonly sees: { readonly nodes: boolean; readonly pods: boolean };
  /** Reports whether the node can be judged; a missing one only if all nodes can be seen. */
  seesNode(name: string): boolean;
  nodeState(name: string): NodeCondition;
  /** Missing nodes only. */
  removalOf(name: string): Removal;
  /** Missing nodes only: the result of look-ups. */
  absenceOf(name: string): 'confirmed' | 'assumed' | 'found';
  /** Undefined for a pod within the threshold. */
  surplusPlace(pod: KubeObject): SurplusPlace | undefined;
  /** Latest possible start of the rule selecting the pod. */
  selectedSince(pod: KubeObject, rule: PodGcRule): number;
  /** Milliseconds that one cycle's requests take. */
  readonly requestsMs: number;
  /** Observed work of PodGC; `longest` is a cycle in milliseconds. */
  readonly work: { readonly longest: number; readonly isGoingOn: boolean };
  readonly manager: ManagerState;
  /** Current run of kube-controller-manager: its start, and when its first cycle has certainly begun. */
  readonly run: { readonly startedAt: number; readonly firstBy: number } | undefined;
  /** Set for files, whose age is unknown. */
  readonly standsStill: boolean;
}

/** Tolerated lateness in milliseconds, for clock differences and slow watches. */
const PATIENCE_MS = 60_000;
/** Milliseconds until PodGC's actions are visible. */
const SEEN_MS = 1_000;
/** Milliseconds in which a kubelet confirms the end of a pod after its grace period. */
const KUBELET_MS = 30_000;

/** Reports whether the pod will change; vain retries don't count. */
function isComing({ due, reason }: PodOutlook): boolean {
  return due.when !== 'no' && reason.kind !== 'Taken';
}

/** Reports whether the deciding objects cannot be seen, so "not due" proves nothing. */
function isUncertain({ kind }: OutlookReason): boolean {
  return kind === 'NodesUnseen' || kind === 'PodsUnseen';
}

/** Returns when a kubelet should have confirmed the pod's end. */
export function graceOverFrom(pod: KubeObject): number {
  return (pod.deletionTimestamp ?? 0) + KUBELET_MS + 1;
}

export function ruleOf(pod: KubeObject, world: PodGcWorld): PodGcRule | undefined {
  const { rule, selects } = judge(pod, podFacts(pod)?.nodeName ?? '', world);
  return selects ? rule : undefined;
}

export function outlookOf(pod: KubeObject, world: PodGcWorld): PodOutlook {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  const { rule, selects, reason: cause } = judge(pod, nodeName, world);
  const isOver = selects && isTaken(pod, world.rules);
  const due = selects && !world.isOff ? dueOf(pod, rule, cause, isOver, world) : ({ when: 'no' } as const);
  const patch =
    due.when === 'no' || isOver
      ? undefined
      : ForceDeleteRequest.of(pod, rule, world.rules).find(({ verb }) => verb === 'patchStatus');
  return {
    pod,
    nodeName,
    rule,
    due,
    reason: isOver ? { kind: 'Taken', ...(cause.kind === 'OverThreshold' && { beyond: cause }) } : cause,
    conditionAdded: patch?.verb === 'patchStatus' ? patch.condition?.type : undefined,
    heldBy: pod.finalizers,
  };
}

interface Judgement {
  readonly rule: PodGcRule;
  readonly selects: boolean;
  readonly reason: OutlookReason;
}

const taken = (rule: PodGcRule, reason: OutlookReason): Judgement => ({ rule, reason, selects: true });
const left = (rule: PodGcRule, reason: OutlookReason): Judgement => ({ rule, reason, selects: false });

function judge(pod: KubeObject, nodeName: string, world: PodGcWorld): Judgement {
  const place = world.surplusPlace(pod);
  if (place !== undefined)
    return taken('Terminated', { kind: 'OverThreshold', ...place, partial: !world.sees.pods });
  if (nodeName === '' && isDeleting(pod)) return taken('UnscheduledTerminating', { kind: 'NeverScheduled' });
  const bound = nodeName === '' ? undefined : judgeBound(pod, nodeName, world);
  if (bound !== undefined) return bound;
  if (objectState.isTerminated(pod)) {
    if (world.threshold <= 0) return left('Terminated', { kind: 'LimitOff' });
    return left('Terminated', { kind: world.sees.pods ? 'BelowThreshold' : 'PodsUnseen' });
  }
  if (nodeName === '') return left('UnscheduledTerminating', { kind: 'WaitsForNode' });
  return left('OutOfService', { kind: 'Live' });
}

/** Judges by the pod's node; undefined if the node doesn't matter. */
function judgeBound(pod: KubeObject, nodeName: string, world: PodGcWorld): Judgement | undefined {
  if (!world.seesNode(nodeName)) return left('OutOfService', { kind: 'NodesUnseen' });
  const state = world.nodeState(nodeName);
  if (state === 'Missing') return judgeOrphaned(nodeName, world);
  if (!isDeleting(pod)) {
    const isLost = state === 'OutOfService' || state === 'NotReady';
    return isLost && !objectState.isFinished(pod)
      ? left('OutOfService', { kind: 'NotDeleting', nodeState: state })
      : undefined;
  }
  if (state === 'OutOfService')
    return world.rules.passes.includes('OutOfService')
      ? taken('OutOfService', { kind: 'NodeOutOfService' })
      : left('OutOfService', { kind: 'RuleUnknownToServer' });
  if (isTaken(pod, world.rules)) return left('OutOfService', { kind: 'Taken' });
  if (state === 'NotReady') return left('OutOfService', { kind: 'NotTainted' });
  if (state === 'TaintedButReady') return left('OutOfService', { kind: 'TaintedButReady' });
  const graceOver = graceOverFrom(pod) <= world.now;
  return left('OutOfService', { kind: 'NodeReady', graceOver });
}

function judgeOrphaned(nodeName: string, world: PodGcWorld): Judgement | undefined {
  const removal = world.removalOf(nodeName);
  const absence = removal.seen ? 'confirmed' : world.absenceOf(nodeName);
  if (absence === 'found') return undefined;
  const { run, rules } = world;
  const restarted = run !== undefined && run.startedAt > removal.by ? run.startedAt : undefined;
  const { quarantine } = rules;
  const unconfirmed = absence === 'assumed';
  return taken('Orphaned', { kind: 'NodeGone', removal, quarantine, restarted, unconfirmed });
}

function dueOf(
  pod: KubeObject,
  rule: PodGcRule,
  reason: OutlookReason,
  isOver: boolean,
  world: PodGcWorld,
): Due {
  const { now, rules, manager } = world;
  // Each later cycle misses the node anew.
  if (isOver)
    return { when: 'now', by: now + podGcCycle.duration + (rule === 'Orphaned' ? rules.quarantine : 0) };
  const span =
    reason.kind === 'NodeGone'
      ? orphanedSpan(pod, reason, world)
      : { from: now, likelyFrom: now, soon: now, by: nextCycle(world.selectedSince(pod, rule), world) };
  const { by, isOverdue } = latest(span.by, world);
  if (isOverdue) return { when: 'overdue', by, manager };
  if (reason.kind !== 'NodeGone') return { when: 'now', by };
  const from = Math.max(span.from, now);
  return { when: 'at', from, by, at: momentToName(span, { from, by }, world.requestsMs) };
}

/** Returns when the first cycle after `since` has begun at the latest. */
function nextCycle(since: number, { work, run }: PodGcWorld): number {
  const next = Math.max(since, run?.startedAt ?? since) + podGcCycle.duration + work.longest + SEEN_MS;
  // A run's first cycle waits until its caches are filled.
  return Math.max(next, (run?.firstBy ?? 0) + SEEN_MS);
}

interface Span {
  readonly from: number;
  readonly likelyFrom: number;
  /** Latest end if the first cycle after the quarantine acts. */
  readonly soon: number;
  readonly by: number;
}

/** Computes the span: one cycle quarantines the node, the first or second after that acts (`podGcCycle.orphanedAfter`). */
function orphanedSpan(
  pod: KubeObject,
  { removal, quarantine }: OutlookReason & { kind: 'NodeGone' },
  world: PodGcWorld,
): Span {
  const started = world.run?.startedAt ?? Number.NEGATIVE_INFINITY;
  const from = Math.max(removal.from, started) + quarantine;
  // A node seen as deleted was probably not missed earlier.
  const likelyFrom = Math.max(removal.seen ? removal.by - SEEN_MS : removal.from, started) + quarantine;
  // A later pod shares a running quarantine, or starts one.
  const soon = nextCycle(Math.max(removal.by, pod.creationTimestamp + SEEN_MS), world) + quarantine;
  return {
    from,
    likelyFrom,
    soon,
    by: quarantine === 0 ? soon : soon + podGcCycle.duration + world.work.longest,
  };
}

/** Returns a moment at most a cycle off if the deletion's time is known, else the middle of the likely span. */
function momentToName(span: Span, { from, by }: Pick<Span, 'from' | 'by'>, requestsMs: number): number {
  const middle = (from + Math.max(from, span.soon)) / 2;
  const likely = Math.max(
    middle,
    Math.min(span.soon - SEEN_MS, span.likelyFrom + podGcCycle.duration + SEEN_MS),
  );
  return Math.round(Math.min(by, likely + requestsMs / 2));
}

/** Returns the end of a cycle that begins by `begun`; in the past only if overdue. */
function latest(
  begun: number,
  { now, work, requestsMs, standsStill }: PodGcWorld,
): { readonly by: number; readonly isOverdue: boolean } {
  const by = begun + requestsMs;
  // A working PodGC isn't late.
  if (work.isGoingOn) return { by: Math.max(by, now + requestsMs), isOverdue: false };
  // Files may be much newer than their state.
  const isOverdue = !standsStill && by + PATIENCE_MS < now;
  return { by: isOverdue ? by : Math.max(by, now), isOverdue };
}

export const OutlookReason = { isUncertain };

export const PodOutlook = { isComing };

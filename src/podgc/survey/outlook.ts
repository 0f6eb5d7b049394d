/**
 * What PodGC makes of one pod, and why: which rule takes it and by when, or why a pod that looks like a candidate isn't
 * one. Nobody outside sees when a cycle of PodGC begins, so a time is a span in which one has to come.
 */
import { isDeleting } from '../../graph/deletion.ts';
import { isFinished, isTerminated, type KubeObject, podFacts } from '../../model/object.ts';
import { CYCLE_MS } from '../passes/cycle.ts';
import type { SurplusPlace } from '../passes/finished-pods.ts';
import { forceDeletion } from '../passes/force-delete.ts';
import type { NodeCondition } from '../passes/nodes.ts';
import { isTaken } from '../passes/passes.ts';
import type { PodGcRule, PodGcRules } from '../passes/rules-of-version.ts';

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

/** When a node was deleted: in this span, in milliseconds since the epoch. */
export interface Removal {
  readonly from: number;
  readonly by: number;
  /** Somebody saw it; else it is only known to be missing `by` then. */
  readonly seen: boolean;
}

/** `partial`: not all pods can be seen, so place and surplus are at least so much. */
export type Beyond = SurplusPlace & { readonly partial: boolean };

export type OutlookReason =
  | ({ readonly kind: 'OverThreshold' } & Beyond)
  | { readonly kind: 'NodeOutOfService' }
  /**
   * `quarantine` in milliseconds. `restarted`: when kube-controller-manager started after the removal, and the quarantine
   * anew. `unconfirmed`: no list holds the node, and no look-up has confirmed yet that it doesn't exist.
   */
  | {
      readonly kind: 'NodeGone';
      readonly removal: Removal;
      readonly quarantine: number;
      readonly restarted: number | undefined;
      readonly unconfirmed: boolean;
    }
  | { readonly kind: 'NeverScheduled' }
  /** Deleted without grace and in its final phase: PodGC can do nothing more, and finalizers hold it. */
  | { readonly kind: 'Taken'; readonly beyond?: Beyond }
  | { readonly kind: 'NotDeleting'; readonly nodeState: 'OutOfService' | 'NotReady' }
  /** The next three are being deleted. `NotTainted`: on a node that isn't ready and isn't tainted out of service. */
  | { readonly kind: 'NotTainted' }
  | { readonly kind: 'TaintedButReady' }
  | { readonly kind: 'NodeReady'; readonly graceOver: boolean }
  | { readonly kind: 'BelowThreshold' }
  /** Finished, and not all pods can be seen, so that nobody can tell whether it is beyond the threshold. */
  | { readonly kind: 'PodsUnseen' }
  | { readonly kind: 'LimitOff' }
  | { readonly kind: 'NodesUnseen' }
  /** The server's version has no such rule yet. */
  | { readonly kind: 'RuleUnknownToServer' }
  | { readonly kind: 'WaitsForNode' }
  | { readonly kind: 'Live' };

export interface PodOutlook {
  readonly pod: KubeObject;
  /** `''` where it was never bound to one. */
  readonly nodeName: string;
  /** The rule that takes it; where it isn't due, the one that would. */
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
  readonly rules: PodGcRules;
  readonly threshold: number;
  /** PodGC is switched off, and takes nothing. */
  readonly isOff: boolean;
  /** False where nodes or pods cannot all be seen. */
  readonly sees: { readonly nodes: boolean; readonly pods: boolean };
  /** Whether the node can be judged: one that isn't there counts only if all nodes can be seen. */
  seesNode(name: string): boolean;
  nodeState(name: string): NodeCondition;
  /** Of a node that is missing. */
  removalOf(name: string): Removal;
  /** Of a node that is missing: what look-ups say. */
  absenceOf(name: string): 'confirmed' | 'assumed' | 'found';
  /** Undefined for a pod that isn't beyond the threshold. */
  surplusPlace(pod: KubeObject): SurplusPlace | undefined;
  /** The latest moment since which the rule has been selecting the pod. */
  selectedSince(pod: KubeObject, rule: PodGcRule): number;
  /** Milliseconds that all the requests of one cycle take. */
  readonly requestsMs: number;
  /** PodGC's work as it was seen: how many milliseconds a cycle took, and whether it is at work just now. */
  readonly work: { readonly longest: number; readonly isGoingOn: boolean };
  readonly manager: ManagerState;
  /** The present run of kube-controller-manager: its start, and when its first cycle has surely begun. */
  readonly run: { readonly startedAt: number; readonly firstBy: number } | undefined;
  /** Nothing is followed, as of files: nobody knows how long after `now` it is. */
  readonly standsStill: boolean;
}

/** Milliseconds beyond the latest moment until something counts as overdue: clocks differ, and watches are late. */
const PATIENCE_MS = 60_000;
/** Milliseconds in which what PodGC does is seen. */
const SEEN_MS = 1_000;
/** Milliseconds in which a kubelet confirms the end of a pod whose grace period is over. */
const KUBELET_MS = 30_000;

/** Whether something is going to happen to the pod; what is tried again in vain doesn't count. */
export function isComing({ due, reason }: PodOutlook): boolean {
  return due.when !== 'no' && reason.kind !== 'Taken';
}

/** What decides about the pod cannot be seen: that it isn't due only means that nobody knows. */
export function isUncertain({ kind }: OutlookReason): boolean {
  return kind === 'NodesUnseen' || kind === 'PodsUnseen';
}

/** Milliseconds since the epoch from which on a kubelet should have confirmed that the pod has ended. */
export function graceOverFrom(pod: KubeObject): number {
  return (pod.deletionTimestamp ?? 0) + KUBELET_MS + 1;
}

/** The rule that takes the pod, where PodGC is at work; undefined where none does. */
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
      : forceDeletion(pod, rule, world.rules).find(({ verb }) => verb === 'patchStatus');
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
  /** Whether the rule takes the pod, and not only would. */
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
  if (isTerminated(pod)) {
    if (world.threshold <= 0) return left('Terminated', { kind: 'LimitOff' });
    return left('Terminated', { kind: world.sees.pods ? 'BelowThreshold' : 'PodsUnseen' });
  }
  if (nodeName === '') return left('UnscheduledTerminating', { kind: 'WaitsForNode' });
  return left('OutOfService', { kind: 'Live' });
}

/** What the pod's node makes of it; undefined where that is nothing to speak of. */
function judgeBound(pod: KubeObject, nodeName: string, world: PodGcWorld): Judgement | undefined {
  if (!world.seesNode(nodeName)) return left('OutOfService', { kind: 'NodesUnseen' });
  const state = world.nodeState(nodeName);
  if (state === 'Missing') return judgeOrphaned(nodeName, world);
  if (!isDeleting(pod)) {
    const isLost = state === 'OutOfService' || state === 'NotReady';
    return isLost && !isFinished(pod)
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
  // A node is missed anew by the cycle after the one that acted, and so on.
  if (isOver) return { when: 'now', by: now + CYCLE_MS + (rule === 'Orphaned' ? rules.quarantine : 0) };
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

/** When the first cycle has begun that sees what is there since `since` at the latest. */
function nextCycle(since: number, { work, run }: PodGcWorld): number {
  const next = Math.max(since, run?.startedAt ?? since) + CYCLE_MS + work.longest + SEEN_MS;
  // A run's first cycle waits until its caches are read.
  return Math.max(next, (run?.firstBy ?? 0) + SEEN_MS);
}

interface Span {
  readonly from: number;
  /** The same as far as nothing is out of the ordinary. */
  readonly likelyFrom: number;
  /** The latest moment where the first cycle after the quarantine acts. */
  readonly soon: number;
  readonly by: number;
}

/** The cycle that misses the node puts it in quarantine, and the first or second one after that acts (`orphanedAfter`). */
function orphanedSpan(
  pod: KubeObject,
  { removal, quarantine }: OutlookReason & { kind: 'NodeGone' },
  world: PodGcWorld,
): Span {
  const started = world.run?.startedAt ?? Number.NEGATIVE_INFINITY;
  const from = Math.max(removal.from, started) + quarantine;
  // Seen to be deleted, it was hardly ever missed before.
  const likelyFrom = Math.max(removal.seen ? removal.by - SEEN_MS : removal.from, started) + quarantine;
  // A pod that came later waits for a quarantine that is under way, or for one that begins with it.
  const soon = nextCycle(Math.max(removal.by, pod.creationTimestamp + SEEN_MS), world) + quarantine;
  return { from, likelyFrom, soon, by: quarantine === 0 ? soon : soon + CYCLE_MS + world.work.longest };
}

/**
 * Where it is known when the node was deleted, a moment that is no more than a cycle off, whichever cycle acts; else the
 * middle of what is most likely.
 */
function momentToName(span: Span, { from, by }: Pick<Span, 'from' | 'by'>, requestsMs: number): number {
  const middle = (from + Math.max(from, span.soon)) / 2;
  const likely = Math.max(middle, Math.min(span.soon - SEEN_MS, span.likelyFrom + CYCLE_MS + SEEN_MS));
  return Math.round(Math.min(by, likely + requestsMs / 2));
}

/** The latest moment of what a cycle does that has begun by `begun`: never over, unless it is overdue. */
function latest(
  begun: number,
  { now, work, requestsMs, standsStill }: PodGcWorld,
): { readonly by: number; readonly isOverdue: boolean } {
  const by = begun + requestsMs;
  // Seen at work, it is late with nothing.
  if (work.isGoingOn) return { by: Math.max(by, now + requestsMs), isOverdue: false };
  // What stands still may have been copied long after it was so.
  const isOverdue = !standsStill && by + PATIENCE_MS < now;
  return { by: isOverdue ? by : Math.max(by, now), isOverdue };
}

/**
 * What a Job's pods mean for it: which are counted and let go of, how many to create or delete, and whether the
 * Job is finished (pkg/controller/job/job_controller.go, v1.36). Pure, and apart from the controller, because
 * a pod must be counted before the finalizer that keeps it is removed.
 *
 * Facts hold neither backoffLimit nor completionMode, podFailurePolicy, podReplacementPolicy and
 * activeDeadlineSeconds: the defaults are assumed, under which pods that are being deleted count as failed.
 */
import type { Condition, WorkloadFacts } from '../../../model/facts/facts.ts';
import { type KubeObject, podFacts } from '../../../model/object.ts';
import { isActive } from './pod-ranking.ts';

/** Keeps a pod until its Job has counted it. */
export const JOB_TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';

/** What the API server fills in where a Job doesn't say. */
const DEFAULT_BACKOFF_LIMIT = 6;
/** Milliseconds before the first replacement of a failed pod; doubled by each further failure. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 600_000;

/** Failures since the last success, which the controller keeps in memory. */
export interface JobBackoff {
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly lastFailure: number;
}

export interface JobInput {
  readonly job: KubeObject;
  readonly facts: WorkloadFacts;
  /** The pods that the Job has claimed. */
  readonly pods: readonly KubeObject[];
  readonly backoff: JobBackoff | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface JobPlan {
  /** The Job's facts once its pods are counted. */
  readonly facts: WorkloadFacts;
  /** Counted, or without meaning any more: the tracking finalizer goes. */
  readonly release: readonly KubeObject[];
  readonly remove: readonly KubeObject[];
  readonly create: number;
  readonly backoff: JobBackoff | undefined;
  /** Milliseconds until missing pods may be created. */
  readonly retryAfter: number | undefined;
}

/** The type of the True condition that ends a Job. */
export function jobEnd(facts: WorkloadFacts): 'Complete' | 'Failed' | undefined {
  for (const { type, status } of facts.conditions) {
    if (status === 'True' && (type === 'Complete' || type === 'Failed')) return type;
  }
  return undefined;
}

export function isTracked(pod: KubeObject): boolean {
  return pod.finalizers.includes(JOB_TRACKING_FINALIZER);
}

/** One look at a Job that isn't finished. */
export function planJob({ job, facts, pods, backoff, now }: JobInput): JobPlan {
  const deleting = job.deletionTimestamp !== undefined;
  const tracked = pods.filter(isTracked);
  const succeededPods = tracked.filter(hasSucceeded);
  const failedPods = tracked.filter(countsAsFailed);
  const active = pods.filter(isActive);
  const succeeded = facts.ready + succeededPods.length;
  const failed = facts.failed + failedPods.length;
  const nextBackoff = updatedBackoff({ backoff, succeededPods, failedPods, now });

  if (failed > DEFAULT_BACKOFF_LIMIT) {
    // All that still runs is deleted, counted as failed and let go of at once.
    return {
      facts: {
        ...facts,
        ...counts(0, succeeded, failed + tracked.filter(isActive).length),
        conditions: ended(facts, 'Failed', 'BackoffLimitExceeded', now),
      },
      release: tracked,
      remove: active,
      create: 0,
      backoff: nextBackoff,
      retryAfter: undefined,
    };
  }

  const wanted = deleting ? active.length : wantedActive({ facts, active: active.length, succeeded });
  const missing = Math.max(0, wanted - active.length);
  const wait = missing === 0 ? 0 : remainingBackoff(nextBackoff, now);
  const create = wait > 0 ? 0 : missing;
  const remove = active.toSorted(byRemoval).slice(0, Math.max(0, active.length - wanted));
  const running = active.length + create - remove.length;
  const complete = running === 0 && isComplete(facts, succeeded);
  return {
    facts: {
      ...facts,
      ...counts(running, succeeded, failed),
      conditions: complete ? ended(facts, 'Complete', 'CompletionsReached', now) : facts.conditions,
    },
    release: deleting || complete ? tracked : [...succeededPods, ...failedPods],
    remove,
    create,
    backoff: nextBackoff,
    retryAfter: wait > 0 ? wait : undefined,
  };
}

function hasSucceeded(pod: KubeObject): boolean {
  return podFacts(pod)?.phase === 'Succeeded';
}

function countsAsFailed(pod: KubeObject): boolean {
  const phase = podFacts(pod)?.phase;
  return phase === 'Failed' || (pod.deletionTimestamp !== undefined && phase !== 'Succeeded');
}

function counts(
  active: number,
  succeeded: number,
  failed: number,
): Pick<WorkloadFacts, 'active' | 'ready' | 'failed' | 'current'> {
  return { active, ready: succeeded, failed, current: active + succeeded + failed };
}

interface Wanted {
  readonly facts: WorkloadFacts;
  readonly active: number;
  readonly succeeded: number;
}

/** How many pods ought to run. */
function wantedActive({ facts, active, succeeded }: Wanted): number {
  if (facts.suspended) return 0;
  const completions = completionsOf(facts);
  if (completions === undefined) return succeeded > 0 ? active : facts.parallelism;
  return Math.min(facts.parallelism, Math.max(0, completions - succeeded));
}

/**
 * The wanted number of successes. Facts say 1 also where the Job leaves it open, which shows when more than
 * one of its pods run at a time.
 */
function completionsOf(facts: WorkloadFacts): number | undefined {
  const open = facts.desired === 1 && facts.parallelism > 1 && facts.active > 1;
  return open ? undefined : facts.desired;
}

function isComplete(facts: WorkloadFacts, succeeded: number): boolean {
  const completions = completionsOf(facts);
  return completions === undefined ? succeeded > 0 : succeeded >= completions;
}

interface BackoffInput {
  readonly backoff: JobBackoff | undefined;
  readonly succeededPods: readonly KubeObject[];
  readonly failedPods: readonly KubeObject[];
  readonly now: number;
}

function updatedBackoff({ backoff, succeededPods, failedPods, now }: BackoffInput): JobBackoff | undefined {
  if (failedPods.length === 0) return succeededPods.length > 0 ? undefined : backoff;
  const before = succeededPods.length > 0 ? 0 : (backoff?.failures ?? 0);
  return { failures: before + failedPods.length, lastFailure: now };
}

function remainingBackoff(backoff: JobBackoff | undefined, now: number): number {
  if (backoff === undefined) return 0;
  const period = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (backoff.failures - 1));
  return Math.max(0, backoff.lastFailure + period - now);
}

/** Pods that have got less far go first. */
function byRemoval(a: KubeObject, b: KubeObject): number {
  const started = (pod: KubeObject): number => (podFacts(pod)?.phase === 'Running' ? 1 : 0);
  return started(a) - started(b) || b.creationTimestamp - a.creationTimestamp;
}

function ended(
  facts: WorkloadFacts,
  type: 'Complete' | 'Failed',
  reason: string,
  now: number,
): readonly Condition[] {
  return [...facts.conditions, { type, status: 'True', reason, message: '', since: now }];
}

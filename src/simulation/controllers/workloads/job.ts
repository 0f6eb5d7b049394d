/**
 * Runs, counts and releases pods of Jobs (pkg/controller/job/job_controller.go, v1.36). Defaults are assumed for
 * backoffLimit, completionMode, podFailurePolicy, podReplacementPolicy and activeDeadlineSeconds, so deleted pods count
 * as failed; ttlSecondsAfterFinished isn't applied.
 */
import {
  type Condition,
  controllerOf,
  Facts,
  type KubeObject,
  labelRules,
  podFacts,
  type Uid,
  type WorkloadFacts,
  workloadFacts,
} from '../../../model/index.ts';
import { revised } from '../../api/revise.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SimulatedQueue, SyncResult } from '../../runtime/work-queue.ts';
import { controllerReference, releasedFinalizers } from '../claiming.ts';
import { POD_GROUP_PROTECTION } from '../protections.ts';
import { Workloads } from './claimed-children.ts';
import { draftPod } from './drafts.ts';
import { replicaSets } from './replicaset.ts';

/** The value of `spec.managedBy` for this controller's own Jobs. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';

const BURST = 500;

export class JobController implements Controller {
  readonly name = 'job-controller';
  readonly kinds = ['Job', 'Pod'] as const;
  readonly #backoffs = new Map<Uid, JobBackoff>();
  /** Released pods that the cache still shows tracked, which must not be counted again. */
  readonly #released = new Set<Uid>();
  #context!: ControllerContext;
  #jobs!: Workloads;
  #orphans!: SimulatedQueue<Uid>;

  start(context: ControllerContext): void {
    this.#context = context;
    this.#jobs = new Workloads({
      context,
      owner: 'Job',
      child: 'Pod',
      matches: (job, pod) => labelRules.selects(workloadFacts(job)?.selector, pod.labels),
      sync: job => this.#sync(job),
      ownerGone: job => {
        this.#backoffs.delete(job.uid);
        this.#queuePodsOf(job);
      },
    });
    this.#orphans = context.queue<Uid>('orphans', uid => this.#releaseOrphan(uid));
    context.informer('Pod', {
      added: pod => this.#queueOrphan(pod),
      updated: pod => this.#queueOrphan(pod),
      deleted: pod => this.#released.delete(pod.uid),
    });
    if (!context.behaviour.has('jobReleasesFinishedPods')) return;
    context.informer('Job', {
      updated: job => {
        const facts = workloadFacts(job);
        if (facts !== undefined && jobEnd(facts) !== undefined) this.#queuePodsOf(job);
      },
    });
  }

  #sync(job: KubeObject): SyncResult {
    const facts = workloadFacts(job);
    const selector = facts?.selector;
    if (facts === undefined || selector === undefined || jobEnd(facts) !== undefined) return 'done';
    if (this.#isForeign(facts)) return 'done';
    const jobs = this.#jobs;
    const guards = [JOB_TRACKING_FINALIZER];
    const claimed = jobs.claim(job, pod => labelRules.selects(selector, pod.labels), { guards });
    if (claimed.failed) return 'retry';
    // Pods aren't counted until the cache is current, because counting twice would invent failures.
    if (!jobs.expectations.satisfied(job.uid)) return 'done';
    const pods = claimed.children.map(pod => (this.#released.has(pod.uid) ? untracked(pod) : pod));
    const backoff = this.#backoffs.get(job.uid);
    const plan = planJob({ job, facts, pods, backoff, now: this.#context.clock.now });
    // The count is written first: released pods are lost to the next count.
    if (!this.#writeStatus(job, facts, plan.facts)) return 'retry';
    if (plan.backoff === undefined) this.#backoffs.delete(job.uid);
    else this.#backoffs.set(job.uid, plan.backoff);
    let failed = !this.#createPods(job, facts, Math.min(plan.create, BURST));
    for (const pod of plan.remove.slice(0, BURST)) {
      if (!jobs.delete(job, pod, `Job ${job.name} has no use for it`)) failed = true;
    }
    for (const pod of plan.release) if (!this.#release(pod, `Job ${job.name} has counted it`)) failed = true;
    if (failed) return 'retry';
    return plan.retryAfter === undefined ? 'done' : { after: plan.retryAfter };
  }

  #createPods(job: KubeObject, facts: WorkloadFacts, count: number): boolean {
    const type = this.#context.type('Pod');
    if (type === undefined || count === 0) return true;
    const sibling = this.#jobs.sibling(job);
    const labels = labelRules.withLabel(facts.templateLabels, 'batch.kubernetes.io/job-name', job.name);
    const finalizers = [JOB_TRACKING_FINALIZER];
    const schedulingGroup = this.#groupOf(job, sibling);
    for (let i = 0; i < count; i++) {
      const name = `${job.name}-${this.#context.random.name()}`;
      const draft = draftPod({ type, owner: job, name, labels, sibling, finalizers, schedulingGroup });
      const outcome = this.#jobs.create(job, draft, `Job ${job.name} has too few pods running`);
      if (outcome === 'terminating') return true;
      if (outcome !== 'created') return false;
    }
    return true;
  }

  /** Returns the PodGroup for new pods, which v1.36 creates if only the Workload is left (job_scheduling_manager.go). */
  #groupOf(job: KubeObject, sibling: KubeObject | undefined): string {
    const name = (sibling && podFacts(sibling)?.schedulingGroup) ?? '';
    if (name === '') return '';
    const { api, behaviour, cache, discovery } = this.#context;
    const owned = cache.ownedBy(job.uid).filter(({ type }) => type.group === 'scheduling.k8s.io');
    const workload = owned.find(({ type }) => type.kind === 'Workload');
    if (owned.some(each => each.type.kind === 'PodGroup' && each.name === name))
      return workload === undefined ? '' : name;
    if (workload !== undefined && behaviour.has('startedJobsLackPodGroups')) return '';
    const type = workload && discovery.catalog.resolveKind(workload.type.apiVersion, 'PodGroup');
    if (workload === undefined || type === undefined) return name;
    const { namespace } = job;
    const owners = [
      controllerReference(job),
      { ...controllerReference(workload), controller: false, blockOwnerDeletion: false },
    ];
    const finalizers = [POD_GROUP_PROTECTION];
    api
      .because(`Workload ${workload.name} has none`)
      .create({ type, namespace, name, generation: 1, owners, finalizers });
    return name;
  }

  #writeStatus(job: KubeObject, before: WorkloadFacts, after: WorkloadFacts): boolean {
    if (
      before.active === after.active &&
      before.ready === after.ready &&
      before.failed === after.failed &&
      before.conditions === after.conditions
    )
      return true;
    const { uid, resourceVersion } = job;
    const answer = this.#context.api
      .because('its pods were counted')
      .patch(job, { facts: after }, { uid, resourceVersion, subresource: 'status' });
    return answer.ok;
  }

  #release(pod: KubeObject, because: string): boolean {
    const answer = this.#context.api
      .because(because)
      .patch(pod, current => ({ finalizers: releasedFinalizers(current, [JOB_TRACKING_FINALIZER]) }), {
        uid: pod.uid,
      });
    if (answer.ok && !answer.removed) this.#released.add(pod.uid);
    return answer.ok || answer.status === 404 || answer.status === 422;
  }

  #queuePodsOf(job: KubeObject): void {
    for (const pod of this.#jobs.controlled(job)) {
      if (isTracked(pod)) this.#orphans.add(pod.uid);
    }
  }

  #queueOrphan(pod: KubeObject): void {
    if (!isTracked(pod)) {
      this.#released.delete(pod.uid);
      return;
    }
    const isOrphan = controllerOf(pod) === undefined;
    if (isOrphan || (pod.deletionTimestamp !== undefined && this.#isUnattended(pod))) {
      this.#orphans.add(pod.uid);
    }
  }

  #isUnattended(pod: KubeObject): boolean {
    const reference = controllerOf(pod);
    if (reference === undefined) return true;
    if (reference.kind !== 'Job' || reference.apiVersion !== 'batch/v1') return false;
    const job = this.#context.cache.byUid(reference.uid);
    const facts = job && job.name === reference.name ? workloadFacts(job) : undefined;
    return (
      job === undefined || (facts !== undefined && jobEnd(facts) !== undefined && !this.#isForeign(facts))
    );
  }

  /** The API server keeps `managedBy` only with the feature gate on. */
  #isForeign({ managedBy }: WorkloadFacts): boolean {
    const isKnown = this.#context.behaviour.stageOf('jobManagedBy') !== 'Absent';
    return isKnown && managedBy !== '' && managedBy !== JOB_CONTROLLER;
  }

  #releaseOrphan(uid: Uid): SyncResult {
    const pod = this.#context.cache.byUid(uid);
    if (pod === undefined || !isTracked(pod) || !this.#isUnattended(pod)) return 'done';
    return this.#release(pod, 'its Job is gone or finished') ? 'done' : 'retry';
  }
}

function untracked(pod: KubeObject): KubeObject {
  return revised(pod, { finalizers: releasedFinalizers(pod, [JOB_TRACKING_FINALIZER]) });
}

/** Keeps a pod until its Job has counted it. */
const JOB_TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';

const DEFAULT_BACKOFF_LIMIT = 6;
/** Milliseconds before a failed pod is first replaced; doubled by each further failure. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 600_000;

/** Failures since the last success, which the controller keeps in memory. */
interface JobBackoff {
  readonly failures: number;
  readonly lastFailure: number;
}

interface JobInput {
  readonly job: KubeObject;
  readonly facts: WorkloadFacts;
  readonly pods: readonly KubeObject[];
  readonly backoff: JobBackoff | undefined;
  readonly now: number;
}

interface JobPlan extends Pick<JobInput, 'facts' | 'backoff'> {
  /** Pods that lose the tracking finalizer, because they are counted or no longer matter. */
  readonly release: readonly KubeObject[];
  readonly remove: readonly KubeObject[];
  readonly create: number;
  /** Milliseconds until missing pods may be created. */
  readonly retryAfter: number | undefined;
}

function jobEnd(facts: WorkloadFacts): 'Complete' | 'Failed' | undefined {
  for (const { type, status } of facts.conditions) {
    if (status === 'True' && (type === 'Complete' || type === 'Failed')) return type;
  }
  return undefined;
}

function isTracked(pod: KubeObject): boolean {
  return pod.finalizers.includes(JOB_TRACKING_FINALIZER);
}

function planJob({ job, facts, pods, backoff, now }: JobInput): JobPlan {
  const deleting = job.deletionTimestamp !== undefined;
  const tracked = pods.filter(isTracked);
  const succeededPods = tracked.filter(hasSucceeded);
  const failedPods = tracked.filter(countsAsFailed);
  const active = pods.filter(replicaSets.isActive);
  const succeeded = facts.ready + succeededPods.length;
  const failed = facts.failed + failedPods.length;
  const nextBackoff = updatedBackoff({ backoff, now }, succeededPods.length, failedPods.length);

  if (failed > DEFAULT_BACKOFF_LIMIT) {
    // All running pods are deleted, counted as failed and released at once.
    return {
      facts: {
        ...facts,
        ...counts(0, succeeded, failed + tracked.filter(replicaSets.isActive).length),
        conditions: ended(facts, 'Failed', 'BackoffLimitExceeded', now),
      },
      release: tracked,
      remove: active,
      create: 0,
      backoff: nextBackoff,
      retryAfter: undefined,
    };
  }

  const wanted = deleting ? active.length : wantedActive(facts, active.length, succeeded);
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

function counts(active: number, ready: number, failed: number): Partial<WorkloadFacts> {
  return { active, ready, failed, current: active + ready + failed };
}

function wantedActive(facts: WorkloadFacts, active: number, succeeded: number): number {
  if (facts.suspended) return 0;
  const completions = completionsOf(facts);
  if (completions === undefined) return succeeded > 0 ? active : facts.parallelism;
  return Math.min(facts.parallelism, Math.max(0, completions - succeeded));
}

/** Facts also say 1 if the Job sets no completions, which more than one running pod reveals. */
function completionsOf(facts: WorkloadFacts): number | undefined {
  const open = facts.desired === 1 && facts.parallelism > 1 && facts.active > 1;
  return open ? undefined : facts.desired;
}

function isComplete(facts: WorkloadFacts, succeeded: number): boolean {
  const completions = completionsOf(facts);
  return completions === undefined ? succeeded > 0 : succeeded >= completions;
}

function updatedBackoff(
  { backoff, now }: Pick<JobInput, 'backoff' | 'now'>,
  succeeded: number,
  failed: number,
): JobBackoff | undefined {
  if (failed === 0) return succeeded > 0 ? undefined : backoff;
  const before = succeeded > 0 ? 0 : (backoff?.failures ?? 0);
  return { failures: before + failed, lastFailure: now };
}

function remainingBackoff(backoff: JobBackoff | undefined, now: number): number {
  if (backoff === undefined) return 0;
  const period = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (backoff.failures - 1));
  return Math.max(0, backoff.lastFailure + period - now);
}

/** Sorts pods with less progress first. */
function byRemoval(a: KubeObject, b: KubeObject): number {
  const started = (pod: KubeObject): number => (podFacts(pod)?.phase === 'Running' ? 1 : 0);
  return started(a) - started(b) || b.creationTimestamp - a.creationTimestamp;
}

function ended(facts: WorkloadFacts, type: string, reason: string, since: number): readonly Condition[] {
  return Facts.withCondition(facts.conditions, { type, status: 'True', reason, since });
}

export const jobRules = { end: jobEnd, trackingFinalizer: JOB_TRACKING_FINALIZER };

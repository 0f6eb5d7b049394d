/**
 * Jobs: their pods run, are counted and let go of; pods whose Job is gone or finished lose the tracking finalizer
 * (pkg/controller/job/job_controller.go, v1.36). The counting itself is in `job-accounting.ts`.
 *
 * ttlSecondsAfterFinished isn't in the facts, so finished Jobs stay.
 */
import type { WorkloadFacts } from '../../../model/facts/facts.ts';
import { selects, withLabel } from '../../../model/facts/label-selector.ts';
import { controllerOf, type KubeObject, type Uid, workloadFacts } from '../../../model/object.ts';
import { revised } from '../../api/revise.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SimulatedQueue } from '../../runtime/work-queue.ts';
import { releasedFinalizers } from '../claiming.ts';
import { draftPod } from './drafts.ts';
import { isTracked, JOB_TRACKING_FINALIZER, type JobBackoff, jobEnd, planJob } from './job-accounting.ts';
import { type GroupKind, isKind, POD, type SyncResult, servedType, Workloads } from './workloads.ts';

const JOB: GroupKind = { group: 'batch', version: 'v1', kind: 'Job' };

/** Pods created or deleted per look at one Job. */
const BURST = 500;

export class JobController implements Controller {
  readonly name = 'job-controller';
  readonly #backoffs = new Map<Uid, JobBackoff>();
  /** Pods that were let go of, until the cache shows it: they are not to be counted again. */
  readonly #released = new Set<Uid>();
  #running:
    | { readonly context: ControllerContext; readonly jobs: Workloads; readonly orphans: SimulatedQueue<Uid> }
    | undefined;

  start(context: ControllerContext): void {
    const jobs = new Workloads({
      context,
      owner: JOB,
      child: POD,
      matches: (job, pod) => selects(workloadFacts(job)?.selector, pod.labels),
      sync: job => this.#sync(job),
      ownerGone: job => this.#jobGone(job),
    });
    const orphans = context.queue<Uid>('orphans', uid => this.#releaseOrphan(uid));
    context.informer(type => isKind(type, POD), {
      added: pod => this.#queueOrphan(pod),
      updated: pod => this.#queueOrphan(pod),
      deleted: pod => this.#released.delete(pod.uid),
    });
    context.informer(type => isKind(type, JOB), {
      updated: job => {
        const facts = workloadFacts(job);
        if (facts !== undefined && jobEnd(facts) !== undefined) this.#queuePodsOf(job);
      },
    });
    this.#running = { context, jobs, orphans };
  }

  #sync(job: KubeObject): SyncResult {
    const facts = workloadFacts(job);
    const selector = facts?.selector;
    if (this.#running === undefined || facts === undefined || selector === undefined) return 'done';
    if (jobEnd(facts) !== undefined) return 'done';
    const { context, jobs } = this.#running;
    const candidates = [...jobs.controlled(job), ...jobs.ownerless(job)];
    const claimed = jobs.claim(job, candidates, pod => selects(selector, pod.labels), [
      JOB_TRACKING_FINALIZER,
    ]);
    if (claimed.failed) return 'retry';
    // Counting twice what isn't seen yet would make up failures, so nothing is counted before either.
    if (!jobs.expectations.satisfied(job.uid)) return 'done';
    const pods = claimed.children.map(pod => (this.#released.has(pod.uid) ? untracked(pod) : pod));
    const backoff = this.#backoffs.get(job.uid);
    const plan = planJob({ job, facts, pods, backoff, now: context.clock.now });
    // The count is written before anything follows from it: pods let go of are lost to the next count.
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
    if (this.#running === undefined || count === 0) return true;
    const { context, jobs } = this.#running;
    const type = servedType(context, POD);
    if (type === undefined) return true;
    const sibling = jobs.sibling(job);
    const labels = withLabel(facts.templateLabels, 'batch.kubernetes.io/job-name', job.name);
    for (let i = 0; i < count; i++) {
      const name = `${job.name}-${context.random.name()}`;
      const draft = draftPod({
        type,
        owner: job,
        name,
        labels,
        sibling,
        finalizers: [JOB_TRACKING_FINALIZER],
      });
      const outcome = jobs.create(job, draft, `Job ${job.name} has too few pods running`);
      if (outcome === 'terminating') return true;
      if (outcome !== 'created') return false;
    }
    return true;
  }

  #writeStatus(job: KubeObject, before: WorkloadFacts, after: WorkloadFacts): boolean {
    if (this.#running === undefined) return true;
    const same =
      before.active === after.active &&
      before.ready === after.ready &&
      before.failed === after.failed &&
      before.conditions === after.conditions;
    if (same) return true;
    const { uid, resourceVersion } = job;
    const answer = this.#running.context.api
      .because('its pods were counted')
      .patch(job, { facts: after }, { uid, resourceVersion, subresource: 'status' });
    return answer.ok;
  }

  #release(pod: KubeObject, because: string): boolean {
    if (this.#running === undefined) return true;
    const answer = this.#running.context.api
      .because(because)
      .patch(pod, current => ({ finalizers: releasedFinalizers(current, [JOB_TRACKING_FINALIZER]) }), {
        uid: pod.uid,
      });
    if (answer.ok && !answer.removed) this.#released.add(pod.uid);
    return answer.ok || answer.status === 404 || answer.status === 422;
  }

  #jobGone(job: KubeObject): void {
    this.#backoffs.delete(job.uid);
    this.#queuePodsOf(job);
  }

  #queuePodsOf(job: KubeObject): void {
    for (const pod of this.#running?.jobs.controlled(job) ?? []) {
      if (isTracked(pod)) this.#running?.orphans.add(pod.uid);
    }
  }

  /** Pods that no sync of a Job will let go of. */
  #queueOrphan(pod: KubeObject): void {
    if (!isTracked(pod)) {
      this.#released.delete(pod.uid);
      return;
    }
    const isOrphan = controllerOf(pod) === undefined;
    if (isOrphan || (pod.deletionTimestamp !== undefined && this.#isUnattended(pod))) {
      this.#running?.orphans.add(pod.uid);
    }
  }

  /** Nobody controls it, or a Job that is gone or finished. */
  #isUnattended(pod: KubeObject): boolean {
    const reference = controllerOf(pod);
    if (reference === undefined) return true;
    if (reference.kind !== JOB.kind || reference.apiVersion !== 'batch/v1') return false;
    const job = this.#running?.context.cache.byUid(reference.uid);
    const facts = job && job.name === reference.name ? workloadFacts(job) : undefined;
    return job === undefined || (facts !== undefined && jobEnd(facts) !== undefined);
  }

  #releaseOrphan(uid: Uid): void {
    const pod = this.#running?.context.cache.byUid(uid);
    if (pod === undefined || !isTracked(pod) || !this.#isUnattended(pod)) return;
    if (this.#release(pod, 'its Job is gone or finished')) this.#running?.orphans.forget(uid);
    else this.#running?.orphans.addRateLimited(uid);
  }
}

function untracked(pod: KubeObject): KubeObject {
  return revised(pod, { finalizers: releasedFinalizers(pod, [JOB_TRACKING_FINALIZER]) });
}

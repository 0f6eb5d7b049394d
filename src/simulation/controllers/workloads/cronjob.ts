/**
 * Deletes finished Jobs beyond the history limits (pkg/controller/cronjob/cronjob_controllerv2.go, v1.36). Limits are
 * Kubernetes' defaults or the number at the first look, so that no forecast deletes a Job that the real controller
 * keeps. No Job is started.
 */

import {
  getOrInsert,
  type KubeObject,
  namespacedName,
  type Uid,
  workloadFacts,
} from '../../../model/index.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SyncResult } from '../../runtime/work-queue.ts';
import { Workloads } from './claimed-children.ts';
import { jobRules } from './job.ts';

type End = 'Complete' | 'Failed';

const defaultLimits: Readonly<Record<End, number>> = { Complete: 3, Failed: 1 };

export class CronJobController implements Controller {
  readonly name = 'cronjob-controller';
  readonly kinds = ['CronJob', 'Job'] as const;
  readonly #limits = new Map<Uid, Record<End, number>>();
  #context!: ControllerContext;
  #cronJobs!: Workloads;

  start(context: ControllerContext): void {
    this.#context = context;
    this.#cronJobs = new Workloads({
      context,
      owner: 'CronJob',
      child: 'Job',
      matches: () => false,
      sync: cronJob => this.#sync(cronJob),
      ownerGone: cronJob => this.#limits.delete(cronJob.uid),
    });
  }

  #sync(cronJob: KubeObject): SyncResult {
    const jobs = this.#cronJobs.controlled(cronJob);
    const ended = (end: End): KubeObject[] =>
      jobs
        .filter(job => endOf(job) === end)
        .sort((a, b) => a.creationTimestamp - b.creationTimestamp || (a.name < b.name ? -1 : 1));
    const limits = getOrInsert(this.#limits, cronJob.uid, () => ({
      Complete: Math.max(defaultLimits.Complete, ended('Complete').length),
      Failed: Math.max(defaultLimits.Failed, ended('Failed').length),
    }));
    let failed = false;
    for (const end of ['Complete', 'Failed'] as const) {
      const finished = ended(end);
      for (const job of finished.slice(0, Math.max(0, finished.length - limits[end]))) {
        if (!this.#deleteJob(cronJob, job)) failed = true;
      }
    }
    const facts = workloadFacts(cronJob);
    const active = jobs.filter(job => endOf(job) === undefined).length;
    if (facts !== undefined && facts.active !== active)
      this.#cronJobs.writeStatus(cronJob, { ...facts, active });
    return failed ? 'retry' : 'done';
  }

  #deleteJob(cronJob: KubeObject, job: KubeObject): boolean {
    const answer = this.#context.api
      .because(`more finished Jobs than ${namespacedName(cronJob)} keeps`)
      .delete(job, { propagationPolicy: 'Background' });
    return answer.ok || answer.status === 404;
  }
}

/** Counts a Job without facts as running, so it is kept. */
function endOf(job: KubeObject): End | undefined {
  const facts = workloadFacts(job);
  return facts === undefined ? undefined : jobRules.end(facts);
}

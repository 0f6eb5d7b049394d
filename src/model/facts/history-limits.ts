import type { WorkloadFacts } from './facts.ts';

type Limits = NonNullable<WorkloadFacts['historyLimits']>;

/** Defaults of the API server (SetDefaults_CronJob in pkg/apis/batch/v1/defaults.go, v1.36). */
const usual: Limits = Object.freeze({ successful: 3, failed: 1 });

export function historyLimits(successful = usual.successful, failed = usual.failed): Limits {
  return successful === usual.successful && failed === usual.failed ? usual : { successful, failed };
}

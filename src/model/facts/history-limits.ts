/** How many finished Jobs a CronJob keeps, one value for all that keep as many. */
import type { WorkloadFacts } from './facts.ts';

type Limits = NonNullable<WorkloadFacts['historyLimits']>;

/** What the API server fills in (SetDefaults_CronJob in pkg/apis/batch/v1/defaults.go, v1.36); manifests often leave it out. */
const usual: Limits = Object.freeze({ successful: 3, failed: 1 });

export function historyLimits(successful = usual.successful, failed = usual.failed): Limits {
  return successful === usual.successful && failed === usual.failed ? usual : { successful, failed };
}

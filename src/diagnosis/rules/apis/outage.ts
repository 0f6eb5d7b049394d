/** Whether an API that should be served doesn't answer: its APIService says so, or its discovery failed. */
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export interface ApiOutage {
  /** Undefined where discovery failed and no APIService that can be seen says why. */
  readonly apiService: KubeObject | undefined;
  /** `namespace/name` of the backing Service; `''` where there is none or it isn't known. */
  readonly service: string;
  /** One line. */
  readonly reason: string;
  /** Milliseconds since the epoch: since when it hasn't been available. */
  readonly seen: number | undefined;
}

/** Undefined where the API answers, or was never there. */
export function outageOf(tracked: TrackedView, apiVersion: string): ApiOutage | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  if (group === '') return undefined;
  const type = tracked.type('apiregistration.k8s.io/v1', 'APIService');
  const apiService = type && tracked.find(type, '', `${version}.${group}`);
  if (apiService?.facts?.kind === 'APIService') {
    const { service, conditions } = apiService.facts;
    const available = conditions.find(condition => condition.type === 'Available');
    if (service !== '' && available !== undefined && available.status !== 'True') {
      const reason = available.message === '' ? available.reason : prose(available.message);
      return { apiService, service, reason, seen: available.since };
    }
  }
  if (!tracked.view.groupFailed(group, version)) return undefined;
  const failed = tracked.view.failedGroups.find(({ resource }) => resource.includes(group));
  return {
    apiService: undefined,
    service: '',
    reason: failed?.reason ?? 'discovery failed',
    seen: undefined,
  };
}

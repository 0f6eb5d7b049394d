/** Remedies for an API that doesn't answer. */
import { type ApiServiceFacts, counted, type KubeObject, parseApiVersion } from '../../../model/index.ts';
import { answerAdvice } from '../../cluster/called-services.ts';
import type { FailingApi } from '../../cluster/failing-apis.ts';
import { adviceToLook, type OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';

/** Counts objects of its kinds that were seen before it failed; its backend still stores them. */
function seenOf({ view }: TrackedView, { group, version }: ApiServiceFacts): number {
  let count = 0;
  for (const { type, count: seen } of view.statuses.values()) {
    if (type.group === group && type.version === version) count += seen;
  }
  return count;
}

/**
 * Offers to restore the backend or to delete the APIService. That is dangerous if objects were seen: they stay stored,
 * and can't be seen or deleted until the API is back.
 */
export function apiRemedies(tracked: TrackedView, failing: FailingApi): OfferedRemedy[] {
  const { api, service } = failing;
  const facts = service?.facts;
  if (service === undefined || facts?.kind !== 'APIService') {
    return [lookAtService(api)];
  }
  const seen = seenOf(tracked, facts);
  const stored =
    seen === 0 ? 'whatever its backend may still store' : `${counted(seen, 'object')} seen of them`;
  const drop = deleteObject(tracked, service, 'background', {
    risk: seen === 0 ? 'caution' : 'dangerous',
    title: `delete APIService ${service.name}, if ${api} is no longer needed: its kinds disappear from this cluster, and ${stored} can no longer be reached`,
  });
  return [restoreApi(tracked, failing, service, facts), drop];
}

function restoreApi(
  tracked: TrackedView,
  { api, forGood, unreached }: FailingApi,
  service: KubeObject,
  facts: ApiServiceFacts,
): OfferedRemedy {
  const id = `restore-api/${service.name}`;
  const promise = `${api} answers again, and what waits for it continues`;
  const reach = unreached && answerAdvice(tracked, unreached, { id, promise });
  if (reach !== undefined) return reach;
  const [namespace = '', name = ''] = facts.service.split('/');
  const isThere = tracked.findKind('v1', 'Service', namespace, name) !== undefined;
  const isMissing =
    forGood || (!isThere && facts.conditions.some(({ reason }) => reason === 'ServiceNotFound'));
  const step = isMissing
    ? `bring back Service ${facts.service}`
    : `restore the backend of Service ${facts.service}`;
  return adviceToLook(id, `${step}: ${promise}`, ['describe', 'apiservice', service.name]);
}

/** An APIService is named after its version and group. */
function lookAtService(api: string): OfferedRemedy {
  const { group, version } = parseApiVersion(api);
  const id = `restore-api/${api}`;
  return group === ''
    ? adviceToLook(
        id,
        `find the APIService of ${api} and what it says; fix its backend, or delete it if nothing needs ${api}`,
        ['get', 'apiservices'],
      )
    : adviceToLook(
        id,
        `see what APIService ${version}.${group} says; fix its backend, or delete it if nothing needs ${api}`,
        ['describe', 'apiservice', `${version}.${group}`],
      );
}

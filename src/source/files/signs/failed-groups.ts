/** Finds API groups whose discovery failed when the files were written, by APIServices and Namespaces. */
import type { BlindSpot } from '../../../model/exchange/changes.ts';
import { undiscoveredVersions } from '../../../model/facts/namespace-conditions.ts';
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { joinApiVersion } from '../../../model/types/resource-type.ts';

/** `complete`: `told` has all APIServices, so other APIs have none. An available APIService overrides reports. */
export function failedGroupsIn(told: Iterable<KubeObject>, complete: boolean): BlindSpot[] {
  const failed = new Map<string, BlindSpot>();
  const answering = new Set<string>();
  const reports: BlindSpot[] = [];
  for (const { facts, deletionTimestamp } of told) {
    if (facts?.kind === 'APIService') {
      const api = joinApiVersion(facts.group, facts.version);
      const available = facts.conditions.find(({ type }) => type === 'Available');
      if (available === undefined || available.status === 'True') answering.add(api);
      else failed.set(api, { resource: api, reason: prose(available.message) || available.reason });
    } else if (facts?.kind === 'Namespace' && deletionTimestamp !== undefined) {
      for (const { apiVersion, reason } of undiscoveredVersions(facts.conditions))
        reports.push({ resource: apiVersion, reason: prose(reason) });
    }
  }
  for (const each of reports) {
    const { resource } = each;
    if (!complete && !answering.has(resource) && !failed.has(resource)) failed.set(resource, each);
  }
  return [...failed.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

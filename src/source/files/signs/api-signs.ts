/** Finds API groups whose discovery failed when the files were written, and kinds that couldn't be listed. */
import {
  type BlindSpot,
  ConversionFailure,
  DeletionCondition,
  joinApiVersion,
  type KubeObject,
  parseApiVersion,
  prose,
} from '../../../model/index.ts';

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
      for (const { apiVersion, reason } of DeletionCondition.undiscoveredVersions(facts.conditions))
        reports.push({ resource: apiVersion, reason: prose(reason) });
    }
  }
  for (const each of reports) {
    const { resource } = each;
    if (!complete && !answering.has(resource) && !failed.has(resource)) failed.set(resource, each);
  }
  return [...failed.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** Returns reasons by group and kind. Only stored objects are converted, so the kind has objects. */
export function unlistableIn(told: Iterable<KubeObject>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { facts, deletionTimestamp } of told) {
    if (facts?.kind !== 'CustomResourceDefinition' && facts?.kind !== 'Namespace') continue;
    if (deletionTimestamp === undefined) continue;
    for (const { status, message } of facts.conditions)
      for (const { apiVersion, kind, said } of status === 'True' ? ConversionFailure.in(message) : [])
        found.set(`${parseApiVersion(apiVersion).group}/${kind}`, prose(said));
  }
  return found;
}

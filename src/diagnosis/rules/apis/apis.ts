/** API groups that don't answer and the APIServices and Services behind them; several kinds of findings share them. */

import type { Identity } from '../../../graph/node.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { ApiServiceFacts, Condition } from '../../../model/facts/facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { counted } from '../../../model/text/titles.ts';
import { joinApiVersion, parseApiVersion } from '../../../model/types/resource-type.ts';
import { hasReadyEndpoint } from '../../../simulation/api/admission/backends.ts';
import { adviceToLook, type OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion.ts';
import { admissionWorld } from './backends.ts';

export interface FailingApi {
  /** `metrics.k8s.io/v1beta1`, or the group alone if only that is known to fail. */
  readonly api: string;
  /** Undefined if no APIService object for it can be seen. */
  readonly service: KubeObject | undefined;
  /** The cause as a clause: `its Service infra/metrics doesn't exist`. */
  readonly why: string;
  /** The API server's own message, on one line. */
  readonly reason: string;
  /** True if the API server reports the failure, false if only discovery from here fails. */
  readonly reported: boolean;
  /** True if it can't recover by itself, because its Service doesn't exist. */
  readonly forGood: boolean;
  /** Milliseconds since the epoch, as the APIService reports. */
  readonly since: number | undefined;
  readonly evidence: readonly string[];
  /** The APIService, then its Service. */
  readonly related: readonly Identity[];
}

const AVAILABLE = 'Available';

/** Sorts by name. An APIService without a Service is served by the API server itself and always available. */
export function failingApis(tracked: TrackedView): readonly FailingApi[] {
  return tracked.once('failing APIs', () => findFailing(tracked));
}

function findFailing(tracked: TrackedView): FailingApi[] {
  const found = new Map<string, FailingApi>();
  const failedGroups = new Set(tracked.view.failedGroups.map(({ resource }) => discoveryGroupOf(resource)));
  const backed = backedServices(tracked);
  const down = backed.filter(({ available }) => available?.status === 'False');
  const explained = new Set(down.map(({ facts }) => facts.group));
  // If one of a group's APIServices is down, that one explains the failure; otherwise any of them may.
  const silent = backed.filter(
    ({ facts: { group, version }, available }) =>
      available?.status !== 'False' && !explained.has(group) && tracked.view.groupFailed(group, version),
  );
  for (const each of [...down, ...silent]) {
    const { group, version } = each.facts;
    failedGroups.delete(group);
    found.set(joinApiVersion(group, version), describe(tracked, each));
  }
  for (const { resource, reason } of tracked.view.failedGroups) {
    const group = discoveryGroupOf(resource);
    if (!failedGroups.has(group)) continue;
    // Files name a version, discovery a group.
    const api = resource.includes('/') ? resource : group;
    found.set(api, {
      api,
      service: undefined,
      why: `its discovery fails: ${reason}`,
      reason,
      reported: false,
      forGood: false,
      since: undefined,
      evidence: [`discovery of ${api}: ${reason}`],
      related: [],
    });
  }
  return [...found.values()].sort((a, b) => (a.api < b.api ? -1 : 1));
}

/** Maps `*.metrics.k8s.io`, `*.v1.metrics.k8s.io` and `metrics.k8s.io/v1` to one group. */
export function discoveryGroupOf(resource: string): string {
  const name = resource.replace(/^\*\./, '').replace(/^v\d+(?:(?:alpha|beta)\d+)?\./, '');
  return parseApiVersion(name).group || name;
}

interface BackedService {
  readonly object: KubeObject;
  readonly facts: ApiServiceFacts;
  readonly available: Condition | undefined;
}

function backedServices(tracked: TrackedView): BackedService[] {
  const type = tracked.type('apiregistration.k8s.io/v1', 'APIService');
  if (type === undefined) return [];
  const found: BackedService[] = [];
  for (const object of tracked.all(type)) {
    const { facts } = object;
    if (facts?.kind !== 'APIService' || facts.service === '') continue;
    found.push({ object, facts, available: facts.conditions.find(each => each.type === AVAILABLE) });
  }
  return found;
}

function describe(tracked: TrackedView, { object, facts, available }: BackedService): FailingApi {
  const api = joinApiVersion(facts.group, facts.version);
  const [namespace = '', name = ''] = facts.service.split('/');
  const service = tracked.findKind('v1', 'Service', namespace, name);
  const missing = tracked.lacks(tracked.type('v1', 'Service'), namespace, name);
  const evidence = [
    `APIService ${object.name}: spec.service: ${facts.service}`,
    ...(available === undefined ? [] : [`APIService ${object.name}: ${conditionLine(available)}`]),
    ...(missing ? [`Service ${facts.service}: doesn't exist`] : []),
  ];
  return {
    api,
    service: object,
    why: missing
      ? `the Service ${facts.service} that it is answered by doesn't exist`
      : `the Service ${facts.service} that it is answered by ${reasonOf(tracked, available, service)}`,
    reason: prose(available?.message ?? '') || (available?.reason ?? 'discovery failed'),
    reported: available?.status === 'False',
    forGood: missing,
    since: available?.status === 'False' ? available.since : undefined,
    evidence,
    related: [identityOfObject(object), ...(service === undefined ? [] : [identityOfObject(service)])],
  };
}

const LAST_CHECKED = 'when the API server last checked it';

/** Builds a predicate from the condition's reason (kube-aggregator pkg/controllers/status/remote, v0.36). */
function reasonOf(
  tracked: TrackedView,
  available: Condition | undefined,
  service: KubeObject | undefined,
): string {
  if (available === undefined) return "doesn't answer";
  switch (available.reason) {
    case 'MissingEndpoints':
    case 'EndpointsNotFound':
      return service !== undefined && hasReadyEndpoint(admissionWorld(tracked), service)
        ? `had no ready endpoint ${LAST_CHECKED}`
        : 'has no ready endpoint';
    case 'ServicePortError':
      return "doesn't listen on the port that the APIService names";
    case 'ServiceNotFound':
      return service === undefined ? "doesn't exist" : `didn't exist ${LAST_CHECKED}`;
  }
  return available.message === ''
    ? "doesn't answer"
    : `doesn't answer as it should (${prose(available.message)})`;
}

export function conditionLine({ type, status, reason, message }: Condition): string {
  return [`${type}: ${status}`, reason, prose(message)].filter(part => part !== '').join(', ');
}

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
export function apiRemedies(tracked: TrackedView, { api, service, forGood }: FailingApi): OfferedRemedy[] {
  const facts = service?.facts;
  if (service === undefined || facts?.kind !== 'APIService') {
    return [lookAtService(api)];
  }
  const [namespace = '', name = ''] = facts.service.split('/');
  const isThere = tracked.findKind('v1', 'Service', namespace, name) !== undefined;
  const isMissing =
    forGood || (!isThere && facts.conditions.some(({ reason }) => reason === 'ServiceNotFound'));
  const behind = isMissing ? `Service ${facts.service}` : `what answers behind Service ${facts.service}`;
  const restore = adviceToLook(
    `restore-api/${service.name}`,
    `bring back ${behind}: ${api} answers again, and what waits for it goes on`,
    ['describe', 'apiservice', service.name],
  );
  const seen = seenOf(tracked, facts);
  const stored =
    seen === 0 ? 'whatever its backend may still store' : `${counted(seen, 'object')} seen of them`;
  const drop = deleteObject(tracked, service, 'background', {
    risk: seen === 0 ? 'caution' : 'dangerous',
    title: `delete APIService ${service.name}, if ${api} is no longer needed: its kinds disappear from this cluster, and ${stored} can no longer be reached`,
  });
  return [restore, drop];
}

/** An APIService is named after its version and group. */
function lookAtService(api: string): OfferedRemedy {
  const { group, version } = parseApiVersion(api);
  const id = `restore-api/${api}`;
  return group === ''
    ? adviceToLook(
        id,
        `find the APIService of ${api} and what it says; mend what answers behind it, or delete it if nobody needs ${api}`,
        ['get', 'apiservices'],
      )
    : adviceToLook(
        id,
        `see what APIService ${version}.${group} says; mend what answers behind it, or delete it if nobody needs ${api}`,
        ['describe', 'apiservice', `${version}.${group}`],
      );
}

/** An APIService whose availability is unknown counts too: the API server answers 503 for it. */
export function outageOf(tracked: TrackedView, apiVersion: string): FailingApi | undefined {
  const { group } = parseApiVersion(apiVersion);
  const failing = failingApis(tracked).find(({ api }) => api === apiVersion || api === group);
  if (failing !== undefined) return failing;
  const unknown = backedServices(tracked).find(
    ({ facts, available }) =>
      joinApiVersion(facts.group, facts.version) === apiVersion && available?.status === 'Unknown',
  );
  return unknown && { ...describe(tracked, unknown), reported: true, since: unknown.available?.since };
}

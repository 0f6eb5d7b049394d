/** API groups that don't answer and the APIServices and Services behind them; several kinds of findings share them. */

import { type Identity, identityOfObject } from '../../graph/index.ts';
import {
  type ApiServiceFacts,
  type Condition,
  FailedCall,
  joinApiVersion,
  type KubeObject,
  parseApiVersion,
  prose,
} from '../../model/index.ts';
import { Backend } from '../../simulation/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { unreachedWords } from './called-services.ts';
import { admissionWorld } from './dead-backends.ts';

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
  /** The call that the API server couldn't make, although the Service has ready pods. */
  readonly unreached?: FailedCall;
  /** Reported by the APIService. */
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
  const call = { ...FailedCall.in(available?.message ?? ''), service: facts.service };
  const isRefused = available?.status === 'False' && available.reason === 'FailedDiscoveryCheck';
  const distrusted = call.distrust && FailedCall.verb(call);
  const unreached = isRefused ? (distrusted ?? unreachedWords(tracked, call)) : undefined;
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
      ? `its Service ${facts.service} doesn't exist`
      : `its Service ${facts.service} ${unreached ?? reasonOf(tracked, available, service)}`,
    reason: prose(available?.message ?? '') || (available?.reason ?? 'discovery failed'),
    reported: available?.status === 'False',
    forGood: missing,
    ...(unreached === undefined ? {} : { unreached: call }),
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
      return service !== undefined && Backend.hasReadyEndpoint(admissionWorld(tracked), service)
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

/** Finds out if the Services that the API server calls for admission and conversion can answer. */
import { type KubeObject, Labels, labelRules, objectState, type ResourceType } from '../../../model/index.ts';
import type { AdmissionWorld } from './matching.ts';

/**
 * `dead`: calls fail; `why` is a predicate of the Service, such as `has no ready pod behind it`; `certain`: no unseen
 * EndpointSlice may have an endpoint. `alive`: it may answer, as far as is known; `pods`: those that are looked at.
 */
export type Backend =
  | { readonly state: 'alive' }
  | {
      readonly state: 'dead';
      readonly why: string;
      readonly certain: boolean;
      readonly service?: KubeObject;
      readonly pods: readonly KubeObject[];
    };

const PATIENCE = 120_000;

const alive: Backend = { state: 'alive' };

type Services = Omit<AdmissionWorld, 'types'>;

export interface BackendOptions {
  /** Checks the Service's pods too, which requires reading its namespace's pods. */
  readonly deep?: boolean;
}

function backendOf(world: Services, service: string, { deep = true }: BackendOptions = {}): Backend {
  const [namespace = '', name = ''] = service.split('/');
  const type = world.type('', 'services');
  const found = type && world.find(type, namespace, name);
  if (found === undefined) return type === undefined ? alive : missing(world, { type, namespace, name });
  return deep ? behind(world, found) : alive;
}

interface Missing {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Checks for a missing Service. The API server only looks it up when it connects, so after a recent deletion its pods
 * may still answer over an open connection.
 */
function missing(world: Services, { type, namespace, name }: Missing): Backend {
  if (!world.lacks(type, namespace, name)) return alive;
  for (const before of world.before?.(type, namespace) ?? []) {
    if (before.name !== name || before.facts?.kind !== 'Service') continue;
    if (behind(world, before).state === 'alive') return alive;
  }
  return { state: 'dead', why: "doesn't exist", certain: true, pods: [] };
}

function behind(world: Services, service: KubeObject): Backend {
  const { facts } = service;
  // An ExternalName is resolved by DNS, and without a selector another client writes the endpoints.
  if (facts?.kind !== 'Service' || facts.type === 'ExternalName' || facts.selector.length === 0) return alive;
  const type = world.type('', 'pods');
  if (type === undefined || !world.sees(type, service.namespace)) return alive;
  const chosen = { matchLabels: facts.selector, matchExpressions: [] };
  const pods = [...world.list(type, service.namespace)].filter(
    pod => labelRules.selects(chosen, pod.labels) && !isOver(world, pod),
  );
  if (pods.some(mayAnswer) || hasReadyEndpoint(world, service)) return alive;
  const hadOne = [...(world.before?.(type, service.namespace) ?? [])].some(
    pod => labelRules.selects(chosen, pod.labels) && !objectState.isFinished(pod) && mayAnswer(pod),
  );
  // Pods that were just created or have just failed may be starting.
  const latest = pods.map(changedAt).reduce((a, b) => Math.max(a, b), hadOne ? 0 : service.creationTimestamp);
  if (!world.lasted(latest, PATIENCE)) return alive;
  const why = pods.length === 0 ? 'has no pod behind it' : 'has no ready pod behind it';
  const slices = slicesType(world);
  const certain = slices === undefined || world.sees(slices, service.namespace);
  return { state: 'dead', why, certain, service, pods };
}

function slicesType(world: Services): ResourceType | undefined {
  return world.type('discovery.k8s.io', 'endpointslices');
}

/**
 * Returns true if any EndpointSlice of the Service has an endpoint that gets requests. The API server calls
 * the cluster IP, behind which the slices decide, or with --enable-aggregator-routing a ready endpoint of theirs
 * (k8s.io/apiserver pkg/util/proxy/proxy.go, v0.36). A pod that is gone is no endpoint: a slice may not say so yet.
 */
function hasReadyEndpoint(world: Services, { namespace, name }: KubeObject): boolean {
  const type = slicesType(world);
  const podType = world.type('', 'pods');
  if (type === undefined || podType === undefined) return false;
  const isThere = (pod: string): boolean => {
    const found = pod === '' ? undefined : world.find(podType, namespace, pod);
    return pod === '' || (found !== undefined && !isOver(world, found));
  };
  return [...world.list(type, namespace)].some(
    ({ labels, facts }) =>
      Labels.value(labels, 'kubernetes.io/service-name') === name &&
      (facts?.kind !== 'EndpointSlice' || facts.ready.some(isThere)),
  );
}

/** Returns true if its containers have stopped, which the end of the grace period implies. */
function isOver(world: Services, pod: KubeObject): boolean {
  return (
    objectState.isFinished(pod) ||
    (pod.deletionTimestamp !== undefined && world.reached(pod.deletionTimestamp))
  );
}

/** Returns true for ready pods or unknown readiness. A deleted pod answers until it has stopped. */
function mayAnswer({ facts }: KubeObject): boolean {
  if (facts?.kind !== 'Pod' || facts.conditions.length === 0) return true;
  const ready = facts.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True';
}

function changedAt({ facts, creationTimestamp, deletionTimestamp = 0 }: KubeObject): number {
  const ready =
    facts?.kind === 'Pod' ? facts.conditions.find(({ type }) => type === 'Ready')?.since : undefined;
  return Math.max(ready ?? 0, creationTimestamp, deletionTimestamp);
}

export const Backend = { of: backendOf, hasReadyEndpoint };

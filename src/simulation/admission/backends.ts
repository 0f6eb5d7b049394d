/** Finds out if the Services that the API server calls for admission and conversion can answer. */
import { selects } from '../../model/facts/label-selector.ts';
import { isFinished, type KubeObject, labelValue } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { AdmissionWorld } from './matching.ts';

/** `dead`: calls fail; `why` is a predicate of the Service, such as `has no ready pod behind it`. */
export type Backend =
  | { readonly state: 'alive' }
  | {
      readonly state: 'dead';
      readonly why: string;
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

export function backendOf(world: Services, service: string, { deep = true }: BackendOptions = {}): Backend {
  const [namespace = '', name = ''] = service.split('/');
  const type = world.type('', 'services');
  const found = type && world.find(type, namespace, name);
  if (found === undefined) return type === undefined ? alive : missing(world, { type, namespace, name });
  if (!deep || found.facts?.kind !== 'Service' || found.facts.selector.length === 0) return alive;
  return behind(world, found, found.facts.selector);
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
    const { selector } = before.facts;
    if (selector.length === 0 || behind(world, before, selector).state === 'alive') return alive;
  }
  return { state: 'dead', why: "doesn't exist", pods: [] };
}

function behind(world: Services, service: KubeObject, selector: readonly string[]): Backend {
  const type = world.type('', 'pods');
  if (type === undefined || !world.sees(type, service.namespace)) return alive;
  if (hasOtherEndpoints(world, service)) return alive;
  const chosen = { matchLabels: selector, matchExpressions: [] };
  const pods = [...world.list(type, service.namespace)].filter(
    pod => selects(chosen, pod.labels) && !isOver(world, pod),
  );
  if (pods.some(mayAnswer)) return alive;
  const hadOne = [...(world.before?.(type, service.namespace) ?? [])].some(
    pod => selects(chosen, pod.labels) && !isFinished(pod) && mayAnswer(pod),
  );
  // Pods that were just created or have just failed may be starting.
  const latest = pods.map(changedAt).reduce((a, b) => Math.max(a, b), hadOne ? 0 : service.creationTimestamp);
  if (!world.lasted(latest, PATIENCE)) return alive;
  const why = pods.length === 0 ? 'has no pod behind it' : 'has no ready pod behind it';
  return { state: 'dead', why, service, pods };
}

/**
 * Kubernetes' own slices follow the pods, with an empty one if there are none (k8s.io/endpointslice/reconciler.go,
 * v0.36).
 */
function hasOtherEndpoints(world: Services, { namespace, name }: KubeObject): boolean {
  const type = world.type('discovery.k8s.io', 'endpointslices');
  if (type === undefined) return false;
  return [...world.list(type, namespace)].some(
    ({ labels }) =>
      labelValue(labels, 'kubernetes.io/service-name') === name &&
      labelValue(labels, 'endpointslice.kubernetes.io/managed-by') !== 'endpointslice-controller.k8s.io',
  );
}

/** Returns true if its containers have stopped, which the end of the grace period implies. */
function isOver(world: Services, pod: KubeObject): boolean {
  return isFinished(pod) || (pod.deletionTimestamp !== undefined && world.reached(pod.deletionTimestamp));
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

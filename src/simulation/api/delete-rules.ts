/**
 * The effect of a DELETE as pure functions (docs/kubernetes.md §4; apiserver pkg/registry/generic/registry/store.go and
 * pkg/registry/rest/delete.go, v0.36).
 */
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type PodFacts,
  type ResourceType,
  type ServerBehaviour,
  serverReleases,
} from '../../model/index.ts';
import type { DeleteOptions } from './api-client.ts';

/** The default for dependents if neither request nor object sets one (docs/kubernetes.md §4.3). */
export type DefaultPolicy = 'background' | 'orphan' | 'unsupported';

/** Former versions of workloads with another default (each kind's strategy.go, v1.36). */
const orphaningVersions: ReadonlySet<string> = new Set([
  'extensions/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
]);

/** Decides by the version in the request. */
export function defaultPolicy(type: Pick<ResourceType, 'apiVersion' | 'kind' | 'group'>): DefaultPolicy {
  const { apiVersion, kind, group } = type;
  if (kind === 'Event' && (group === '' || group === 'events.k8s.io')) return 'unsupported';
  if (apiVersion === 'v1' && kind === 'ReplicationController') return 'orphan';
  if (kind === 'Job' && apiVersion === 'batch/v1') return 'orphan';
  if (kind === 'CronJob' && apiVersion === 'batch/v1beta1') return 'orphan';
  return orphaningVersions.has(apiVersion) ? 'orphan' : 'background';
}

/**
 * Replaces the collector's two finalizers as the request, the object or the type say, in this order (docs/kubernetes.md
 * §4.2). Returns the list itself if the set doesn't change.
 */
export function deletionFinalizers(
  finalizers: readonly string[],
  options: DeleteOptions,
  policy: DefaultPolicy,
): readonly string[] {
  const wanted = cascadeFinalizer(finalizers, options, policy);
  if (finalizers.length === 0) return wanted === undefined ? finalizers : [wanted];
  const others = finalizers.filter(each => each !== ORPHAN_FINALIZER && each !== FOREGROUND_FINALIZER);
  const result = wanted === undefined ? others : [...others, wanted];
  return new Set(finalizers).symmetricDifference(new Set(result)).size === 0 ? finalizers : result;
}

function cascadeFinalizer(
  finalizers: readonly string[],
  options: DeleteOptions,
  policy: DefaultPolicy,
): string | undefined {
  if (policy === 'unsupported') return undefined;
  if (options.orphanDependents !== undefined) {
    return options.orphanDependents ? ORPHAN_FINALIZER : undefined;
  }
  const { propagationPolicy } = options;
  if (propagationPolicy === 'Orphan') return ORPHAN_FINALIZER;
  if (propagationPolicy === 'Foreground') return FOREGROUND_FINALIZER;
  if (propagationPolicy !== undefined) return undefined;
  const kept = finalizers.find(each => each === ORPHAN_FINALIZER || each === FOREGROUND_FINALIZER);
  if (kept !== undefined) return kept;
  return policy === 'orphan' ? ORPHAN_FINALIZER : undefined;
}

/** Returns seconds (docs/kubernetes.md §4.5; pkg/registry/core/pod/strategy.go, v1.36). */
export function podGracePeriod(pod: PodFacts | undefined, requested: number | undefined): number {
  const period = requested ?? pod?.terminationGracePeriodSeconds ?? 0;
  const finished = pod?.phase === 'Failed' || pod?.phase === 'Succeeded';
  if (finished || pod === undefined || pod.nodeName === '') return 0;
  return period < 0 ? 1 : period;
}

/**
 * `pending`: the request can't shorten the running graceful deletion, so nothing changes. `graceful`: the deletion time
 * and grace period (seconds) to write.
 */
export type Grace =
  | { readonly kind: 'pending' }
  | { readonly kind: 'graceful'; readonly at: number; readonly seconds: number }
  | { readonly kind: 'immediate' };

/** Only pods are deleted gracefully. */
export function grace(
  object: KubeObject,
  options: DeleteOptions,
  now: number,
  behaviour: ServerBehaviour = serverReleases.newest,
): Grace {
  if (object.type.kind !== 'Pod' || object.type.group !== '') return { kind: 'immediate' };
  const asked = options.gracePeriodSeconds;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (object.deletionTimestamp === undefined) {
    const facts = object.facts?.kind === 'Pod' ? object.facts : undefined;
    const seconds = podGracePeriod(facts, requested);
    return { kind: 'graceful', at: wholeSeconds(now + seconds * 1000), seconds };
  }
  const given = object.deletionGracePeriodSeconds ?? 0;
  const stored = given < 0 ? 1 : given;
  if (stored === 0) return { kind: 'immediate' };
  if (requested === undefined || requested >= stored) return { kind: 'pending' };
  const moved = object.deletionTimestamp + (requested - stored) * 1000;
  if (moved >= now || !behaviour.has('graceEndsNow'))
    return { kind: 'graceful', at: moved, seconds: requested };
  return { kind: 'graceful', at: wholeSeconds(now), seconds: requested === 0 ? 0 : 1 };
}

/** Marks an object that only finalizers hold (docs/kubernetes.md §4.4). */
export function markAsDeleting(
  object: KubeObject,
  now: number,
): Pick<KubeObject, 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'generation'> {
  const existing = object.deletionTimestamp;
  return {
    deletionTimestamp: existing === undefined || existing > now ? wholeSeconds(now) : existing,
    deletionGracePeriodSeconds: 0,
    generation: nextGeneration(object),
  };
}

export function nextGeneration(object: KubeObject): number {
  const { deletionTimestamp, generation } = object;
  return deletionTimestamp === undefined && generation > 0 ? generation + 1 : generation;
}

/** Returns true if an update to these finalizers removes the object (docs/kubernetes.md §4.6). */
export function isRemovedByUpdate(before: KubeObject, finalizers: readonly string[]): boolean {
  return (
    finalizers.length === 0 &&
    before.deletionTimestamp !== undefined &&
    (before.deletionGracePeriodSeconds ?? 0) === 0
  );
}

export function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}

/** Rules that code outside of the simulation uses, too. */
export const deleteRules = { wholeSeconds, defaultPolicy, finalizers: deletionFinalizers, podGracePeriod };

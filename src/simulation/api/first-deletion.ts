/**
 * What a DELETE made of an object when the first collector was at work: the rules of v1.5's API server, where
 * `deletion.ts` has today's (docs/vintage.md; pkg/registry/generic/registry/store.go shouldUpdateFinalizers and
 * markAsDeleting, pkg/api/v1/types.go DeleteOptions, v1.5.8).
 */
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { nextGeneration, wholeSeconds } from './deletion.ts';
import type { DeleteOptions } from './types.ts';

/**
 * What that API server understands of a request. A policy is sent as clients of the time said the same, by the boolean
 * that came before it; there was none for the foreground, which it passes over like every field that it doesn't know.
 */
export function asFirstUnderstood(options: DeleteOptions): DeleteOptions {
  const { propagationPolicy, orphanDependents, preconditions, ...others } = options;
  const { uid } = preconditions ?? {};
  const orphan = orphanDependents ?? orphanDependentsOf(propagationPolicy);
  return {
    ...others,
    ...(uid === undefined ? {} : { preconditions: { uid } }),
    ...(orphan === undefined ? {} : { orphanDependents: orphan }),
  };
}

function orphanDependentsOf(policy: DeleteOptions['propagationPolicy']): boolean | undefined {
  if (policy === 'Orphan') return true;
  return policy === 'Background' ? false : undefined;
}

/**
 * Whether dependents are orphaned where neither the request nor the object says so: the kinds whose dependents had been
 * left alone before there was a collector (pkg/registry/core/controller/strategy.go,
 * pkg/registry/extensions/replicaset/strategy.go, v1.5.8).
 */
export function orphanedByFirst({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  if (kind === 'ReplicationController') return group === '';
  return kind === 'ReplicaSet' && (group === 'extensions' || group === 'apps');
}

/** The finalizers after a DELETE with these options, which it has understood. The same list where nothing changes. */
export function firstDeletionFinalizers(
  finalizers: readonly string[],
  { orphanDependents }: DeleteOptions,
  type: Pick<ResourceType, 'group' | 'kind'>,
): readonly string[] {
  const has = finalizers.includes(ORPHAN_FINALIZER);
  const wanted = orphanDependents ?? (has || orphanedByFirst(type));
  if (wanted === has) return finalizers;
  return wanted ? [...finalizers, ORPHAN_FINALIZER] : finalizers.filter(each => each !== ORPHAN_FINALIZER);
}

/** Each DELETE of an object that finalizers hold dates its deletion anew. `now` in milliseconds since the epoch. */
export function firstMarkAsDeleting(
  object: KubeObject,
  now: number,
): Pick<KubeObject, 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'generation'> {
  return {
    deletionTimestamp: wholeSeconds(now),
    deletionGracePeriodSeconds: 0,
    generation: nextGeneration(object),
  };
}

/**
 * Finalizers without a domain were those of namespaces and of orphaning alone (pkg/api/validation/validation.go,
 * v1.5.8). What is wrong with new ones; undefined where nothing is.
 */
export function unknownToFirst(
  finalizers: readonly string[],
  before: KubeObject | undefined,
): string | undefined {
  return finalizers.includes(FOREGROUND_FINALIZER) && before?.finalizers.includes(FOREGROUND_FINALIZER) !== true
    ? `metadata.finalizers: Invalid value: "${FOREGROUND_FINALIZER}": name is neither a standard finalizer name nor is it fully qualified`
    : undefined;
}

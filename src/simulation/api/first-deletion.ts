/**
 * The effect of a DELETE in v1.5's API server; `deletion.ts` has today's rules (docs/vintage.md;
 * pkg/registry/generic/registry/store.go shouldUpdateFinalizers, pkg/api/v1/types.go DeleteOptions, v1.5.8).
 * Simplified: a repeated DELETE doesn't renew the deletion time, because repetitions would never rest.
 */
import { orphanedByFirst } from '../../collector/first-verdict.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { DeleteOptions } from './types.ts';

/**
 * Translates a request as that server understood it: a policy becomes the earlier boolean, and foreground deletion,
 * unknown then, is ignored.
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

/** Returns the finalizers after a DELETE with translated options; the list itself if unchanged. */
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

/**
 * Describes an invalid new finalizer, if any: without a domain, only those of namespaces and orphaning were valid
 * (pkg/api/validation/validation.go, v1.5.8).
 */
export function unknownToFirst(
  finalizers: readonly string[],
  before: KubeObject | undefined,
): string | undefined {
  return finalizers.includes(FOREGROUND_FINALIZER) &&
    before?.finalizers.includes(FOREGROUND_FINALIZER) !== true
    ? `metadata.finalizers: Invalid value: "${FOREGROUND_FINALIZER}": name is neither a standard finalizer name nor is it fully qualified`
    : undefined;
}

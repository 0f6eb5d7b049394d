/**
 * The effect of a DELETE in v1.5 (docs/collector.md; pkg/registry/generic/registry/store.go shouldUpdateFinalizers,
 * pkg/api/v1/types.go DeleteOptions, v1.5.8), except that a repeated one doesn't renew the deletion time, because
 * repetitions would never rest.
 */
import { orphanedByFirst } from '../../collector/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type ResourceType,
} from '../../model/index.ts';
import type { DeleteOptions } from './api-client.ts';

/** Turns a policy into the earlier boolean; foreground deletion was unknown and is ignored. */
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

/** Only finalizers of namespaces and orphaning had no domain (pkg/api/validation/validation.go, v1.5.8). */
export function unknownToFirst(
  finalizers: readonly string[],
  before: KubeObject | undefined,
): string | undefined {
  return finalizers.includes(FOREGROUND_FINALIZER) &&
    before?.finalizers.includes(FOREGROUND_FINALIZER) !== true
    ? `metadata.finalizers: Invalid value: "${FOREGROUND_FINALIZER}": name is neither a standard finalizer name nor is it fully qualified`
    : undefined;
}

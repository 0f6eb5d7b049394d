/**
 * What a DELETE made of an object when the first collector was at work: the rules of v1.5's API server, where
 * `deletion.ts` has today's (docs/vintage.md; pkg/registry/generic/registry/store.go shouldUpdateFinalizers,
 * pkg/api/v1/types.go DeleteOptions, v1.5.8). One thing is left out: each DELETE of what finalizers hold dated the
 * deletion anew, so that nothing that deletes again and again would ever rest here.
 */
import { orphanedByFirst } from '../../collector/first-verdict.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
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

/**
 * Finalizers without a domain were those of namespaces and of orphaning alone (pkg/api/validation/validation.go,
 * v1.5.8). What is wrong with new ones; undefined where nothing is.
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

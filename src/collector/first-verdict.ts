/** The first collector's verdict (docs/collector.md; processItem in garbagecollector.go, v1.5.8). */
import { type ClusterView, type GraphNode, Identity, isDeleting } from '../graph/index.ts';
import { type KubeObject, ORPHAN_FINALIZER, type ResourceType } from '../model/index.ts';
import type { OwnerLookup } from './decide.ts';

/**
 * Reports whether dependents are orphaned by default: kinds that left them alone before there was a collector
 * (pkg/registry/core/controller/strategy.go, pkg/registry/extensions/replicaset/strategy.go, v1.5.8).
 */
export function orphanedByFirst({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  if (kind === 'ReplicationController') return group === '';
  return kind === 'ReplicaSet' && (group === 'extensions' || group === 'apps');
}

/** A subset of the judgement in `collector/verdict.ts`. */
interface FirstJudgement {
  readonly verdict: 'None' | 'DeleteBackground' | 'DeleteOrphan' | 'OrphanDependents' | 'RetryForever';
  readonly certainty: 'exact' | 'assumed';
}

/** Judges an object; `lookup` records which owners are only assumed to be absent. */
export function firstVerdict(
  view: ClusterView,
  { object }: GraphNode,
  lookup: OwnerLookup & { readonly assumed: readonly unknown[] },
): FirstJudgement {
  if (object === undefined) return { verdict: 'None', certainty: 'exact' };
  if (isDeleting(object)) {
    const orphans = object.finalizers.includes(ORPHAN_FINALIZER);
    return { verdict: orphans ? 'OrphanDependents' : 'None', certainty: 'exact' };
  }
  // Custom resources have no monitor.
  if (object.owners.length === 0 || !isBuiltIn(object.type)) return { verdict: 'None', certainty: 'exact' };
  // A dependent is processed only after an owner's deletion, or a reference to an unknown owner.
  if (object.owners.every(({ uid }) => view.graph.get(uid)?.virtual === false))
    return { verdict: 'None', certainty: 'exact' };
  for (const reference of object.owners) {
    const type = view.catalog.resolveKind(reference.apiVersion, reference.kind);
    if (type === undefined) return { verdict: 'RetryForever', certainty: 'exact' };
    // This is retried too, but an unknown kind isn't a fault.
    if (!isBuiltIn(type)) return { verdict: 'None', certainty: 'exact' };
    // The collector looks in the dependent's namespace for any kind, so it misses owners elsewhere.
    const answer = lookup.getOwner(Identity.claimed(reference, object.namespace));
    if (answer.state === 'unknown') return { verdict: 'None', certainty: 'assumed' };
    if (answer.state === 'found' && answer.uid === reference.uid)
      return { verdict: 'None', certainty: 'exact' };
  }
  return { verdict: deletion(object), certainty: lookup.assumed.length > 0 ? 'assumed' : 'exact' };
}

/** Applies the API server's default, because the request names no policy. */
function deletion({ finalizers, type }: KubeObject): 'DeleteOrphan' | 'DeleteBackground' {
  return finalizers.includes(ORPHAN_FINALIZER) || orphanedByFirst(type) ? 'DeleteOrphan' : 'DeleteBackground';
}

/** Recognises Kubernetes' own groups: core, those without a domain, and those below `k8s.io`. */
function isBuiltIn({ group }: ResourceType): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

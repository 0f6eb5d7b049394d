/**
 * What the first collector would do with an object if it processed it now (docs/vintage.md; processItem in
 * pkg/controller/garbagecollector/garbagecollector.go, v1.5.8), for onlookers of a simulated cluster that has it. Apart
 * from today's verdict, with which it shares the look-ups.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import { isDeleting } from '../graph/deletion.ts';
import { claimedIdentity, type GraphNode } from '../graph/node.ts';
import { type KubeObject, ORPHAN_FINALIZER } from '../model/object.ts';
import type { ResourceType } from '../model/types/resource-type.ts';
import type { OwnerLookup } from './decide.ts';

/**
 * Whether dependents are orphaned where neither the request nor the object says so: the kinds whose dependents had been
 * left alone before there was a collector (pkg/registry/core/controller/strategy.go,
 * pkg/registry/extensions/replicaset/strategy.go, v1.5.8).
 */
export function orphanedByFirst({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  if (kind === 'ReplicationController') return group === '';
  return kind === 'ReplicaSet' && (group === 'extensions' || group === 'apps');
}

/** As today's (`collector/verdict.ts`), of which it has a few. */
interface FirstJudgement {
  readonly verdict: 'None' | 'DeleteBackground' | 'DeleteOrphan' | 'OrphanDependents' | 'RetryForever';
  readonly certainty: 'exact' | 'assumed';
}

/** `lookup`: as of today's verdict; it notes which owners are only assumed to be absent. */
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
  // Custom resources have no monitor, so that nobody looks at them.
  if (object.owners.length === 0 || !isBuiltIn(object.type)) return { verdict: 'None', certainty: 'exact' };
  // It looks at a dependent when an owner goes, or when one is heard of that it doesn't know; at no other time.
  if (object.owners.every(({ uid }) => view.graph.get(uid)?.virtual === false))
    return { verdict: 'None', certainty: 'exact' };
  for (const reference of object.owners) {
    const type = view.catalog.resolveKind(reference.apiVersion, reference.kind);
    if (type === undefined) return { verdict: 'RetryForever', certainty: 'exact' };
    // It is retried as well, but nothing is wrong with a kind that it never heard of.
    if (!isBuiltIn(type)) return { verdict: 'None', certainty: 'exact' };
    // It looks in the namespace of the dependent, whatever the kind: an owner outside of it isn't found.
    const answer = lookup.getOwner(claimedIdentity(reference, object.namespace));
    if (answer.state === 'unknown') return { verdict: 'None', certainty: 'assumed' };
    if (answer.state === 'found' && answer.uid === reference.uid)
      return { verdict: 'None', certainty: 'exact' };
  }
  return { verdict: deletion(object), certainty: lookup.assumed.length > 0 ? 'assumed' : 'exact' };
}

/** It names no policy, so that this is the API server's. */
function deletion({ finalizers, type }: KubeObject): 'DeleteOrphan' | 'DeleteBackground' {
  return finalizers.includes(ORPHAN_FINALIZER) || orphanedByFirst(type) ? 'DeleteOrphan' : 'DeleteBackground';
}

/** As its group says: Kubernetes' own are the core group, those without a domain, and those below `k8s.io`. */
function isBuiltIn({ group }: ResourceType): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

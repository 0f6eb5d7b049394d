/**
 * What a namespace that is being deleted still holds by the word of its conditions, where it cannot be seen. Apart from
 * its content, because this has neither names nor uids.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import {
  type RemainingResource,
  remainingFinalizers,
  remainingResources,
} from '../model/facts/namespace-conditions.ts';
import type { KubeObject } from '../model/object.ts';
import { groupResource, type ResourceType } from '../model/types/resource-type.ts';

export interface ReportedResource extends RemainingResource {
  /** Undefined where files don't tell of the kind. */
  readonly type: ResourceType | undefined;
}

export interface ReportedContent {
  readonly resources: readonly ReportedResource[];
  /** Those that hold more objects than the ones that can be seen, by name. */
  readonly finalizers: readonly string[];
}

const nothing: ReportedContent = { resources: [], finalizers: [] };

/**
 * Kinds that can be seen are left out: there the objects themselves say more than a condition, which may be out of date.
 * So are kinds that a cluster doesn't serve any more, which hold up no namespace. `sees` tells of a kind in this namespace,
 * `seen` is what is known to be in it.
 */
export function reportedContent(
  { catalog, settings }: Pick<ClusterView, 'catalog' | 'settings'>,
  { facts }: KubeObject,
  sees: (type: ResourceType) => boolean,
  seen: Iterable<KubeObject>,
): ReportedContent {
  if (facts?.kind !== 'Namespace') return nothing;
  const held = new Map<string, number>();
  const found = new Map<string, number>();
  for (const { finalizers, type } of seen) {
    const resource = groupResource(type);
    found.set(resource, (found.get(resource) ?? 0) + 1);
    for (const finalizer of finalizers) held.set(finalizer, (held.get(finalizer) ?? 0) + 1);
  }
  const resources = remainingResources(facts.conditions).flatMap((each): ReportedResource[] => {
    const type = catalog.types.find(of => of.preferred && groupResource(of) === each.resource);
    const hidden = type === undefined ? settings.standsStill === true : !sees(type);
    const count = each.count - (found.get(each.resource) ?? 0);
    return hidden && count > 0 ? [{ ...each, type, count }] : [];
  });
  if (resources.length === 0) return nothing;
  const finalizers = [...remainingFinalizers(facts.conditions)].flatMap(([finalizer, count]) =>
    count > (held.get(finalizer) ?? 0) ? [finalizer] : [],
  );
  return { resources, finalizers };
}

/** `1 staticroutes.gateway.kusk.io`, `2 pods and 1 widgets.example.com` */
export function reportedWords({ resources }: ReportedContent): string {
  const words = resources.map(({ resource, count }) => `${count} ${resource}`);
  const last = words.pop();
  return words.length === 0 ? (last ?? '') : `${words.join(', ')} and ${last}`;
}

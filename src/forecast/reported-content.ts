/**
 * What a namespace that is being deleted still holds by the word of its conditions, where it cannot be seen. Apart from
 * its content, because this has neither names nor uids.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import type { Condition } from '../model/facts/facts.ts';
import {
  namesAllRemaining,
  type RemainingResource,
  remainingFinalizers,
  remainingResources,
} from '../model/facts/namespace-conditions.ts';
import type { KubeObject } from '../model/object.ts';
import { enumerated } from '../model/text/titles.ts';
import { groupResource, type ResourceType } from '../model/types/resource-type.ts';

export interface ReportedResource extends RemainingResource {
  /** Undefined where files don't tell of the kind. */
  readonly type: ResourceType | undefined;
}

export interface ReportedContent {
  readonly resources: readonly ReportedResource[];
  /** Those that hold more objects than the ones that can be seen, by name. */
  readonly finalizers: readonly string[];
  /**
   * Nothing else is in it but what can be seen: the conditions name every kind that was left, and nothing that is seen says
   * otherwise.
   */
  readonly all: boolean;
}

const nothing: ReportedContent = { resources: [], finalizers: [], all: false };

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
  const all = namesAllRemaining(facts.conditions) && !exceeds(found, facts.conditions);
  if (resources.length === 0) return { ...nothing, all };
  const finalizers = [...remainingFinalizers(facts.conditions)].flatMap(([finalizer, count]) =>
    count > (held.get(finalizer) ?? 0) ? [finalizer] : [],
  );
  return { resources, finalizers, all };
}

/** Whether more is seen than the conditions count, so that they are older, or of another moment than what is seen. */
function exceeds(found: ReadonlyMap<string, number>, conditions: readonly Condition[]): boolean {
  const counts = new Map(remainingResources(conditions).map(({ resource, count }) => [resource, count]));
  // Events are copied long after they are gone.
  return [...found].some(([resource, count]) => !events.has(resource) && count > (counts.get(resource) ?? 0));
}

const events: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

/** The same by the snapshot alone. */
export function reportedBySnapshot(view: ClusterView, namespace: KubeObject): ReportedContent {
  const { name } = namespace;
  return reportedContent(view, namespace, type => view.sees(type, name), contentsOf(view, name));
}

/** Kinds of which the namespace controller waits until none is left. Events always go, and nobody watches them. */
export function isContent({ preferred, namespaced, verbs, resource }: ResourceType): boolean {
  return (
    preferred && namespaced && verbs.includes('delete') && verbs.includes('list') && resource !== 'events'
  );
}

/** Kinds of which something may be in the namespace that nobody can see, and that its conditions don't rule out. */
export function unseenContent(view: ClusterView, namespace: KubeObject): readonly string[] {
  const kinds = view.catalog.types.filter(type => isContent(type) && !view.sees(type, namespace.name));
  return kinds.length === 0 || reportedBySnapshot(view, namespace).all ? [] : kinds.map(groupResource);
}

/** What is seen in a namespace of what its controller would have to delete. */
export function* contentsOf(
  { catalog, graph }: ClusterView,
  namespace: string,
): IterableIterator<KubeObject> {
  for (const type of catalog.types) {
    if (!type.preferred || !type.namespaced || !type.verbs.includes('delete')) continue;
    for (const { object } of graph.inNamespace(type, namespace)) if (object !== undefined) yield object;
  }
}

/** `1 staticroutes.gateway.kusk.io`, `2 pods and 1 widgets.example.com` */
export function reportedWords({ resources }: ReportedContent): string {
  const words = resources.map(({ resource, count }) => `${count} ${resource}`);
  return enumerated(words, words.length);
}

/** Unseen content of a deleting namespace, as its conditions report it: kinds and counts without names or uids. */
import type { ClusterView } from '../graph/index.ts';
import {
  type Condition,
  ConversionFailure,
  DeletionCondition,
  enumerated,
  type KubeObject,
  type RemainingResource,
  ResourceType,
} from '../model/index.ts';

export interface ReportedResource extends RemainingResource {
  /** Undefined if files don't contain the kind. */
  readonly type: ResourceType | undefined;
}

export interface ReportedContent {
  readonly resources: readonly ReportedResource[];
  /** Finalizers on more objects than are visible. */
  readonly finalizers: readonly string[];
  /** True if the conditions name every remaining kind and no visible object contradicts them. */
  readonly all: boolean;
}

const nothing: ReportedContent = { resources: [], finalizers: [], all: false };

/** Omits visible kinds, whose objects are newer evidence, and unserved kinds, which hold no namespace. */
function reportedContent(
  { catalog, settings }: Pick<ClusterView, 'catalog' | 'settings'>,
  { facts }: KubeObject,
  sees: (type: ResourceType) => boolean,
  seen: Iterable<KubeObject>,
): ReportedContent {
  if (facts?.kind !== 'Namespace') return nothing;
  const held = new Map<string, number>();
  const found = new Map<string, number>();
  for (const { finalizers, type } of seen) {
    const resource = ResourceType.groupResource(type);
    found.set(resource, (found.get(resource) ?? 0) + 1);
    for (const finalizer of finalizers) held.set(finalizer, (held.get(finalizer) ?? 0) + 1);
  }
  const resources = DeletionCondition.remainingResources(facts.conditions).flatMap(
    (each): ReportedResource[] => {
      const type = catalog.types.find(of => of.preferred && ResourceType.groupResource(of) === each.resource);
      const hidden = type === undefined ? settings.standsStill === true : !sees(type);
      const count = each.count - (found.get(each.resource) ?? 0);
      return hidden && count > 0 ? [{ ...each, type, count }] : [];
    },
  );
  const all = DeletionCondition.namesAllRemaining(facts.conditions) && !exceeds(found, facts.conditions);
  if (resources.length === 0) return { ...nothing, all };
  const finalizers = [...DeletionCondition.remainingFinalizers(facts.conditions)].flatMap(
    ([finalizer, count]) => (count > (held.get(finalizer) ?? 0) ? [finalizer] : []),
  );
  return { resources, finalizers, all };
}

/** Checks if more is visible than the conditions count, so they are from another moment. */
function exceeds(found: ReadonlyMap<string, number>, conditions: readonly Condition[]): boolean {
  const counts = new Map(
    DeletionCondition.remainingResources(conditions).map(({ resource, count }) => [resource, count]),
  );
  // Events may be copied long after their deletion.
  return [...found].some(([resource, count]) => !events.has(resource) && count > (counts.get(resource) ?? 0));
}

const events: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

export function reportedBySnapshot(view: ClusterView, namespace: KubeObject): ReportedContent {
  const { name } = namespace;
  return reportedContent(view, namespace, type => view.sees(type, name), contentsOf(view, name));
}

/** Checks if the namespace controller waits for the kind. Events are always deleted, and aren't watched. */
function isContent({ preferred, namespaced, verbs, resource }: ResourceType): boolean {
  return (
    preferred && namespaced && verbs.includes('delete') && verbs.includes('list') && resource !== 'events'
  );
}

/** Lists kinds of which the namespace may hold unseen objects, unless its conditions exclude that. */
export function unseenContent(view: ClusterView, namespace: KubeObject): readonly string[] {
  const kinds = view.catalog.types.filter(type => isContent(type) && !view.sees(type, namespace.name));
  return kinds.length === 0 || reportedBySnapshot(view, namespace).all
    ? []
    : kinds.map(ResourceType.groupResource);
}

export function* contentsOf(
  { catalog, graph }: ClusterView,
  namespace: string,
): IterableIterator<KubeObject> {
  for (const type of catalog.types) {
    if (!type.preferred || !type.namespaced || !type.verbs.includes('delete')) continue;
    for (const { object } of graph.inNamespace(type, namespace)) if (object !== undefined) yield object;
  }
}

/** Returns the conversion failure in a condition of a definition or namespace being deleted, as a clause; `''` if none. */
function unlistedWords({ facts }: KubeObject): string {
  if (facts?.kind !== 'CustomResourceDefinition' && facts?.kind !== 'Namespace') return '';
  const [failure] = facts.conditions.flatMap(({ status, message }) =>
    status === 'True' ? ConversionFailure.in(message) : [],
  );
  return failure === undefined ? '' : ConversionFailure.words(failure);
}

/** `1 staticroutes.gateway.kusk.io`, `2 pods and 1 widgets.example.com` */
function reportedWords({ resources }: ReportedContent): string {
  const words = resources.map(({ resource, count }) => `${count} ${resource}`);
  return enumerated(words, words.length);
}

export const ReportedContent = { isContent, of: reportedContent, words: reportedWords, unlistedWords };

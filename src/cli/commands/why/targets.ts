/**
 * The objects that `why` is asked about. Unlike other commands it also answers for an object that doesn't
 * exist, as long as something still refers to it as its owner.
 */
import type { ClusterView } from '../../../graph/cluster-view.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import { UsageError } from '../../runtime/errors.ts';
import { findTargets, type TargetQuery, type TargetWord } from '../../targets/targets.ts';

/** Throws a `UsageError` for what is neither there nor referred to. */
export function whyTargets(
  view: ClusterView,
  query: TargetQuery,
  namespace: string | undefined,
): readonly GraphNode[] {
  if (query.words.every(({ name }) => name === undefined)) return [...findTargets(view, query, namespace)];
  const found = new Set<GraphNode>();
  const failures: string[] = [];
  for (const word of query.words) {
    try {
      const there = findTargets(view, { ...query, words: [word] }, namespace);
      for (const node of there.size > 0 ? there : ghosts(view, word, namespace)) found.add(node);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const heardOf = ghosts(view, word, namespace);
      for (const node of heardOf) found.add(node);
      if (heardOf.length === 0) failures.push(error.message);
    }
  }
  const [first, second] = failures;
  if (first === undefined) return [...found];
  const more = failures.length > 2 ? `${failures.length - 1} more were not found either.` : (second ?? '');
  throw new UsageError(more === '' ? first : `${first}\n${more}`);
}

/** Owners of this name that are only heard of in references. */
function ghosts(
  view: ClusterView,
  { type: word, name }: TargetWord,
  namespace: string | undefined,
): GraphNode[] {
  if (name === undefined) return [];
  const resolved = view.catalog.resolveWord(word);
  // A kind that isn't served goes by its own name, with or without its group.
  const [unserved = ''] = word.toLowerCase().split('.');
  const found: GraphNode[] = [];
  for (const node of view.graph.nodes()) {
    const { apiVersion, kind, namespace: place } = node.identity;
    if (!node.virtual || node.identity.name !== name) continue;
    const { group } = parseApiVersion(apiVersion);
    const type = view.catalog.resolveKind(apiVersion, kind);
    const fits = resolved.known
      ? resolved.types.some(each => each.kind === kind && each.group === group)
      : [kind.toLowerCase(), `${kind.toLowerCase()}s`].includes(unserved);
    const here = type?.namespaced === false || namespace === undefined || place === namespace;
    if (fits && here) found.push(node);
  }
  return found;
}

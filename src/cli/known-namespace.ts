/**
 * A namespace that isn't there. kubectl answers that it found nothing; where "nothing is wrong" or "nothing happens"
 * is the answer, a mistyped name must not get it.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import { closestWords } from '../model/closest-words.ts';
import { UsageError } from './errors.ts';

/**
 * Throws a `UsageError` where all namespaces could be listed, this is none of them, and nothing is in it. Files
 * seldom hold their Namespace: of these nobody knows.
 */
export function requireNamespace(view: ClusterView, namespace: string | undefined): void {
  if (namespace === undefined || namespace === '') return;
  const type = view.catalog.resolveKind('v1', 'Namespace');
  const status = type === undefined ? undefined : view.statusOf(type);
  if (type === undefined || status?.state !== 'synced' || status.namespaces !== undefined) return;
  const there = [...view.graph.ofType(type)].map(({ identity }) => identity.name);
  if (there.length === 0 || there.includes(namespace)) return;
  for (const { identity, virtual } of view.graph.nodes())
    if (!virtual && identity.namespace === namespace) return;
  const near = closestWords(namespace, there);
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : '`kubectl get namespaces` lists them.';
  throw new UsageError(`namespace ${JSON.stringify(namespace)} not found. ${hint}`);
}

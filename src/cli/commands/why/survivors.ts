/** `why` for an owner that is gone: what survived it answers in its place. */
import { survivorsOf } from '../../../diagnosis/index.ts';
import type { ClusterView, GraphNode } from '../../../graph/index.ts';
import { enumerated, objectTitleIn, type ResourceType, shownName } from '../../../model/index.ts';
import { knownTypes, type TargetWord } from '../../targets/targets.ts';

export function survivorNodes(
  view: ClusterView,
  { type: word, name }: TargetWord,
  namespace: string | undefined,
): readonly GraphNode[] {
  const [type] = knownTypes(view.catalog, word) ?? [];
  if (type === undefined || name === undefined || isThere(view, type, { namespace, name })) return [];
  const order = new Intl.Collator('en', { numeric: true });
  return survivorsOf(view, { kind: type.kind, name }, namespace)
    .sort((a, b) => order.compare(a.name, b.name))
    .flatMap(({ uid }) => view.graph.get(uid) ?? []);
}

function isThere(
  { graph }: ClusterView,
  type: ResourceType,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
): boolean {
  if (namespace !== undefined) return graph.find(type, namespace, name)?.object !== undefined;
  return [...graph.ofType(type)].some(({ object }) => object?.name === name);
}

/** Returns `StatefulSet orders isn't there, and Pod orders-0 survived it.` and an empty line. */
export function survivorLead(
  view: ClusterView,
  { type: word, name = '' }: TargetWord,
  nodes: readonly GraphNode[],
): string {
  const [type] = knownTypes(view.catalog, word) ?? [];
  const { namespace = '' } = nodes[0]?.identity ?? {};
  const named = enumerated(nodes.map(({ identity }) => objectTitleIn(identity, namespace)));
  const first = nodes.length > 1 ? ' The first of them:' : '';
  const title = `${shownName(type?.kind ?? word)} ${shownName(name)}`;
  return type !== undefined && view.seesAt(type, namespace, name)
    ? `${title} isn't there, and ${named} survived it.${first}\n\n`
    : `${title} can't be seen here. It seems to have made ${named}, which nothing controls.${first}\n\n`;
}

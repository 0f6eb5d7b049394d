/** Which objects `check` looks at: a namespace, everything, or targets with what they own. */
import type { ClusterView } from '../../../graph/cluster-view.ts';
import type { GraphNode, Identity } from '../../../graph/node.ts';
import type { Uid } from '../../../model/object.ts';
import { findTargets, type TargetQuery } from '../../targets/targets.ts';

export interface CheckScope {
  has(object: Identity): boolean;
  /** Existing objects in it. */
  readonly size: number;
}

/**
 * Without a target the objects of the namespace and the Namespace itself, or of all namespaces and everything
 * outside of them. With targets these, all their dependents, and what is in a Namespace among them. Throws a
 * `UsageError` for unknown types and names.
 */
export function checkScope(view: ClusterView, query: TargetQuery, namespace: string | undefined): CheckScope {
  if (query.words.length === 0 && query.matches === undefined) return wholeScope(view, namespace);
  const uids = new Set<Uid>();
  const namespaces = new Set<string>();
  const open = [...findTargets(view, query, namespace)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { identity } = node;
    if (uids.has(identity.uid)) continue;
    uids.add(identity.uid);
    if (isNamespace(node)) namespaces.add(identity.name);
    open.push(...node.dependents);
  }
  if (namespaces.size > 0)
    for (const { identity } of view.graph.nodes())
      if (namespaces.has(identity.namespace)) uids.add(identity.uid);
  return {
    has: ({ uid }) => uids.has(uid),
    size: [...uids].filter(uid => view.graph.get(uid)?.virtual === false).length,
  };
}

function wholeScope(view: ClusterView, namespace: string | undefined): CheckScope {
  const has = (object: Identity): boolean =>
    namespace === undefined ||
    object.namespace === namespace ||
    (object.kind === 'Namespace' && object.apiVersion === 'v1' && object.name === namespace);
  let size = 0;
  for (const { identity, virtual } of view.graph.nodes()) if (!virtual && has(identity)) size += 1;
  return { has, size };
}

function isNamespace({ identity, virtual }: GraphNode): boolean {
  return !virtual && identity.kind === 'Namespace' && identity.apiVersion === 'v1';
}

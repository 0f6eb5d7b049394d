/** Nodes that pods are bound to and that aren't there, as questions to the API server: PodGC asks it too before it acts. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import { podFacts } from '../../model/object.ts';

/** Each once. `isWanted`: of which namespaces pods count. */
export function missingNodes(view: ClusterView, isWanted: (namespace: string) => boolean): readonly LookUp[] {
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const podType = view.catalog.resolveKind('v1', 'Pod');
  if (nodeType === undefined || podType === undefined || !view.sees(nodeType, '')) return [];
  const found = new Map<string, LookUp>();
  for (const { object } of view.graph.ofType(podType)) {
    const name = (object && podFacts(object)?.nodeName) ?? '';
    if (object === undefined || name === '' || found.has(name) || !isWanted(object.namespace)) continue;
    if (view.graph.find(nodeType, '', name) !== undefined) continue;
    found.set(name, nodeLookUp(name));
  }
  return [...found.values()];
}

export function nodeLookUp(name: string): LookUp {
  return { of: 'object', apiVersion: 'v1', kind: 'Node', namespace: '', name, uid: '' };
}

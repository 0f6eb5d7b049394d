/** What tells one cluster from another: journals of several clusters lie side by side. */
import type { ClusterView } from '../../graph/cluster-view.ts';

/** The uid of the namespace `kube-system`, as is the custom; `''` where it cannot be seen. */
export function clusterUid({ catalog, graph }: ClusterView): string {
  const type = catalog.resolveKind('v1', 'Namespace');
  return (type && graph.find(type, '', 'kube-system')?.object?.uid) ?? '';
}

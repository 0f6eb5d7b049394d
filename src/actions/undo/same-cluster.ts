/** Which of the journal's entries are about the cluster at hand. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Intended } from '../journal/record.ts';

/** What is read, and where from. */
export interface Here {
  readonly view: ClusterView;
  readonly info: { readonly source: string; readonly context: string | undefined };
}

/**
 * Whether an action was done to the cluster of this view. Where the one or the other could not see what tells clusters
 * apart, the name of the context has to do; simulated clusters all look the same there.
 */
export function isSameCluster({ cluster, context }: Intended, { view, info }: Here): boolean {
  const here = clusterUid(view);
  if (cluster === '' || here === '' || info.source === 'demo') return context === info.context;
  return cluster === here;
}

/** The uid of the namespace `kube-system`, as is the custom; `''` where it cannot be seen. */
export function clusterUid({ catalog, graph }: ClusterView): string {
  const type = catalog.resolveKind('v1', 'Namespace');
  return (type && graph.find(type, '', 'kube-system')?.object?.uid) ?? '';
}

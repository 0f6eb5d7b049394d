/** A group that may read a cluster, each kind with verbs of its own. */
import type { Cluster } from '../../harness/cluster.ts';

export const everyReadVerb: readonly string[] = ['get', 'list', 'watch'];

/** Lets the group `viewers` read every kind with the verbs that `verbsOf` its resource (`deployments.apps`) are. */
export async function letViewersRead(
  cluster: Cluster,
  verbsOf: (resource: string) => readonly string[],
): Promise<void> {
  const names = (await cluster.kubectl(['api-resources', '--verbs=list', '--output=name']))
    .trim()
    .split('\n');
  const rules = names
    .filter(name => verbsOf(name).length > 0)
    .map(name => {
      const [resource, ...group] = name.split('.');
      return { apiGroups: [group.join('.')], resources: [resource], verbs: verbsOf(name) };
    });
  const metadata = { name: 'gc-tree-viewers' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await cluster.apply(JSON.stringify({ apiVersion, kind: 'ClusterRole', metadata, rules }));
  await cluster.apply(
    JSON.stringify({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'viewers' }],
    }),
  );
}

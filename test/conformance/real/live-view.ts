/**
 * A real cluster as the product's own live source sees it, and of it what one run would see if it were alone there:
 * its objects and the cluster's, without those of the runs beside it.
 */
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { Change } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { Cluster } from '../../harness/cluster.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';

/** Everything on the cluster, listed anew. */
export async function readCluster(cluster: Cluster): Promise<ClusterView> {
  const kubeconfig = await cluster.kubeconfig();
  const source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
  try {
    const view = new ClusterView();
    await source.start(batch => {
      view.apply(batch, 0);
    });
    await source.graphComplete;
    await source.factsComplete;
    return view;
  } finally {
    await source.close();
  }
}

/** Whether an object is of another run than this. `others`: every other one that has ever been on the cluster. */
export function isForeignTo(
  player: PrefixedPlayer,
  others: Iterable<PrefixedPlayer>,
): (object: KubeObject) => boolean {
  const foreign = new Map([...others].map(other => [other.placement.prefix, other]));
  return object => {
    if (player.naming.made.has(object.uid)) return false;
    for (const other of foreign.values()) if (other.naming.made.has(object.uid)) return true;
    const [prefix = ''] = (object.namespace === '' ? object.name : object.namespace).split('-');
    return foreign.has(prefix);
  };
}

/** `others`: as for `isForeignTo`. */
export function ownView(
  all: ClusterView,
  player: PrefixedPlayer,
  others: Iterable<PrefixedPlayer>,
): ClusterView {
  const isForeign = isForeignTo(player, others);
  const changes: Change[] = [];
  const hidden = new Set<string>();
  for (const { object } of all.graph.nodes()) {
    if (object === undefined) continue;
    if (!isForeign(object)) changes.push({ op: 'upsert', object });
    else if (object.facts?.kind === 'CustomResourceDefinition') {
      hidden.add(ResourceType.groupResource({ group: object.facts.group, resource: object.facts.plural }));
    }
  }
  const isSeen = (type: ResourceType): boolean => !hidden.has(ResourceType.groupResource(type));
  const view = new ClusterView();
  view.apply(
    {
      changes,
      types: all.catalog.types.filter(isSeen),
      statuses: [...all.statuses.values()].filter(({ type }) => isSeen(type)),
      failedGroups: all.failedGroups,
      connection: { state: 'live' },
    },
    0,
  );
  return view;
}

/** A scenario's findings on the simulation. */
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Change, TypeStatus } from '../../../src/model/exchange/changes.ts';
import { parseApiVersion, ResourceType } from '../../../src/model/types/resource-type.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { graphTypes } from '../fuzz/random-graphs.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import { playSimulated } from '../simulate.ts';
import { waited } from './judged.ts';

export interface Judged {
  readonly player: PrefixedPlayer;
  readonly diagnosis: Diagnosis;
}

export async function judgeSimulated(scenario: Scenario): Promise<Judged> {
  const { world, player } = await playSimulated(scenario, { prefix: 's0', customTypes: graphTypes });
  const { cluster } = world;
  return { player, diagnosis: diagnoseCluster(viewOf(cluster), cluster.clock.now + waited(scenario)) };
}

/**
 * What cannot be seen, by `ResourceType.groupResource`: nothing of the type at all, or nothing outside of the namespaces that are
 * listed.
 */
export type Hidden = ReadonlyMap<string, 'everywhere' | readonly string[]>;

/** What a client of the simulated API server can see. */
export function viewOf({ discovery, store }: SimulatedCluster, hidden: Hidden = new Map()): ClusterView {
  const { types } = discovery.catalog;
  const changes: Change[] = [];
  const statuses: TypeStatus[] = [];
  for (const type of types.filter(ResourceType.isMonitored)) {
    const seen = discovery.availability(type) === 'served';
    const hiding = hidden.get(ResourceType.groupResource(type));
    if (seen && hiding === 'everywhere') {
      statuses.push({ type, state: 'blind', count: 0, facts: false, reason: '403' });
      continue;
    }
    const namespaces = hiding === 'everywhere' ? undefined : hiding;
    const stored = seen ? store.list(type) : [];
    const objects =
      namespaces === undefined ? stored : stored.filter(({ namespace }) => namespaces.includes(namespace));
    for (const object of objects) changes.push({ op: 'upsert', object });
    const count = objects.length;
    const partly = namespaces === undefined ? {} : { namespaces };
    if (seen) statuses.push({ type, state: 'synced', count, facts: true, ...partly });
    else statuses.push({ type, state: 'blind', count, facts: false, reason: '500' });
  }
  const groups = new Set(discovery.failedGroupVersions.map(each => parseApiVersion(each).group));
  const failedGroups = [...groups].map(group => ({ resource: `*.${group}`, reason: '503' }));
  const view = new ClusterView();
  view.apply({ changes, types, statuses, failedGroups, connection: { state: 'live' } }, 0);
  return view;
}

import { describe, expect, it } from 'vitest';
import { withOwnGroups } from '../real/own-groups.ts';
import { exploreEnds } from '../simulate.ts';
import { randomCluster } from './random-clusters.ts';
import { graphTypes } from './random-graphs.ts';

describe('a random cluster', () => {
  // In one order of this one a ReplicaSet's controller never heard that it was gone, because collector, scheduler and kubelet
  // had so much to do with the pods that it made.
  it('comes to rest in every order', async () => {
    const scenario = withOwnGroups(randomCluster(144, 'workloads'), 'r');
    const { expected } = await exploreEnds(scenario, { prefix: 'r', customTypes: graphTypes }, 40);
    expect([...expected.keys()].filter(each => each.startsWith('Namespace'))).not.toEqual([]);
  });
});

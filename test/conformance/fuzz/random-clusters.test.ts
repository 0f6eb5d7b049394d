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

  // Where its owner's containers stop at once, that pod still waits for its turn in a namespace that is emptied, and loses the
  // reference; where they use up their grace period, the owner outlasts the collection.
  it('depends on when containers stop', async () => {
    const scenario = withOwnGroups(randomCluster(142, 'workloads'), 'r');
    const { timingDependent } = await exploreEnds(scenario, { prefix: 'r', customTypes: graphTypes }, 40);
    const ends = [...(timingDependent.get('Pod a/o8') ?? [])];
    expect(ends).toHaveLength(2);
    expect(ends.filter(each => each.includes('owned by v1 Pod o10'))).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { PodFacts } from '../../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { replicaSets } from '../../../../src/simulation/controllers/workloads/replicaset.ts';
import type { ObjectOptions } from '../../../graph/fixtures.ts';
import { condition, pod } from '../../../podgc/fixtures.ts';

const now = 1_000_000_000_000;
const hour = 3_600_000;
const ready = [condition('Ready', 'True')];

function running(
  name: string,
  facts: Partial<PodFacts> = {},
  changes: Partial<ObjectOptions> = {},
): KubeObject {
  return pod(
    name,
    { phase: 'Running', nodeName: `node-of-${name}`, conditions: ready, ...facts },
    { creationTimestamp: now - 100 * hour, ...changes },
  );
}

function chosen(pods: readonly KubeObject[], count: number) {
  const choice = replicaSets.choosePodsToDelete({ pods, related: pods, count, now });
  const names = (objects: readonly KubeObject[]) => objects.map(({ name }) => name);
  return { chosen: names(choice.chosen), undecided: names(choice.undecided).toSorted() };
}

describe('surplus pods', () => {
  it('go first where no node was chosen, then where they pend, then where they are not ready', () => {
    const pods = [
      running('ready'),
      running('unready', { conditions: [] }),
      running('unknown', { phase: 'Unknown' }),
      running('pending', { phase: 'Pending' }),
      running('unassigned', { nodeName: '', phase: 'Pending' }),
    ];
    expect(chosen(pods, 4)).toEqual({
      chosen: ['unassigned', 'pending', 'unknown', 'unready'],
      undecided: [],
    });
  });

  it('are an open choice where only age and neighbours tell them apart', () => {
    const pods = [
      running('old'),
      running('young', {}, { creationTimestamp: now - hour }),
      running('crowded-1', { nodeName: 'one' }),
      running('crowded-2', { nodeName: 'one' }),
    ];
    const choice = chosen(pods, 1);
    expect(choice.chosen).toEqual(['crowded-1']);
    expect(choice.undecided).toEqual(['crowded-1', 'crowded-2', 'old', 'young']);
    expect(chosen(pods, 3).chosen).toEqual(['crowded-1', 'crowded-2', 'young']);
  });

  it('are no open choice when all of them go, or all of an equal group', () => {
    const pods = [running('a'), running('b'), running('pending', { phase: 'Pending' })];
    expect(chosen(pods, 3).undecided).toEqual([]);
    expect(chosen(pods, 1)).toEqual({ chosen: ['pending'], undecided: [] });
  });

  it('of one age and power of two are told apart by uid', () => {
    const pods = ['b', 'a', 'c'].map((name, index) =>
      running(name, {}, { creationTimestamp: now - 100 * hour - index }),
    );
    expect(chosen(pods, 1).chosen).toEqual(['a']);
  });

  it('that restarted more go before others that are not ready either', () => {
    const pods = [
      running('calm', { conditions: [] }),
      running('crashing', { conditions: [], restarts: 7 }, { creationTimestamp: now - 200 * hour }),
    ];
    expect(chosen(pods, 1).chosen).toEqual(['crashing']);
  });
});

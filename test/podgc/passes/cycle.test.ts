import { describe, expect, it } from 'vitest';
import type { Taint } from '../../../src/model/facts/facts.ts';
import { type KubeObject, podFacts } from '../../../src/model/object.ts';
import {
  type CycleInput,
  NodeQuarantine,
  type PodDeletion,
  podGcCycle,
} from '../../../src/podgc/passes/cycle.ts';
import { ForceDeleteRequest } from '../../../src/podgc/passes/force-delete.ts';
import { PodGcSettings } from '../../../src/podgc/passes/rules-of-version.ts';
import { condition, node, pod } from '../fixtures.ts';

const hour = 3_600_000;

function cycle(pods: readonly KubeObject[], input: Partial<CycleInput> = {}): readonly PodDeletion[] {
  return podGcCycle.run({
    pods,
    nodes: [],
    now: 0,
    threshold: -1,
    quarantine: new NodeQuarantine(),
    getNode: () => 'absent',
    ...input,
  });
}

const deleted = (deletions: readonly PodDeletion[]): string[] => deletions.map(({ pod: { name } }) => name);
const patched = (deletions: readonly PodDeletion[]): string[] =>
  deletions
    .filter(({ requests }) => requests.some(({ verb }) => verb === 'patchStatus'))
    .map(({ pod: { name } }) => name);

describe('terminated pods beyond the threshold', () => {
  function phases(
    ...all: readonly (readonly [name: string, phase: string, reason?: string])[]
  ): KubeObject[] {
    return all.map(([name, phase, reason = ''], index) =>
      pod(name, { phase, reason, nodeName: 'node' }, { creationTimestamp: (index + 1) * hour }),
    );
  }
  const nodes = [node('node', true)];

  it('P1: the oldest go, down to the threshold, and finished pods are not patched', () => {
    const pods = phases(['a', 'Failed'], ['b', 'Succeeded'], ['c', 'Failed']);
    const deletions = cycle(pods, { nodes, threshold: 1 });
    expect(deleted(deletions)).toEqual(['a', 'b']);
    expect(patched(deletions)).toEqual([]);
    expect(deletions.map(({ rule }) => rule)).toEqual(['Terminated', 'Terminated']);
  });

  it('P2: a threshold of zero turns the pass off', () => {
    expect(cycle(phases(['a', 'Failed'], ['b', 'Succeeded']), { nodes, threshold: 0 })).toEqual([]);
  });

  it('P4: running pods neither count nor go', () => {
    const pods = phases(['a', 'Running'], ['b', 'Succeeded'], ['c', 'Failed']);
    expect(deleted(cycle(pods, { nodes, threshold: 1 }))).toEqual(['b']);
  });

  it('P5: of two pods one beyond the threshold goes', () => {
    expect(deleted(cycle(phases(['a', 'Failed'], ['b', 'Succeeded']), { nodes, threshold: 1 }))).toEqual([
      'a',
    ]);
  });

  it('P7: an evicted pod goes before older ones', () => {
    const pods = phases(['a', 'Failed'], ['b', 'Succeeded'], ['c', 'Failed', 'Evicted']);
    expect(deleted(cycle(pods, { nodes, threshold: 1 }))).toEqual(['c', 'a']);
  });

  it('P8: an evicted pod goes first beside a running one', () => {
    const pods = phases(['a', 'Running'], ['b', 'Succeeded'], ['c', 'Failed', 'Evicted']);
    expect(deleted(cycle(pods, { nodes, threshold: 1 }))).toEqual(['c']);
  });

  it('breaks a tie of creation times by name', () => {
    const pods = ['b', 'a', 'c'].map(name => pod(name, { phase: 'Failed', nodeName: 'node' }));
    expect(deleted(cycle(pods, { nodes, threshold: 1 }))).toEqual(['a', 'b']);
  });

  it('counts a pod without a phase as terminated, and patches it to Failed before it goes', () => {
    const pods = [pod('a', { nodeName: 'node' }), pod('b', { phase: 'Failed', nodeName: 'node' })];
    expect(patched(cycle(pods, { nodes, threshold: 1 }))).toEqual(['a']);
  });
});

describe('pods on nodes that are gone', () => {
  interface Case {
    readonly pods: readonly KubeObject[];
    readonly wait?: number;
    /** In the controller's cache at the first and at the second cycle. */
    readonly cached?: readonly (readonly KubeObject[])[];
    /** What the live GET says at the second cycle. */
    readonly live?: ReturnType<CycleInput['getNode']>;
  }

  /** Two cycles around a wait; the first never deletes. */
  function twoCycles({
    pods,
    wait = 2 * PodGcSettings.quarantine,
    cached = [[], []],
    live = 'absent',
  }: Case) {
    const quarantine = new NodeQuarantine();
    const [first = [], second = []] = cached;
    expect(cycle(pods, { quarantine, nodes: first })).toEqual([]);
    const queued = quarantine.endedBy(wait).length;
    const deletions = cycle(pods, { quarantine, nodes: second, now: wait, getNode: () => live });
    return { queued, deleted: deleted(deletions), patched: patched(deletions) };
  }
  const on = (nodeName: string, phase: string, name: string): KubeObject => pod(name, { phase, nodeName });

  it('P10: nodes that the API server has and the cache lacks keep their pods', () => {
    const pods = [on('one', 'Running', 'a'), on('two', 'Failed', 'b'), on('two', 'Succeeded', 'c')];
    expect(twoCycles({ pods, live: 'exists' })).toEqual({ queued: 2, deleted: [], patched: [] });
  });

  it('P11: after the quarantine finished pods go without a patch', () => {
    const pods = [on('deleted', 'Failed', 'a'), on('deleted', 'Succeeded', 'b')];
    expect(twoCycles({ pods })).toEqual({ queued: 1, deleted: ['a', 'b'], patched: [] });
  });

  it('P13: before the quarantine ends nothing happens', () => {
    const pods = [on('deleted', 'Failed', 'a')];
    expect(twoCycles({ pods, wait: PodGcSettings.quarantine / 2 })).toEqual({
      queued: 0,
      deleted: [],
      patched: [],
    });
  });

  it('P14: a running pod is patched, then deleted, while other nodes exist', () => {
    const pods = [on('deleted', 'Running', 'a')];
    const others = [node('existing', true)];
    expect(twoCycles({ pods, cached: [others, others] })).toEqual({
      queued: 1,
      deleted: ['a'],
      patched: ['a'],
    });
  });

  it('P16: a node that the API server has again after the quarantine keeps its pods', () => {
    const pods = [on('node', 'Running', 'a')];
    expect(twoCycles({ pods, live: 'exists' })).toEqual({ queued: 1, deleted: [], patched: [] });
  });

  it('P17: a node that the cache has again after the quarantine keeps its pods', () => {
    const pods = [on('node', 'Failed', 'a')];
    expect(twoCycles({ pods, cached: [[], [node('node', true)]] })).toEqual({
      queued: 1,
      deleted: [],
      patched: [],
    });
  });

  it('P19: a node that was there at the first cycle has not been in quarantine', () => {
    const pods = [on('node', 'Succeeded', 'a')];
    expect(twoCycles({ pods, cached: [[node('node', true)], []] })).toEqual({
      queued: 0,
      deleted: [],
      patched: [],
    });
  });

  it('waits for another quarantine after a GET that failed', () => {
    const quarantine = new NodeQuarantine();
    const pods = [on('deleted', 'Running', 'a')];
    const at = (now: number, live: ReturnType<CycleInput['getNode']>) =>
      deleted(cycle(pods, { quarantine, now, getNode: () => live }));
    expect(at(0, 'absent')).toEqual([]);
    expect(at(40_000, 'failed')).toEqual([]);
    expect(at(60_000, 'absent')).toEqual([]);
    expect(at(80_000, 'absent')).toEqual(['a']);
  });

  it('does not prolong a quarantine at every cycle that misses the node', () => {
    const quarantine = new NodeQuarantine();
    const pods = [on('deleted', 'Running', 'a')];
    const times = [0, 20_000, 40_000].map(now => deleted(cycle(pods, { quarantine, now })));
    expect(times).toEqual([[], [], ['a']]);
  });
});

describe('deleting pods', () => {
  const deleting = { deletionTimestamp: 0 };

  it('P20: go in any phase when no node was chosen for them; unfinished ones are patched', () => {
    const pods = ['Failed', 'Succeeded', 'Running'].map((phase, index) =>
      pod(['a', 'b', 'c'][index] ?? '', { phase }, deleting),
    );
    const deletions = cycle([...pods, pod('d', { phase: 'Pending' })]);
    expect(deleted(deletions)).toEqual(['a', 'b', 'c']);
    expect(patched(deletions)).toEqual(['c']);
    expect(deletions[2]?.requests[0]).toMatchObject({ phase: 'Failed', condition: undefined });
  });

  it('P22: stay on a node that is not ready and carries no taint', () => {
    const nodes = [node('one', false), node('two', false)];
    const pods = [pod('a', { nodeName: 'one' }, deleting), pod('b', { nodeName: 'two' }, deleting)];
    expect(cycle(pods, { nodes })).toEqual([]);
  });

  it('P23: go from nodes that are not ready and out of service, whatever the value and effect', () => {
    const taint = (effect: string, value = ''): Taint[] => [
      { key: 'node.kubernetes.io/out-of-service', value, effect },
    ];
    const nodes = [
      node('n1', false, taint('NoExecute')),
      node('n2', false),
      node('n3', true),
      node('n4', false, taint('NoSchedule')),
      node('n5', false, taint('PreferNoSchedule')),
      node('n6', false, taint('NoExecute', 'any-value')),
    ];
    const pods = nodes.flatMap(({ name: nodeName }, index) => [
      pod(`a${index + 1}`, { nodeName }),
      pod(`b${index + 1}`, { nodeName }, deleting),
      ...['Pending', 'Running', 'Unknown'].map(phase => pod(`${phase}${index + 1}`, { nodeName, phase })),
    ]);
    const deletions = cycle(pods, { nodes });
    expect(deleted(deletions)).toEqual(['b1', 'b4', 'b5', 'b6']);
    expect(patched(deletions)).toEqual(['b1', 'b4', 'b5', 'b6']);
    expect(deletions.every(({ rule }) => rule === 'OutOfService')).toBe(true);
  });

  it('stay on a ready node that is tainted as out of service', () => {
    const nodes = [node('one', true, [{ key: 'node.kubernetes.io/out-of-service', value: '', effect: '' }])];
    expect(cycle([pod('a', { nodeName: 'one' }, deleting)], { nodes })).toEqual([]);
  });

  it('go from an out-of-service node without any Ready condition', () => {
    const nodes = [
      node('one', undefined, [{ key: 'node.kubernetes.io/out-of-service', value: '', effect: '' }]),
    ];
    expect(deleted(cycle([pod('a', { nodeName: 'one' }, deleting)], { nodes }))).toEqual(['a']);
  });
});

it('P25: an orphaned running pod becomes Failed, keeps its conditions and gains DisruptionTarget first', () => {
  const running = pod('a', {
    phase: 'Running',
    nodeName: 'deleted',
    conditions: [condition('Ready', 'True')],
  });
  const [deletion] = cycle([running], { quarantine: new NodeQuarantine(0) });
  const requests: readonly ForceDeleteRequest[] = [
    {
      verb: 'patchStatus',
      uid: running.uid,
      phase: 'Failed',
      observedGeneration: 1,
      condition: {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        observedGeneration: 1,
      },
    },
    { verb: 'delete', gracePeriodSeconds: 0 },
  ];
  expect(deletion?.requests).toEqual(requests);
  const facts = podFacts(running);
  const patch = requests[0];
  if (facts === undefined || patch?.verb !== 'patchStatus') throw new Error('the pod has facts and a patch');
  expect(ForceDeleteRequest.patchedFacts(facts, patch)).toEqual({
    ...facts,
    phase: 'Failed',
    conditions: [
      condition('Ready', 'True'),
      condition('DisruptionTarget', 'True', {
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
      }),
    ],
  });
});

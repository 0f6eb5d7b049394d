import { describe, expect, test } from 'vitest';
import type { PodFacts } from '../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { ApiAnswer, DeleteOptions } from '../../../src/simulation/api/api-client.ts';
import {
  defaultPolicy,
  deletionFinalizers,
  grace,
  markAsDeleting,
  podGracePeriod,
} from '../../../src/simulation/api/delete-rules.ts';
import { object } from '../../graph/fixtures.ts';
import { builtIn, cluster, NOW } from '../fixtures.ts';

const FG = 'foregroundDeletion';
const OR = 'orphan';
const plain = builtIn('ConfigMap');
const orphaning = builtIn('ReplicationController');

function remove(type: ResourceType, finalizers: readonly string[], options: DeleteOptions): ApiAnswer {
  const stored = object({ type, uid: 'it', finalizers, generation: 1 });
  return cluster({ objects: [stored] })
    .api.as('user')
    .delete(stored, options);
}

/** What is left of the finalizers, or `removed`; a kept object must be marked as deleting. */
function outcome(answer: ApiAnswer): readonly string[] | 'removed' {
  if (!answer.ok) throw new Error(answer.message);
  if (answer.removed) return 'removed';
  expect(answer.object).toMatchObject({
    deletionTimestamp: NOW,
    deletionGracePeriodSeconds: 0,
    generation: 2,
  });
  return answer.object.finalizers;
}

describe('the finalizers that a DELETE leaves', () => {
  const rows: [
    string,
    string | undefined,
    string | undefined,
    ResourceType,
    readonly string[] | 'removed',
  ][] = [
    ['S1', undefined, 'Foreground', plain, [FG]],
    ['S2', undefined, 'Foreground', orphaning, [FG]],
    ['S4', undefined, 'Background', orphaning, 'removed'],
    ['S5', undefined, 'Orphan', plain, [OR]],
    ['S7', undefined, undefined, plain, 'removed'],
    ['S8', undefined, undefined, orphaning, [OR]],
    ['S10', OR, 'Foreground', orphaning, [FG]],
    ['S11', OR, 'Background', plain, 'removed'],
    ['S13', OR, 'Orphan', plain, [OR]],
    ['S14', OR, 'Orphan', orphaning, [OR]],
    ['S16', OR, undefined, orphaning, [OR]],
    ['S17', FG, 'Foreground', plain, [FG]],
    ['S19', FG, 'Background', plain, 'removed'],
    ['S20', FG, 'Background', orphaning, 'removed'],
    ['S22', FG, 'Orphan', orphaning, [OR]],
    ['S23', FG, undefined, plain, [FG]],
  ];
  test.each(rows)(
    '%s: with finalizer %s and policy %s',
    (_row, finalizer, propagationPolicy, type, expected) => {
      const options = propagationPolicy === undefined ? {} : { propagationPolicy };
      expect(outcome(remove(type, finalizer === undefined ? [] : [finalizer], options))).toEqual(expected);
    },
  );

  const four = [['x', OR, 'y'], ['x', 'y'], [], [OR]];

  test('S25: orphanDependents true orphans, and an unchanged set keeps its order', () => {
    expect(four.map(each => outcome(remove(plain, each, { orphanDependents: true })))).toEqual([
      ['x', OR, 'y'],
      ['x', 'y', OR],
      [OR],
      [OR],
    ]);
  });

  test('S26: orphanDependents false takes the orphan finalizer from a type that orphans by default', () => {
    expect(four.map(each => outcome(remove(orphaning, each, { orphanDependents: false })))).toEqual([
      ['x', 'y'],
      ['x', 'y'],
      'removed',
      'removed',
    ]);
  });

  test('S28: without options such a type orphans', () => {
    expect(four.map(each => outcome(remove(orphaning, each, {})))).toEqual([
      ['x', OR, 'y'],
      ['x', 'y', OR],
      [OR],
      [OR],
    ]);
  });

  test('S29: the default depends on the version that a request goes through', () => {
    const through = (apiVersion: string): readonly string[] =>
      deletionFinalizers([], {}, defaultPolicy({ group: 'apps', kind: 'ReplicaSet', apiVersion }));
    expect(through('extensions/v1beta1')).toEqual([OR]);
    expect(through('apps/v1beta1')).toEqual([OR]);
    expect(through('apps/v1beta2')).toEqual([OR]);
    expect(through('apps/v1')).toEqual([]);
  });

  test('Jobs orphan by default, events never have the finalizers of the collector', () => {
    expect(outcome(remove(builtIn('Job'), [], {}))).toEqual([OR]);
    expect(outcome(remove(builtIn('Event', 'v1'), [], { propagationPolicy: 'Foreground' }))).toBe('removed');
  });

  test('S31: pods are no exception when they are deleted without grace', () => {
    const pod = builtIn('Pod');
    const at0 = (finalizers: string[], options: DeleteOptions): ApiAnswer =>
      remove(pod, finalizers, { gracePeriodSeconds: 0, ...options });
    expect(four.map(each => outcome(at0(each, { orphanDependents: true })))).toEqual([
      ['x', OR, 'y'],
      ['x', 'y', OR],
      [OR],
      [OR],
    ]);
    expect(four.map(each => outcome(at0(each, { orphanDependents: false })))).toEqual([
      ['x', 'y'],
      ['x', 'y'],
      'removed',
      'removed',
    ]);
  });
});

describe('the mark of deletion', () => {
  test('S32: it is set to now, brought forward to now, and never moved back', () => {
    const marked = (deletionTimestamp: number | undefined): number | undefined =>
      markAsDeleting(object({ uid: 'it', deletionTimestamp }), NOW).deletionTimestamp;
    expect(marked(undefined)).toBe(NOW);
    expect(marked(NOW + 60_000)).toBe(NOW);
    expect(marked(NOW - 60_000)).toBe(NOW - 60_000);
  });

  function deletingPod(stored: number, deletionTimestamp = NOW + stored * 1000): KubeObject {
    return object({ uid: 'pod', deletionTimestamp, deletionGracePeriodSeconds: stored });
  }

  test('S34: after a grace period of 0 there is nothing graceful left', () => {
    for (const asked of [undefined, 0, 1, 30]) {
      const options = asked === undefined ? {} : { gracePeriodSeconds: asked };
      expect(grace(deletingPod(0), options, NOW)).toEqual({ kind: 'immediate' });
    }
  });

  test('S35: a grace period of 1 can only be shortened to 0', () => {
    const asked = (gracePeriodSeconds: number): string =>
      grace(deletingPod(1), { gracePeriodSeconds }, NOW).kind;
    expect([-1, 0, 1, 2].map(asked)).toEqual(['pending', 'graceful', 'pending', 'pending']);
    expect(grace(deletingPod(1), { gracePeriodSeconds: 0 }, NOW)).toMatchObject({ seconds: 0 });
  });

  test('S37: a shorter period that would have ended already ends now', () => {
    const pod = deletingPod(60, NOW - 60_000);
    expect(grace(pod, { gracePeriodSeconds: 50 }, NOW)).toEqual({ kind: 'graceful', at: NOW, seconds: 1 });
    expect(grace(pod, { gracePeriodSeconds: 0 }, NOW)).toEqual({ kind: 'graceful', at: NOW, seconds: 0 });
  });

  test('S38: a pod has grace while it is scheduled and has not ended', () => {
    expect(podGracePeriod(pod('Pending', 'node'), 30)).toBe(30);
    expect(podGracePeriod(pod('Failed', 'node'), 30)).toBe(0);
    expect(podGracePeriod(pod('Running', ''), 30)).toBe(0);
    expect(podGracePeriod(pod('Succeeded', 'node'), 30)).toBe(0);
    expect(podGracePeriod(pod('', ''), 30)).toBe(0);
    expect(podGracePeriod({ ...pod('Running', 'node'), terminationGracePeriodSeconds: -1 }, undefined)).toBe(
      1,
    );
  });
});

describe('graceful deletion of a pod', () => {
  const running = object({ uid: 'web', facts: pod('Running', 'node', 30), finalizers: [] });

  test('a longer or unspecified period is a no-op that leaves the finalizers alone', () => {
    const { api, log } = withPod(running);
    expect(api.delete(running)).toMatchObject({ removed: false, object: { deletionGracePeriodSeconds: 30 } });
    const again = api.delete(running, { propagationPolicy: 'Foreground', gracePeriodSeconds: 40 });
    expect(again).toMatchObject({ ok: true, removed: false, object: { finalizers: [] } });
    expect(log.at(-1)).toMatchObject({ before: undefined, after: undefined });
  });

  test('a shorter period recomputes the finalizers too', () => {
    const { api } = withPod(running);
    api.delete(running);
    expect(api.delete(running, { propagationPolicy: 'Foreground', gracePeriodSeconds: 10 })).toMatchObject({
      object: { finalizers: [FG], deletionTimestamp: NOW + 10_000 },
    });
  });

  test('force alone does not free a pod from foreground deletion, Background does', () => {
    const { api } = withPod(running);
    api.delete(running, { propagationPolicy: 'Foreground' });
    expect(api.delete(running, { gracePeriodSeconds: 0 })).toMatchObject({
      removed: false,
      object: { finalizers: [FG], deletionGracePeriodSeconds: 0 },
    });
    expect(api.delete(running, { gracePeriodSeconds: 0, propagationPolicy: 'Background' })).toMatchObject({
      removed: true,
    });
  });

  test('emptying the finalizers of a pod in its grace period leaves it to the kubelet', () => {
    const held = object({ uid: 'web', facts: pod('Running', 'node', 30), finalizers: ['x/y'] });
    const { api } = withPod(held);
    api.delete(held);
    expect(api.patch(held, { finalizers: [] })).toMatchObject({ removed: false });
    expect(api.delete(held, { gracePeriodSeconds: 0 })).toMatchObject({ removed: true });
  });
});

function withPod(stored: KubeObject) {
  const { api } = cluster({ objects: [stored] });
  return { api: api.as('user'), log: api.log.entries };
}

function pod(phase: string, nodeName: string, terminationGracePeriodSeconds?: number): PodFacts {
  return {
    kind: 'Pod',
    phase,
    nodeName,
    terminationGracePeriodSeconds,
    reason: '',
    containers: 1,
    readyContainers: 1,
    restarts: 0,
    containerReason: '',
    claims: [],
    ephemeralVolumes: [],
    nodeSelector: [],
    hasEmptyDir: false,
    schedulingGroup: '',
    tolerations: [],
    managerFlags: [],
    conditions: [],
  };
}

import { describe, expect, it } from 'vitest';
import type { WorkloadFacts } from '../../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { ClaimProtectionController } from '../../../../src/simulation/controllers/volumes.ts';
import { StatefulSetController } from '../../../../src/simulation/controllers/workloads/statefulset.ts';
import { blockingRefTo, object } from '../../../graph/fixtures.ts';
import { builtIn } from '../../fixtures.ts';
import { all, exists, named, requests, runningPod, workload, world } from '../world.ts';

const controllers = () => [new StatefulSetController(), new ClaimProtectionController()];

function claim(name: string): KubeObject {
  return object({
    uid: `uid-${name}`,
    name,
    namespace: 'default',
    type: builtIn('PersistentVolumeClaim'),
    finalizers: ['kubernetes.io/pvc-protection'],
    facts: {
      kind: 'PersistentVolumeClaim',
      phase: 'Bound',
      volumeName: `volume-${name}`,
      storageClassName: 'fast',
      dataSource: '',
      dataSourceRef: '',
      attributesClassName: '',
      currentAttributesClassName: '',
      targetAttributesClassName: '',
      conditions: [],
    },
  });
}

/** A set of `size` ready pods with a claim each. */
function settled(size: number, facts: Partial<WorkloadFacts> = {}) {
  const set = workload('StatefulSet', 'db', {
    desired: size,
    current: size,
    ready: size,
    available: size,
    claimTemplates: ['data'],
    ...facts,
  });
  const ordinals = Array.from({ length: size }, (_, ordinal) => ordinal);
  const pods = ordinals.map(ordinal =>
    runningPod(`db-${ordinal}`, set, {}, { claims: [`data-db-${ordinal}`] }),
  );
  const claims = ordinals.map(ordinal => claim(`data-db-${ordinal}`));
  return { set, pods, claims, objects: [set, ...pods, ...claims] };
}

const podNames = (cluster: ReturnType<typeof world>): string[] => all(cluster, 'Pod').map(({ name }) => name);

describe('a StatefulSet', () => {
  it('replaces a pod under its name only once the old one is gone, and keeps its claim', () => {
    const { pods, objects } = settled(3);
    const cluster = world(objects, controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'db-1'));
    cluster.runFor(20_000);
    expect(named(cluster, 'Pod', 'db-1').uid).toBe(pods[1]?.uid);
    expect(cluster.run()).toBe('rest');
    expect(podNames(cluster)).toEqual(['db-0', 'db-1', 'db-2']);
    const replaced = named(cluster, 'Pod', 'db-1');
    expect(replaced.uid).not.toBe(pods[1]?.uid);
    expect(replaced.facts).toMatchObject({ phase: 'Running', claims: ['data-db-1'] });
    expect(named(cluster, 'PersistentVolumeClaim', 'data-db-1').uid).toBe('uid-data-db-1');
  });

  it('starts its pods in order, with their claims', () => {
    const set = workload('StatefulSet', 'db', { desired: 3, claimTemplates: ['data'] });
    const cluster = world([set], controllers);
    cluster.start('replay');
    expect(cluster.run()).toBe('rest');
    const creations = requests(cluster, 'statefulset-controller').filter(each => each.startsWith('create'));
    expect(creations).toEqual([
      expect.stringMatching(/^create controllerrevisions db-/),
      ...[0, 1, 2].flatMap(ordinal => [
        `create persistentvolumeclaims data-db-${ordinal}`,
        `create pods db-${ordinal}`,
      ]),
    ]);
    expect(all(cluster, 'PersistentVolumeClaim').map(({ finalizers }) => finalizers)).toEqual(
      Array.from({ length: 3 }, () => ['kubernetes.io/pvc-protection']),
    );
  });

  it('goes no further while a pod before is not ready', () => {
    const set = workload('StatefulSet', 'db', { desired: 3 });
    const stuck = runningPod('db-0', set, {}, { conditions: [] });
    const cluster = world([set, stuck], controllers);
    cluster.start('replay');
    cluster.run();
    expect(podNames(cluster)).toEqual(['db-0']);
  });

  it('scales down from the top, one at a time', () => {
    const { set, objects } = settled(4);
    const cluster = world(objects, controllers);
    cluster.start('resume');
    const facts = set.facts?.kind === 'Workload' ? { ...set.facts, desired: 2 } : undefined;
    cluster.as('user').patch(set, { facts });
    expect(cluster.run()).toBe('rest');
    expect(podNames(cluster)).toEqual(['db-0', 'db-1']);
    const deletions = requests(cluster, 'statefulset-controller').filter(each => each.startsWith('delete'));
    expect(deletions).toEqual(['delete pods db-3', 'delete pods db-2']);
    expect(all(cluster, 'PersistentVolumeClaim')).toHaveLength(4);
  });

  it('hands the claims of scaled down pods to these pods where whenScaled is Delete', () => {
    const { set, pods, objects } = settled(2, { claimsWhenScaled: 'Delete', claimsWhenDeleted: 'Delete' });
    const cluster = world(objects, controllers);
    cluster.start('resume');
    const facts = set.facts?.kind === 'Workload' ? { ...set.facts, desired: 1 } : undefined;
    cluster.as('user').patch(set, { facts });
    cluster.run();
    expect(podNames(cluster)).toEqual(['db-0']);
    expect(named(cluster, 'PersistentVolumeClaim', 'data-db-0').owners).toEqual([blockingRefTo(set)]);
    const [, second] = pods;
    expect(named(cluster, 'PersistentVolumeClaim', 'data-db-1').owners).toEqual(
      second === undefined ? [] : [blockingRefTo(second)],
    );
  });

  it('waits for a claim that is being deleted, then makes both anew', () => {
    const { objects } = settled(1);
    const cluster = world(objects, controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'PersistentVolumeClaim', 'data-db-0'));
    expect(cluster.run()).toBe('rest');
    // A pod that runs with it holds it.
    expect(exists(cluster, 'PersistentVolumeClaim', 'data-db-0')).toBe(true);
    cluster.as('user').delete(named(cluster, 'Pod', 'db-0'));
    expect(cluster.run()).toBe('rest');
    expect(named(cluster, 'PersistentVolumeClaim', 'data-db-0').uid).not.toBe('uid-data-db-0');
    expect(named(cluster, 'PersistentVolumeClaim', 'data-db-0').deletionTimestamp).toBeUndefined();
    expect(named(cluster, 'Pod', 'db-0').facts).toMatchObject({ phase: 'Running' });
  });

  it('runs a finished pod again', () => {
    const set = workload('StatefulSet', 'db', { desired: 1 });
    const done = runningPod('db-0', set, {}, { phase: 'Failed', conditions: [] });
    const cluster = world([set, done], controllers);
    cluster.start('replay');
    cluster.run();
    expect(named(cluster, 'Pod', 'db-0').uid).not.toBe(done.uid);
    expect(named(cluster, 'Pod', 'db-0').facts).toMatchObject({ phase: 'Running' });
  });

  it('adopts only pods of its name', () => {
    const set = workload('StatefulSet', 'db', { desired: 1 });
    const cluster = world(
      [set, runningPod('db-0', undefined), runningPod('other-0', undefined)],
      controllers,
    );
    cluster.start('replay');
    cluster.run();
    expect(named(cluster, 'Pod', 'db-0').owners).toEqual([blockingRefTo(set)]);
    expect(named(cluster, 'Pod', 'other-0').owners).toEqual([]);
  });

  it('makes no pods any more while it is being deleted', () => {
    const { set, objects } = settled(2);
    const cluster = world(objects, controllers);
    cluster.start('resume');
    cluster.as('user').delete(set, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(named(cluster, 'Pod', 'db-0'));
    cluster.run();
    expect(podNames(cluster)).toEqual(['db-1']);
    expect(requests(cluster, 'statefulset-controller').filter(each => / pods/.test(each))).toEqual([]);
  });

  it('keeps ordinals that do not begin at zero', () => {
    const set = workload('StatefulSet', 'db', { desired: 2, current: 2, ready: 2, available: 2 });
    const cluster = world([set, runningPod('db-5', set), runningPod('db-6', set)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(named(cluster, 'Pod', 'db-5'));
    cluster.run();
    expect(podNames(cluster)).toEqual(['db-5', 'db-6']);
  });
});

describe('the revisions of a StatefulSet', () => {
  const revision = (name: string, set: KubeObject): KubeObject =>
    object({
      uid: `uid-${name}`,
      name,
      namespace: 'default',
      type: builtIn('ControllerRevision'),
      labels: ['app', 'web', 'controller-revision-hash', name],
      owners: [blockingRefTo(set)],
    });

  function withTwo() {
    const set = workload('StatefulSet', 'db', { desired: 1, current: 1, ready: 1, available: 1 });
    const labels = ['app', 'web', 'controller-revision-hash', 'db-2222'];
    const pod = runningPod('db-0', set, { labels });
    const cluster = world([set, pod, revision('db-1111', set), revision('db-2222', set)], controllers);
    cluster.start('resume');
    for (const name of ['db-2222', 'db-1111']) {
      cluster.as('user').delete(named(cluster, 'ControllerRevision', name));
      cluster.run();
    }
    return { cluster, set };
  }

  it('are not missed until the set is looked at for another reason', () => {
    expect(all(withTwo().cluster, 'ControllerRevision')).toEqual([]);
  });

  it('come back then, the one that the pods are labelled with', () => {
    const { cluster, set } = withTwo();
    cluster.wake([set]);
    cluster.run();
    const revisions = all(cluster, 'ControllerRevision');
    expect(revisions.map(({ name, owners }) => [name, owners])).toEqual([['db-2222', [blockingRefTo(set)]]]);
  });

  it('come back even while the set is being deleted, for it looks for them first', () => {
    const { cluster, set } = withTwo();
    cluster.as('user').delete(set, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(named(cluster, 'Pod', 'db-0'));
    cluster.run();
    expect(all(cluster, 'ControllerRevision').map(({ name }) => name)).toHaveLength(1);
  });

  it('that the set has lost while it is being deleted keep it from writing another', () => {
    const cluster = world([], controllers);
    // What is there before it starts has a revision already.
    cluster.start('resume');
    const user = cluster.as('user');
    const set = workload('StatefulSet', 'db', { desired: 1 }, { finalizers: ['example.com/hold'] });
    user.create(set);
    const stored = named(cluster, 'StatefulSet', 'db');
    user.delete(stored);
    user.create({ ...revision('db-1111', stored), owners: [] });
    cluster.run();
    const revisions = all(cluster, 'ControllerRevision');
    expect(revisions.map(({ name, owners }) => [name, owners])).toEqual([['db-1111', []]]);
  });

  it('stay away when they are old ones', () => {
    const set = workload('StatefulSet', 'db', { desired: 0 });
    const old = revision('db-1111', set);
    const cluster = world([set, old, revision('db-2222', set)], controllers);
    cluster.start('resume');
    cluster.as('user').delete(old);
    cluster.wake([set]);
    cluster.run();
    expect(all(cluster, 'ControllerRevision').map(({ name }) => name)).toEqual(['db-2222']);
  });
});

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/model/object.ts';
import { revised } from '../../../../src/simulation/api/revise.ts';
import {
  ClaimProtectionController,
  VolumeBinderController,
  VolumeProtectionController,
} from '../../../../src/simulation/controllers/volumes.ts';
import { blockingRefTo, object } from '../../../graph/fixtures.ts';
import { builtIn } from '../../fixtures.ts';
import { exists, named, runningPod, world } from '../world.ts';

const controllers = () => [
  new ClaimProtectionController(),
  new VolumeProtectionController(),
  new VolumeBinderController(),
];

const claim = object({
  uid: 'uid-data',
  name: 'data',
  namespace: 'default',
  type: builtIn('PersistentVolumeClaim'),
  finalizers: ['kubernetes.io/pvc-protection'],
  facts: {
    kind: 'PersistentVolumeClaim',
    phase: 'Bound',
    volumeName: 'disk',
    storageClassName: '',
    dataSource: '',
    dataSourceRef: '',
    attributesClassName: '',
    currentAttributesClassName: '',
    targetAttributesClassName: '',
    conditions: [],
  },
});

const volume = object({
  uid: 'uid-disk',
  name: 'disk',
  type: builtIn('PersistentVolume'),
  finalizers: ['kubernetes.io/pv-protection'],
  facts: {
    kind: 'PersistentVolume',
    phase: 'Bound',
    claimNamespace: 'default',
    claimName: 'data',
    claimUid: 'uid-data',
    reclaimPolicy: 'Retain',
    storageClassName: '',
    csiDriver: '',
    attributesClassName: '',
  },
});

function started(objects: readonly KubeObject[]) {
  const cluster = world(objects, controllers);
  cluster.start('resume');
  return cluster;
}

describe('a deleted claim', () => {
  it('goes at once when no pod mounts it', () => {
    const cluster = started([claim]);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(false);
  });

  it('stays while a pod on a node mounts it, finished or not, and goes with the pod', () => {
    const user = runningPod('a', undefined, {}, { claims: ['data'], phase: 'Succeeded' });
    const cluster = started([claim, user]);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(true);
    cluster.as('user').delete(user);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(false);
  });

  it('does not wait for a pod that no node was chosen for', () => {
    const user = runningPod('a', undefined, {}, { claims: ['data'], phase: 'Pending', nodeName: '' });
    const cluster = started([claim, user]);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(false);
  });

  it('does not wait for a pod of the same claim name in another namespace', () => {
    const user = runningPod('a', undefined, { namespace: 'elsewhere' }, { claims: ['data'] });
    const cluster = started([claim, user]);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(false);
  });

  it('of an ephemeral volume goes once its pod only waits for finalizers', () => {
    const user = runningPod(
      'a',
      undefined,
      { finalizers: ['example.com/hold'] },
      { ephemeralVolumes: ['tmp'] },
    );
    const ephemeral = object({
      uid: 'uid-tmp',
      name: 'a-tmp',
      namespace: 'default',
      type: claim.type,
      finalizers: claim.finalizers,
      owners: [blockingRefTo(user)],
      facts: claim.facts,
    });
    const cluster = started([ephemeral, user]);
    cluster.as('user').delete(ephemeral);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'a-tmp')).toBe(true);
    cluster.as('user').delete(user);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'a-tmp')).toBe(false);
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
  });

  it('stays for good with a pod that deletes its dependents first and mounts the claim it owns', () => {
    const user = runningPod('a', undefined, { finalizers: ['foregroundDeletion'] }, { claims: ['data'] });
    const owned = revised(claim, { owners: [blockingRefTo(user)] });
    const cluster = started([owned, user]);
    cluster.as('user').delete(user, { propagationPolicy: 'Foreground' });
    cluster.as('user').delete(owned);
    expect(cluster.run()).toBe('rest');
    expect(exists(cluster, 'PersistentVolumeClaim', 'data')).toBe(true);
    expect(exists(cluster, 'Pod', 'a')).toBe(true);
  });
});

describe('a volume', () => {
  it('that is deleted while it is bound stays until its claim is gone', () => {
    const cluster = started([claim, volume]);
    cluster.as('user').delete(volume);
    cluster.run();
    expect(exists(cluster, 'PersistentVolume', 'disk')).toBe(true);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(exists(cluster, 'PersistentVolume', 'disk')).toBe(false);
  });

  it('is released when its claim goes, and stays', () => {
    const cluster = started([claim, volume]);
    cluster.as('user').delete(claim);
    cluster.run();
    expect(named(cluster, 'PersistentVolume', 'disk').facts).toMatchObject({ phase: 'Released' });
  });
});

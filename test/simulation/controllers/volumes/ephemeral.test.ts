import { describe, expect, it } from 'vitest';
import { EphemeralVolumeController } from '../../../../src/simulation/controllers/volumes.ts';
import { blockingRefTo } from '../../../graph/fixtures.ts';
import { all, exists, named, runningPod, world } from '../world.ts';

const controllers = () => [new EphemeralVolumeController()];

describe('the claim of an ephemeral volume', () => {
  it('is made for a new pod, which it belongs to, and the pod starts with it', () => {
    const cluster = world([], controllers);
    cluster.start('resume');
    const facts = { phase: 'Pending', nodeName: '', conditions: [], ephemeralVolumes: ['tmp'] };
    cluster.as('user').create(runningPod('a', undefined, {}, facts));
    expect(cluster.run()).toBe('rest');
    const pod = named(cluster, 'Pod', 'a');
    expect(named(cluster, 'PersistentVolumeClaim', 'a-tmp').owners).toEqual([blockingRefTo(pod)]);
    expect(pod.facts).toMatchObject({ phase: 'Running' });
  });

  it('is made again while its pod is there, and not for a pod that is being deleted', () => {
    const pod = runningPod('a', undefined, {}, { ephemeralVolumes: ['tmp'] });
    const cluster = world([pod], controllers);
    cluster.start('replay');
    cluster.run();
    const claim = named(cluster, 'PersistentVolumeClaim', 'a-tmp');
    cluster.as('user').patch(claim, { finalizers: [] });
    cluster.as('user').delete(claim);
    cluster.run();
    expect(named(cluster, 'PersistentVolumeClaim', 'a-tmp').uid).not.toBe(claim.uid);
    cluster.as('user').patch(pod, { finalizers: ['example.com/hold'] });
    cluster.as('user').delete(pod);
    cluster.run();
    const again = named(cluster, 'PersistentVolumeClaim', 'a-tmp');
    cluster.as('user').patch(again, { finalizers: [] });
    cluster.as('user').delete(again);
    cluster.run();
    expect(exists(cluster, 'PersistentVolumeClaim', 'a-tmp')).toBe(false);
  });

  it('is not taken over from somebody else', () => {
    const pod = runningPod('a', undefined, {}, { ephemeralVolumes: ['tmp'] });
    const cluster = world([pod], controllers);
    const type = cluster.discovery.catalog.resolveKind('v1', 'PersistentVolumeClaim');
    if (type === undefined) throw new Error('claims are served');
    cluster.as('user').create({ type, namespace: 'default', name: 'a-tmp' });
    cluster.start('replay');
    expect(cluster.run({ tasks: 10_000 })).toBe('rest');
    expect(all(cluster, 'PersistentVolumeClaim').map(({ owners }) => owners)).toEqual([[]]);
  });
});

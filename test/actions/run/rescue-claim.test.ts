import { describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ActingWorld, lines } from '../acting-world.ts';

const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const node = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}`;
const claim = (name: string, more = ''): string => `
- {kind: PersistentVolumeClaim, name: ${name}, ${deleting}, finalizers: [kubernetes.io/pvc-protection${more}], labels: {tier: store}, spec: {volumeName: pv-1, storageClassName: disk}, status: {phase: Bound}}`;
const volume = (name: string, more = ''): string => `
- {kind: PersistentVolume, name: pv-1, namespace: "", finalizers: [kubernetes.io/pv-protection]${more}, spec: {persistentVolumeReclaimPolicy: Delete, storageClassName: disk, claimRef: {namespace: shop, name: ${name}, uid: ${name}}}, status: {phase: Bound}}`;
const pod = (name: string, mounts: string, owner: string): string => `
- {kind: Pod, name: ${name}, labels: {app: x}${owner === '' ? '' : `, owners: [${owner} +c +b]`}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 5, containers: [{name: main}], volumes: [{name: d, persistentVolumeClaim: {claimName: ${mounts}}}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`;
const replicaSet = `
- {kind: ReplicaSet, apiVersion: apps/v1, name: api, spec: {replicas: 1, selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}}}, status: {replicas: 1, readyReplicas: 1}}`;
const statefulSet = `
- {kind: StatefulSet, apiVersion: apps/v1, name: db, spec: {replicas: 1, selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}}, volumeClaimTemplates: [{metadata: {name: data}}]}, status: {replicas: 1, readyReplicas: 1}}`;
const workload = node + replicaSet + pod('api-1', 'files', 'apps/v1 ReplicaSet api api') + volume('files');

const RESCUE = 'rescue-claim/files';

const find = (world: ActingWorld, kind: string, name: string): KubeObject | undefined =>
  [...world.cluster.store.all()].find(each => each.type.kind === kind && each.name === name);

function bound(world: ActingWorld, name: string): void {
  const now = find(world, 'PersistentVolumeClaim', name);
  expect(now?.uid).not.toBe(name);
  expect(now?.facts).toMatchObject({ volumeName: 'pv-1', phase: 'Bound' });
  expect(find(world, 'PersistentVolume', 'pv-1')).toMatchObject({
    uid: 'pv-1',
    facts: { reclaimPolicy: 'Retain', phase: 'Bound', claimName: name, claimUid: now?.uid },
  });
}

describe('rescuing a claim that is being deleted', () => {
  it('replaces the claim once its pods are gone, and can put the reclaim policy back', async () => {
    const world = await ActingWorld.of(workload + claim('files'));
    const prepared = world.unblock('files', RESCUE);
    expect(prepared.losses).toEqual([]);
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 3 });
    expect(lines(world.sent)).toEqual(['PATCH pv-1', 'DELETE api-1', 'POST files']);
    bound(world, 'files');
    expect(world.sent.at(-1)?.body).toMatchObject({ metadata: { labels: { tier: 'store' } } });
    const [entry] = await world.journal.list();
    const undo = Undo.plan(entry!, await world.journal.backupOf(entry!), world.view);
    expect(undo.does).toEqual(['put the reclaim policy of PersistentVolume pv-1 back']);
  });

  it('leaves the new claim to a StatefulSet that has a template for it', async () => {
    const set = node + statefulSet + pod('db-0', 'data-db-0', 'apps/v1 StatefulSet db db');
    const world = await ActingWorld.of(set + volume('data-db-0') + claim('data-db-0'));
    const ended = await actionRun.perform(
      world.unblock('data-db-0', 'rescue-claim/data-db-0'),
      world.ports(),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 2 });
    expect(lines(world.sent)).toEqual(['PATCH pv-1', 'DELETE db-0']);
    bound(world, 'data-db-0');
  });

  it('is the same from the volume and from a pod', async () => {
    const world = await ActingWorld.of(workload + claim('files'));
    const [one, ...others] = ['files', 'pv-1', 'api-1'].map(uid => world.unblock(uid, RESCUE).requests);
    expect(one).toHaveLength(3);
    for (const each of others) expect(each).toEqual(one);
  });

  it('creates nothing while the old claim is there, and has only that left to do then', async () => {
    const world = await ActingWorld.of(workload + claim('files'));
    const asked = world.unblock('files', RESCUE);
    world.intercept = ({ method, path }) => {
      // Another finalizer than the forecast's keeps the pod, and so the claim.
      const found = method === 'DELETE' && path.endsWith('/api-1') ? find(world, 'Pod', 'api-1') : undefined;
      if (found !== undefined)
        world.cluster.as('user').patch(found, { finalizers: [...found.finalizers, 'example.com/drain'] });
      return undefined;
    };
    const ended = await actionRun.perform(asked, world.ports());
    expect(ended).toMatchObject({
      state: 'unfinished',
      because: 'PersistentVolumeClaim files is still there',
      taken: 2,
    });
    expect(lines(world.unblock('files', RESCUE).requests)).toEqual(['POST files']);
  });

  it('stops if another claim has taken the name', async () => {
    const world = await ActingWorld.of(workload + claim('files'));
    world.intercept = ({ method, path }) => {
      if (method === 'DELETE' && path.endsWith('/api-1')) world.replace('files');
      return undefined;
    };
    const ended = await actionRun.perform(world.unblock('files', RESCUE), world.ports());
    expect(ended).toMatchObject({ state: 'refused', taken: 2 });
    expect(find(world, 'PersistentVolume', 'pv-1')?.facts).toMatchObject({ reclaimPolicy: 'Retain' });
  });

  it('is dangerous where nothing creates the pod again', async () => {
    const world = await ActingWorld.of(node + pod('bare', 'files', '') + volume('files') + claim('files'));
    const { intent } = world.unblock('files', RESCUE);
    expect(intent).toMatchObject({ remedy: { risk: 'dangerous' } });
  });

  it('is not offered if something else holds the claim, or the volume is to go', async () => {
    for (const yaml of [
      workload + claim('files', ', example.com/keep'),
      workload.replace('pv-protection]', `pv-protection], ${deleting}`) + claim('files'),
      workload.replace('uid: files', 'uid: other') + claim('files'),
    ]) {
      const world = await ActingWorld.of(yaml);
      expect(() => world.unblock('files', RESCUE)).toThrow(RESCUE);
    }
  });
});

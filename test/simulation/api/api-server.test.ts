import { expect, test } from 'vitest';
import { object } from '../../graph/fixtures.ts';
import { builtIn, cluster, NOW } from '../fixtures.ts';

const pods = builtIn('Pod');
const configMaps = builtIn('ConfigMap');

test('a created object can be read back, with a uid, a version and its creation time', () => {
  const { api } = cluster();
  const client = api.as('user');
  const created = client.create({ type: configMaps, namespace: 'ns1', name: 'a' });
  expect(created).toMatchObject({ ok: true, status: 201, object: { name: 'a', creationTimestamp: NOW } });
  expect(client.get({ type: configMaps, namespace: 'ns1', name: 'a' })).toMatchObject({
    ok: true,
    object: created.ok ? created.object : undefined,
  });
  expect(client.create({ type: configMaps, namespace: 'ns1', name: 'a' })).toMatchObject({ status: 409 });
  expect(client.get({ type: configMaps, namespace: 'ns2', name: 'a' })).toMatchObject({ status: 404 });
});

test('deleting a scheduled pod marks it by its grace period, and a shorter one brings it forward', () => {
  const pod = object({
    type: pods,
    uid: 'p',
    facts: {
      kind: 'Pod',
      phase: 'Running',
      reason: '',
      nodeName: 'node-1',
      terminationGracePeriodSeconds: 30,
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
    },
  });
  const { api, store } = cluster({ objects: [pod] });
  const client = api.as('user');
  expect(client.delete(pod)).toMatchObject({
    status: 200,
    removed: false,
    object: { deletionTimestamp: NOW + 30_000, deletionGracePeriodSeconds: 30 },
  });
  expect(client.delete(pod, { gracePeriodSeconds: 60 })).toMatchObject({ removed: false });
  expect(client.delete(pod, { gracePeriodSeconds: 5 })).toMatchObject({
    object: { deletionTimestamp: NOW + 5_000, deletionGracePeriodSeconds: 5 },
  });
  expect(client.delete(pod, { gracePeriodSeconds: 0 })).toMatchObject({ removed: true });
  expect(store.byUid(pod.uid)).toBeUndefined();
});

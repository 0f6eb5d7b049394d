import { describe, expect, test } from 'vitest';
import { objectJson } from '../../src/model/object-json.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import type { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { builtIn, cluster } from './fixtures.ts';

const type = builtIn('APIService');

function createApiService(world: SimulatedCluster, spec: object): void {
  const object = objectJson.read(type, { metadata: { name: 'v1beta1.metrics.k8s.io', uid: 'a' }, spec });
  if (object === undefined) throw new Error('no object');
  const answer = world.as('user').create({ type, name: object.name, facts: object.facts });
  if (!answer.ok) throw new Error(answer.message);
}

const remote = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  service: { namespace: 'kube-system', name: 'metrics-server' },
};

describe('an APIService of another server', () => {
  test('has no backend: its group cannot be discovered until it goes', () => {
    const world = cluster();
    createApiService(world, remote);
    expect(world.discovery.failedGroupVersions).toEqual(['metrics.k8s.io/v1beta1']);
    const key = { type, namespace: '', name: 'v1beta1.metrics.k8s.io' };
    const stored = world.store.find(type, '', key.name);
    expect(stored?.facts).toMatchObject({
      conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }],
    });
    world.as('user').delete(key);
    expect(world.discovery.failedGroupVersions).toEqual([]);
  });

  test('keeps a namespace from going, although nothing is left in it', () => {
    const world = cluster({ processes: controlPlane(), namespacesKnown: true });
    world.start();
    world.as('user').create({ type: builtIn('Namespace'), name: 'team' });
    createApiService(world, remote);
    world.run();
    const team = { type: builtIn('Namespace'), namespace: '', name: 'team' };
    world.as('user').delete(team);
    world.run();
    const facts = world.store.find(team.type, '', 'team')?.facts;
    expect(facts).toMatchObject({ phase: 'Terminating', specFinalizers: ['kubernetes'] });
    world.as('user').delete({ type, namespace: '', name: 'v1beta1.metrics.k8s.io' });
    world.run();
    expect(world.store.find(team.type, '', 'team')).toBeUndefined();
  });
});

test('an APIService that the server itself serves is available', () => {
  const world = cluster();
  createApiService(world, { group: 'metrics.k8s.io', version: 'v1beta1' });
  expect(world.discovery.failedGroupVersions).toEqual([]);
});

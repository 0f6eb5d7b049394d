import { describe, expect, test } from 'vitest';
import type { CrdFacts } from '../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import { CrdCleanupController } from '../../../src/simulation/controllers/crd-cleanup.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { refTo } from '../../graph/fixtures.ts';
import { builtIn, cluster, names } from '../fixtures.ts';

const definitions = builtIn('CustomResourceDefinition');
const configMaps = builtIn('ConfigMap');

const facts: CrdFacts = {
  kind: 'CustomResourceDefinition',
  group: 'example.com',
  definedKind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: [{ name: 'v1', served: true, storage: true }],
  conversion: '',
  conditions: [],
};
const crd = { type: definitions, namespace: '', name: 'widgets.example.com' };

function setUp(): { running: SimulatedCluster; widget: (name: string, finalizers?: string[]) => KubeObject } {
  const running = cluster({
    processes: [
      { name: 'kube-apiserver', controllers: () => [new CrdCleanupController()] },
      { name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] },
    ],
  });
  running.start();
  running.as('user').create({ type: definitions, name: crd.name, facts });
  running.run({ tasks: 100_000 });
  const widget = (name: string, finalizers: string[] = []): KubeObject => {
    const type = running.discovery.catalog.resolveKind('example.com/v1', 'Widget');
    if (type === undefined) throw new Error('widgets are not served');
    const created = running.as('user').create({ type, namespace: 'ns1', name, finalizers });
    if (!created.ok) throw new Error(created.message);
    return created.object;
  };
  return { running, widget };
}

function progress(running: SimulatedCluster): string | undefined {
  const found = running.store.find(definitions, '', crd.name)?.facts;
  if (found?.kind !== 'CustomResourceDefinition') return undefined;
  return found.conditions.find(({ type }) => type === 'Terminating')?.reason;
}

describe('deleting a definition', () => {
  test('its kind is served from its creation until it is gone', () => {
    const { running } = setUp();
    expect(running.discovery.catalog.resolveKind('example.com/v1', 'Widget')).toBeDefined();
    running.as('user').delete(crd);
    running.run({ tasks: 100_000 });
    expect(running.discovery.catalog.resolveKind('example.com/v1', 'Widget')).toBeUndefined();
  });

  test('the first DELETE ignores the policy, adds the clean-up finalizer and says so', () => {
    const { running } = setUp();
    const asked = running.clock.now;
    expect(running.as('user').delete(crd, { propagationPolicy: 'Foreground' })).toMatchObject({
      object: {
        deletionTimestamp: asked,
        finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      },
    });
    expect(progress(running)).toBe('InstanceDeletionPending');
  });

  test('instances go first, and with them what they own', () => {
    const { running, widget } = setUp();
    const owner = widget('owner');
    running.as('user').create({ type: configMaps, namespace: 'ns1', name: 'child', owners: [refTo(owner)] });
    running.run({ tasks: 100_000 });
    running.as('user').delete(crd);
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(names(running.store.all())).toEqual([]);
  });

  test('an instance with a finalizer keeps it, and no instance can be created meanwhile (docs/kubernetes.md §10 row 35)', () => {
    const { running, widget } = setUp();
    const held = widget('held', ['x/y']);
    running.as('user').delete(crd);
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(names(running.store.all())).toEqual(['held', crd.name]);
    expect(progress(running)).toBe('InstanceDeletionInProgress');
    expect(running.as('user').create({ type: held.type, namespace: 'ns1', name: 'late' })).toMatchObject({
      status: 405,
    });
    running.as('user').patch(held, { finalizers: [] });
    running.run({ tasks: 100_000 });
    expect(names(running.store.all())).toEqual([]);
  });

  test('stripping the finalizer hides the instances until the definition returns, still deleting', () => {
    const { running, widget } = setUp();
    const held = widget('held', ['x/y']);
    running.as('user').delete(crd);
    const asked = running.clock.now;
    running.run({ tasks: 100_000 });
    running.as('user').patch(crd, { finalizers: [] });
    running.run({ tasks: 100_000 });
    expect(running.as('user').get(held)).toMatchObject({ status: 404 });
    running.as('user').create({ type: definitions, name: crd.name, facts });
    running.run({ tasks: 100_000 });
    expect(running.as('user').get(held)).toMatchObject({ ok: true, object: { deletionTimestamp: asked } });
  });
});

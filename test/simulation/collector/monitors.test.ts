import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';

import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { object, refTo, type } from '../../graph/fixtures.ts';
import { builtIn, cluster, names } from '../fixtures.ts';

const pods = builtIn('Pod');
const secrets = builtIn('Secret');
const deployments = builtIn('Deployment');
const controllers = builtIn('ReplicationController');
const widgets = type({ group: 'example.com', kind: 'Widget', resource: 'widgets' });
const gadgets = type({ group: 'gadgets.io', kind: 'Gadget', resource: 'gadgets' });
const PERIOD = 30_000;

function setUp(types: readonly ResourceType[], objects: readonly KubeObject[] = []): SimulatedCluster {
  return cluster({
    types,
    objects,
    processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
  });
}

function collectorOf(running: SimulatedCluster): GarbageCollector {
  const found = running.controller('garbage-collector');
  if (!(found instanceof GarbageCollector)) throw new Error('the collector is not running');
  return found;
}

function monitored(collector: GarbageCollector): string[] {
  return collector.collectorState().monitors.map(({ resource }) => resource);
}

function isSynced(collector: GarbageCollector): boolean {
  return collector.collectorState().monitors.every(({ state }) => state === 'synced');
}

describe('what the collector watches', () => {
  test('G1: monitors come and go with what discovery reports', () => {
    const running = setUp([pods, widgets]);
    expect(running.controller('garbage-collector')).toBeUndefined();
    expect(monitored(new GarbageCollector())).toEqual([]);
    running.start();
    expect(monitored(collectorOf(running))).toEqual(['pods', 'widgets.example.com']);
    running.discovery.setAvailability(widgets, 'gone');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['pods']);
    expect(collectorOf(running).syncErrors).toBe(0);
  });

  test('a kind that is defined while it runs is watched after the next look at discovery', () => {
    const running = setUp([pods]);
    running.start();
    running.discovery.define({
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
    });
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['pods', 'widgets.example.com']);
    const defined = running.discovery.catalog.resolveKind('example.com/v1', 'Widget');
    if (defined === undefined) throw new Error('the kind is not served');
    running.as('user').create({ type: defined, namespace: 'ns1', name: 'w' });
    running
      .as('user')
      .delete({ type: defined, namespace: 'ns1', name: 'w' }, { propagationPolicy: 'Foreground' });
    running.runFor(PERIOD);
    expect([...running.store.all()]).toEqual([]);
  });

  test('G14: only preferred resources with delete, list and watch, and no events', () => {
    const only = (...verbs: string[]): ResourceType => type({ ...widgets, verbs });
    expect(ResourceType.isMonitored(pods)).toBe(true);
    expect(ResourceType.isMonitored(only())).toBe(false);
    expect(ResourceType.isMonitored(only('delete'))).toBe(false);
    expect(ResourceType.isMonitored(type({ ...widgets, preferred: false }))).toBe(false);
    expect(ResourceType.isMonitored(builtIn('Event', 'v1'))).toBe(false);
    expect(ResourceType.isMonitored(builtIn('Event', 'events.k8s.io/v1'))).toBe(false);
  });

  test('G16: a group that cannot be discovered keeps its synced monitors, others come and go', () => {
    const running = setUp([pods, widgets, gadgets]);
    running.discovery.setAvailability(gadgets, 'gone');
    running.start();
    expect(monitored(collectorOf(running))).toEqual(['pods', 'widgets.example.com']);
    running.discovery.setAvailability(widgets, 'undiscoverable');
    running.discovery.setAvailability(gadgets, 'served');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['gadgets.gadgets.io', 'pods', 'widgets.example.com']);
    expect(isSynced(collectorOf(running))).toBe(true);
  });

  test('G17, G19: where discovery returns nothing the monitors stay, and an error is counted', () => {
    const running = setUp([pods, deployments]);
    running.start();
    for (const each of [pods, deployments]) running.discovery.setAvailability(each, 'undiscoverable');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['deployments.apps', 'pods']);
    expect(collectorOf(running).syncErrors).toBe(1);
    for (const each of [pods, deployments]) running.discovery.setAvailability(each, 'served');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['deployments.apps', 'pods']);
    expect(isSynced(collectorOf(running))).toBe(true);
  });

  test('G20: a type that can never be listed doesn’t hold up the others', () => {
    const running = setUp([pods, deployments, secrets]);
    running.discovery.setAvailability(secrets, 'gone');
    running.start();
    expect(monitored(collectorOf(running))).toEqual(['deployments.apps', 'pods']);
    running.discovery.setAvailability(secrets, 'unlistable');
    running.discovery.setAvailability(deployments, 'gone');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['pods', 'secrets']);
    running.discovery.setAvailability(secrets, 'gone');
    running.discovery.setAvailability(deployments, 'served');
    running.runFor(PERIOD);
    expect(monitored(collectorOf(running))).toEqual(['deployments.apps', 'pods']);
  });

  test('G22: an unsyncable type counts as an error until it can be listed', () => {
    const running = setUp([pods, secrets, widgets]);
    running.start();
    running.discovery.setAvailability(secrets, 'gone');
    running.runFor(PERIOD);
    running.discovery.setAvailability(secrets, 'unlistable');
    running.runFor(PERIOD);
    expect(isSynced(collectorOf(running))).toBe(false);
    expect(collectorOf(running).syncErrors).toBeGreaterThanOrEqual(1);
    running.discovery.setAvailability(secrets, 'served');
    running.run();
    expect(isSynced(collectorOf(running))).toBe(true);
  });
});

describe('kinds that the collector cannot see (docs/kubernetes.md §5)', () => {
  const owner = object({ type: controllers, uid: 'owner' });
  const pod = object({ type: pods, uid: 'pod', owners: [refTo(owner)] });
  const widget = object({
    type: widgets,
    uid: 'widget',
    owners: [refTo(owner, { blockOwnerDeletion: true })],
  });

  test('T13: a broken conversion webhook holds up its own kind only', () => {
    const running = setUp([controllers, pods, widgets], [owner, pod, widget]);
    running.discovery.setAvailability(widgets, 'failing');
    running.start();
    running.run();
    running.as('user').delete(owner, { orphanDependents: false });
    running.run();
    expect(names(running.store.all())).toEqual(['widget']);
    expect(isSynced(collectorOf(running))).toBe(false);
  });

  test('dependents of an unsynced kind are not waited for and not orphaned', () => {
    const running = setUp([controllers, pods, widgets], [owner, widget]);
    running.discovery.setAvailability(widgets, 'failing');
    running.start();
    running.run();
    running.as('user').delete(owner, { propagationPolicy: 'Foreground' });
    running.run();
    expect(names(running.store.all())).toEqual(['widget']);
    running.discovery.setAvailability(widgets, 'served');
    running.run();
    expect(names(running.store.all())).toEqual([]);
  });

  test('nodes of a kind that disappeared stay, and go when it returns without their objects', () => {
    const custom = object({ type: widgets, uid: 'custom' });
    const child = object({ type: pods, uid: 'child', owners: [refTo(custom)] });
    const running = setUp([pods, widgets], [custom, child]);
    running.start();
    running.run();
    running.discovery.setAvailability(widgets, 'gone');
    running.store.remove(custom);
    running.runFor(PERIOD);
    running.run();
    expect(names(running.store.all())).toEqual(['child']);
    expect(collectorOf(running).graph.get(custom.uid)).toBeDefined();
    running.discovery.setAvailability(widgets, 'served');
    running.run();
    expect(names(running.store.all())).toEqual([]);
  });

  test('an object with an owner of an unserved kind stays, and goes once the kind is served without it', () => {
    const custom = object({ type: widgets, uid: 'custom' });
    const child = object({ type: pods, uid: 'child', owners: [refTo(custom)] });
    const running = setUp([pods, widgets], [child]);
    running.discovery.setAvailability(widgets, 'gone');
    running.start();
    running.run();
    expect(names(running.store.all())).toEqual(['child']);
    running.discovery.setAvailability(widgets, 'served');
    running.run();
    expect(names(running.store.all())).toEqual([]);
  });

  test('a kind that was defined a moment ago is resolved at the first retry after the next reset', () => {
    const custom = object({ type: widgets, uid: 'custom' });
    const builtInOwner = object({ type: secrets, uid: 'absent-secret' });
    const byCustom = object({ type: pods, uid: 'by-custom', owners: [refTo(custom)] });
    const bySecret = object({ type: pods, uid: 'by-secret', owners: [refTo(builtInOwner)] });
    const running = setUp([pods, secrets, widgets]);
    running.discovery.setAvailability(widgets, 'gone');
    running.start();
    running.runFor(2 * PERIOD);
    const create = (pod: KubeObject): void => {
      running.as('user').create({ type: pods, namespace: 'ns1', name: pod.name, owners: pod.owners });
    };
    // Fills the REST mapper, which nobody has asked since its reset.
    create(bySecret);
    running.runFor(1000);
    expect(names(running.store.all())).toEqual([]);
    running.discovery.setAvailability(widgets, 'served');
    create(byCustom);
    running.runFor(PERIOD - 2000);
    expect(names(running.store.all())).toEqual(['by-custom']);
    running.runFor(15_000);
    expect(names(running.store.all())).toEqual([]);
  });

  test('a kind that was defined a moment ago is resolved at once where the mapper was not asked since', () => {
    const custom = object({ type: widgets, uid: 'custom' });
    const child = object({ type: pods, uid: 'child', owners: [refTo(custom)] });
    const running = setUp([pods, widgets]);
    running.discovery.setAvailability(widgets, 'gone');
    running.start();
    running.runFor(2 * PERIOD);
    running.discovery.setAvailability(widgets, 'served');
    running.as('user').create({ type: pods, namespace: 'ns1', name: child.name, owners: child.owners });
    running.runFor(1000);
    expect(names(running.store.all())).toEqual([]);
  });
});

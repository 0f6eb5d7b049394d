import { describe, expect, test } from 'vitest';
import type { Condition, NamespaceFacts } from '../../../src/model/facts/facts.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import { NamespaceController, updatedConditions } from '../../../src/simulation/controllers/namespaces.ts';
import type { ControllerContext } from '../../../src/simulation/runtime/controller.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { blockingRefTo, object, type } from '../../graph/fixtures.ts';
import { builtIn, cluster, line, NOW, names } from '../fixtures.ts';

const namespaces = builtIn('Namespace');
const pods = builtIn('Pod');
const services = builtIn('Service');
const deployments = builtIn('Deployment');
const configMaps = builtIn('ConfigMap');
const few = [namespaces, pods, services, deployments];

function namespace(
  init: Partial<NamespaceFacts> = {},
  more: Partial<Parameters<typeof object>[0]> = {},
): KubeObject {
  return object({
    type: namespaces,
    uid: 'ns1',
    facts: { kind: 'Namespace', phase: 'Active', specFinalizers: ['kubernetes'], conditions: [], ...init },
    ...more,
  });
}

const deleting = { deletionTimestamp: NOW };

function run(types: readonly ResourceType[], objects: readonly KubeObject[]): SimulatedCluster {
  const running = cluster({
    types,
    objects,
    logReads: true,
    processes: [{ name: 'kube-controller-manager', controllers: () => [new NamespaceController()] }],
  });
  running.start();
  return running;
}

function requests(running: SimulatedCluster): string[] {
  return running.api.log.entries.filter(({ actor }) => actor === 'namespace-controller').map(line);
}

function factsOf(running: SimulatedCluster): NamespaceFacts | undefined {
  const { facts } = running.store.find(namespaces, '', 'ns1') ?? {};
  return facts?.kind === 'Namespace' ? facts : undefined;
}

function conditions(running: SimulatedCluster): Record<string, string> {
  return Object.fromEntries(
    (factsOf(running)?.conditions ?? []).map(({ type: name, reason }) => [name, reason]),
  );
}

describe('the namespace controller', () => {
  test('N1: it takes its own entry from spec.finalizers and leaves others', () => {
    const running = run([namespaces], [namespace({ specFinalizers: ['kubernetes', 'other'] }, deleting)]);
    running.run({ tasks: 100_000 });
    const finalized = running.api.log.entries.filter(
      ({ subresource, after }) => subresource === 'finalize' && after !== undefined,
    );
    expect(finalized).toHaveLength(1);
    expect(factsOf(running)?.specFinalizers).toEqual(['other']);
  });

  test('N2: pods go first, then everything else is deleted and looked at, then the namespace is let go', () => {
    const running = run(few, [namespace({ phase: 'Terminating' }, deleting)]);
    running.run({ tasks: 100_000 });
    expect(requests(running)).toEqual([
      'get namespaces ns1 → 200',
      'list pods ns1/ → 200',
      'deletecollection pods ns1/ Background → 200',
      'list pods ns1/ → 200',
      'list pods ns1/ → 200',
      'deletecollection services ns1/ Background → 200',
      'list services ns1/ → 200',
      'deletecollection deployments ns1/ Background → 200',
      'list deployments ns1/ → 200',
      'patch namespaces/status ns1 → 200',
      'patch namespaces/finalize ns1 → 200',
    ]);
    expect(running.store.find(namespaces, '', 'ns1')).toBeUndefined();
  });

  test('N4: a namespace that is finalized already is left alone, whatever discovery says', () => {
    const running = run(few, [namespace({ phase: 'Terminating', specFinalizers: [] }, deleting)]);
    running.discovery.setAvailability(services, 'undiscoverable');
    running.run({ tasks: 100_000 });
    expect(requests(running)).toEqual(['get namespaces ns1 → 200']);
  });

  test('N5: what can be discovered is deleted, and a failing group keeps the namespace', () => {
    const broken = type({ group: 'broken.io', kind: 'Thing', resource: 'things' });
    const service = object({ type: services, uid: 'svc' });
    const running = run([...few, broken], [namespace({}, deleting), service]);
    running.discovery.setAvailability(broken, 'undiscoverable');
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(names(running.store.list(services))).toEqual([]);
    expect(requests(running).some(each => each.includes('/finalize'))).toBe(false);
    expect(conditions(running)['NamespaceDeletionDiscoveryFailure']).toBe('DiscoveryFailed');
    running.discovery.setAvailability(broken, 'served');
    running.run({ tasks: 100_000 });
    expect(running.store.find(namespaces, '', 'ns1')).toBeUndefined();
  });

  test('N7: an active namespace is not touched', () => {
    const running = run(few, [namespace()]);
    running.as('user').patch(namespace(), { labels: ['a', 'b'] });
    running.run({ tasks: 100_000 });
    expect(requests(running)).toEqual([]);
  });

  test('N8: a collection that isn’t found is listed instead, each time anew', () => {
    const flakes = type({ group: 'flaky.io', kind: 'Flake', resource: 'flakes', verbs: [...pods.verbs] });
    const running = run([namespaces, flakes], [namespace({}, deleting)]);
    running.stop();
    const controller = new NamespaceController();
    let sync: (key: string) => unknown = () => {};
    const api = running.as('namespace-controller');
    const missing = { ok: false, status: 404, reason: 'NotFound', message: 'not found' } as const;
    const calls: string[] = [];
    let broken = true;
    const context: Partial<ControllerContext> = {
      clock: running.clock,
      discovery: running.discovery,
      behaviour: running.api.behaviour,
      cache: running.store,
      informer: () => {},
      shuffled: list => list,
      type: kind => running.discovery.catalog.resolveKind('v1', kind),
      find: (_kind, namespace, name) => running.store.find(namespaces, namespace, name),
      queue: (_name, handle) => {
        sync = handle as typeof sync;
        return { add: () => {}, addAfter: () => {}, addRateLimited: () => {}, forget: () => {} } as never;
      },
      api: {
        ...api,
        *deletingCollection(...args) {
          calls.push('deletecollection');
          return broken ? missing : yield* api.deletingCollection(...args);
        },
        list: (...args) => {
          calls.push('list');
          return broken ? missing : api.list(...args);
        },
        because: () => context.api ?? api,
      },
    };
    controller.start(context as ControllerContext);
    sync('ns1');
    expect(calls).toEqual(['deletecollection', 'list', 'list']);
    expect(running.store.find(namespaces, '', 'ns1')).toBeUndefined();
    broken = false;
    calls.length = 0;
    running.store.put(namespace({}, deleting));
    sync('ns1');
    expect(calls).toEqual(['deletecollection', 'list']);
  });

  test('deletion begins five seconds after it was seen', () => {
    const running = run(few, [namespace(), object({ type: services, uid: 'svc' })]);
    running.as('user').delete(namespace());
    running.runFor(4_999);
    expect(names(running.store.list(services))).toEqual(['svc']);
    running.runFor(1);
    expect(names(running.store.list(services))).toEqual([]);
  });

  test('while a pod is held nothing else is deleted, and the conditions claim that all is well (docs/kubernetes.md §10 row 38)', () => {
    const pod = object({ type: pods, uid: 'held', finalizers: ['x/y'] });
    const running = run(few, [namespace(), pod, object({ type: services, uid: 'svc' })]);
    running.as('user').delete(namespace());
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(names(running.store.list(services))).toEqual(['svc']);
    expect(conditions(running)['NamespaceContentRemaining']).toBe('ContentRemoved');
    expect(conditions(running)['NamespaceFinalizersRemaining']).toBe('ContentHasNoFinalizers');
    running.as('user').patch(pod, { finalizers: [] });
    running.run({ tasks: 100_000 });
    expect(names(running.store.all())).toEqual([]);
  });

  test('held content is counted by resource and finalizer (docs/kubernetes.md §10 row 36)', () => {
    const held = object({ type: services, uid: 'svc', finalizers: ['x/y'] });
    const running = run(few, [namespace(), held]);
    running.as('user').delete(namespace());
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    expect(factsOf(running)?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'NamespaceContentRemaining',
          status: 'True',
          message: 'Some resources are remaining: services. has 1 resource instances',
        }),
        expect.objectContaining({
          type: 'NamespaceFinalizersRemaining',
          message: 'Some content in the namespace has finalizers remaining: x/y in 1 resource instances',
        }),
      ]),
    );
  });

  test('a cluster-scoped dependent keeps a namespace that is deleted in the foreground (docs/kubernetes.md §10 row 39)', () => {
    const owner = namespace();
    const volume = object({
      type: builtIn('PersistentVolume'),
      uid: 'pv',
      finalizers: ['x/y'],
      owners: [blockingRefTo(owner)],
    });
    const running = cluster({
      objects: [owner, volume],
      processes: [
        {
          name: 'kube-controller-manager',
          controllers: () => [new NamespaceController(), new GarbageCollector()],
        },
      ],
    });
    running.start();
    running.as('user').delete(owner, { propagationPolicy: 'Foreground' });
    expect(running.run({ tasks: 100_000 })).toBe('rest');
    const left = running.store.find(namespaces, '', 'ns1');
    expect(left?.finalizers).toEqual(['foregroundDeletion']);
    expect(factsOf(running)?.specFinalizers).toEqual([]);
    running.as('user').patch(volume, { finalizers: [] });
    running.run({ tasks: 100_000 });
    expect(names(running.store.all())).toEqual([]);
  });
});

describe('the namespace store', () => {
  test('the first DELETE marks it, orphanDependents false means foreground, repeats are no-ops', () => {
    const { api, store } = cluster({ objects: [namespace()] });
    const user = api.as('user');
    expect(user.delete(namespace(), { orphanDependents: false })).toMatchObject({
      object: { deletionTimestamp: NOW, finalizers: ['foregroundDeletion'], facts: { phase: 'Terminating' } },
    });
    const marked = store.find(namespaces, '', 'ns1');
    expect(user.delete(namespace(), { propagationPolicy: 'Background' })).toMatchObject({ object: marked });
  });

  test('nothing can be created in a namespace that is terminating, and three cannot be deleted', () => {
    const system = namespace({}, { uid: 'kube-system' });
    const { api } = cluster({ objects: [namespace(), system] });
    const user = api.as('user');
    user.delete(namespace());
    expect(user.create({ type: configMaps, namespace: 'ns1', name: 'late' })).toMatchObject({
      status: 403,
      reason: 'NamespaceTerminating',
    });
    expect(user.delete(system)).toMatchObject({ status: 403 });
  });

  test('a new namespace is active and has its finalizer in spec', () => {
    const user = cluster({ namespacesKnown: true }).api.as('user');
    expect(user.create({ type: configMaps, namespace: 'new', name: 'early' })).toMatchObject({ status: 404 });
    expect(user.create({ type: namespaces, name: 'new' })).toMatchObject({
      object: { facts: { phase: 'Active', specFinalizers: ['kubernetes'] } },
    });
    expect(user.create({ type: configMaps, namespace: 'new', name: 'late' })).toMatchObject({ status: 201 });
  });
});

describe('N10: conditions over several passes', () => {
  const failed = (name: string, message: string): Condition => ({
    type: name,
    status: 'True',
    reason: 'Failed',
    message,
    since: 1,
  });
  const none = { failures: {}, totals: undefined };

  test('an old failure is replaced by success, and its time moves on', () => {
    const after = updatedConditions([failed('NamespaceDeletionDiscoveryFailure', 'old')], none, NOW);
    expect(after[0]).toEqual({
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
      since: NOW,
    });
    expect(after).toHaveLength(5);
  });

  test('the order of the conditions there are stays', () => {
    const before = [
      failed('NamespaceDeletionContentFailure', 'old'),
      failed('NamespaceDeletionDiscoveryFailure', 'old'),
    ];
    const after = updatedConditions(before, none, NOW).map(each => each.type);
    expect(after.slice(0, 2)).toEqual(before.map(each => each.type));
  });

  test('a new failure overwrites the message and keeps the time of an old one, or is added', () => {
    const pass = { failures: { content: ['b', 'a'] }, totals: undefined };
    const after = updatedConditions([failed('NamespaceDeletionContentFailure', 'old')], pass, NOW);
    expect(after[0]).toMatchObject({
      reason: 'ContentDeletionFailed',
      message: 'Failed to delete all resource types, 2 remaining: a, b',
      since: 1,
    });
    const added = updatedConditions([], { failures: { groupVersions: 'bad' }, totals: undefined }, NOW);
    expect(added[1]).toMatchObject({ status: 'True', reason: 'GroupVersionParsingFailed', since: NOW });
  });

  test('the same findings change nothing', () => {
    const once = updatedConditions([], none, NOW);
    expect(updatedConditions(once, none, NOW + 1)).toBe(once);
  });
});

describe('N11: totals of what is left', () => {
  const daemonSets = builtIn('DaemonSet');
  const message = (remaining: [ResourceType, number][], finalizers: [string, number][], name: string) =>
    updatedConditions(
      [],
      { failures: {}, totals: { remaining: new Map(remaining), finalizers: new Map(finalizers) } },
      NOW,
    ).find(each => each.type === name)?.message;

  test('nothing, resources and finalizers, sorted alphabetically', () => {
    expect(message([], [], 'NamespaceContentRemaining')).toBe('All content successfully removed');
    expect(
      message(
        [
          [deployments, 5],
          [daemonSets, 5],
        ],
        [],
        'NamespaceContentRemaining',
      ),
    ).toBe(
      'Some resources are remaining: daemonsets.apps has 5 resource instances, deployments.apps has 5 resource instances',
    );
    expect(
      message(
        [],
        [
          ['service-catalog', 6],
          ['kubedb', 5],
        ],
        'NamespaceFinalizersRemaining',
      ),
    ).toBe(
      'Some content in the namespace has finalizers remaining: kubedb in 5 resource instances, service-catalog in 6 resource instances',
    );
  });
});

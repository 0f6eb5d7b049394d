import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import type { NodeState } from '../../../../src/source/demo/scenario.ts';
import { SimulatedWorld } from '../../../../src/source/demo/world/simulated-world.ts';

const start = Date.UTC(2026, 10, 21, 12);

async function world(nodes = 1): Promise<SimulatedWorld> {
  const made = new SimulatedWorld({ now: start, nodes, scheduler: true, customTypes: [], seed: 1 });
  await made.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
  made.control('start');
  return made;
}

const place = (kind: string, name: string, apiVersion = 'v1') => ({ apiVersion, kind, namespace: 'a', name });

async function create(at: SimulatedWorld, manifest: JsonRecord): Promise<void> {
  const answer = await at.create(manifest);
  if (answer.status !== 201) throw new Error(`not made: ${answer.status}`);
}

const pod = (name: string, nodeName: string): JsonRecord => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a' },
  spec: { nodeName, containers: [{ name: 'app' }] },
});

const deployment: JsonRecord = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'api', namespace: 'a' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'api' } },
    template: { metadata: { labels: { app: 'api', release: '1' } } },
  },
};

function all(at: SimulatedWorld, kind: string): KubeObject[] {
  return [...at.cluster.store.all()].filter(({ type }) => type.kind === kind);
}

describe('a node', () => {
  async function withPod(...states: NodeState[]): Promise<SimulatedWorld> {
    const made = await world(2);
    await create(made, pod('app', 'node-1'));
    made.settle();
    for (const state of states) made.node({ name: 'node-1', state });
    return made;
  }

  test('whose kubelet is silent is unreachable, and its pods are not ready', async () => {
    const made = await withPod('stopped');
    expect(all(made, 'Node')[0]?.facts).toMatchObject({
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', since: made.now }],
      taints: [{ effect: 'NoSchedule' }, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }],
    });
    expect(made.find(place('Pod', 'app'))?.facts).toMatchObject({ phase: 'Running', readyContainers: 0 });
  });

  test('that is silent for five minutes loses its pods, and nobody confirms that they ended', async () => {
    const made = await withPod('stopped');
    made.settle();
    expect(made.find(place('Pod', 'app'))?.deletionTimestamp).toBeUndefined();
    made.wait(270_000);
    expect(made.find(place('Pod', 'app'))?.deletionTimestamp).toBeUndefined();
    made.wait(60_000);
    expect(made.find(place('Pod', 'app'))?.deletionTimestamp).toBeDefined();
    made.wait(3_600_000);
    expect(made.find(place('Pod', 'app'))).toBeDefined();
  });

  test('that comes back in time keeps them, and one that comes back late confirms', async () => {
    const early = await withPod('stopped');
    early.wait(200_000);
    early.node({ name: 'node-1', state: 'started' });
    early.wait(3_600_000);
    expect(early.find(place('Pod', 'app'))?.facts).toMatchObject({ phase: 'Running', readyContainers: 1 });
    const late = await withPod('stopped');
    late.wait(400_000);
    late.node({ name: 'node-1', state: 'started' });
    late.settle();
    expect(late.find(place('Pod', 'app'))).toBeUndefined();
  });

  test('that is out of service has its pods taken by PodGC', async () => {
    const made = await withPod('stopped', 'tainted');
    made.settle();
    expect(made.find(place('Pod', 'app'))).toBeUndefined();
  });

  test('that is deleted leaves its pods to PodGC, forty seconds later', async () => {
    const made = await withPod('deleted');
    made.wait(35_000);
    expect(made.find(place('Pod', 'app'))).toBeDefined();
    made.wait(30_000);
    expect(made.find(place('Pod', 'app'))).toBeUndefined();
    made.node({ name: 'node-1', state: 'started' });
    expect(all(made, 'Node').map(({ name }) => name)).toContain('node-1');
  });

  test("DaemonSets' pods stay on a node that is lost", async () => {
    const made = await world();
    const template = { metadata: { labels: { app: 'agent' } } };
    await create(made, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'a' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template },
    });
    const { uid } = made.find(place('DaemonSet', 'agent', 'apps/v1')) ?? {};
    const { metadata, spec } = pod('agent-1', 'node-1');
    const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }];
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid, controller: true };
    const labels = { app: 'agent' };
    await create(made, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...(metadata as object), labels, ownerReferences: [owner] },
      spec: { ...(spec as object), tolerations },
    });
    made.settle();
    made.node({ name: 'node-1', state: 'stopped' });
    made.wait(3_600_000);
    expect(all(made, 'Pod').map(each => each.deletionTimestamp)).toEqual([undefined]);
  });
});

test('a pod has the status that a step gives it, and keeps the rest of what it says', async () => {
  const made = await world();
  await create(made, pod('app', 'node-1'));
  made.settle();
  const evicted = { status: { phase: 'Failed', reason: 'Evicted' } };
  expect((await made.patch(place('Pod', 'app'), evicted, 'status')).status).toBe(200);
  const { facts, generation } = made.find(place('Pod', 'app')) ?? {};
  expect(facts).toMatchObject({ phase: 'Failed', reason: 'Evicted', nodeName: 'node-1', containers: 1 });
  expect(generation).toBe(1);
});

describe('a Deployment', () => {
  test('counts its pods, and rolls when a label of its template changes', async () => {
    const made = await world();
    await create(made, deployment);
    made.settle();
    const at = place('Deployment', 'api', 'apps/v1');
    expect(made.find(at)?.facts).toMatchObject({ desired: 3, current: 3, ready: 3, updated: 3 });
    const [first] = all(made, 'ReplicaSet');
    const template = { metadata: { labels: { release: '2' } } };
    await made.patch(at, { spec: { template } });
    made.settle();
    const sets = all(made, 'ReplicaSet');
    expect(sets.map(({ facts }) => facts?.kind === 'Workload' && facts.desired)).toEqual([0, 3]);
    expect(sets[1]?.labels).toEqual(expect.arrayContaining(['app', 'api', 'release', '2']));
    expect(made.find(at)?.facts).toMatchObject({ current: 3, ready: 3, updated: 3 });
    // Back to the first release it takes the first ReplicaSet again.
    await made.patch(at, { spec: { template: { metadata: { labels: { release: '1' } } } } });
    made.settle();
    const sizes = all(made, 'ReplicaSet').map(set => [
      set.uid === first?.uid,
      set.facts?.kind === 'Workload' && set.facts.desired,
    ]);
    expect(sizes).toEqual([
      [true, 3],
      [false, 0],
    ]);
  });
});

test('claims are bound to volumes of their class, each volume to one', async () => {
  const made = await world();
  for (const [name, storageClassName] of [
    ['v1', 'fast'],
    ['v2', 'slow'],
  ] as const) {
    await create(made, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { storageClassName },
    });
  }
  for (const name of ['one', 'two']) {
    await create(made, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'a' },
      spec: { storageClassName: 'slow' },
    });
  }
  made.settle();
  expect(made.find(place('PersistentVolumeClaim', 'one'))?.facts).toMatchObject({
    phase: 'Bound',
    volumeName: 'v2',
  });
  expect(made.find(place('PersistentVolumeClaim', 'two'))?.facts).toMatchObject({ phase: 'Pending' });
});

describe('a long wait', () => {
  test('ends at its moment, whatever happens in it', async () => {
    const made = await world();
    await create(made, pod('app', 'node-1'));
    made.settle();
    await made.delete(place('Pod', 'app'), { cascade: 'background' });
    const before = made.now;
    made.wait(40 * 86_400_000);
    expect(made.now).toBe(before + 40 * 86_400_000);
    expect(made.find(place('Pod', 'app'))).toBeUndefined();
  });

  test('leaves periodic looks in place: what is due after it still happens', async () => {
    const made = await world();
    await create(made, pod('app', 'node-1'));
    made.settle();
    made.wait(40 * 86_400_000);
    made.node({ name: 'node-1', state: 'deleted' });
    made.wait(90_000);
    expect(made.find(place('Pod', 'app'))).toBeUndefined();
  });
});

test('patches of labels merge as the API server merges them', async () => {
  const made = await world();
  await create(made, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'a', labels: { x: '1', y: '2' } },
  });
  await made.patch(place('ConfigMap', 'c'), { metadata: { labels: { x: null, z: '3' } } });
  expect(made.find(place('ConfigMap', 'c'))?.labels).toEqual(['y', '2', 'z', '3']);
});

test('what a Secret holds is kept nowhere', async () => {
  const made = await world();
  const secret = { metadata: { name: 's', namespace: 'a' }, stringData: { key: 'opensesame' } };
  await create(made, { apiVersion: 'v1', kind: 'Secret', ...secret, data: { other: 'b3BlbnNlc2FtZQ==' } });
  const stored = made.find(place('Secret', 's'));
  expect(JSON.stringify([stored, made.manifest(stored?.uid ?? '')])).not.toMatch(
    /opensesame|b3BlbnNlc2FtZQ/u,
  );
});

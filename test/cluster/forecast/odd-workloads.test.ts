/**
 * Workloads whose selector doesn't match their template, which no API server accepts but older ones have stored: what
 * the real controllers do with them is what a forecast says.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JsonRecord, list, record } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const NAMESPACE = 'odd';
/** More than any controller creates that comes to rest: two pods are wanted. */
const WITHOUT_END = 25;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startControlPlane({ nodes: 1 });
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
});
afterAll(async () => {
  await cluster?.stop();
});

const template = {
  metadata: { labels: { app: 'other' } },
  spec: { containers: [{ name: 'main', image: 'x' }] },
};

/** As an API server stores it, with a selector that the template's labels don't match. */
function mismatched(kind: 'ReplicaSet' | 'Deployment', name: string) {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      namespace: NAMESPACE,
      name,
      uid: `11111111-2222-3333-4444-${kind === 'Deployment' ? '5'.repeat(12) : '6'.repeat(12)}`,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        ...template,
        spec: {
          ...template.spec,
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 1,
          securityContext: {},
        },
      },
      ...(kind === 'Deployment'
        ? { strategy: { type: 'Recreate' }, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }
        : {}),
    },
    status: {},
  };
}

function owned(owner: ReturnType<typeof mismatched>) {
  const { apiVersion, kind, metadata } = owner;
  return [
    { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true },
  ];
}

async function items(kinds: string): Promise<JsonRecord[]> {
  const answer = await cluster.kubectl(['get', kinds, '-n', NAMESPACE, '-o', 'json']);
  return list(record(JSON.parse(answer))['items']).map(record);
}

async function planDelete(target: string): Promise<JsonRecord> {
  const kubeconfig = await cluster.kubeconfig();
  const { stdout, stderr } = await runTool(['plan', 'delete', target, '-n', NAMESPACE, '-o', 'json'], {
    kubeconfig,
  });
  expect(stderr).toBe('');
  return record(JSON.parse(stdout));
}

it('a ReplicaSet creates and releases pods without end, as foretold', async () => {
  await cluster.component('kube-controller-manager').stop();
  const set = mismatched('ReplicaSet', 'web');
  await cluster.store('replicasets', set);
  for (const name of ['web-1', 'web-2']) {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: NAMESPACE, name, labels: { app: 'web' }, ownerReferences: owned(set) },
      spec: { containers: [{ name: 'main', image: 'x' }], terminationGracePeriodSeconds: 0 },
    };
    await cluster.kubectl(['create', '-f', '-'], JSON.stringify(pod));
  }
  const plan = await planDelete('pod/web-1');
  expect(plan['flapping']).toMatchObject([{ object: { kind: 'ReplicaSet', name: 'web' }, kind: 'Pod' }]);
  await cluster.component('kube-controller-manager').start();
  await cluster.kubectl(['delete', 'pod', 'web-1', '-n', NAMESPACE, '--wait=false']);
  await eventually(async () => {
    const pods = (await items('pods')).map(pod => record(pod['metadata']));
    const released = pods.filter(
      each => String(each['name']).startsWith('web-') && each['ownerReferences'] === undefined,
    );
    expect(released.length).toBeGreaterThan(WITHOUT_END);
  });
  await cluster.component('kube-controller-manager').kill();
  await cluster.kubectl(['delete', 'replicaset', 'web', '-n', NAMESPACE, '--cascade=background']);
  await cluster.kubectl(['delete', 'pods', '--all', '-n', NAMESPACE, '--wait=false']);
});

it('a Deployment gets no other ReplicaSet, since the API server refuses it', async () => {
  const deployment = mismatched('Deployment', 'api');
  await cluster.store('deployments', deployment);
  const labels = { app: 'api' };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: NAMESPACE, name: 'api-old', labels, ownerReferences: owned(deployment) },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } },
  };
  await cluster.kubectl(['create', '-f', '-'], JSON.stringify(set));
  const plan = await planDelete('replicaset/api-old');
  expect(plan['flapping']).toEqual([]);
  expect(plan['recreated']).toEqual([]);
  await cluster.component('kube-controller-manager').start();
  await cluster.kubectl(['delete', 'replicaset', 'api-old', '-n', NAMESPACE]);
  await eventually(async () => {
    const [live] = await items('deployments');
    const conditions = list(record(live?.['status'])['conditions']).map(record);
    expect(conditions.map(({ reason }) => reason)).toContain('ReplicaSetCreateError');
  });
  expect(await items('replicasets')).toEqual([]);
});

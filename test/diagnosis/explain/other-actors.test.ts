import { describe, expect, it } from 'vitest';
import { contextOf } from '../../../src/diagnosis/explain/other-actors.ts';
import { readText } from '../../source/files/reading.ts';

async function told(uid: string, ...objects: readonly object[]): Promise<readonly string[]> {
  const { view } = await readText(objects.map(each => JSON.stringify(each)).join('\n---\n'));
  const node = [...view.graph.nodes()].find(each => each.identity.uid === uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return contextOf(view, node).map(({ object, effect, words }) => `${effect} ${object.name}: ${words}`);
}

const namespaced = (
  apiVersion: string,
  kind: string,
  name: string,
  rest: object = {},
  metadata: object = {},
) => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'shop', uid: `${kind} ${name}`, ...metadata },
  ...rest,
});

const controlledBy = (apiVersion: string, kind: string, name: string) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `${kind} ${name}`, controller: true }],
});

const template = { metadata: { labels: { app: 'web' } } };
const web = (replicas = 2) =>
  namespaced('apps/v1', 'Deployment', 'web', {
    spec: { replicas, template, selector: { matchLabels: { app: 'web' } } },
  });
const replicaSet = namespaced(
  'apps/v1',
  'ReplicaSet',
  'web-5d',
  { spec: {} },
  controlledBy('apps/v1', 'Deployment', 'web'),
);
const pod = (status: object = { phase: 'Running' }, metadata: object = {}) =>
  namespaced(
    'v1',
    'Pod',
    'web-5d-x',
    { spec: { nodeName: 'node-1' }, status },
    { labels: { app: 'web' }, ...controlledBy('apps/v1', 'ReplicaSet', 'web-5d'), ...metadata },
  );

describe('an autoscaler', () => {
  const autoscaler = (target: object, metadata: object = {}) =>
    namespaced(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'front',
      { spec: { scaleTargetRef: target, maxReplicas: 10 } },
      metadata,
    );
  const ofWeb = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

  it('is told of its workload, and of the pods below it', async () => {
    const all = [web(), replicaSet, pod(), autoscaler(ofWeb)];
    expect(await told('Deployment web', ...all)).toEqual([
      'scales front: HorizontalPodAutoscaler front sets its replicas, 1 to 10: pods come and go with the load, and a number set by hand does not last unless it is 0.',
    ]);
    expect(await told('Pod web-5d-x', ...all)).toEqual([
      expect.stringContaining('sets the replicas of Deployment web, 1 to 10'),
    ]);
  });

  it('that KEDA made is told with its ScaledObject', async () => {
    const made = autoscaler(ofWeb, controlledBy('keda.sh/v1alpha1', 'ScaledObject', 'orders'));
    expect(await told('Deployment web', web(), made)).toEqual([
      expect.stringContaining('1 to 10, for ScaledObject orders of KEDA: pods come'),
    ]);
  });

  it.each([
    ['of another name', web(), autoscaler({ ...ofWeb, name: 'api' })],
    ['of another kind', web(), autoscaler({ ...ofWeb, kind: 'StatefulSet' })],
    [
      'of a kind of the same name in another group',
      web(),
      autoscaler({ ...ofWeb, apiVersion: 'example.com/v1' }),
    ],
    ['in another namespace', web(), autoscaler(ofWeb, { namespace: 'infra' })],
    ['that is off, as no replicas are wanted', web(0), autoscaler(ofWeb)],
  ])('is not told where it is one %s', async (_, workload, scaler) => {
    expect(await told('Deployment web', workload, scaler)).toEqual([]);
  });
});

describe('a PodDisruptionBudget', () => {
  const budget = (disruptionsAllowed: number, app = 'web', expectedPods = 2) =>
    namespaced('policy/v1', 'PodDisruptionBudget', 'web', {
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, expectedPods },
    });

  it('that lets nothing go holds evictions and no deletion', async () => {
    expect(await told('Pod web-5d-x', web(), replicaSet, pod(), budget(0))).toEqual([
      'holdsEviction web: PodDisruptionBudget web does not let it be evicted now (2 of 2 healthy, 2 wanted): a drain waits for that, a deletion does not.',
    ]);
    expect(await told('Deployment web', web(), budget(0))).toEqual([
      expect.stringContaining('its pods be evicted'),
    ]);
  });

  it.each([
    ['lets pods go', pod(), budget(1)],
    ['selects others', pod(), budget(0, 'api')],
    ['has not been counted for', pod(), budget(0, 'web', 0)],
    ['is about a pod that has finished', pod({ phase: 'Succeeded' }), budget(0)],
    [
      'is about a pod that is being deleted',
      pod({ phase: 'Running' }, { deletionTimestamp: '2026-11-21T11:00:00Z' }),
      budget(0),
    ],
  ])('is not told where it %s', async (_, about, asked) => {
    expect(await told('Pod web-5d-x', web(), replicaSet, about, asked)).toEqual([]);
  });
});

describe('a node that is being removed', () => {
  const node = (...keys: readonly string[]) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-1', uid: 'n' },
    spec: { taints: keys.map(key => ({ key, effect: 'NoSchedule' })) },
  });

  it.each([
    ['ToBeDeletedByClusterAutoscaler', 'Cluster Autoscaler'],
    ['karpenter.sh/disrupted', 'Karpenter'],
  ])('with the taint %s may have its pods evicted', async (key, who) => {
    expect(await told('Pod web-5d-x', pod(), node(key))).toEqual([
      `evicts node-1: ${who} is removing node node-1 (taint ${key}) and may evict it.`,
    ]);
  });

  it('has its DaemonSets’ pods go with it', async () => {
    const daemon = pod({ phase: 'Running' }, controlledBy('apps/v1', 'DaemonSet', 'log'));
    expect(await told('Pod web-5d-x', daemon, node('karpenter.sh/disrupted'))).toEqual([]);
    expect(await told('Pod web-5d-x', pod(), node('example.com/other'))).toEqual([]);
  });
});

describe('a pod that tools which empty nodes', () => {
  const marked = (annotations: object, phase = 'Running') => pod({ phase }, { annotations });
  const descheduler = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'descheduler', namespace: 'kube-system', uid: 'd' },
    spec: {},
  };

  it.each([
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false', 'Cluster Autoscaler'],
    ['karpenter.sh/do-not-disrupt', 'true', 'Karpenter'],
  ])('are to spare by %s', async (key, value, who) => {
    expect(await told('Pod web-5d-x', marked({ [key]: value }))).toEqual([
      expect.stringContaining(`holdsEviction web-5d-x: ${who} removes no node for which`),
    ]);
    expect(await told('Pod web-5d-x', marked({ [key]: 'other' }))).toEqual([]);
    expect(await told('Pod web-5d-x', marked({ [key]: value }, 'Succeeded'))).toEqual([]);
  });

  it('may evict by its annotation, with the descheduler where one is seen', async () => {
    const annotated = marked({ 'descheduler.alpha.kubernetes.io/evict': 'true' });
    expect(await told('Pod web-5d-x', annotated, descheduler)).toEqual([
      expect.stringContaining('evicts descheduler: CronJob kube-system/descheduler may evict it'),
    ]);
    expect(await told('Pod web-5d-x', annotated)).toEqual([
      expect.stringContaining('evicts web-5d-x: A descheduler may evict it'),
    ]);
    expect(await told('Pod web-5d-x', pod(), descheduler)).toEqual([]);
  });
});

describe('what is deleted with something else', () => {
  it('are Endpoints with the Service of their name', async () => {
    const service = namespaced('v1', 'Service', 'web');
    const endpoints = namespaced('v1', 'Endpoints', 'web');
    expect(await told('Endpoints web', endpoints, service)).toEqual([
      'deletedWith web: The endpoints controller deletes it with Service web, though that is not its owner.',
    ]);
    expect(await told('Endpoints web', endpoints)).toEqual([]);
  });

  it('is the token of a ServiceAccount, and not that of one of the name before', async () => {
    const account = namespaced('v1', 'ServiceAccount', 'build');
    const token = (uid: string) =>
      namespaced(
        'v1',
        'Secret',
        'build-token',
        {},
        {
          annotations: {
            'kubernetes.io/service-account.name': 'build',
            'kubernetes.io/service-account.uid': uid,
          },
        },
      );
    expect(await told('Secret build-token', account, token('ServiceAccount build'))).toEqual([
      expect.stringContaining('The token controller deletes it with ServiceAccount build, if its type is'),
    ]);
    expect(await told('Secret build-token', account, token('before'))).toEqual([]);
  });
});

describe('what is created again', () => {
  const account = namespaced('v1', 'ServiceAccount', 'default');
  const service = (spec: object) => namespaced('v1', 'Service', 'web', { spec });
  const endpoints = namespaced('v1', 'Endpoints', 'web');

  it('names who does so', async () => {
    expect(await told('ServiceAccount default', account)).toEqual([
      'recreates default: If it is deleted, serviceaccount-controller creates it again.',
    ]);
    expect(await told('Endpoints web', endpoints, service({ selector: { app: 'web' } }))).toContain(
      'recreates web: If it is deleted, endpoints-controller creates it again.',
    );
    expect((await told('Endpoints web', endpoints, service({}))).join('')).not.toContain('recreates');
    const labels = {
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': 'web',
    };
    const slice = namespaced('discovery.k8s.io/v1', 'EndpointSlice', 'web-1', {}, { labels });
    expect(await told('EndpointSlice web-1', slice, service({ selector: { app: 'web' } }))).toContain(
      'recreates web-1: If it is deleted, endpointslice-controller creates it again, but only once the Service or its pods change if it has been restarted since it last changed it.',
    );
  });

  it('is nobody in a namespace that goes, and of a namespace that stays', async () => {
    const { namespace } = account.metadata;
    const ending = {
      namespace: '',
      deletionTimestamp: '2026-11-21T11:00:00Z',
      finalizers: ['example.com/a'],
    };
    const going = namespaced('v1', 'Namespace', String(namespace), {}, ending);
    expect(await told('ServiceAccount default', account, going)).toEqual([]);
    const fixed = namespaced('v1', 'Namespace', 'default', {}, { namespace: '' });
    expect(await told('Namespace default', fixed)).toEqual([]);
  });

  it('names the time or the start that it takes', async () => {
    const schema = namespaced(
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      'probes',
      {},
      { namespace: '' },
    );
    const role = namespaced(
      'rbac.authorization.k8s.io/v1',
      'ClusterRole',
      'admin',
      {},
      {
        namespace: '',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      },
    );
    expect(await told('FlowSchema probes', schema)).toEqual([
      'recreates probes: If it is deleted, kube-apiserver creates it again within 60 s.',
    ]);
    expect(await told('ClusterRole admin', role)).toEqual([
      'recreates admin: If it is deleted, it is created again when kube-apiserver starts.',
    ]);
  });

  it('is the mirror of a static pod, whose manifest decides', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const mirror = pod({ phase: 'Running' }, { ...controlledBy('v1', 'Node', 'node-1'), annotations });
    const node = namespaced('v1', 'Node', 'node-1', {}, { namespace: '' });
    expect(await told('Pod web-5d-x', mirror, node)).toEqual([
      'recreates web-5d-x: If it is deleted, kubelet creates it again. It mirrors a static pod: to stop that, remove its manifest from node node-1.',
    ]);
  });
});

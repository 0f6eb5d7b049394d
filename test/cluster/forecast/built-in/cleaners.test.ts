/** Objects that kube-controller-manager deletes by age, or because their owner or user is gone; the others stay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';
import { planOf } from '../ends.ts';

const minor = minorNumber(testedVersion());
const HOUR = 3_600_000;
const gates = [
  'StorageVersionAPI',
  ...(minor >= 33 ? ['ClusterTrustBundle'] : []),
  ...(minor >= 35 ? ['PodCertificateRequest'] : []),
  ...(minor >= 36 ? ['DRAResourcePoolStatus'] : []),
  ...(minor >= 37 ? ['EvictionRequestAPI'] : []),
];
const enabled = `--feature-gates=${gates.map(each => `${each}=true`).join(',')}`;

interface Plan {
  readonly deleted: readonly { readonly object: { readonly kind: string } }[];
  readonly recreated: readonly { readonly by: string; readonly kind: string }[];
  readonly warnings: readonly string[];
}

interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

function ago(hours: number): string {
  return new Date(Date.now() - hours * HOUR).toISOString().replace(/\.\d+Z$/u, 'Z');
}

describe('what kube-controller-manager cleans up', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });
  const plan = (...targets: readonly string[]): Promise<Plan> => planOf(kubeconfig, ['delete', ...targets]);
  const uid = async (target: string, namespace = 'default'): Promise<string> => {
    const output = ['-n', namespace, '--ignore-not-found', '-o', 'jsonpath={.metadata.uid}'];
    return (await cluster.kubectl(['get', target, ...output])).trim();
  };
  const areGone = (targets: readonly string[], namespace?: string): Promise<void> =>
    eventually(async () => {
      for (const target of targets) expect(await uid(target, namespace), target).toBe('');
    });
  const areThere = async (targets: readonly string[], namespace?: string): Promise<void> => {
    for (const target of targets) expect(await uid(target, namespace), target).not.toBe('');
  };
  /** Writes an object of that age, which the API server would call new. */
  const store = (key: string, hours: number, object: Stored): Promise<void> => {
    const [name, namespace] = key.split('/').slice(1).reverse();
    const metadata = {
      ...object.metadata,
      name,
      namespace,
      uid: crypto.randomUUID(),
      creationTimestamp: ago(hours),
    };
    return cluster.etcd.put(`/registry/${key}`, JSON.stringify({ ...object, metadata }));
  };

  beforeAll(async () => {
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver'],
      apiServerFlags: [enabled, '--runtime-config=api/alpha=true,api/beta=true'],
      controllerManagerFlags: [
        enabled,
        // The cleaners by age look once before they have their lists, and again after minutes or hours. Since v1.35, lists
        // are read meanwhile; before, the controllers started one after the other, and all lists after them.
        ...(minor >= 35 ? ['--controller-start-interval=2s'] : []),
        '--legacy-service-account-token-clean-up-period=1s',
      ],
    });
    kubeconfig = await cluster.kubeconfig();
    await storeRequests();
    await createTokens();
    await cluster.component('kube-controller-manager').start();
  });
  afterAll(() => cluster?.stop());

  async function storeRequests(): Promise<void> {
    const signing = (name: string, age: number, conditions: readonly object[], certificate?: string) =>
      store(`certificatesigningrequests/${name}`, age, {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        spec: { request: 'eA==', signerName: 'example.com/signer', usages: ['client auth'] },
        status: { conditions, ...(certificate !== undefined && { certificate }) },
      });
    const decided = (type: string) => [
      { type, status: 'True', reason: 'Test', lastUpdateTime: ago(2), lastTransitionTime: ago(2) },
    ];
    await signing('old-pending', 25, []);
    await signing('young-pending', 2, []);
    await signing('denied', 2, decided('Denied'));
    await signing('failed', 2, decided('Failed'));
    if (minor >= 35)
      for (const [name, age] of [
        ['old', 1],
        ['young', 0],
      ] as const)
        await store(`podcertificaterequests/default/${name}`, age, {
          apiVersion: 'certificates.k8s.io/v1beta1',
          kind: 'PodCertificateRequest',
          spec: { signerName: 'example.com/signer', podName: 'web', nodeName: 'node-1' },
        });
    if (minor >= 36)
      for (const [name, age, status] of [
        ['old-pending', 25, undefined],
        ['young-pending', 2, undefined],
        ['completed', 2, { poolCount: 0, conditions: decided('Complete') }],
      ] as const)
        await store(`resourcepoolstatusrequests/${name}`, age, {
          apiVersion: 'resource.k8s.io/v1alpha3',
          kind: 'ResourcePoolStatusRequest',
          spec: { driver: 'gpu.example.com' },
          ...(status !== undefined && { status }),
        });
  }

  async function createTokens(): Promise<void> {
    await cluster.apply(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: build, namespace: default}
secrets: [{name: unused}, {name: used}, {name: mounted}, {name: unmarked}]
---
apiVersion: v1
kind: Pod
metadata: {name: runner, namespace: default}
spec:
  containers: [{name: main, image: main}]
  volumes: [{name: token, secret: {secretName: mounted}}]
`);
    const since = { 'kubernetes.io/legacy-token-invalid-since': '2020-01-01' };
    const today = { 'kubernetes.io/legacy-token-last-used': ago(0).slice(0, 10) };
    for (const [name, labels] of Object.entries({
      unused: since,
      used: { ...since, ...today },
      mounted: since,
      unmarked: {},
      own: since,
    }))
      await store(`secrets/default/${name}`, 48, {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: { labels, annotations: { 'kubernetes.io/service-account.name': 'build' } },
      });
    const tracking = 'configmap/kube-apiserver-legacy-service-account-token-tracking';
    await eventually(() =>
      cluster.kubectl(['patch', tracking, '-n', 'kube-system', '-p', '{"data":{"since":"2020-01-01"}}']),
    );
  }

  it.skipIf(minor < 35)('are requests for certificates by age', async () => {
    await areGone(['csr/old-pending', 'csr/denied', 'csr/failed', 'podcertificaterequest/old']);
    await areThere(['csr/young-pending', 'podcertificaterequest/young']);
  });

  it.skipIf(minor < 36)('are requests for the status of resource pools by age', async () => {
    const kind = 'resourcepoolstatusrequests';
    await areGone([`${kind}/old-pending`, `${kind}/completed`]);
    await areThere([`${kind}/young-pending`]);
  });

  it.skipIf(minor < 35)('are announced by age', async () => {
    expect(await tells('why', 'csr/young-pending')).toContain('by the certificate cleaner');
    expect(await tells('why', 'podcertificaterequest/young', '-n', 'default')).toContain(
      'by the cleaner of PodCertificateRequests',
    );
  });

  it('are legacy tokens that nothing uses', async () => {
    await areGone(['secret/unused']);
    await areThere(['secret/used', 'secret/mounted', 'secret/own', 'secret/unmarked']);
  });

  it.skipIf(minor < 33)('are ClusterTrustBundles of the API server beside the current one', async () => {
    const version = 'certificates.k8s.io/v1beta1';
    const prefix = 'kubernetes.io:kube-apiserver-serving:';
    const bundles = async (): Promise<readonly string[]> =>
      (await cluster.kubectl(['get', 'clustertrustbundles', '-o', 'name']))
        .split('\n')
        .filter(each => each.includes(prefix));
    const [current = ''] = await eventually(async () => {
      const found = await bundles();
      expect(found).toHaveLength(1);
      return found;
    });
    const before = await uid(current);
    const read = ['get', current, '-o', 'jsonpath={.spec.trustBundle}'];
    const trustBundle = await cluster.kubectl(read);
    const create = (name: string, spec: object): Promise<unknown> =>
      cluster.api.json({
        method: 'POST',
        path: `/apis/${version}/clustertrustbundles`,
        body: { metadata: { name }, spec: { trustBundle, ...spec } },
      });
    await create('other', {});
    await create(`${prefix}old`, { signerName: 'kubernetes.io/kube-apiserver-serving' });
    await areGone([`clustertrustbundle/${prefix}old`]);
    await areThere(['clustertrustbundle/other']);
    expect((await plan('clustertrustbundle/other')).recreated).toEqual([]);
    expect((await plan(current)).recreated).toMatchObject([{ kind: 'ClusterTrustBundle', count: 1 }]);
    await cluster.kubectl(['delete', current]);
    await eventually(async () => {
      const after = await uid(current);
      expect(after).not.toBe('');
      expect(after).not.toBe(before);
    });
  });

  it('are StorageVersions of API servers that are gone', async () => {
    const path = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
    const create = async (name: string, apiServerID: string): Promise<void> => {
      const made = await cluster.api.json<object>({
        method: 'POST',
        path,
        body: { metadata: { name }, spec: {} },
      });
      const version = { apiServerID, encodingVersion: 'v1', decodableVersions: ['v1'] };
      await cluster.api.json({
        method: 'PUT',
        path: `${path}/${name}/status`,
        body: { ...made, status: { commonEncodingVersion: 'v1', storageVersions: [version] } },
      });
    };
    const labelled = ['-l', 'apiserver.kubernetes.io/identity=kube-apiserver', '-o', 'name'];
    const lease = (await cluster.kubectl(['get', 'lease', '-n', 'kube-system', ...labelled])).trim();
    const [, identity = ''] = lease.split('/');
    await create('example.com.kept', identity);
    await create('example.com.stale', 'apiserver-gone');
    await areGone(['storageversion/example.com.stale']);
    await areThere(['storageversion/example.com.kept']);
    const { warnings, recreated } = await plan(`lease/${identity}`, '-n', 'kube-system');
    expect(warnings.join(' ')).toContain(
      'storageversion-garbage-collector-controller removes that API server',
    );
    expect(recreated).toMatchObject([{ kind: 'Lease', count: 1 }]);
    await cluster.kubectl(['delete', lease, '-n', 'kube-system']);
    await areGone(['storageversion/example.com.kept']);
  });

  it('are the rules of ClusterRoles in those that aggregate them', async () => {
    const role = (name: string, label: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}, labels: {${label}: "true"}}
rules: [{apiGroups: [example.com], resources: [${name}], verbs: [get]}]
---`;
    await cluster.apply(`${role('widgets', 'example.com/aggregate')}${role('gadgets', 'example.com/other')}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {example.com/aggregate: "true"}}]}
rules: []
`);
    const rules = (): Promise<string> =>
      cluster.kubectl(['get', 'clusterrole/all', '-o', 'jsonpath={.rules[*].resources[*]}']);
    await eventually(async () => expect(await rules()).toBe('widgets'));
    const named = async (name: string): Promise<string> =>
      (await plan(`clusterrole/${name}`)).warnings.join(' ');
    expect(await named('widgets')).toContain('clusterrole-aggregation-controller removes those rules');
    expect(await named('gadgets')).not.toContain('clusterrole-aggregation-controller');
    await cluster.kubectl(['delete', 'clusterrole/widgets', 'clusterrole/gadgets']);
    await eventually(async () => expect(await rules()).toBe(''));
    await areThere(['clusterrole/all']);
  });

  it.skipIf(minor < 37)('are no pods whose EvictionRequest is gone', async () => {
    const path = '/apis/lifecycle.k8s.io/v1alpha1/namespaces/default';
    const target = { pod: { name: 'runner', uid: await uid('pod/runner') } };
    const create = (kinds: string, spec: object): Promise<unknown> =>
      cluster.api.json({
        method: 'POST',
        path: `${path}/${kinds}`,
        body: { metadata: { name: 'drain' }, spec: { target, ...spec } },
      });
    await create('evictionrequests', { requester: 'example.com/drain', intent: 'Eviction' });
    const { deleted, recreated } = await plan('evictionrequest/drain', '-n', 'default');
    expect(deleted.map(({ object }) => object.kind)).toEqual(['EvictionRequest']);
    expect(recreated).toEqual([]);
    await cluster.kubectl(['delete', 'evictionrequests.lifecycle.k8s.io/drain', '-n', 'default']);
    await areGone(['evictionrequests.lifecycle.k8s.io/drain']);
    await areThere(['pod/runner']);
  });
});

/** Each row of what Kubernetes puts back, deleted on a real control plane: the forecast said so before. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { planOf } from '../ends.ts';

interface Met {
  readonly metadata: { readonly name: string; readonly uid: string };
}

interface Plan {
  readonly outcome: string;
  readonly deleted: readonly { readonly object: { readonly kind: string; readonly name: string } }[];
  readonly recreated: readonly { readonly by: string; readonly kind: string; readonly count: number }[];
  readonly warnings: readonly string[];
}

const minor = minorNumber(testedVersion());

describe('what Kubernetes puts back', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const within = (namespace: string): readonly string[] => (namespace === '' ? [] : ['-n', namespace]);
  const plan = (target: string, namespace: string, ...flags: readonly string[]): Promise<Plan> =>
    planOf(kubeconfig, ['delete', target, ...within(namespace), ...flags]);
  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);
  const read = async (target: string, namespace: string): Promise<Met | undefined> => {
    const found = await kubectl('get', target, ...within(namespace), '-o', 'json', '--ignore-not-found');
    return found.trim() === '' ? undefined : (JSON.parse(found) as Met);
  };
  const slices = async (service: string): Promise<readonly Met[]> => {
    const { items } = await cluster.api.json<{ readonly items: readonly Met[] }>({
      path: `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=${service}`,
    });
    return items;
  };

  /** Runs `meanwhile` until the object is back. */
  const isCreatedAgain = async (
    target: string,
    namespace: string,
    by: string,
    meanwhile = async (): Promise<void> => {},
  ): Promise<void> => {
    const before = await eventually(async () => {
      const found = await read(target, namespace);
      expect(found).toBeDefined();
      return found;
    });
    expect((await plan(target, namespace)).recreated).toContainEqual(
      expect.objectContaining({ by, count: 1 }),
    );
    await kubectl('delete', target, ...within(namespace));
    await eventually(async () => {
      await meanwhile();
      const now = await read(target, namespace);
      expect(now).toBeDefined();
      expect(now?.metadata.uid).not.toBe(before?.metadata.uid);
    });
  };

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 1,
      // The API server publishes no loopback address as an endpoint of its Service.
      apiServerFlags: ['--endpoint-reconciler-type=lease', '--advertise-address=10.0.0.2'],
      controllerManagerFlags: ['--leader-elect=true'],
      schedulerFlags: ['--leader-elect=true'],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(`
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: plain, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: db, namespace: default}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`);
    await eventually(async () => {
      expect(await read('endpoints/web', 'default')).toBeDefined();
      expect(await slices('web')).toHaveLength(1);
      expect(await slices('db')).toHaveLength(1);
      expect(await read('apiservice/v1.example.com', 'default')).toBeDefined();
      expect(await read('serviceaccount/default', 'default')).toBeDefined();
    });
  });
  afterAll(() => cluster?.stop());

  // At once, since some rows take a minute.
  it.concurrent.each([
    ['serviceaccount/default', 'default', 'serviceaccount-controller'],
    ['configmap/kube-root-ca.crt', 'default', 'root-ca-certificate-publisher-controller'],
    ['endpoints/web', 'default', 'endpoints-controller'],
    ['endpoints/kubernetes', 'default', 'kube-apiserver'],
    ['endpointslice/kubernetes', 'default', 'kube-apiserver'],
    ['configmap/extension-apiserver-authentication', 'kube-system', 'kube-apiserver'],
    ['flowschema/probes', '', 'kube-apiserver'],
    ['flowschema/exempt', '', 'kube-apiserver'],
    ['prioritylevelconfiguration/workload-low', '', 'kube-apiserver'],
    ['prioritylevelconfiguration/exempt', '', 'kube-apiserver'],
    ['apiservice/v1.example.com', '', 'kube-apiserver'],
    ['lease/node-1', 'kube-node-lease', 'kubelet'],
    ['lease/kube-controller-manager', 'kube-system', 'kube-controller-manager'],
    ['lease/kube-scheduler', 'kube-system', 'kube-scheduler'],
    ['namespace/kube-node-lease', '', 'kube-apiserver'],
  ])('creates %s again', async (target, namespace, by) => {
    await isCreatedAgain(target, namespace, by);
  });

  const isSliceCreatedAgain = async (service: string): Promise<void> => {
    const [before] = await slices(service);
    const { recreated } = await plan(`endpointslice/${before?.metadata.name}`, 'default');
    expect(recreated).toMatchObject([{ kind: 'EndpointSlice', count: 1 }]);
    await kubectl('delete', 'endpointslice', before?.metadata.name ?? '', '-n', 'default');
    await eventually(async () => {
      const [now] = await slices(service);
      expect(now).toBeDefined();
      expect(now?.metadata.uid).not.toBe(before?.metadata.uid);
    });
  };

  it.each(['web', 'db'])('creates the EndpointSlice of Service %s again', isSliceCreatedAgain);

  it.concurrent('creates the Lease of the API server again', async () => {
    const labelled = ['-n', 'kube-system', '-l', 'apiserver.kubernetes.io/identity=kube-apiserver'];
    const lease = (await kubectl('get', 'lease', ...labelled, '-o', 'name'))
      .trim()
      .replace('.coordination.k8s.io', '');
    await isCreatedAgain(lease, 'kube-system', 'kube-apiserver');
  });

  it.skipIf(minor < 33).concurrent(
    'creates the IPAddress of a Service again, and deletes it with the Service',
    async () => {
      const service = ['service/plain', '-n', 'default'];
      const address = `ipaddress/${await kubectl('get', ...service, '-o', 'jsonpath={.spec.clusterIP}')}`;
      await isCreatedAgain(address, '', 'kube-apiserver', async () => {
        // A changed Service is checked sooner than all Services are.
        await kubectl('annotate', '--overwrite', ...service, `touched=${performance.now()}`);
      });
      const { deleted, recreated } = await plan('service/plain', 'default', '-A');
      expect(deleted.map(({ object }) => `${object.kind} ${object.name}`)).toContain(
        address.replace('ipaddress/', 'IPAddress '),
      );
      expect(recreated).toEqual([]);
      await kubectl('delete', ...service);
      expect(await read(address, '')).toBeUndefined();
    },
  );

  it('creates service/kubernetes again', () =>
    isCreatedAgain('service/kubernetes', 'default', 'kube-apiserver'));

  it.skipIf(minor < 33)(
    'creates the ServiceCIDR of the cluster again once others have its addresses',
    async () => {
      expect((await plan('servicecidr/kubernetes', '')).outcome).toBe('Stuck');
      await cluster.apply(`
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: wider}
spec: {cidrs: [10.96.0.0/12]}
`);
      await isCreatedAgain('servicecidr/kubernetes', '', 'kube-apiserver');
    },
  );

  it('leaves Endpoints that somebody wrote', async () => {
    expect((await plan('endpoints/db', 'default')).recreated).toEqual([]);
    await kubectl('delete', 'endpoints', 'db', '-n', 'default');
    // Of a Service with a selector they would be back by now.
    await kubectl('delete', 'endpoints', 'web', '-n', 'default');
    await eventually(async () => expect(await read('endpoints/web', 'default')).toBeDefined());
    expect(await read('endpoints/db', 'default')).toBeUndefined();
  });

  it.each(['priorityclass/system-node-critical', 'namespace/kube-public'])(
    'refuses to delete %s',
    async target => {
      expect((await plan(target, '')).outcome).toBe('Refused');
      await expect(kubectl('delete', target)).rejects.toThrow(/forbidden/iu);
    },
  );

  it('creates an EndpointSlice again only with the next change, once the controller manager was restarted', async () => {
    await cluster.component('kube-controller-manager').stop();
    await cluster.component('kube-controller-manager').start();
    const isBack = async (account: string): Promise<void> => {
      await kubectl('delete', 'serviceaccount', 'default', '-n', account);
      await eventually(async () => expect(await read('serviceaccount/default', account)).toBeDefined());
    };
    // It works once it has taken over the Lease.
    await isBack('kube-public');
    await cluster.apply(`
apiVersion: v1
kind: Service
metadata: {name: later, namespace: default}
spec: {selector: {app: later}, ports: [{port: 80}]}
`);
    await eventually(async () => expect(await slices('later')).toHaveLength(1));
    // A second after it has seen a slice it looks at its Service: at first at web, then at this one.
    await isSliceCreatedAgain('later');
    const [slice] = await slices('web');
    const target = `endpointslice/${slice?.metadata.name}`;
    expect((await plan(target, 'default')).warnings.join(' ')).toContain(
      'creates another one only once the Service or its pods change if it has been restarted',
    );
    await kubectl('delete', target, '-n', 'default');
    await isBack('kube-public');
    await isBack('default');
    expect(await slices('web')).toEqual([]);
    await kubectl('label', 'service/web', '-n', 'default', 'tier=front');
    await eventually(async () => expect(await slices('web')).toHaveLength(1));
  });

  it('creates bootstrap roles and API groups of its own again when the API server starts', async () => {
    const role = 'system:controller:bootstrap-signer';
    const targets = [
      ['clusterrole/view', ''],
      ['clusterrolebinding/cluster-admin', ''],
      [`role/${role}`, 'kube-system'],
      [`rolebinding/${role}`, 'kube-system'],
      ['apiservice/v1.batch', ''],
    ] as const;
    for (const [target, namespace] of targets) {
      const { recreated, warnings } = await plan(target, namespace);
      expect(recreated).toEqual([]);
      expect(warnings.join(' ')).toContain('is created again when kube-apiserver starts');
      await kubectl('delete', target, ...within(namespace));
      expect(await read(target, namespace)).toBeUndefined();
    }
    await cluster.component('kube-apiserver').stop();
    await cluster.component('kube-apiserver').start();
    for (const [target, namespace] of targets)
      await eventually(async () => expect(await read(target, namespace)).toBeDefined());
    // It does so twice in half an hour at most, and starts to count now.
    const tracking = 'configmap/kube-apiserver-legacy-service-account-token-tracking';
    await isCreatedAgain(tracking, 'kube-system', 'kube-apiserver');
  });
});

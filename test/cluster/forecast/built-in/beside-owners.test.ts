/** What real controllers do to objects that they don't own is told before: Endpoints, tokens, evictions, replicas. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { budgetedDeployment } from '../../manifests.ts';
import { said } from '../../tool.ts';

interface Listed {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[];
    };
  }[];
}

const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }];

describe('what acts on objects beside their owners', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });
  const list = (path: string): Promise<Listed> => cluster.api.json<Listed>({ path });
  const names = async (path: string): Promise<readonly string[]> =>
    (await list(path)).items.map(({ metadata }) => metadata.name);
  const endpoints = '/api/v1/namespaces/default/endpoints';
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  it.each([
    ['made by its controller', 'web', { selector: { app: 'web' } }, undefined],
    ['written by hand and mirrored', 'db', {}, subsets],
  ])('Endpoints %s are deleted with the Service', async (_, name, spec, own) => {
    await cluster.api.json({
      method: 'POST',
      path: '/api/v1/namespaces/default/services',
      body: { metadata: { name }, spec: { ...spec, ports: [{ port: 80 }] } },
    });
    if (own !== undefined)
      await cluster.api.json({ method: 'POST', path: endpoints, body: { metadata: { name }, subsets: own } });
    const ofName = async (): Promise<Listed['items'][number] | undefined> =>
      (await list(slices)).items.find(({ metadata }) => metadata.name.startsWith(`${name}-`));
    await eventually(async () => {
      expect(await names(endpoints)).toContain(name);
      expect(await ofName()).toBeDefined();
    });
    // A real reference: that of a mirrored slice is to the Endpoints.
    expect((await ofName())?.metadata.ownerReferences).toMatchObject([
      { kind: own === undefined ? 'Service' : 'Endpoints', controller: true },
    ]);
    expect(await tells('why', `endpoints/${name}`)).toContain(
      `The endpoints controller deletes it with Service ${name}`,
    );
    const plan = JSON.parse(await tells('plan', 'delete', `service/${name}`, '-o', 'json')) as {
      readonly deleted: readonly { readonly object: { readonly kind: string }; readonly by: string }[];
    };
    expect(plan.deleted.map(({ object, by }) => `${object.kind} ${by}`).sort()).toEqual([
      'EndpointSlice garbage-collector',
      'Endpoints endpoints-controller',
      ...(minorNumber(testedVersion()) < 33 ? [] : ['IPAddress kube-apiserver']),
      expect.stringMatching(/^Service /u),
    ]);
    await cluster.kubectl(['delete', 'service', name]);
    await eventually(async () => {
      expect(await names(endpoints)).not.toContain(name);
      expect(await ofName()).toBeUndefined();
    });
  });

  it('the token of a ServiceAccount is deleted with it', async () => {
    await cluster.apply(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: build, namespace: default}
---
apiVersion: v1
kind: Secret
metadata:
  name: build-token
  namespace: default
  annotations: {kubernetes.io/service-account.name: build}
type: kubernetes.io/service-account-token
`);
    await eventually(async () =>
      expect(await tells('why', 'secret/build-token')).toContain(
        'The token controller deletes it with ServiceAccount build',
      ),
    );
    await cluster.apply(`
apiVersion: v1
kind: Secret
metadata:
  name: build-notes
  namespace: default
  annotations: {kubernetes.io/service-account.name: build}
type: Opaque
`);
    // By the annotations alone: the type of a Secret isn't read, and it says so.
    const plan = await tells('plan', 'delete', 'serviceaccount/build');
    expect(plan.replaceAll(/\s+/gu, ' ')).toContain(
      'Secret default/build-notes and Secret default/build-token are deleted with ServiceAccount default/build by the token controller, if the type is kubernetes.io/service-account-token',
    );
    await cluster.kubectl(['delete', 'serviceaccount', 'build']);
    await eventually(async () =>
      expect(await names('/api/v1/namespaces/default/secrets')).not.toContain('build-token'),
    );
    expect(await names('/api/v1/namespaces/default/secrets')).toContain('build-notes');
  });

  it('a budget holds an eviction and no deletion, and an autoscaler is told of the pods', async () => {
    await cluster.apply(`${budgetedDeployment('api')}---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: api, namespace: default}
spec: {minReplicas: 1, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}
`);
    const healthy = ['get', 'pdb', 'api', '-o', 'jsonpath={.status.currentHealthy}'];
    await eventually(async () => expect(await cluster.kubectl(healthy)).toBe('1'));
    const pods = '/api/v1/namespaces/default/pods';
    const [pod = ''] = await names(pods);
    const why = await tells('why', `pod/${pod}`);
    expect(why).toContain(
      'PodDisruptionBudget api does not let it be evicted now (1 of 1 healthy, 1 wanted)',
    );
    expect(why).toContain('HorizontalPodAutoscaler api sets the replicas of Deployment api, 1 to 4');
    expect(await tells('plan', 'delete', `pod/${pod}`)).toContain('lets no pod be evicted now');
    const eviction = cluster.api.json({
      method: 'POST',
      path: `${pods}/${pod}/eviction`,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod } },
    });
    await expect(eviction).rejects.toThrow(/disruption budget/u);
    await cluster.kubectl(['delete', 'pod', pod, '--wait=false']);
    await eventually(async () => expect(await names(pods)).not.toContain(pod));
  });
});

/** Users among custom resources: with the definitions that projects publish, the API server keeps each field that names an object. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { moduleFolder } from '../../../harness/processes/go-module.ts';
import { eventually } from '../../eventually.ts';
import { runTool, said } from '../../tool.ts';
import { breaksOf as breaksIn } from './breaks-of.ts';

const PINNED_BY = join(import.meta.dirname, '..', '..', '..', 'operators', 'definitions');

const definitions: readonly (readonly [module: string, path: string])[] = [
  ['sigs.k8s.io/gateway-api', 'config/crd/standard'],
  ['github.com/kubernetes-csi/external-snapshotter/client/v8', 'config/crd'],
  ['github.com/kedacore/keda/v2', 'config/crd/bases'],
  ['k8s.io/autoscaler/vertical-pod-autoscaler', 'deploy/vpa-v1-crd-gen.yaml'],
];

const routes = [
  ['HTTPRoute', 'v1'],
  ['GRPCRoute', 'v1'],
  ['TLSRoute', 'v1'],
  ['TCPRoute', 'v1'],
  ['UDPRoute', 'v1'],
] as const;

const route = ([kind, version]: (typeof routes)[number]): string => `
apiVersion: gateway.networking.k8s.io/${version}
kind: ${kind}
metadata: {name: ${kind.toLowerCase()}, namespace: other}
spec:
  ${kind === 'TLSRoute' ? 'hostnames: [web.example.com]' : ''}
  parentRefs: [{name: edge, namespace: shop}]
  rules: [{backendRefs: [{name: backend, namespace: shop, port: 80}]}]
---`;

const objects = `
apiVersion: v1
kind: Service
metadata: {name: backend, namespace: shop}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: certificate, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: queue, namespace: shop}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: lab}
spec:
  controllerName: example.com/gateways
  parametersRef: {group: '', kind: ConfigMap, name: gateways, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gateways, namespace: shop}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: lab
  listeners:
  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: certificate}]}}
---${routes.map(route).join('')}
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 0
  selector: {matchLabels: {app: api}}
  template: {metadata: {labels: {app: api}}, spec: {containers: [{name: main, image: registry.example/app}]}}
---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: api, namespace: shop}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: queue, namespace: shop}
spec: {secretTargetRef: [{parameter: password, name: queue, key: password}]}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: api, namespace: shop}
spec:
  scaleTargetRef: {name: api}
  triggers: [{type: rabbitmq, metadata: {queueName: work}, authenticationRef: {name: queue}}]
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshotClass
metadata: {name: nightly}
driver: csi.example.com
deletionPolicy: Delete
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: monday, namespace: shop}
spec: {volumeSnapshotClassName: nightly, source: {persistentVolumeClaimName: data}}
`;

describe('users of published kinds', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    kubeconfig = await cluster.kubeconfig();
    for (const [module, path] of definitions) {
      const file = join(await moduleFolder(module, PINNED_BY), path);
      await cluster.kubectl(['apply', '--server-side', '-f', file]).catch((error: unknown) => {
        // A folder of definitions may have a kustomization, which is no object.
        if (!String(error).includes('kustomization')) throw error;
      });
    }
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['create', 'namespace', 'other']);
    await eventually(() => cluster.apply(objects), 30_000);
  }, 120_000);
  afterAll(() => cluster?.stop());

  async function breaksOf(target: string): Promise<readonly string[]> {
    return (await breaksIn(kubeconfig, target, 'shop'))
      .map(
        ({ user, when, because, certainty }) =>
          `${user.kind} ${user.name} ${when} (${certainty}): ${because}`,
      )
      .sort();
  }
  const named = routes.map(([kind]) => `${kind} ${kind.toLowerCase()}`).sort();

  it.each<[target: string, breaks: readonly string[]]>([
    ['service/backend', named.map(each => `${each} atOnce (exact): these requests fail`)],
    ['gateway/edge', named.map(each => `${each} atOnce (exact): it is not served there any more`)],
    ['secret/certificate', ['Gateway edge atOnce (exact): its listener has no certificate']],
    ['gatewayclass/lab', ['Gateway edge atOnce (exact): its controller may stop serving it']],
    [
      'deployment/api',
      ['ScaledObject', 'VerticalPodAutoscaler'].map(
        kind => `${kind} api leftBehind (exact): it has nothing to scale any more`,
      ),
    ],
    ['configmap/gateways', ['GatewayClass lab later (assumed): its controller may fail']],
    ['secret/queue', ['TriggerAuthentication queue later (assumed): its controller may fail']],
    ['pvc/data', ['VolumeSnapshot monday later (exact): it never becomes ready']],
    [
      'volumesnapshotclass/nightly',
      ['VolumeSnapshot monday later (exact): it may not be deleted from the storage system'],
    ],
  ])('%s', async (target, breaks) => {
    expect(await breaksOf(target)).toEqual(breaks);
  });

  interface Table {
    readonly columnDefinitions: readonly { readonly name: string; readonly type: string }[];
    readonly rows: readonly {
      readonly cells: readonly (string | number | boolean | null)[];
      readonly object: { readonly metadata: { readonly name: string } };
    }[];
  }

  it.each([
    ['snapshot.storage.k8s.io/v1/namespaces/shop', 'volumesnapshots'],
    ['snapshot.storage.k8s.io/v1', 'volumesnapshotclasses'],
    ['gateway.networking.k8s.io/v1/namespaces/shop', 'gateways'],
    ['gateway.networking.k8s.io/v1', 'gatewayclasses'],
    ['gateway.networking.k8s.io/v1/namespaces/other', 'httproutes'],
    ['keda.sh/v1alpha1/namespaces/shop', 'scaledobjects'],
    ['keda.sh/v1alpha1/namespaces/shop', 'triggerauthentications'],
    ['autoscaling.k8s.io/v1/namespaces/shop', 'verticalpodautoscalers'],
  ])('tree -o wide prints of %s %s what the API server prints', async (place, resource) => {
    const status = JSON.stringify({
      readyToUse: true,
      restoreSize: '1Gi',
      boundVolumeSnapshotContentName: 'content-1',
      addresses: [{ type: 'IPAddress', value: '10.0.0.1' }],
    });
    const path = `/apis/${place}/${resource}`;
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    if (resource === 'volumesnapshots')
      await cluster.kubectl(
        ['patch', resource, 'monday', '-n', 'shop', '--subresource=status', '--type=merge', '-p'].concat(
          `{"status": ${status}}`,
        ),
      );
    const { columnDefinitions, rows } = JSON.parse((await cluster.api.send({ path, accept })).body) as Table;
    const namespace = place.split('/')[3];
    const words = ['tree', resource, ...(namespace ? ['-n', namespace] : []), '-o', 'wide'];
    const { stdout } = await runTool(words, { kubeconfig });
    expect(rows.length).toBeGreaterThan(0);
    for (const { cells, object } of rows) {
      const line = stdout.split('\n').find(each => each.includes(`${object.metadata.name} `)) ?? '';
      for (const [index, { name, type }] of columnDefinitions.entries()) {
        const cell = cells[index] ?? '';
        if (index === 0 || type === 'date') continue;
        if (cell === '') expect(line).not.toContain(`${name}=`);
        else expect(line).toContain(`${name}=${cell}`);
      }
    }
    // It has neither a condition nor a phase.
    const { stdout: plain } = await runTool(words.slice(0, -2), { kubeconfig });
    if (resource === 'volumesnapshots')
      expect(plain).toMatch(/VolumeSnapshot shop\/monday +ReadyToUse=true/u);
  });

  it('a forecast warns a user who may not read them', async () => {
    const user = 'system:serviceaccount:shop:reader';
    await cluster.kubectl(['create', 'serviceaccount', 'reader', '-n', 'shop']);
    await cluster.kubectl([
      'create',
      'rolebinding',
      'reader',
      '-n',
      'shop',
      '--clusterrole=edit',
      '--serviceaccount=shop:reader',
    ]);
    const answer = await said(['plan', 'delete', 'secret/queue', '-n', 'shop', '--as', user], { kubeconfig });
    expect(answer).toContain('Dependents and users among them are not in this forecast');
    expect(answer).not.toContain('may use what is deleted');
    const asked = ['plan', 'delete', 'secret/queue', '-n', 'shop', '--as', user, '--fail-on=breaks'];
    expect(await runTool(asked, { kubeconfig })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('something may break'),
    });
  });
});

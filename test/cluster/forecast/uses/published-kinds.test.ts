/** Users among custom resources that only the name of a field shows, and the columns of published definitions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { eventually } from '../../eventually.ts';
import { runTool, said } from '../../tool.ts';
import { breaksOf as breaksIn } from './breaks-of.ts';
import { applyDefinitions } from './definitions.ts';

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
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: httproute, namespace: other}
spec: {rules: [{backendRefs: [{name: backend, namespace: shop, port: 80}]}]}
---
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
    await applyDefinitions(cluster);
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

  // Relations are in `every-relation.test.ts`; here only the field's name shows what is used.
  it.each<[target: string, breaks: readonly string[]]>([
    ['configmap/gateways', ['GatewayClass lab later (assumed): its controller may fail']],
    ['secret/queue', ['TriggerAuthentication queue later (assumed): its controller may fail']],
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

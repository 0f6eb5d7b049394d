/** Objects that kube-controller-manager keeps while something uses them: they hang as forecast, and go with the last user. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';
import { planOf } from '../ends.ts';

const minor = minorNumber(testedVersion());

interface Plan {
  readonly outcome: string;
  readonly terminating: readonly { readonly waitingFor: readonly string[] }[];
}

describe('an object in use', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });
  const plan = (...targets: readonly string[]): Promise<Plan> =>
    planOf(kubeconfig, ['delete', ...targets, '-n', 'default']);
  const isThere = async (target: string): Promise<boolean> =>
    (await cluster.kubectl(['get', target, '-n', 'default', '--ignore-not-found'])).trim() !== '';
  const remove = (target: string): Promise<string> =>
    cluster.kubectl(['delete', target, '-n', 'default', '--wait=false']);
  /** Until its controller has added its finalizer. */
  const protectedBy = (target: string, finalizer: string): Promise<void> =>
    eventually(async () => {
      const found = await cluster.kubectl([
        'get',
        target,
        '-n',
        'default',
        '-o',
        'jsonpath={.metadata.finalizers}',
      ]);
      expect(found).toContain(finalizer);
    });

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  it.skipIf(minor < 34)('is a VolumeAttributesClass of a claim', async () => {
    await cluster.apply(`
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: gold}
driverName: example.com
parameters: {iops: "100"}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: silver}
driverName: example.com
parameters: {iops: "10"}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  volumeAttributesClassName: gold
`);
    const finalizer = 'kubernetes.io/vac-protection';
    await protectedBy('vac/gold', finalizer);
    await protectedBy('vac/silver', finalizer);
    expect((await plan('vac/silver')).outcome).toBe('Completes');
    const { outcome, terminating } = await plan('vac/gold');
    expect(outcome).toBe('Stuck');
    expect(terminating[0]?.waitingFor).toEqual(['PersistentVolumeClaim default/data, which uses it']);
    await remove('vac/gold');
    await remove('vac/silver');
    await eventually(async () => expect(await isThere('vac/silver')).toBe(false));
    expect(await isThere('vac/gold')).toBe(true);
    expect(await tells('why', 'vac/gold')).toContain('PersistentVolumeClaim default/data');
    await remove('pvc/data');
    await eventually(async () => expect(await isThere('vac/gold')).toBe(false));
  });

  it.skipIf(minor < 34)('is a ResourceClaim that is reserved for a pod', async () => {
    await cluster.apply(`
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: default, finalizers: [resource.kubernetes.io/delete-protection]}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: trainer, namespace: default}
spec:
  nodeName: node-1
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: main}]
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
`);
    const { metadata } = await cluster.api.json<{ readonly metadata: { readonly uid: string } }>({
      path: '/api/v1/namespaces/default/pods/trainer',
    });
    await cluster.api.json({
      method: 'PATCH',
      path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/gpu/status',
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          allocation: { devices: {} },
          reservedFor: [{ resource: 'pods', name: 'trainer', uid: metadata.uid }],
        },
      },
    });
    const { outcome, terminating } = await plan('resourceclaim/gpu');
    expect(outcome).toBe('Stuck');
    expect(terminating[0]?.waitingFor).toEqual(['Pod trainer, which uses it']);
    expect((await plan('resourceclaim/gpu', 'pod/trainer')).outcome).toBe('Completes');
    await remove('resourceclaim/gpu');
    expect(await isThere('resourceclaim/gpu')).toBe(true);
    expect(await tells('why', 'resourceclaim/gpu', '-n', 'default')).toContain('Pod trainer');
    await remove('pod/trainer');
    await eventually(async () => expect(await isThere('resourceclaim/gpu')).toBe(false));
  });

  it.skipIf(minor < 33)('is a ServiceCIDR with the address of a Service', async () => {
    await cluster.apply(`
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: extra}
spec: {cidrs: [10.231.0.0/24]}
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: unused}
spec: {cidrs: [10.232.0.0/24]}
`);
    const finalizer = 'networking.k8s.io/service-cidr-finalizer';
    await protectedBy('servicecidr/extra', finalizer);
    await protectedBy('servicecidr/unused', finalizer);
    await eventually(() =>
      cluster.apply(`
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {clusterIP: 10.231.0.7, ports: [{port: 80}]}
`),
    );
    expect((await plan('servicecidr/unused')).outcome).toBe('Completes');
    const { outcome, terminating } = await plan('servicecidr/extra');
    expect(outcome).toBe('Stuck');
    expect(terminating[0]?.waitingFor).toEqual(['IPAddress 10.231.0.7, which uses it']);
    const both = await plan('servicecidr/extra', 'service/web');
    expect(both.outcome).toBe('Completes');
    await remove('servicecidr/extra');
    await remove('servicecidr/unused');
    await eventually(async () => expect(await isThere('servicecidr/unused')).toBe(false));
    expect(await isThere('servicecidr/extra')).toBe(true);
    expect(await tells('why', 'servicecidr/extra')).toContain('IPAddress 10.231.0.7');
    await remove('service/web');
    await eventually(async () => expect(await isThere('servicecidr/extra')).toBe(false));
  });
});

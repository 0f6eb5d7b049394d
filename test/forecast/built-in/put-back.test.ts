/** What Kubernetes creates again after a deletion. */
import { describe, expect, it } from 'vitest';
import { parseFailOn } from '../../../src/cli/commands/plan/fail-on.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { readText } from '../../source/files/reading.ts';
import { nodes, planDelete, titles, viewOf, waits } from '../fixtures.ts';

const slice = (name: string, manager: string, service = 'web'): string =>
  `- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, name: ${name}, owners: [v1 Service web web +c +b], labels: {endpointslice.kubernetes.io/managed-by: ${manager}, kubernetes.io/service-name: ${service}}}\n`;

const shop = `${nodes}
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: build}
- {kind: ConfigMap, name: kube-root-ca.crt}
- {kind: Namespace, name: kube-system, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: ConfigMap, name: kube-apiserver-legacy-service-account-token-tracking, namespace: kube-system, uid: tracking}
- {kind: Service, name: web, spec: {selector: {app: web}}}
- {kind: Service, name: db, spec: {}}
- {kind: Endpoints, name: web, uid: web-endpoints}
- {kind: Endpoints, name: db, uid: db-endpoints}
- {kind: Endpoints, name: left, uid: left-endpoints}
${slice('web-a', 'endpointslice-controller.k8s.io')}${slice('web-b', 'somebody')}${slice('web-c', 'endpointslice-controller.k8s.io', 'gone')}
- {kind: Lease, apiVersion: coordination.k8s.io/v1, name: node-1, namespace: kube-node-lease, uid: lease-1}
- {kind: Lease, apiVersion: coordination.k8s.io/v1, name: node-2, namespace: kube-node-lease, uid: lease-2}
- {kind: Pod, name: etcd-node-1, annotations: {kubernetes.io/config.mirror: x}, owners: [v1 Node node-1 node-1 +c], spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: etcd-node-2, annotations: {kubernetes.io/config.mirror: x}, owners: [v1 Node node-2 node-2 +c], spec: {nodeName: node-2, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running}}
- {kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1, name: admin, labels: {kubernetes.io/bootstrapping: rbac-defaults}}
- {kind: FlowSchema, apiVersion: flowcontrol.apiserver.k8s.io/v1, name: probes}
- {kind: FlowSchema, apiVersion: flowcontrol.apiserver.k8s.io/v1, name: mine}
- {kind: PriorityClass, apiVersion: scheduling.k8s.io/v1, name: system-node-critical}
- {kind: Service, name: addressed, spec: {clusterIPs: [10.96.0.7]}}
- {kind: IPAddress, apiVersion: networking.k8s.io/v1, name: 10.96.0.7, uid: address, labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}}
- {kind: IPAddress, apiVersion: networking.k8s.io/v1, name: 10.96.0.8, uid: leaked, labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}}
- {kind: Lease, apiVersion: coordination.k8s.io/v1, name: kube-scheduler, namespace: kube-system, uid: leader}
- {kind: Lease, apiVersion: coordination.k8s.io/v1, name: kube-scheduler, namespace: shop, uid: other-leader}
- {kind: Namespace, name: kube-node-lease, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
`;

/** `EndpointSlice by web`, `ConfigMap kube-root-ca.crt by …` */
function recreated({ recreated: list }: Forecast): string[] {
  return list.map(
    ({ kind, by, actor, named = [] }) =>
      `${[kind, ...named.map(({ name }) => name)].join(' ')} by ${by?.name ?? actor}`,
  );
}

describe('the forecast of a deletion', () => {
  it.each([
    ['default', 'ServiceAccount default by serviceaccount-controller'],
    ['kube-root-ca.crt', 'ConfigMap kube-root-ca.crt by root-ca-certificate-publisher-controller'],
    ['tracking', 'ConfigMap kube-apiserver-legacy-service-account-token-tracking by kube-apiserver'],
    ['web-endpoints', 'Endpoints web by endpoints-controller'],
    ['web-a', 'EndpointSlice by web'],
    ['lease-1', 'Lease node-1 by kubelet'],
    ['etcd-node-1', 'Pod by node-1'],
    ['probes', 'FlowSchema probes by kube-apiserver'],
    ['kube-node-lease', 'Namespace kube-node-lease by kube-apiserver'],
    ['address', 'IPAddress 10.96.0.7 by kube-apiserver'],
    ['leader', 'Lease kube-scheduler by kube-scheduler'],
  ])('creates %s again', (uid, words) => {
    const plan = planDelete(viewOf(shop), uid);
    expect(recreated(plan)).toContain(words);
    expect(parseFailOn('recreated')(plan)).toContain('something is recreated');
  });

  it.each([
    'build',
    'db-endpoints',
    'left-endpoints',
    'web-b',
    'web-c',
    'lease-2',
    'mine',
    'leaked',
    'other-leader',
  ])('creates no %s', uid => expect(recreated(planDelete(viewOf(shop), uid))).toEqual([]));

  it('deletes the IPAddresses of a Service with it', () => {
    const plan = planDelete(viewOf(shop), 'addressed');
    expect(titles(plan.deleted)).toEqual(['IPAddress 10.96.0.7', 'Service addressed']);
    expect(recreated(plan)).toEqual([]);
  });

  it('creates it without owners that its creator does not give it', () => {
    const owned = shop
      .replace('name: default}', 'name: default, owners: [v1 ConfigMap settings settings +b]}')
      .concat('- {kind: ConfigMap, name: settings, uid: settings}\n');
    for (const cascade of ['background', 'foreground'] as const) {
      const plan = planDelete(viewOf(owned), 'settings', cascade);
      expect(plan.outcome).toBe('Completes');
      expect(titles(plan.deleted)).toEqual(['ConfigMap settings', 'ServiceAccount default']);
      expect(recreated(plan)).toEqual(['ServiceAccount default by serviceaccount-controller']);
    }
  });

  it('deletes a mirror pod at once, and of a silent node never', () => {
    expect(titles(planDelete(viewOf(shop), 'etcd-node-1').deleted)).toEqual(['Pod etcd-node-1']);
    const silent = planDelete(viewOf(shop), 'etcd-node-2');
    expect(waits(silent, 'Pod etcd-node-2')).toEqual([
      'the kubelet on node-2: the node is not ready, so the mirror of its static pod stays unless it is deleted by force',
    ]);
  });

  it('lets no static pod run twice: a new mirror starts nothing', () => {
    const now = shop.replaceAll('terminationGracePeriodSeconds: 30', 'terminationGracePeriodSeconds: 0');
    expect(planDelete(viewOf(now), 'etcd-node-1').alarms).toEqual([]);
  });

  it('says that the containers of a static pod run on, unless its Node goes too', () => {
    const warned = (uids: string) =>
      planDelete(viewOf(shop), uids).warnings.filter(({ code }) => code === 'staticPods');
    expect(warned('etcd-node-1')).toMatchObject([{ pods: [{ name: 'etcd-node-1' }], nodes: ['node-1'] }]);
    expect(warned('etcd-node-2')).toMatchObject([{ nodes: ['node-2'], kept: 1 }]);
    expect(warned('etcd-node-1 node-1')).toEqual([]);
    expect(warned('default')).toEqual([]);
  });

  it.each([
    ['VolumeAttachment', '{kind: VolumeAttachment, name: it}', 'persistentvolume-attach-detach-controller'],
    [
      'ResourceClaim',
      '{kind: ResourceClaim, name: it, owners: [v1 Pod etcd-node-1 etcd-node-1 +c +b]}',
      'resourceclaim-controller',
    ],
    [
      'Lease',
      '{kind: Lease, name: it, labels: {apiserver.kubernetes.io/identity: kube-apiserver}}',
      'storageversion-garbage-collector-controller',
    ],
    [
      'ClusterRole',
      '{kind: ClusterRole, name: it, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}',
      'clusterrole-aggregation-controller',
    ],
  ])('names what it does not simulate after the deletion of a %s', (_, yaml, by) => {
    const named = (brief: string) =>
      planDelete(viewOf(`${shop}- ${brief}\n`), 'it').warnings.filter(({ code }) => code === 'notSimulated');
    expect(named(yaml)).toMatchObject([{ objects: [{ name: 'it' }], by }]);
    expect(named('{kind: ConfigMap, name: it}')).toEqual([]);
    expect(named('{kind: Lease, name: it}')).toEqual([]);
    expect(named('{kind: ResourceClaim, name: it}')).toEqual([]);
  });

  it('says that an EndpointSlice comes back later if its controller was restarted, unless it is younger than that', () => {
    const named = (lease: string, uid: string) =>
      planDelete(viewOf(`${shop}${lease}`), uid).warnings.flatMap(each =>
        each.code === 'notSimulated' ? [`${each.by} ${each.does}`] : [],
      );
    const words = expect.stringMatching(
      /^endpointslice-controller creates another one only once .+ restarted/u,
    );
    const lease = (acquireTime: string): string =>
      `- {kind: Lease, apiVersion: coordination.k8s.io/v1, name: kube-controller-manager, namespace: kube-system, spec: {holderIdentity: cp-1_x, leaseDurationSeconds: 15, acquireTime: "${acquireTime}", renewTime: "${acquireTime}"}}\n`;
    expect(named('', 'web-a')).toEqual([words]);
    expect(named(lease('2026-11-22T12:00:00.000000Z'), 'web-a')).toEqual([words]);
    expect(named(lease('1969-11-22T12:00:00.000000Z'), 'web-a')).toEqual([]);
    expect(named('', 'web')).toEqual([]);
    expect(named('', 'web-b')).toEqual([]);
  });

  it('names the VolumeAttachments of a pod, and the ClusterRoles with the rules of another', () => {
    const objects = `${shop}
- {kind: VolumeAttachment, name: attached, spec: {attacher: example.com, nodeName: node-1, source: {persistentVolumeName: disk}}}
- {kind: PersistentVolumeClaim, name: data, spec: {volumeName: disk}}
- {kind: PersistentVolumeClaim, name: elsewhere, spec: {volumeName: other}}
- {kind: Pod, name: db, spec: {nodeName: node-1, volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}}
- {kind: Pod, name: web, spec: {nodeName: node-1, volumes: [{name: data, persistentVolumeClaim: {claimName: elsewhere}}]}}
- {kind: ClusterRole, name: all, aggregationRule: {clusterRoleSelectors: [{matchLabels: {into: all}}]}}
- {kind: ClusterRole, name: widgets, labels: {into: all}}
- {kind: ClusterRole, name: gadgets, labels: {into: none}}
`;
    const namedBy = (uid: string): string[] =>
      planDelete(viewOf(objects), uid).warnings.flatMap(each =>
        each.code === 'notSimulated' ? each.by : [],
      );
    expect(namedBy('db')).toEqual(['persistentvolume-attach-detach-controller']);
    expect(namedBy('web')).toEqual([]);
    expect(namedBy('widgets')).toEqual(['clusterrole-aggregation-controller']);
    expect(namedBy('gadgets')).toEqual([]);
  });

  it('creates nothing in a namespace that is deleted', () => {
    const plan = planDelete(viewOf(shop.replaceAll(/- .kind: Pod.*\n/gu, '')), 'shop');
    expect(titles(plan.deleted)).toContain('ServiceAccount default');
    expect(recreated(plan)).toEqual([]);
  });

  it('creates nothing in a deleted namespace of which files may know only a part', async () => {
    const { view } = await readText(`
apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: shop}
spec: {finalizers: [kubernetes]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: shop, uid: default}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: unseen, uid: other}
`);
    expect(recreated(planDelete(view, 'shop'))).toEqual([]);
    expect(recreated(planDelete(view, 'other'))).toHaveLength(1);
  });

  it('says what comes back with a later start', () => {
    const warned = (uid: string) =>
      planDelete(viewOf(shop), uid).warnings.filter(({ code }) => code === 'createdLater');
    expect(warned('admin')).toMatchObject([{ after: 'kube-apiserver starts', objects: [{ name: 'admin' }] }]);
    expect(warned('node-1')).toMatchObject([{ after: 'its kubelet starts', objects: [{ name: 'node-1' }] }]);
    expect(warned('build')).toEqual([]);
  });

  it('is refused for a system PriorityClass', () => {
    expect(planDelete(viewOf(shop), 'system-node-critical').outcome).toBe('Refused');
  });
});

/** An object whose bytes in etcd are broken, with and without the feature gate by which the API server names it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { said } from '../tool.ts';

const PATH = '/api/v1/namespaces/shop/podtemplates/bad';

describe.each([
  ['with the feature gate', true],
  ['without it', false],
])('an object that cannot be decoded, %s', (_, isOn) => {
  let cluster: Cluster;
  const tells = async (...args: readonly string[]): Promise<string> =>
    said(args, { kubeconfig: await cluster.kubeconfig() });

  beforeAll(async () => {
    const apiServerFlags = [`--feature-gates=AllowUnsafeMalformedObjectDeletion=${isOn}`];
    const components = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const;
    cluster = await startControlPlane({ nodes: 0, components, apiServerFlags });
    await cluster.apply(`
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: PodTemplate, metadata: {name: bad, namespace: shop, finalizers: [example.com/hold]}, template: {spec: {containers: [{name: app, image: app}]}}}
---
{apiVersion: v1, kind: PodTemplate, metadata: {name: good, namespace: team}, template: {spec: {containers: [{name: app, image: app}]}}}
`);
    await cluster.etcd.put('/registry/podtemplates/shop/bad', 'k8s\0garbage');
    await cluster.kubectl(['delete', 'namespace', 'shop', 'team', '--wait=false']);
  });
  afterAll(() => cluster?.stop());

  it('keeps its own namespace from being emptied, and no other', async () => {
    await eventually(() =>
      expect(cluster.kubectl(['get', 'namespace', 'team'])).rejects.toThrow('not found'),
    );
    await eventually(async () =>
      expect(await tells('why', 'ns/shop')).toContain(
        isOn
          ? "Namespace shop cannot be emptied: an object of podtemplates cannot be read from the API server's storage"
          : "Namespace shop cannot be emptied: an object cannot be read from the API server's storage: proto: illegal wireType",
      ),
    );
  });

  it('is told of once the watch cache reads it again', async () => {
    await eventually(async () => {
      const found = await tells('check', '-A', '-o', 'wide', '--fail-on=never');
      expect(found).toContain(
        'No client can list podtemplates, because an object of podtemplates cannot be read',
      );
    });
  });

  it('is deleted unread where it is named, whatever its finalizers', async () => {
    const list = await cluster.api.send({ path: '/api/v1/podtemplates?limit=1' });
    expect(list.status).toBe(500);
    expect(list.body.includes('/registry/podtemplates/shop/bad')).toBe(isOn);
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ignoreStoreReadErrorWithClusterBreakingPotential: true,
    };
    const { status } = await cluster.api.send({ method: 'DELETE', path: PATH, body });
    expect(status).toBe(isOn ? 200 : 500);
    if (!isOn) return;
    await eventually(() =>
      expect(cluster.kubectl(['get', 'namespace', 'shop'])).rejects.toThrow('not found'),
    );
  });
});

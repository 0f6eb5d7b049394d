/** What nobody lets go of on a real API server: pods whose kubelet is silent on a ready node, and content of namespaces that are gone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { said } from '../tool.ts';

describe('what nobody lets go of', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> => said(args, { kubeconfig });

  beforeAll(async () => {
    // Without controllers nobody minds that the node has no kubelet, nor that a namespace is deleted.
    cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply('{apiVersion: v1, kind: Node, metadata: {name: deaf}}');
    await cluster.api.json({
      method: 'PATCH',
      path: '/api/v1/nodes/deaf/status',
      contentType: 'application/merge-patch+json',
      body: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } },
    });
    await cluster.api.json({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      body: {
        metadata: { name: 'web' },
        spec: {
          nodeName: 'deaf',
          automountServiceAccountToken: false,
          containers: [{ name: 'web', image: 'web' }],
        },
      },
    });
    await cluster.kubectl(['delete', 'pod', 'web', '--grace-period=1', '--wait=false']);
    await cluster.apply(`
{apiVersion: v1, kind: Namespace, metadata: {name: ghost}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: ghost, finalizers: [example.com/hold]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: ghost}}
`);
    await cluster.kubectl(['delete', 'namespace', 'ghost', '--wait=false']);
    await cluster.api.json({
      method: 'PUT',
      path: '/api/v1/namespaces/ghost/finalize',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ghost' }, spec: { finalizers: [] } },
    });
    await eventually(() =>
      expect(cluster.kubectl(['get', 'namespace', 'ghost'])).rejects.toThrow('not found'),
    );
  });
  afterAll(() => cluster?.stop());

  it('is told of objects whose Namespace was finalized before them, and can be changed no more', async () => {
    const held = await tells('check', '-A', '-o', 'wide', '--fail-on=never');
    expect(held).toContain(
      'ConfigMap ghost/held is left in a namespace that no longer exists: Namespace ghost was removed with content in it, which nothing deletes; the API server refuses every change of it (404)',
    );
    expect(held).toContain('ConfigMap ghost/free is left in a namespace');
    expect(await tells('why', 'configmap/free', '-n', 'ghost')).toContain('Namespace ghost was removed');
    const patched = cluster.api.send({
      method: 'PATCH',
      path: '/api/v1/namespaces/ghost/configmaps/held',
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    expect(await patched).toMatchObject({ status: 404, body: expect.stringContaining('namespaces') });
    await cluster.api.json({ method: 'DELETE', path: '/api/v1/namespaces/ghost/configmaps/free' });
    expect(await tells('check', '-A', '-o', 'wide', '--fail-on=never')).not.toContain('ghost/free');
    await cluster.apply('{apiVersion: v1, kind: Namespace, metadata: {name: ghost}}');
    expect(await tells('check', '-A', '-o', 'wide', '--fail-on=never')).not.toContain('left in a namespace');
  });

  it('is told of a pod past its grace period on a ready node', async () => {
    await eventually(async () =>
      expect(await tells('why', 'pod/web', '-n', 'default')).toContain(
        "Pod default/web is still there though its grace period is over: deaf is ready, and its kubelet hasn't confirmed that the containers have stopped",
      ),
    );
  });
});

/** Finalizers that their controller may not remove, as a real API server refuses it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, said } from '../tool.ts';
import { everyReadVerb, letViewersRead } from './viewers.ts';

const ACCOUNT = 'system:serviceaccount:tools:drainer';
const SAID =
  'Widget shop/cart is stuck: it is held by the finalizer example.com/drain, and Deployment tools/example-operator seems to be the one that removes it, and its ServiceAccount tools/drainer may neither patch nor update widgets.example.com in namespace shop';

function rule(resources: string, verbs: string): string {
  return `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: drainer, namespace: shop}
rules:
  - {apiGroups: [example.com], resources: ${resources}, verbs: ${verbs}}
  # As kubectl reads it before it patches.
  - {apiGroups: [example.com], resources: [widgets, widgets/status], verbs: [get]}
`;
}

describe('a finalizer whose controller runs', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...flags: readonly string[]): Promise<string> =>
    said(['why', 'widget/cart', '-n', 'shop', ...flags], { kubeconfig });
  const removed = (...flags: readonly string[]): Promise<string> => {
    const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}', `--as=${ACCOUNT}`];
    return cluster.kubectl(['patch', 'widget', 'cart', '-n', 'shop', ...patch, ...flags]);
  };

  beforeAll(async () => {
    // Without controllers nobody counts the Deployment's pods, or gives namespaces an account.
    cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: tools}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: example-operator, namespace: tools}
spec:
  selector: {matchLabels: {app: example}}
  template:
    metadata: {labels: {app: example}}
    spec: {serviceAccountName: drainer, containers: [{name: operator, image: operator}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: drainer, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: drainer}
subjects: [{kind: ServiceAccount, name: drainer, namespace: tools}]
`);
    await cluster.api.json({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/tools/deployments/example-operator/status',
      contentType: 'application/merge-patch+json',
      body: { status: { replicas: 1, readyReplicas: 1 } },
    });
    const widget =
      '{apiVersion: example.com/v1, kind: Widget, metadata: {name: cart, namespace: shop, finalizers: [example.com/drain]}}';
    await eventually(() => cluster.apply(widget));
    await cluster.kubectl(['delete', 'widget', 'cart', '-n', 'shop', '--wait=false']);
  });
  afterAll(() => cluster?.stop());

  it('stays where its ServiceAccount may change its status and its finalizers subresource alone', async () => {
    await cluster.apply(rule('[widgets/status, widgets/finalizers]', '[update, patch]'));
    await eventually(async () => expect(await tells()).toContain(SAID));
    expect(await tells()).toContain('FinalizerHandlerForbidden');
    expect(await tells('-o', 'wide')).toMatch(
      /kubectl create role \S+ --verb=patch --verb=update --resource=widgets\.example\.com -n shop && kubectl create rolebinding/u,
    );
    await expect(removed()).rejects.toThrow('Forbidden');
    await removed('--subresource=status');
    const left = ['get', 'widget', 'cart', '-n', 'shop', '-o', 'jsonpath={.metadata.finalizers}'];
    expect(await cluster.kubectl(left)).toBe('["example.com/drain"]');
  });

  it('is not said to stay by whoever may not ask', async () => {
    await letViewersRead(cluster, () => everyReadVerb);
    const { stdout } = await runTool(
      ['why', 'widget/cart', '-n', 'shop', '--as=viewer', '--as-group=viewers'],
      { kubeconfig },
    );
    expect(stdout).toContain('TerminatingHeldByFinalizer');
    expect(stdout).not.toContain('assumed');
  });

  it.each([
    ['by a verb', rule('[widgets]', '[patch]')],
    ['by name', rule('[widgets]', '[update, patch]').replace('verbs:', 'resourceNames: [cart], verbs:')],
  ])('is removed where it may: %s', async (_, yaml) => {
    await cluster.apply(yaml);
    await eventually(async () => expect(await tells()).not.toContain('FinalizerHandlerForbidden'));
    expect(await tells()).toContain('TerminatingHeldByFinalizer');
    expect(await removed('--dry-run=server')).toContain('patched');
  });
});

/** Webhooks behind which nothing answers, and what they do to a real API server and to what is said of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, said } from '../tool.ts';

const definition = (stored: 'v1' | 'v1beta1', conversion = ''): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: lamps, singular: lamp, kind: Lamp}
  ${conversion}
  versions:
    - {name: v1, served: true, storage: ${stored === 'v1'}, schema: {openAPIV3Schema: {type: object}}}
    - {name: v1beta1, served: true, storage: ${stored === 'v1beta1'}, schema: {openAPIV3Schema: {type: object}}}
`;

describe('a kind whose conversion webhook is gone', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 0, components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(definition('v1beta1'));
    await eventually(() =>
      cluster.apply(
        '{apiVersion: example.com/v1beta1, kind: Lamp, metadata: {name: old, namespace: default}}',
      ),
    );
    await cluster.apply(
      definition(
        'v1',
        'conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: tools, name: convert}}}}',
      ),
    );
    await eventually(async () =>
      expect((await cluster.api.send({ path: '/apis/example.com/v1/lamps' })).status).toBe(429),
    );
  });
  afterAll(() => cluster?.stop());

  it('cannot be listed, which the finding on its definition says with the reason', async () => {
    const { stdout } = await runTool(['check', '-A', '-o', 'json', '--fail-on=never'], { kubeconfig });
    const { items } = JSON.parse(stdout) as {
      items: { code: string; message: string; evidence: string[] }[];
    };
    const found = items.filter(({ code }) => code === 'ConversionWebhookUnreachable');
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(
      "lamps.example.com cannot be listed: the Service tools/convert doesn't exist",
    );
    expect(found[0]?.evidence.join('\n')).toContain(
      'conversion webhook for example.com/v1beta1, Kind=Lamp failed',
    );
  });
});

describe('a webhook that must be called and has no Service', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default, labels: {keep: web}}}',
    );
    await cluster.apply(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: keep}
webhooks:
  - name: keep.example.com
    sideEffects: None
    admissionReviewVersions: [v1]
    clientConfig: {service: {namespace: tools, name: keep}}
    objectSelector: {matchLabels: {keep: web}}
    rules: [{operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
`);
    await eventually(() =>
      expect(cluster.kubectl(['label', 'configmap', 'web', 'a=b', '--overwrite'])).rejects.toThrow(
        'failed calling webhook "keep.example.com"',
      ),
    );
    await cluster.kubectl(['delete', 'configmap', 'web', '--cascade=foreground', '--wait=false']);
  });
  afterAll(() => cluster?.stop());

  it('is found, and is why the collector cannot end a foreground deletion', async () => {
    expect(await said(['check', '-A', '--fail-on=never', '-o', 'wide'], { kubeconfig })).toContain(
      "ValidatingWebhookConfiguration keep has the API server refuse every UPDATE of configmaps that its selectors choose, because the Service tools/keep of its webhook keep.example.com doesn't exist",
    );
    await eventually(async () => {
      expect(await said(['why', 'configmap/web', '-n', 'default'], { kubeconfig })).toContain(
        'ConfigMap default/web is stuck because the API server refuses the request of the collector: the Service tools/keep of the webhook keep.example.com',
      );
    });
  });
});

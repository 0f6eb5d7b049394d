/**
 * Operators that run and cannot finish, on a real control plane: the first sentence of `why` names the cause, and its first
 * remedy frees the object. The operators are loops of the test, which act as their ServiceAccounts.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { ApiClient } from '../../harness/api-client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { SERVICE_RANGE, WebhookServer } from '../forecast/admission/webhook-server.ts';
import { oneDeployment } from '../manifests.ts';
import { runTool } from '../tool.ts';

function definition(plural: string, kind: string, scope = 'Namespaced'): string {
  const [resource = '', ...group] = plural.split('.');
  const schema = '{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}';
  const version = `{name: v1, served: true, storage: true, subresources: {status: {}}, schema: ${schema}}`;
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}, annotations: {api-approved.kubernetes.io: "unapproved, for tests"}}
spec:
  group: ${group.join('.')}
  scope: ${scope}
  names: {kind: ${kind}, plural: ${resource}, singular: ${kind.toLowerCase()}}
  versions: [${version}]
`;
}

/** An operator's Deployment with an account that may do what a ClusterRole of these verbs and resources permits. */
function operator(name: string, verbs: string, groups = '"*"', resources = '"*"'): string {
  return `
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: tools}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}}
rules: [{apiGroups: [${groups}], resources: [${resources}], verbs: [${verbs}]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: tools}]
---${oneDeployment(name, 'tools', `, serviceAccountName: ${name}`)}`;
}

const namespaces = ['tools', 'vault', 'shop', 'models', 'tenant'];

const setup = [
  ...namespaces.map(name => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}\n`),
  definition('models.serving.example.org', 'Model'),
  definition('volumesnapshots.snapshot.storage.k8s.io', 'VolumeSnapshot'),
  definition('volumesnapshotcontents.snapshot.storage.k8s.io', 'VolumeSnapshotContent', 'Cluster'),
  definition('kafkas.kafka.strimzi.io', 'Kafka'),
  definition('kafkatopics.kafka.strimzi.io', 'KafkaTopic'),
  definition('gateways.gateway.networking.k8s.io', 'Gateway'),
  definition('gatewayclasses.gateway.networking.k8s.io', 'GatewayClass', 'Cluster'),
  operator('envoy-gateway', '"*"'),
  operator('drain-operator', 'get, list, watch', '""', 'configmaps'),
  operator('serving-operator', '"*"'),
  operator('snapshot-controller', '"*"'),
  operator('strimzi-cluster-operator', '"*"'),
].join('---\n');

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('an operator that runs', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let stop: () => Promise<void> = () => Promise.resolve();

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 1,
      apiServerFlags: [`--service-cluster-ip-range=${SERVICE_RANGE}`],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(setup);
    const ready = ['deployment', '--all', '-n', 'tools', '--for=condition=Available', PATIENTLY];
    await cluster.kubectl(['wait', ...ready]);
  });
  afterEach(() => stop());
  afterAll(() => cluster?.stop());

  /** Repeats a step, as the operator's ServiceAccount, until the test ends. */
  async function operate(name: string, step: (client: ApiClient) => Promise<unknown>): Promise<void> {
    const token = (await cluster.kubectl(['create', 'token', name, '-n', 'tools'])).trim();
    const client = new ApiClient({ server: cluster.server, ca: readFileSync(cluster.tls.ca), token });
    let isStopped = false;
    const running = (async () => {
      while (!isStopped) {
        await step(client).catch(() => undefined);
        await sleep(50);
      }
    })();
    stop = async () => {
      isStopped = true;
      await running;
    };
  }

  async function why(target: string, ...flags: readonly string[]): Promise<DiagnosisItem> {
    const { stdout, stderr } = await runTool(['why', ...target.split(' '), ...flags, '-o', 'json'], {
      kubeconfig,
    });
    const [item] = (JSON.parse(stdout || '{}') as Partial<Diagnosis>).items ?? [];
    if (item === undefined) throw new Error(stderr);
    return item;
  }

  /** Applies the product's own remedy. */
  async function unblock(target: string, remedy: string): Promise<void> {
    const { code, stdout, stderr } = await runTool(
      ['unblock', ...target.split(' '), '--remedy', remedy, '--yes'],
      { kubeconfig },
    );
    expect(code, `${stdout}${stderr}`).toBe(0);
  }

  function isGone(...target: readonly string[]): Promise<void> {
    return eventually(async () =>
      expect(await cluster.kubectl(['get', ...target, '--ignore-not-found', '-o', 'name'])).toBe(''),
    );
  }

  function release(client: ApiClient, path: string): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return client.json({ method: 'PATCH', path, contentType, body: { metadata: { finalizers: null } } });
  }

  it('is refused by the API server, because a webhook rewrites the pod that it releases', async () => {
    const painter = await WebhookServer.start({
      cluster,
      namespace: 'tools',
      name: 'painter',
      address: '127.77.0.100',
      pods: false,
    });
    painter.patch = [
      { op: 'add', path: '/spec/hostAliases', value: [{ ip: '127.0.0.1', hostnames: ['a'] }] },
    ];
    stop = () => Promise.resolve(painter.stop());
    await cluster.apply(`${painter.manifests}---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: painter}
webhooks:
- name: paint.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: ${painter.clientConfig}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: vault}}
  rules: [{operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: setup, namespace: vault}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}
`);
    const pod = await eventually(async () => {
      const found = await cluster.kubectl(['get', 'pods', '-n', 'vault', '-o', 'name']);
      expect(found).toMatch(/^pod\/setup-/u);
      return found.trim();
    });
    await cluster.kubectl(['delete', pod, '-n', 'vault', '--wait=false']);
    const asked = `${pod} -n vault`;
    await eventually(async () => {
      const { summary, remedies } = await why(asked, '--probe');
      expect(summary).toMatch(/paint\.example\.com/u);
      expect(remedies[0]?.title).toMatch(/MutatingWebhookConfiguration painter\) does to CREATE/u);
    });
    const { next, remedies } = await why(asked);
    expect(next.join(' ')).not.toMatch(/is deleted/u);
    expect(remedies.find(({ id }) => id.startsWith('wait'))).toBeUndefined();
    const operations = '[{"op":"replace","path":"/webhooks/0/rules/0/operations","value":["CREATE"]}]';
    await cluster.kubectl(['patch', 'mutatingwebhookconfiguration/painter', '--type=json', '-p', operations]);
    await isGone(pod, '-n', 'vault');
  });

  it('is refused by the API server, because it does not trust the certificate of a webhook', async () => {
    const named = { cluster, namespace: 'tools', pods: false } as const;
    const stamp = await WebhookServer.start({ ...named, name: 'stamp', address: '127.77.0.101' });
    const other = await WebhookServer.start({ ...named, name: 'other', address: '127.77.0.102' });
    stop = () => Promise.resolve(stamp.stop());
    const authorityOf = ({ clientConfig }: WebhookServer): string =>
      /caBundle: ([^},\s]+)/u.exec(clientConfig)?.[1] ?? '';
    const wrong = authorityOf(other);
    other.stop();
    await cluster.apply(`${stamp.manifests}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: stamp}
webhooks:
- name: stamp.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: ${stamp.clientConfig.replace(authorityOf(stamp), wrong)}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: vault}}
  rules: [{operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: stamped, namespace: vault, finalizers: [example.com/drain]}}
`);
    await cluster.kubectl(['delete', 'cm/stamped', '-n', 'vault', '--wait=false']);
    await eventually(async () => {
      const { summary, remedies } = await why('cm/stamped -n vault', '--probe');
      expect(summary).toMatch(
        /stamp\.example\.com .*answers with a certificate that no CA in the caBundle has issued/u,
      );
      expect(remedies[0]?.title).toMatch(
        /^renew the certificate of Service tools\/stamp together with the caBundle/u,
      );
    });
    const trusted = JSON.stringify([
      { op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: authorityOf(stamp) },
    ]);
    await cluster.kubectl(['patch', 'validatingwebhookconfiguration/stamp', '--type=json', '-p', trusted]);
    await eventually(async () => {
      const { summary } = await why('cm/stamped -n vault', '--probe');
      expect(summary).not.toContain('certificate');
    });
    await cluster.kubectl([
      'patch',
      'cm/stamped',
      '-n',
      'vault',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    ]);
    await isGone('cm/stamped', '-n', 'vault');
    await cluster.kubectl(['delete', 'validatingwebhookconfiguration/stamp']);
  });

  it('may not patch what it has to release, until the printed commands have granted that', async () => {
    const path = '/api/v1/namespaces/shop/configmaps/held';
    await cluster.apply(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: shop, finalizers: [example.com/drain]}}',
    );
    await cluster.kubectl(['delete', 'cm/held', '-n', 'shop', '--wait=false']);
    await operate('drain-operator', client => release(client, path));
    const { summary, remedies } = await why('cm/held -n shop');
    expect(summary).toMatch(
      /ServiceAccount tools\/drain-operator may neither patch nor update configmaps in namespace shop/u,
    );
    const [grant] = remedies;
    const commands = grant?.kubectl?.split(' && ').map(each => each.split(' ').slice(1)) ?? [];
    expect(commands.map(words => words.slice(0, 2).join(' '))).toEqual(['create role', 'create rolebinding']);
    for (const words of commands) await cluster.kubectl(words);
    await isGone('cm/held', '-n', 'shop');
  });

  it('recreates what a foreground deletion waits for, which ends in the background', async () => {
    const group = '/apis/serving.example.org/v1/namespaces/models/models/mock';
    await cluster.apply(
      '{apiVersion: serving.example.org/v1, kind: Model, metadata: {name: mock, namespace: models}}',
    );
    await operate('serving-operator', async client => {
      const { uid } = record((await client.json<JsonRecord>({ path: group }))['metadata']);
      const owner = { apiVersion: 'serving.example.org/v1', kind: 'Model', name: 'mock', uid };
      const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
      const names = Array.from({ length: 12 }, (_, index) => `mock-${index}`);
      await Promise.all(
        names.map(name =>
          client.send({
            method: 'POST',
            path: '/api/v1/namespaces/models/configmaps',
            body: { metadata: { name, ownerReferences } },
          }),
        ),
      );
    });
    await eventually(async () =>
      expect(await cluster.kubectl(['get', 'cm', '-n', 'models', '-o', 'name'])).toContain('mock-11'),
    );
    const target = 'model/mock -n models';
    await cluster.kubectl(['delete', ...target.split(' '), '--cascade=foreground', '--wait=false']);
    const { remedies, next } = await eventually(async () => {
      const item = await why(target);
      expect(item.summary).toMatch(
        /may never end: ConfigMap mock-\d+, which it waits for, was created \d+ s/u,
      );
      return item;
    });
    expect(next.join(' ')).toMatch(/^mock may never be deleted/u);
    expect(remedies[0]?.id).toBe('redelete/background');
    await unblock(target, 'redelete/background');
    await isGone('model/mock', '-n', 'models');
    await isGone('cm', '-n', 'models', '--field-selector=metadata.name=mock-0');
  });

  it('waits for a snapshot of the claim to be ready', async () => {
    const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';
    const finalizer = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
    await cluster.apply(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, finalizers: [${finalizer}]}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: nobody}
---
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: nightly, namespace: shop}
spec: {source: {persistentVolumeClaimName: data}, volumeSnapshotClassName: fast}
`);
    const setStatus = (status: JsonRecord): Promise<string> => {
      const patch = ['patch', 'volumesnapshot/nightly', '-n', 'shop', '--subresource=status', '--type=merge'];
      return cluster.kubectl([...patch, '-p', JSON.stringify({ status })]);
    };
    const message = 'cannot take the snapshot: VolumeSnapshotClass fast not found';
    await setStatus({ readyToUse: false, error: { message } });
    await cluster.kubectl(['delete', 'pvc/data', '-n', 'shop', '--wait=false']);
    await operate('snapshot-controller', async client => {
      const path = '/apis/snapshot.storage.k8s.io/v1/namespaces/shop/volumesnapshots';
      const snapshots = list((await client.json<JsonRecord>({ path }))['items']).map(record);
      const isTaking = snapshots.some(({ status }) => record(status)['readyToUse'] !== true);
      if (!isTaking) await release(client, `${claims}/data`);
    });
    const { summary, next, remedies } = await why('pvc/data -n shop');
    expect(summary).toMatch(
      /waits until VolumeSnapshot nightly is ready to use; VolumeSnapshot nightly isn't ready to use: cannot take/u,
    );
    expect(next.join(' ')).toMatch(/^data stays as it is while .* is ready to use/u);
    expect(remedies[0]?.title).toBe('get VolumeSnapshot nightly ready: the claim follows by itself');
    await setStatus({ readyToUse: true, error: null });
    await isGone('pvc/data', '-n', 'shop');
  });

  it('waits for live objects that name the class that it releases', async () => {
    const group = '/apis/gateway.networking.k8s.io/v1';
    const gateway = (name: string, of: string): string =>
      `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: ${of}}}\n`;
    await cluster.apply(`
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: envoy, finalizers: [gateway-exists-finalizer.gateway.networking.k8s.io]}
spec: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}
---
${gateway('public', 'envoy')}---
${gateway('other', 'cilium')}`);
    await cluster.kubectl(['delete', 'gatewayclass/envoy', '--wait=false']);
    await operate('envoy-gateway', async client => {
      const gateways = list((await client.json<JsonRecord>({ path: `${group}/gateways` }))['items']);
      const isUsed = gateways.some(each => record(record(each)['spec'])['gatewayClassName'] === 'envoy');
      if (!isUsed) await release(client, `${group}/gatewayclasses/envoy`);
    });
    const { summary, next, remedies } = await why('gatewayclass/envoy');
    expect(summary).toMatch(
      /waits until Gateway shop\/public is gone; Gateway shop\/public is not being deleted/u,
    );
    expect(next.join(' ')).toMatch(/^envoy stays as it is while /u);
    expect(remedies[0]?.kubectl).toBe('kubectl gc-tree plan delete gateway/public -n shop');
    const deletion = ['delete', 'gateway/public', '-n', 'shop', '--yes'];
    const { code, stderr } = await runTool(deletion, { kubeconfig });
    expect(code, stderr).toBe(0);
    await isGone('gatewayclass/envoy');
  });

  it('serves other clusters than the one that a topic belonged to', async () => {
    await cluster.apply(`
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders, namespace: tenant, labels: {strimzi.io/cluster: events}, finalizers: [strimzi.io/topic-operator]}
`);
    await cluster.kubectl(['delete', 'namespace/tenant', '--wait=false']);
    const { summary, remedies } = await eventually(async () => {
      const item = await why('ns/tenant');
      expect(item.summary).toMatch(/KafkaTopic orders is held/u);
      return item;
    });
    expect(summary).toMatch(
      /only the topic operator of Kafka tenant\/events removes it, and that Kafka no longer exists/u,
    );
    const [first] = remedies;
    expect(first?.title).toMatch(/the topic is normally gone with that Kafka/u);
    expect(first?.effect).toBe('tenant is deleted, and KafkaTopic tenant/orders with it');
    await unblock('ns/tenant', text(first?.id));
    await isGone('namespace/tenant');
  });
});

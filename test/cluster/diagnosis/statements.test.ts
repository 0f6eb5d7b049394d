/** What objects say themselves of why they stay, on a real control plane: their status, and how much is asked for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { everyReadVerb, letViewersRead } from './viewers.ts';

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: buckets.store.example.org}
spec:
  group: store.example.org
  scope: Namespaced
  names: {kind: Bucket, plural: buckets, singular: bucket}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const bucket = `
apiVersion: store.example.org/v1
kind: Bucket
metadata: {name: logs, namespace: shop, finalizers: [store.example.org/empty]}
`;

const status = {
  status: {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2026-01-01T00:00:00Z' },
      {
        type: 'Synced',
        status: 'False',
        reason: 'ReconcileError',
        message: 'delete failed: BucketNotEmpty: the bucket has 3 objects\n\u001b[31mtoken=abc123def',
        lastTransitionTime: '2026-01-02T00:00:00Z',
      },
    ],
  },
};

describe('an object that is held and says why', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  async function answer(words: string): Promise<DiagnosisItem> {
    const { code, stdout, stderr } = await runTool([...words.split(' '), '-o', 'json'], { kubeconfig });
    expect([code, stderr]).toEqual([0, '']);
    const [item] = (JSON.parse(stdout) as Diagnosis).items;
    if (item === undefined) throw new Error(`no answer to ${words}`);
    return item;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      users: [
        { name: 'viewer', token: 'viewer-token', groups: ['viewers'] },
        { name: 'outsider', token: 'outsider-token', groups: [] },
      ],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.apply(definition);
    await eventually(() => cluster.apply(bucket));
    const isEvents = (resource: string): boolean => /^events(?:\.|$)/u.test(resource);
    await letViewersRead(cluster, resource => (isEvents(resource) ? [] : everyReadVerb));
    const patch = ['patch', 'bucket', 'logs', '-n', 'shop', '--subresource=status', '--type=merge', '-p'];
    await cluster.kubectl([...patch, JSON.stringify(status)]);
    await cluster.kubectl(['delete', 'bucket', 'logs', '-n', 'shop', '--wait=false']);
  });
  afterAll(() => cluster?.stop());

  it('is quoted, by one request for the object at the end of the way', async () => {
    const { summary, statements } = await answer('why bucket/logs -n shop');
    expect(summary).toContain(
      'its status says Synced=False (ReconcileError): "delete failed: BucketNotEmpty: the bucket has 3 objects token=(hidden)", reported before the deletion.',
    );
    expect(statements).toMatchObject([
      { from: 'condition', type: 'Synced', status: 'False', at: '2026-01-02T00:00:00Z' },
    ]);
    const { stderr } = await runTool(['why', 'bucket/logs', '-n', 'shop', '-v=6'], { kubeconfig });
    const single = stderr.split('\n').filter(line => /^GET .*\/buckets\/logs/u.test(line));
    // Of the same answer it is told who set the finalizer.
    expect(single).toHaveLength(1);
  });

  it('is told of by events as well, however they are written, each once and the newest first', async () => {
    const uid = (
      await cluster.kubectl(['get', 'bucket', 'logs', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}'])
    ).trim();
    const about = {
      apiVersion: 'store.example.org/v1',
      kind: 'Bucket',
      namespace: 'shop',
      name: 'logs',
      uid,
    };
    const now = new Date().toISOString();
    const core = (name: string, message: string): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: 'shop' },
        involvedObject: about,
        type: 'Warning',
        reason: 'CannotDelete',
        message,
        count: 2,
        lastTimestamp: now,
      });
    const newer = JSON.stringify({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'newer', namespace: 'shop' },
      regarding: about,
      type: 'Normal',
      reason: 'Deleting',
      note: 'lists what is left',
      action: 'Delete',
      eventTime: new Date(Date.now() + 1000).toISOString().replace('Z', '000Z'),
      reportingController: 'store.example.org/controller',
      reportingInstance: 'controller-0',
    });
    const other = core('other', 'of another object').replace(uid, '00000000-0000-4000-8000-000000000001');
    await cluster.apply(
      [core('a', 'three objects'), core('b', 'three objects'), newer, other].join('\n---\n'),
    );
    const { statements } = await answer('why bucket/logs -n shop');
    expect(statements?.map(({ from, reason, message, count }) => [from, reason, message, count])).toEqual([
      ['condition', 'ReconcileError', expect.stringContaining('BucketNotEmpty'), undefined],
      ['event', 'CannotDelete', 'three objects', 4],
      ['event', 'Deleting', 'lists what is left', undefined],
    ]);
    const { stderr } = await runTool(['why', 'bucket/logs', '-n', 'shop', '-v=6'], { kubeconfig });
    expect(stderr.split('\n').filter(line => /^GET .*\/events\?/u.test(line))).toHaveLength(1);
  });

  it('is told of without events to whoever may not read them', async () => {
    const { stdout } = await runTool(['why', 'bucket/logs', '-n', 'shop', '-o', 'json'], {
      kubeconfig: await cluster.kubeconfig('viewer'),
    });
    const { items, basis } = JSON.parse(stdout) as Diagnosis;
    expect(items[0]?.statements?.map(({ from }) => from)).toEqual(['condition']);
    expect(basis.blindSpots).toContainEqual({ resource: 'events', reason: '403' });
  });

  it('is quoted where its namespace waits for it', async () => {
    await cluster.kubectl(['delete', 'namespace', 'shop', '--wait=false']);
    await eventually(async () => {
      const { summary, statements } = await answer('why ns/shop');
      expect(summary).toContain('the status of Bucket logs says Synced=False (ReconcileError)');
      expect(statements?.map(({ object }) => object.name)).toEqual(['logs']);
    });
  });

  it('is told of by its namespace alone where a file holds nothing else', async () => {
    await eventually(async () => {
      const message = await cluster.kubectl([
        'get',
        'namespace',
        'shop',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="NamespaceFinalizersRemaining")].message}',
      ]);
      expect(message).toContain('store.example.org/empty in 1 resource instances');
    });
    const dump = await cluster.kubectl(['get', 'namespace', 'shop', '-o', 'yaml']);
    const { items } = await fromFile(dump);
    expect(items[0]?.summary).toContain(
      '1 buckets.store.example.org is left in it, held by the finalizer store.example.org/empty',
    );
    expect(items[0]?.remedies[0]?.kubectl).toBe('kubectl get buckets.store.example.org -n shop');
    expect(items[0]?.next.join('')).toContain('stays');
  });

  it('is told of by its namespace to whoever may see nothing else', async () => {
    await cluster.kubectl([
      'create',
      'clusterrole',
      'namespaces',
      '--verb=get,list,watch',
      '--resource=namespaces',
    ]);
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'namespaces',
      '--clusterrole=namespaces',
      '--user=outsider',
    ]);
    const outsider = await cluster.kubeconfig('outsider');
    const { items } = await eventually(async () => {
      const { stdout } = await runTool(['why', 'ns/shop', '-o', 'json'], { kubeconfig: outsider });
      return JSON.parse(stdout) as Diagnosis;
    });
    expect(items[0]?.summary).toContain(
      '1 buckets.store.example.org is left in it, held by the finalizer store.example.org/empty',
    );
    expect(items[0]?.next.join('')).toContain('stays');
    expect(items[0]?.remedies[0]?.kubectl).toContain('get buckets.store.example.org -n shop');
  });

  it('is told of by a namespace that waits for an API that nobody serves, and nothing of its recovery', async () => {
    await cluster.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec: {group: metrics.k8s.io, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {name: metrics-server, namespace: kube-system}}`);
    await cluster.kubectl(['create', 'namespace', 'waiting']);
    const failing = '{.status.conditions[?(@.type=="NamespaceDeletionDiscoveryFailure")].status}';
    await eventually(async () => {
      const available = await cluster.kubectl([
        'get',
        'apiservice',
        'v1beta1.metrics.k8s.io',
        '-o',
        'jsonpath={.status.conditions[0].status}',
      ]);
      expect(available).toBe('False');
    });
    await cluster.kubectl(['delete', 'namespace', 'waiting', '--wait=false']);
    await eventually(async () => {
      expect(await cluster.kubectl(['get', 'namespace', 'waiting', '-o', `jsonpath=${failing}`])).toBe(
        'True',
      );
    });
    const dump = await cluster.kubectl(['get', 'namespace', 'waiting', '-o', 'yaml']);
    const [item] = (await fromFile(dump, 'ns/waiting')).items;
    expect(item?.summary).toContain(
      'Namespace waiting cannot be deleted while the API metrics.k8s.io/v1beta1 cannot be discovered',
    );
    expect(item?.remedies[0]?.kubectl).toBe('kubectl describe apiservice v1beta1.metrics.k8s.io');
    expect(item?.next.join('')).toContain('stays');
    const service = await cluster.kubectl(['get', 'apiservice', 'v1beta1.metrics.k8s.io', '-o', 'yaml']);
    const [both] = (await fromFile(`${dump}\n---\n${service}`, 'ns/waiting')).items;
    expect(both?.summary).toContain('Service kube-system/metrics-server');
    expect(both?.next.join('')).toContain('stays');
  });

  async function fromFile(dump: string, target = 'ns/shop'): Promise<Diagnosis> {
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-said-'));
    try {
      const file = join(folder, 'namespace.yaml');
      await writeFile(file, dump);
      const { stdout } = await runTool(['why', target, '-f', file, '-o', 'json']);
      return JSON.parse(stdout) as Diagnosis;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
});

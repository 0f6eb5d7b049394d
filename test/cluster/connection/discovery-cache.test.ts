/**
 * kubectl's discovery cache, shared with the real kubectl: the same files in the same place, each reading what the other
 * wrote; and so a Tab on a name that sends few requests, counted in front of the API server.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { nodeOf, readTree } from '../ownership-document.ts';
import { completeWords, runTool } from '../tool.ts';

const SIX_HOURS = 6 * 3_600;

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wg]}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
      subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}, status: {}}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('the discovery cache', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let kubeconfig: string;
  let cache: string;
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    kubeconfig = await cluster.kubeconfig('admin', proxy.url);
    await cluster.kubectl(['create', 'configmap', 'settings', '--namespace=default']);
  });
  beforeEach(() => {
    cache = newFolder();
  });
  afterAll(async () => {
    await proxy.stop();
    await cluster.stop();
  });

  function newFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-cache-'));
    guardFolder(folder);
    return folder;
  }

  /** What was sent meanwhile. */
  async function requestsOf<T>(run: () => Promise<T>): Promise<{ result: T; requests: string[] }> {
    const before = proxy.requests.length;
    const result = await run();
    return { result, requests: proxy.requests.slice(before) };
  }

  const tab = (...words: string[]) =>
    requestsOf(() => completeWords(words, { kubeconfig, env: { KUBECACHEDIR: cache } }));

  const kubectl = (args: readonly string[], folder = cache) =>
    requestsOf(() => cluster.kubectl([...args, `--kubeconfig=${kubeconfig}`, `--cache-dir=${folder}`]));

  /** Every file of it, parsed, by its path below the host's folder. */
  function filesOf(folder: string): Record<string, unknown> {
    const top = path.join(folder, 'discovery');
    const names = existsSync(top) ? readdirSync(top, { recursive: true, encoding: 'utf8' }) : [];
    return Object.fromEntries(
      names
        .filter(name => name.includes('.json'))
        .sort()
        .map(name => [name, JSON.parse(readFileSync(path.join(top, name), 'utf8')) as unknown]),
    );
  }

  const isDiscovery = (request: string) => /^GET \/apis?(\/[^/]+(\/[^/?]+)?)?(\?|$)/u.test(request);

  it('lets a Tab on a name send three requests at most, and one where it is filled', async () => {
    const cold = await tab('configmap', '');
    expect(cold.result).toContain('settings');
    expect(cold.requests.length).toBeLessThanOrEqual(3);
    const warm = await tab('cm', 'set');
    expect(warm.result).toContain('settings');
    expect(warm.requests).toEqual([expect.stringContaining('/namespaces/default/configmaps')]);
    const types = await tab('configm');
    expect(types.result).toContain('configmaps');
    expect(types.requests).toEqual([]);
  });

  it('is read by kubectl as if kubectl had written it, and holds the same', async () => {
    await cluster.apply(widgets);
    await eventually(async () =>
      expect((await kubectl(['get', 'widgets'], newFolder())).result).toBeDefined(),
    );
    await tab('configmap', '');
    const read = await kubectl(['get', 'configmaps,widgets', '--output=name']);
    expect(read.requests.filter(isDiscovery)).toEqual([]);
    expect(read.result).toContain('configmap/settings');
    const own = newFolder();
    await kubectl(['api-resources'], own);
    expect(filesOf(cache)).toEqual(filesOf(own));
    // Of subresources, too: this asks the cache which kind the scale of a widget is.
    await cluster.apply(
      '{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default}, spec: {replicas: 1}}',
    );
    await kubectl(['scale', 'widget/w', '--replicas=3', '--namespace=default']);
    await cluster.kubectl(['delete', 'crd', 'widgets.example.com']);
  });

  it('is read where kubectl wrote it', async () => {
    await kubectl(['api-resources']);
    const { result, requests } = await tab('configmap', '');
    expect(result).toContain('settings');
    expect(requests).toHaveLength(1);
  });

  it('is passed over for a type that it lacks, and learns it', async () => {
    await tab('configmap', '');
    await cluster.apply(widgets);
    await eventually(async () =>
      expect((await kubectl(['get', 'widgets'], newFolder())).result).toBeDefined(),
    );
    await cluster.apply(
      '{apiVersion: example.com/v1, kind: Widget, metadata: {name: wheel, namespace: default}}',
    );
    const first = await tab('widget', '');
    expect(first.result).toContain('wheel');
    expect(first.requests.length).toBeLessThanOrEqual(3);
    const second = await tab('wg', '');
    expect(second.result).toContain('wheel');
    expect(second.requests).toHaveLength(1);
    // And forgets it, once it isn't served any more.
    await cluster.kubectl(['delete', 'crd', 'widgets.example.com']);
    await eventually(async () => {
      const gone = await tab('widget', '');
      expect(gone.result).not.toContain('wheel');
      expect(gone.requests.length).toBeLessThanOrEqual(3);
      expect(Object.keys(JSON.parse(JSON.stringify(filesOf(cache)))).join()).toContain('servergroups.json');
      expect(JSON.stringify(filesOf(cache))).not.toContain('"name":"example.com"');
    });
  });

  it('is asked anew after six hours', async () => {
    await tab('configmap', '');
    const top = path.join(cache, 'discovery');
    const old = Date.now() / 1000 - SIX_HOURS - 60;
    for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.json')) utimesSync(path.join(top, name), old, old);
    expect((await tab('configmap', '')).requests.filter(isDiscovery)).toHaveLength(2);
    expect((await tab('configmap', '')).requests.filter(isDiscovery)).toEqual([]);
  });

  it('never makes a command believe that something is not served', async () => {
    await tab('configmap', '');
    const [host = ''] = readdirSync(path.join(cache, 'discovery'));
    const groups = path.join(cache, 'discovery', host, 'servergroups.json');
    writeFileSync(groups, '{"kind":"APIGroupList","apiVersion":"v1","groups":[]}');
    chmodSync(groups, 0o600);
    const env = { KUBECACHEDIR: cache };
    expect(
      nodeOf(await readTree(['-n', 'default'], { kubeconfig, env }), 'ConfigMap/settings'),
    ).toBeDefined();
    const { code, stderr } = await runTool(['tree', 'cm/settings', '-n', 'default'], { kubeconfig, env });
    expect([code, stderr]).toEqual([0, '']);
    expect((await tab('configmap', '')).result).toContain('settings');
  });

  it('is filled by commands that read the cluster, for the next Tab', async () => {
    const { code } = await runTool(['tree', '-n', 'default', `--cache-dir=${cache}`], { kubeconfig });
    expect(code).toBe(0);
    expect((await tab('configmap', '')).requests).toHaveLength(1);
  });

  it('has a command begin with what was served the last time, and tell what is', async () => {
    const env = { KUBECACHEDIR: cache };
    const tree = () => requestsOf(() => readTree(['-n', 'default'], { kubeconfig, env }));
    await tree();
    await cluster.apply(widgets);
    await eventually(() =>
      cluster.apply(
        '{apiVersion: example.com/v1, kind: Widget, metadata: {name: wheel, namespace: default}}',
      ),
    );
    // The last answers don't know it, then they do, and then they know what is gone.
    for (const turn of ['unknown', 'known']) {
      const { result } = await tree();
      expect([turn, nodeOf(result, 'Widget/wheel')?.object.name]).toEqual([turn, 'wheel']);
    }
    await cluster.kubectl(['delete', 'crd', 'widgets.example.com']);
    await eventually(async () =>
      expect((await kubectl(['api-resources'], newFolder())).result).not.toContain('widgets'),
    );
    const { result, requests } = await tree();
    expect(requests.filter(request => request.includes('/widgets')).length).toBeLessThanOrEqual(1);
    expect(JSON.stringify(result)).not.toMatch(/widget/iu);
    expect(nodeOf(result, 'ConfigMap/settings')).toBeDefined();
  });

  it('is whole after many wrote it at the same time', async () => {
    await Promise.all([
      ...Array.from({ length: 4 }, () => tab('configmap', '')),
      ...Array.from({ length: 3 }, () => kubectl(['api-resources'])),
    ]);
    const own = newFolder();
    await kubectl(['api-resources'], own);
    // No temporary file is left, and each is JSON.
    expect(filesOf(cache)).toEqual(filesOf(own));
    expect((await tab('configmap', '')).requests).toHaveLength(1);
    expect((await kubectl(['get', 'configmaps'])).requests.filter(isDiscovery)).toEqual([]);
  });
});

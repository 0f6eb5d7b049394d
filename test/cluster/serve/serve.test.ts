/**
 * `serve` as the manifests in `deploy/` install it, on a real control plane: with the token of its ServiceAccount, asked by
 * users of the cluster, and scraped by a real Prometheus.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../harness/api-client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { otherPrograms } from '../../harness/processes/other-programs.ts';
import { freePorts } from '../../harness/processes/ports.ts';
import { eventually } from '../eventually.ts';
import { type RunningTool, startTool } from '../tool.ts';

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, '..', '..', '..', 'deploy');

// People and programs of the cluster, and what they may do; and something that is stuck in each of two namespaces.
const world = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: bank}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: prometheus, namespace: gc-tree}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: clerk, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: admin, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: nobody, namespace: shop}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: test-metrics}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gc-tree-metrics-reader}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: gc-tree}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: test-documents}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: gc-tree-document-reader}
subjects: [{kind: ServiceAccount, name: clerk, namespace: shop}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: clerk, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: clerk, namespace: shop}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: test-admin}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: admin, namespace: shop}]
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: till, namespace: shop, finalizers: [shop.example/till]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: ledger, namespace: bank, finalizers: [bank.example/audit]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: vault, namespace: shop, finalizers: [shop.example/vault]}, stringData: {key: open-sesame}}
`;

interface Document {
  readonly kind: string;
  readonly basis: { readonly blindSpots: readonly { readonly resource: string; readonly reason: string }[] };
  readonly items: readonly { readonly object: { readonly name: string }; readonly certainty: string }[];
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'serve with the rights of its manifests',
  () => {
    let cluster: Cluster;
    let folder: string;
    let serving: RunningTool;
    let url: string;
    let programs: Awaited<ReturnType<typeof otherPrograms<'prometheus'>>>;
    const tokens = new Map<string, string>();
    const clients: ApiClient[] = [];

    async function tokenOf(name: string, namespace = 'shop'): Promise<string> {
      return (await cluster.kubectl(['create', 'token', name, '-n', namespace])).trim();
    }

    /** As a user, or as nobody. */
    async function ask(who: string | undefined, at: string): Promise<{ status: number; body: string }> {
      const client = new ApiClient({
        server: url,
        ca: await readFile(cluster.tls.ca, 'utf8'),
        token: who === undefined ? undefined : tokens.get(who),
      });
      clients.push(client);
      return client.send({ path: at });
    }

    async function documentFor(who: string, at: string): Promise<Document> {
      const { status, body } = await ask(who, at);
      expect([status, body]).toEqual([200, expect.any(String)]);
      return JSON.parse(body) as Document;
    }

    function startServing(token: string, more: readonly string[] = []): RunningTool {
      const { serving: pair, ca } = cluster.tls;
      const words = `serve --server ${cluster.server} --token ${token} --certificate-authority ${ca} --port=0 -v=6
      --tls-cert-file ${pair.certificate} --tls-private-key-file ${pair.key}`;
      return startTool([...words.split(/\s+/u), ...more]);
    }

    function addressOf(tool: RunningTool): Promise<string> {
      return eventually(() => {
        const [, address] = /Serving on (\S+),/u.exec(tool.stderr()) ?? [];
        if (address === undefined) throw new Error(tool.stderr());
        return address;
      });
    }

    beforeAll(async () => {
      programs = await otherPrograms('prometheus');
      folder = await mkdtemp(path.join(tmpdir(), 'gct-serve-'));
      cluster = await startControlPlane({ nodes: 1 });
      await cluster.kubectl(['apply', '--server-side', '-k', path.join(deploy, 'base')]);
      await cluster.apply(world);
      await cluster.kubectl(['delete', '--wait=false', '-n', 'shop', 'configmap/till', 'secret/vault']);
      await cluster.kubectl(['delete', '--wait=false', '-n', 'bank', 'configmap/ledger']);
      for (const name of ['clerk', 'admin', 'nobody']) tokens.set(name, await tokenOf(name));
      tokens.set('prometheus', await tokenOf('prometheus', 'gc-tree'));
      serving = startServing(await tokenOf('gc-tree', 'gc-tree'));
      url = await addressOf(serving);
    });

    afterAll(async () => {
      for (const client of clients) client.close();
      serving?.child.kill('SIGKILL');
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    it('sees everything with these rights, and is ready', async () => {
      await eventually(async () =>
        expect(await ask(undefined, '/readyz')).toEqual({ status: 200, body: 'ok\n' }),
      );
      const { basis } = await documentFor('admin', '/v1alpha1/check?all-namespaces=true');
      expect(basis.blindSpots).toEqual([]);
    });

    it('has a pod that the restricted level of Pod Security lets in', async () => {
      await eventually(async () => {
        const pods = await cluster.kubectl(['get', 'pods', '-n', 'gc-tree', '-o', 'name']);
        expect(pods).toMatch(/^pod\/gc-tree-/u);
      });
    });

    it('lets in whom the API server knows and allows', async () => {
      const statusOf = async (who: string | undefined, at: string) => (await ask(who, at)).status;
      expect(await statusOf(undefined, '/metrics')).toBe(401);
      expect(await statusOf('nobody', '/metrics')).toBe(403);
      expect(await statusOf('prometheus', '/metrics')).toBe(200);
      expect(await statusOf('prometheus', '/v1alpha1/check?all-namespaces=true')).toBe(403);
      expect(await statusOf('clerk', '/metrics')).toBe(403);
      tokens.set('stranger', 'eyJhbGciOiJub25lIn0.e30.');
      expect(await statusOf('stranger', '/metrics')).toBe(401);
    });

    it('shows each caller what they may list, and nothing else', async () => {
      const all = await eventually(async () => {
        const document = await documentFor('admin', '/v1alpha1/check?all-namespaces=true');
        const names = document.items.map(({ object }) => object.name);
        expect(names).toEqual(expect.arrayContaining(['till', 'vault', 'ledger']));
        return document;
      });
      expect(JSON.stringify(all)).not.toContain('open-sesame');
      const own = await documentFor('clerk', '/v1alpha1/check?namespace=shop');
      // The ClusterRole "view" has no Secrets.
      expect(own.items.map(({ object }) => object.name)).toEqual(['till']);
      expect(own.basis.blindSpots).toContainEqual({ resource: 'secrets', reason: '403' });
      expect(JSON.stringify(own)).not.toMatch(/vault|ledger/u);
      const other = await ask('clerk', '/v1alpha1/tree?namespace=bank');
      expect([other.status, other.body]).toEqual([400, expect.stringContaining('can be seen')]);
      expect(other.body).not.toContain('ledger');
      for (const at of ['why?namespace=shop&target=secret/vault', 'why?namespace=bank&target=cm/ledger'])
        expect((await ask('clerk', `/v1alpha1/${at}`)).status).toBe(400);
    });

    it('makes the documents of the other commands', async () => {
      const why = await documentFor('clerk', '/v1alpha1/why?namespace=shop&target=cm/till');
      expect([why.kind, why.items.length]).toEqual(['Diagnosis', 1]);
      expect((await documentFor('admin', '/v1alpha1/podgc?all-namespaces=true')).kind).toBe(
        'PodGCCandidateList',
      );
      const plan = await documentFor('admin', '/v1alpha1/plan?namespace=shop&action=delete&target=cm/till');
      expect(plan.kind).toBe('Plan');
    });

    it('tells metrics that a real Prometheus takes, with alerts that promtool takes', async () => {
      const rules = path.join(deploy, 'prometheus', 'rules.yaml');
      await run(programs.promtool, ['check', 'rules', '--lint=all', '--lint-fatal', rules]);
      await run(programs.promtool, ['test', 'rules', path.join(deploy, 'prometheus', 'rules.test.yaml')]);
      const { body } = await ask('prometheus', '/metrics');
      expect(body).toContain('gc_tree_stuck_deletions 3');
      const checking = run(programs.promtool, ['check', 'metrics']);
      checking.child.stdin?.end(body);
      expect((await checking).stdout).toBe('');
      const [port = 0] = await freePorts(1);
      await writeFile(path.join(folder, 'token'), tokens.get('prometheus') ?? '');
      const config = `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [${rules}]
scrape_configs:
  - job_name: gc-tree
    scheme: https
    honor_labels: true
    authorization: {credentials_file: ${path.join(folder, 'token')}}
    tls_config: {ca_file: ${cluster.tls.ca}}
    static_configs: [{targets: ['${new URL(url).host}']}]
`;
      await writeFile(path.join(folder, 'prometheus.yml'), config);
      const prometheus: ChildProcess = spawn(
        programs.prometheus,
        [
          `--config.file=${path.join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${path.join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { stdio: 'ignore' },
      );
      try {
        const query = async (expression: string): Promise<string> => {
          const asked = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
          return (await fetch(asked)).text();
        };
        await eventually(async () => {
          expect(await query('up{job="gc-tree"}')).toMatch(/"value":\[[\d.]+,"1"\]/u);
          expect(await query('gc_tree_view_live')).toMatch(/"value":\[[\d.]+,"1"\]/u);
        });
        // A label that is one of Prometheus' own as well stays what it is.
        expect(await query('gc_tree_findings{namespace="bank"}')).toContain('"code":"');
      } finally {
        prometheus.kill();
        await new Promise(resolve => prometheus.once('close', resolve));
      }
    });

    it('confirms what is absent with the right to list alone', async () => {
      await cluster.component('kube-controller-manager').stop();
      const owner =
        '{apiVersion: v1, kind: ConfigMap, name: gone, uid: 00000000-0000-4000-8000-000000000001}';
      await cluster.apply(
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: left, namespace: shop, ownerReferences: [${owner}]}}`,
      );
      await eventually(async () => {
        const { items } = await documentFor('clerk', '/v1alpha1/check?namespace=shop');
        expect(items).toContainEqual(
          expect.objectContaining({ object: expect.objectContaining({ name: 'left' }), certainty: 'exact' }),
        );
      });
    });

    it('leaves its numbers out and is not ready while the API server is away, and comes back', async () => {
      await cluster.component('kube-apiserver').stop();
      await eventually(async () => {
        const { status, body } = await ask(undefined, '/readyz');
        expect([status, body]).toEqual([
          503,
          expect.stringContaining('the connection to the API server is lost'),
        ]);
      });
      // Who asks now cannot be asked about: neither is anybody let in who was never seen.
      tokens.set('newcomer', 'eyJhbGciOiJub25lIn0.e30.x');
      expect((await ask('newcomer', '/metrics')).status).toBe(503);
      await cluster.component('kube-apiserver').start();
      await eventually(async () => expect((await ask(undefined, '/readyz')).status).toBe(200));
    });

    it('has sent nothing but reads and the two reviews, and ends with 0 when it is asked to', async () => {
      const requests = serving.stderr().match(/^(?:POST|PUT|PATCH|DELETE) \S+/gmu) ?? [];
      const reviews =
        /\/(?:authentication\.k8s\.io\/v1\/tokenreviews|authorization\.k8s\.io\/v1\/subjectaccessreviews)$/u;
      expect(requests.length).toBeGreaterThan(0);
      expect(requests.filter(line => !reviews.test(line))).toEqual([]);
      expect(serving.stderr()).not.toContain(tokens.get('admin') ?? 'no token');
      serving.child.kill('SIGTERM');
      expect(await serving.exit).toBe(0);
    });

    it('without any right to Secrets is blind to them alone, which was to be expected', async () => {
      const overlay = path.join(folder, 'overlay');
      await run('mkdir', [overlay]);
      const relative = path.relative(overlay, deploy);
      await writeFile(
        path.join(overlay, 'kustomization.yaml'),
        `resources: [${relative}/base]\ncomponents: [${relative}/components/without-secrets]\n`,
      );
      const built = await cluster.kubectl(['kustomize', '--load-restrictor=LoadRestrictionsNone', overlay]);
      expect(built).toContain('--tolerate-blind=secrets');
      await cluster.apply(built);
      const mine = startServing(await tokenOf('gc-tree', 'gc-tree'), ['--tolerate-blind=secrets']);
      try {
        url = await addressOf(mine);
        await eventually(async () => expect((await ask(undefined, '/readyz')).status).toBe(200));
        const { basis } = await documentFor('admin', '/v1alpha1/check?all-namespaces=true');
        expect(basis.blindSpots.map(({ resource }) => resource)).toEqual(['secrets']);
        const { body } = await ask('prometheus', '/metrics');
        expect(body).toContain('gc_tree_blind_spots{expected="true"} 1');
        expect(body).toContain('gc_tree_blind_spots{expected="false"} 0');
      } finally {
        mine.child.kill('SIGTERM');
        expect(await mine.exit).toBe(0);
      }
    });
  },
);

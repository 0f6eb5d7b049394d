/** `--contexts` on a real control plane beside clusters that are gone, silent or closed: one answer never hides behind another's failure. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ContextList, FindingList } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, type ToolResult } from '../tool.ts';

const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: shop, finalizers: [example.com/drain]}
`;

const TOKEN = 'token-that-nobody-may-see';

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly users: readonly { readonly name: string; readonly user: object }[];
}

describe('--contexts', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let silent: Server;
  const connections = new Set<Socket>();
  const tool = (...words: string[]): Promise<ToolResult> => runTool(words, { kubeconfig });

  beforeAll(async () => {
    cluster = await startControlPlane();
    await cluster.apply(objects);
    await cluster.kubectl(['delete', 'configmap', 'held', '-n', 'shop', '--wait=false']);
    silent = createServer(socket => connections.add(socket)).listen(0, '127.0.0.1');
    await new Promise(resolve => silent.once('listening', resolve));
    // Nobody listens on a port that was just given back.
    const gone = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => gone.once('listening', resolve));
    const port = (server: Server): number => (server.address() as AddressInfo).port;
    const gonePort = port(gone);
    await new Promise(resolve => gone.close(resolve));
    const own = await cluster.kubeconfig();
    const { clusters, contexts, users } = parse(readFileSync(own, 'utf8')) as Kubeconfig;
    const [real] = contexts;
    if (real === undefined) throw new Error('a kubeconfig without a context');
    const context = (name: string, of: string, user = real.context.user) => ({
      name,
      context: { cluster: of, user },
    });
    const mixed = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        ...clusters,
        { name: 'gone', cluster: { server: `https://127.0.0.1:${gonePort}` } },
        { name: 'silent', cluster: { server: `http://127.0.0.1:${port(silent)}` } },
      ],
      users: [...users, { name: 'stranger', user: { token: TOKEN } }],
      contexts: [
        context('prod-a', real.context.cluster),
        context('prod-b', real.context.cluster),
        context('prod-gone', 'gone', 'stranger'),
        context('prod-silent', 'silent', 'stranger'),
        context('prod-stranger', real.context.cluster, 'stranger'),
        context('prod-typo', 'nosuch'),
        context('stage', 'gone'),
      ],
    };
    kubeconfig = path.join(path.dirname(own), 'many.yaml');
    writeFileSync(kubeconfig, stringify(mixed), { mode: 0o600 });
    await eventually(async () => {
      expect((await tool('check', '-n', 'shop', '--context=prod-a')).code).toBe(1);
    });
  });
  afterAll(async () => {
    for (const each of connections) each.destroy();
    silent?.close();
    await cluster?.stop();
  });

  it('tells what was found where somebody answered, and why nothing is known of the others', async () => {
    const { code, stdout, stderr } = await tool(
      'check',
      '-n',
      'shop',
      '--contexts=prod-*',
      '--request-timeout=5s',
      '-o',
      'json',
    );
    expect(code).toBe(2);
    const { items, counts } = JSON.parse(stdout) as ContextList;
    expect(counts).toEqual({ total: 6, failed: 4 });
    expect(items.map(({ context, error }) => [context, error === undefined])).toEqual([
      ['prod-a', true],
      ['prod-b', true],
      ['prod-gone', false],
      ['prod-silent', false],
      ['prod-stranger', false],
      ['prod-typo', false],
    ]);
    for (const { document } of items.slice(0, 2))
      expect((document as FindingList).items.map(({ object }) => object.name)).toContain('held');
    for (const { context, error } of items.slice(2))
      expect(stderr).toContain(`${context}: ${error?.message.slice(0, 20)}`);
    expect(`${stdout}${stderr}`).not.toContain(TOKEN);
  });

  it('ends with the worst of what was found where everybody answered', async () => {
    expect((await tool('check', '-n', 'shop', '--contexts=prod-a,prod-b')).code).toBe(1);
    expect((await tool('check', '-n', 'shop', '--contexts=prod-a,prod-b', '--fail-on=never')).code).toBe(0);
    const { code, stdout } = await tool('podgc', '--contexts=prod-a,prod-b');
    expect([code, stdout.includes('2 contexts asked, and all of them answered.')]).toEqual([0, true]);
  });

  it('is one report for CI', async () => {
    const { code, stdout } = await tool(
      'check',
      '-n',
      'shop',
      '--contexts=prod-a,prod-gone,prod-stranger',
      '-o',
      'junit',
    );
    expect(code).toBe(2);
    expect(stdout).toMatch(/<testsuites [^>]*errors="2"/u);
    expect(stdout).toContain('name="prod-a: namespace shop"');
    expect(stdout).not.toContain(TOKEN);
  });
});

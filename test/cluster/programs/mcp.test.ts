/** `mcp` as an assistant starts it, on a real control plane: its answers are those of the commands, also after a loss. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { type Json, undated } from './undated.ts';

const executable = path.join(import.meta.dirname, '..', '..', '..', 'bin', 'kubectl-gc_tree');

const world = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: till, namespace: shop, finalizers: [shop.example/till]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: vault, namespace: shop, finalizers: [shop.example/vault]}, stringData: {key: open-sesame}}
`;

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly document: Json;
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('mcp', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let client: Client;
  let transport: StdioClientTransport;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 0 });
    await cluster.apply(world);
    for (const object of ['configmap/till', 'secret/vault'])
      await cluster.kubectl(['delete', object, '-n', 'shop', '--wait=false']);
    kubeconfig = await cluster.kubeconfig();
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', KUBECONFIG: kubeconfig };
    transport = new StdioClientTransport({ command: executable, args: ['mcp'], env, stderr: 'inherit' });
    client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  async function ask(tool: string, given: Json): Promise<Answer> {
    const { isError, content, structuredContent } = await client.callTool({
      name: tool,
      arguments: { ...given },
    });
    const [first] = content;
    return {
      isError: isError === true,
      text: first?.type === 'text' ? first.text : '',
      document: (structuredContent ?? {}) as Json,
    };
  }

  async function printed(argv: readonly string[]): Promise<Json> {
    const { stdout } = await runTool([...argv, '-o', 'json'], { kubeconfig });
    return JSON.parse(stdout) as Json;
  }

  const pairs: readonly (readonly [string, Json, readonly string[]])[] = [
    ['why', { targets: ['cm/till'], namespace: 'shop' }, ['why', 'cm/till', '-n', 'shop']],
    ['why', { targets: ['secret/vault'], namespace: 'shop' }, ['why', 'secret/vault', '-n', 'shop']],
    ['check', { namespace: 'shop' }, ['check', '-n', 'shop']],
    ['tree', { namespace: 'shop' }, ['tree', '--flat', '-n', 'shop']],
    ['plan', { action: 'delete', targets: ['ns/shop'], limit: 1000 }, ['plan', 'delete', 'ns/shop']],
    ['podgc', {}, ['podgc']],
  ];

  it('answers as the commands do, the first time and from what it follows', async () => {
    for (const [tool, given, argv] of [...pairs, ...pairs])
      await eventually(async () => {
        const answer = await ask(tool, given);
        expect(answer.isError).toBe(false);
        expect(undated(answer.document)).toEqual(undated(await printed(argv)));
        expect(answer.text + JSON.stringify(answer.document)).not.toMatch(/open-sesame|b3Blbi1zZXNhbWU/u);
      });
  });

  it('sees what changes, and kinds that are served only now', async () => {
    await cluster.apply(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: drawer, namespace: shop, finalizers: [shop.example/till]}}',
    );
    await cluster.kubectl(['delete', 'configmap/drawer', '-n', 'shop', '--wait=false']);
    await eventually(async () => {
      const { text } = await ask('why', { targets: ['cm/drawer'], namespace: 'shop' });
      expect(text).toContain('shop.example/till');
    });
    await cluster.kubectl([
      'patch',
      'configmap/drawer',
      '-n',
      'shop',
      '--type=json',
      '-p=[{"op":"remove","path":"/metadata/finalizers"}]',
    ]);
    await eventually(async () => {
      const { isError, text } = await ask('why', { targets: ['cm/drawer'], namespace: 'shop' });
      expect([isError, text]).toEqual([true, expect.stringContaining('not found')]);
    });
    await cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`);
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/widgets.example.com']);
    await cluster.apply('{apiVersion: example.com/v1, kind: Widget, metadata: {name: one, namespace: shop}}');
    await eventually(async () => {
      const { document } = await ask('tree', { targets: ['widget/one'], namespace: 'shop' });
      expect(JSON.stringify(document)).toContain('"Widget"');
    });
  });

  it('says that it is not live while the API server is gone, and is again once it is back', async () => {
    await cluster.component('kube-apiserver').kill();
    await eventually(async () => {
      const { document, text, isError } = await ask('check', { namespace: 'shop' });
      expect(isError).toBe(false);
      expect(document['basis']).toMatchObject({ connection: { state: 'lost' } });
      expect(text).toMatch(/^NOT LIVE/u);
    });
    const { isError, text } = await ask('check', { namespace: 'elsewhere' });
    expect(isError).toBe(true);
    expect(text.split('\n').length).toBeLessThanOrEqual(2);
    await cluster.component('kube-apiserver').start();
    await eventually(async () => {
      const answer = await ask('check', { namespace: 'shop' });
      expect(answer.document['basis']).not.toHaveProperty('connection');
      expect(undated(answer.document)).toEqual(undated(await printed(['check', '-n', 'shop'])));
    });
  });

  it('ends when the assistant does', async () => {
    const { pid } = transport;
    await client.close();
    await eventually(async () => {
      expect(() => process.kill(pid ?? 0, 0)).toThrow();
    });
  });

  /** One that has answered, and follows the cluster since, so that watches are under way. */
  async function following() {
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', KUBECONFIG: kubeconfig };
    const child = spawn(executable, ['mcp'], { env, stdio: 'pipe' });
    const exit = new Promise<[number | null, string | null]>(resolve =>
      child.once('exit', (code, signal) => resolve([code, signal])),
    );
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.stdin.on('error', () => {});
    const send = (id: number, method: string, params: Json): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    };
    const question = { name: 'check', arguments: { namespace: 'shop' } };
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    send(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    await answers.next();
    send(2, 'tools/call', question);
    expect(JSON.parse(String((await answers.next()).value))).toMatchObject({
      id: 2,
      result: { content: [{}] },
    });
    return { child, exit, said: () => said, askAgain: () => send(3, 'tools/call', question) };
  }

  it('ends when it is told to by a signal, and says nothing of it', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { child, exit, said } = await following();
      child.kill(signal);
      expect([signal, await exit, said()]).toEqual([signal, [0, null], '']);
    }
  });

  it('ends where nobody reads any more, though its input stays open', async () => {
    const { child, exit, said, askAgain } = await following();
    child.stdout.destroy();
    askAgain();
    const [code, signal] = await exit;
    expect(signal).toBeNull();
    expect(said().split('\n').length).toBeLessThanOrEqual(3);
    expect(code).toBe(0);
  });
});

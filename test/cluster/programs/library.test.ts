/** The library as another program uses it on a real control plane: its answers are those of the commands. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { type Json, undated } from './undated.ts';

const library = path.join(import.meta.dirname, '../../../dist/library.js');

const world = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: till, namespace: shop, finalizers: [shop.example/till]}}
`;

/** Asks what stands on each line of its input, and ends when that does. */
const program = `
import { createInterface } from 'node:readline';
import * as library from ${JSON.stringify(pathToFileURL(library).href)};
const told = error => ({ failed: error.name, reason: error.reason, message: error.message });
const cluster = await library.openCluster(JSON.parse(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...given] = JSON.parse(line);
  console.log(JSON.stringify(await library[name](cluster, ...given).catch(told)));
}
await cluster.close();
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('the library', () => {
  let cluster: Cluster;
  let folder: string;
  let kubeconfig: string;
  let child: ChildProcessWithoutNullStreams;
  let exit: Promise<number | null>;
  let answers: AsyncIterator<string>;
  let stderr = '';

  function start(options: Json): ChildProcessWithoutNullStreams {
    const { KUBECONFIG: _, ...env } = process.env;
    const args = [path.join(folder, 'program.js'), JSON.stringify(options)];
    return spawn(process.execPath, args, { env: { ...env, HOME: folder }, stdio: 'pipe' });
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-library-'));
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(path.join(folder, 'program.js'), program);
    cluster = await startControlPlane({ nodes: 0 });
    await cluster.apply(world);
    await cluster.kubectl(['delete', 'configmap/till', '-n', 'shop', '--wait=false']);
    kubeconfig = await cluster.kubeconfig();
    child = start({ kubeconfig });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    exit = new Promise(resolve => child.once('close', resolve));
    answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(...question: readonly unknown[]): Promise<Json> {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error(`the program ended: ${stderr}`);
    return JSON.parse(value) as Json;
  }

  async function printed(argv: readonly string[]): Promise<Json> {
    const { stdout } = await runTool([...argv, '-o', 'json'], { kubeconfig });
    return JSON.parse(stdout) as Json;
  }

  const shop = { namespace: 'shop' };
  const pairs: readonly (readonly [readonly unknown[], readonly string[]])[] = [
    [
      ['why', 'cm/till', shop],
      ['why', 'cm/till', '-n', 'shop'],
    ],
    [
      ['check', shop],
      ['check', '-n', 'shop'],
    ],
    [
      ['check', { allNamespaces: true }],
      ['check', '-A'],
    ],
    [
      ['graph', shop],
      ['tree', '--flat', '-n', 'shop'],
    ],
    [
      ['plan', { verb: 'delete', targets: 'ns/shop' }],
      ['plan', 'delete', 'ns/shop'],
    ],
  ];

  it('answers as the commands do, the first time and from what it follows', async () => {
    for (const [question, argv] of [...pairs, ...pairs])
      await eventually(async () => {
        expect(undated(await ask(...question))).toEqual(undated(await printed(argv)));
      });
  });

  it('sees what changes', async () => {
    await cluster.kubectl([
      'patch',
      'configmap/till',
      '-n',
      'shop',
      '--type=json',
      '-p=[{"op":"remove","path":"/metadata/finalizers"}]',
    ]);
    await eventually(async () => {
      expect(await ask('why', 'cm/till', shop)).toMatchObject({ failed: 'GcTreeError', reason: 'usage' });
    });
  });

  it('says of an answer that it is no longer live while the API server is gone', async () => {
    await cluster.component('kube-apiserver').kill();
    await eventually(async () => {
      const { basis } = await ask('check', shop);
      expect(basis).toMatchObject({ connection: { state: 'lost' } });
    });
    expect(await ask('check', { namespace: 'elsewhere' })).toMatchObject({
      failed: 'GcTreeError',
      reason: 'source',
    });
    await cluster.component('kube-apiserver').start();
    await eventually(async () => {
      expect((await ask('check', shop))['basis']).not.toHaveProperty('connection');
    });
  });

  it('lets the program end once it is closed, and has written nothing beside its answers', async () => {
    child.stdin.end();
    expect(await exit).toBe(0);
    expect(stderr).toBe('');
  });
});

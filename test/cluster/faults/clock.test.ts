/** The clock of this machine an hour ahead of the server's, and an hour behind it: what is said is the same. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { settled } from '../settled.ts';
import { runTool } from '../tool.ts';

const shift = pathToFileURL(path.join(import.meta.dirname, '../../harness/preloads/shifted-clock.ts')).href;
const HOUR = 3_600_000;

// A foreground deletion that waits, an object held by a finalizer, an owner that is gone, and a namespace that is held.
const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: clocks}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: clocks, finalizers: [example.com/hold]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: owner, namespace: clocks}
---
apiVersion: batch/v1
kind: Job
metadata: {name: done, namespace: clocks}
spec:
  suspend: true
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: none}]}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a clock', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(objects);
    const uid = await cluster.kubectl([
      'get',
      'cm',
      'owner',
      '-n',
      'clocks',
      '-o',
      'jsonpath={.metadata.uid}',
    ]);
    await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: dependent
  namespace: clocks
  finalizers: [example.com/hold]
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${uid}, blockOwnerDeletion: true}]
`);
    await cluster.kubectl(['delete', 'cm', 'held', '-n', 'clocks', '--wait=false']);
    await cluster.kubectl(['delete', 'cm', 'owner', '-n', 'clocks', '--cascade=foreground', '--wait=false']);
    await settled(cluster, 'clocks');
  });
  afterAll(() => cluster?.stop());

  /** A document without the moment at which it was made, and without ages, which grow from one to the next. */
  async function ask(ahead: number, ...words: readonly string[]): Promise<unknown> {
    const { stdout, stderr } = await runTool([...words, '-o', 'json'], {
      kubeconfig,
      env: { NODE_OPTIONS: `--import=${shift}`, GC_TREE_CLOCK_AHEAD: String(ahead) },
    });
    if (stdout === '') throw new Error(stderr);
    const timeless = stdout
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'then')
      .replaceAll(/\b(?:\d+(?:\.\d+)?(?:ms|[smhd]))+\b/gu, 'so long');
    const { basis: _, ...rest } = record(JSON.parse(timeless));
    return rest;
  }

  it.each([
    ['tree', ['tree', '-n', 'clocks']],
    ['check', ['check', '-n', 'clocks']],
    ['why', ['why', 'cm/owner', '-n', 'clocks']],
    ['plan', ['plan', 'delete', 'ns/clocks']],
  ] as const)('an hour ahead or behind changes nothing that %s says', async (_, words) => {
    const right = await ask(0, ...words);
    expect(await ask(HOUR, ...words)).toEqual(right);
    expect(await ask(-HOUR, ...words)).toEqual(right);
  });

  it('an hour ahead or behind lets a deletion be carried out and undone', async () => {
    for (const ahead of [HOUR, -HOUR]) {
      const env = { NODE_OPTIONS: `--import=${shift}`, GC_TREE_CLOCK_AHEAD: String(ahead) };
      const name = ahead > 0 ? 'ahead' : 'behind';
      await cluster.kubectl(['create', 'configmap', name, '-n', 'clocks', '--from-literal=of=it']);
      const words = ['delete', `cm/${name}`, '-n', 'clocks', '--cascade=background', '--yes'];
      const deleted = await runTool(words, { kubeconfig, env });
      expect(deleted.code, deleted.stderr).toBe(0);
      const { stdout } = await runTool(['undo'], { kubeconfig, env });
      const line = stdout.split('\n').find(each => each.includes(name)) ?? '';
      const [id = ''] = /\d{8}T\d{6}Z-[0-9a-f]{6}/u.exec(line) ?? [];
      const undone = await runTool(['undo', id, '--yes'], { kubeconfig, env });
      expect(undone.code, undone.stdout + undone.stderr).toBe(0);
      const of = await cluster.kubectl(['get', 'cm', name, '-n', 'clocks', '-o', 'jsonpath={.data.of}']);
      expect(of).toBe('it');
    }
  });
});

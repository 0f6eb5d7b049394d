/** What `record` wrote of a real cluster, replayed: at each moment what was there. */
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { list, record } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { type RunningTool, runTool, startTool } from '../tool.ts';

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/one}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: shop, finalizers: [example.com/keep]}
---
apiVersion: v1
kind: Secret
metadata: {name: sealed, namespace: shop, annotations: {helm.sh/resource-policy: keep}}
stringData: {password: correct-horse-battery}
`;

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-recording-'));
guardFolder(folder);
const everything = path.join(folder, 'everything.gctree');
const one = path.join(folder, 'one.gctree');
const moments: { readonly at: string; readonly tree: unknown; readonly findings: unknown }[] = [];
let cluster: Cluster;
let kubeconfig: string;

/** A document of the tool without what it rests on, which names the source. */
async function ask(...words: readonly string[]): Promise<{ basis: Record<string, unknown>; rest: unknown }> {
  const { stdout, stderr } = await runTool([...words, '-o', 'json'], { kubeconfig });
  if (stdout === '') throw new Error(stderr);
  const { basis, ...rest } = record(JSON.parse(stdout));
  return { basis: record(basis), rest };
}

/** What is there now, once nothing moves any more. */
async function remember(): Promise<void> {
  await settled(cluster, 'shop');
  const { rest: tree } = await ask('tree', '-n', 'shop');
  const { rest: findings } = await ask('check', '-n', 'shop', '--no-effects');
  // Nothing has happened since, and what happens next comes later.
  moments.push({ at: new Date().toISOString(), tree, findings });
  await new Promise(resolve => setTimeout(resolve, 1_500));
}

async function recording(file: string, ...words: readonly string[]): Promise<RunningTool> {
  const tool = startTool(['record', file, ...words], { kubeconfig });
  await eventually(() => expect(tool.stderr()).toContain('Recording to'));
  return tool;
}

beforeAll(async () => {
  cluster = await startControlPlane({ nodes: 1 });
  kubeconfig = await cluster.kubeconfig();
  await cluster.kubectl(['create', 'namespace', 'shop']);
  await cluster.apply(workloads);
  await settled(cluster, 'shop');
  const tools = [await recording(everything, '-A'), await recording(one, '-n', 'shop')];
  await remember();
  await cluster.kubectl(['delete', 'configmap/held', '-n', 'shop', '--wait=false']);
  await cluster.kubectl(['delete', 'deployment/web', '-n', 'shop', '--cascade=orphan']);
  await remember();
  await cluster.kubectl(['delete', 'replicaset', '-l', 'app=web', '-n', 'shop', '--cascade=foreground']);
  await remember();
  for (const { child, exit } of tools) {
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  }
});

afterAll(async () => {
  await cluster.stop();
});

describe('a recording of a real cluster', () => {
  it.each([
    ['everything', everything],
    ['one namespace', one],
  ])('of %s has at each moment what was there', async (_, file) => {
    expect(moments).toHaveLength(3);
    expect(new Set(moments.map(({ tree }) => JSON.stringify(tree))).size).toBe(3);
    for (const { at, tree, findings } of moments) {
      const asked = ['-n', 'shop', '--replay', file, '--at', at];
      expect((await ask('tree', ...asked)).rest).toEqual(tree);
      // Who handles a finalizer may run in another namespace.
      if (file === everything) expect((await ask('check', ...asked, '--no-effects')).rest).toEqual(findings);
    }
  });

  it('of a namespace is as complete about it as the cluster was, and says what else it lacks', async () => {
    const { basis } = await ask('tree', '-n', 'shop', '--replay', one);
    expect(basis).toMatchObject({ complete: true, blindSpots: [], scope: { namespaces: ['shop'] } });
    const wide = await ask('tree', '-A', '--replay', one);
    expect(wide.basis['complete']).toBe(false);
    expect(list(wide.basis['blindSpots']).length).toBeGreaterThan(10);
    const other = await runTool(['tree', '-n', 'default', '--replay', one], { kubeconfig });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('(not recorded)');
  });

  it('tells why what was deleted is gone', async () => {
    const { stdout } = await runTool(['why', 'deploy/web', '-n', 'shop', '--replay', everything], {
      kubeconfig,
    });
    expect(stdout).toContain('by a request, with the policy orphan');
    expect(stdout).toContain('orphaned ReplicaSet shop/web-');
  });

  it('has nothing of what a Secret holds, and is its user’s alone', async () => {
    for (const file of [everything, one]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { stdout } = await runTool(['tree', '-A', '-o', 'json', '--replay', file], { kubeconfig });
      expect(stdout).toContain('sealed');
      expect(stdout).not.toContain('correct-horse');
    }
  });
});

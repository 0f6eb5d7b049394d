/** The commands of remedies, pasted into a shell: they do what the requests do, with the same preconditions. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { genericRemedy } from '../../../src/diagnosis/remedies/generic.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { shellLine } from '../../../src/model/text/shell-line.ts';
import { readCluster } from '../../conformance/real/live-view.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';

const run = promisify(execFile);
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
});
afterAll(() => cluster.stop());

/** Exit code of a pasted command. */
async function paste(command: string): Promise<number> {
  const { kubectl } = await controlPlaneBinaries();
  const kubeconfig = await cluster.kubeconfig();
  const env = {
    KUBECONFIG: kubeconfig,
    // For kubectl's cache, which goes with the cluster.
    HOME: dirname(kubeconfig),
    PATH: `${dirname(kubectl)}:${process.env['PATH'] ?? ''}`,
  };
  try {
    await run('bash', ['-c', command], { env });
    return 0;
  } catch (error) {
    return (error as { code?: number }).code ?? -1;
  }
}

async function commandOf(
  name: string,
  remedy: (uids: Readonly<Record<string, string>>) => string,
): Promise<string> {
  const view = await readCluster(cluster);
  const objects = new Map<string, KubeObject>();
  for (const { object } of view.graph.nodes()) {
    if (object?.type.kind === 'ConfigMap' && object.namespace === 'default') objects.set(object.name, object);
  }
  const object = objects.get(name);
  const uids = Object.fromEntries([...objects].map(([each, { uid }]) => [each, uid]));
  const found = object && genericRemedy(new TrackedView(view, Date.now()), object, remedy(uids));
  if (found === undefined) throw new Error(`no such remedy for ${name}`);
  return shellLine(found.kubectl) ?? '';
}

async function create(name: string, more = '', owner?: string): Promise<void> {
  const uid =
    owner && (await cluster.kubectl(['get', `configmap/${owner}`, '-o', 'jsonpath={.metadata.uid}']));
  const owners = `[{apiVersion: v1, kind: ConfigMap, name: ${owner}, uid: ${uid}, blockOwnerDeletion: true}]`;
  await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default${more}${owner === undefined ? '' : `, ownerReferences: ${owners}`}}
`);
}

async function field(name: string, path: string): Promise<string> {
  return cluster.kubectl(['get', `configmap/${name}`, '--ignore-not-found', '-o', `jsonpath={${path}}`]);
}

async function remove(name: string, cascade: string): Promise<void> {
  await cluster.kubectl(['delete', `configmap/${name}`, `--cascade=${cascade}`, '--wait=false']);
}

describe('a pasted command', () => {
  test('clears one block', async () => {
    await create('owner');
    await create('dependent', '', 'owner');
    const command = await commandOf('owner', () => 'clear-block/configmap/dependent');
    expect(await paste(command)).toBe(0);
    expect(await field('dependent', '.metadata.ownerReferences[0].blockOwnerDeletion')).toBe('false');
    // The reference is another now.
    expect(await paste(command)).not.toBe(0);
  });

  test('takes off one owner reference', async () => {
    await create('pruned', '', 'owner');
    expect(await paste(await commandOf('pruned', ({ owner = '' }) => `prune-reference/${owner}`))).toBe(0);
    expect(await field('pruned', '.metadata.ownerReferences')).toBe('');
  });

  test('removes one finalizer, and leaves one of that name on another object alone', async () => {
    const finalizers = ', finalizers: [example.com/a, example.com/b]';
    await create('held', finalizers);
    await remove('held', 'background');
    const command = await commandOf('held', () => 'remove-finalizer/example.com/b');
    expect(await paste(command)).toBe(0);
    expect(await field('held', '.metadata.finalizers')).toBe('["example.com/a"]');
    expect(await paste(await commandOf('held', () => 'remove-finalizer/example.com/a'))).toBe(0);
    expect(await field('held', '.metadata.name')).toBe('');
    await create('held', finalizers);
    expect(await paste(command)).not.toBe(0);
    expect(await field('held', '.metadata.finalizers')).toBe('["example.com/a","example.com/b"]');
  });

  test('deletes again with another policy, and never another object of that name', async () => {
    await create('waiting');
    await create('blocking', '', 'waiting');
    await remove('waiting', 'foreground');
    expect(await field('waiting', '.metadata.finalizers')).toBe('["foregroundDeletion"]');
    const command = await commandOf('waiting', () => 'redelete/background');
    expect(await paste(command)).toBe(0);
    expect(await field('waiting', '.metadata.name')).toBe('');
    await create('waiting');
    expect(await paste(command)).not.toBe(0);
    expect(await field('waiting', '.metadata.name')).toBe('waiting');
  });
});

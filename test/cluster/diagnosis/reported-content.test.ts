/** What the conditions of a namespace that is being deleted prove of the kinds that they don't name. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../../src/cli/documents/definitions.ts';
import type { Condition } from '../../../src/model/facts/facts.ts';
import { DeletionCondition } from '../../../src/model/facts/namespace-conditions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const KEEP = 'example.com/keep';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a namespace controller', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
  });
  afterAll(() => cluster.stop());

  const read = async (): Promise<readonly Condition[]> => {
    const answer = await cluster.kubectl(['get', 'namespace', 'shop', '-o', 'json']);
    const { status } = JSON.parse(answer) as { status: { conditions?: readonly Condition[] } };
    return status.conditions ?? [];
  };

  const summaryOf = async (dump: string): Promise<string | undefined> => {
    const file = join(mkdtempSync(join(tmpdir(), 'reported-')), 'dump.yaml');
    writeFileSync(file, dump);
    const { stdout } = await runTool(['why', 'ns/shop', '-o', 'json', '-f', file]);
    return (JSON.parse(stdout) as Diagnosis).items[0]?.summary;
  };

  it('calls content removed while it waits for pods, then names all kinds that are left, and admits no new object', async () => {
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await eventually(() => cluster.kubectl(['get', 'serviceaccount', 'default', '-n', 'shop']));
    await cluster.apply(`
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: shop, finalizers: [${KEEP}]}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: kept, namespace: shop, finalizers: [${KEEP}]}
revision: 1
data: {}
---
apiVersion: v1
kind: Secret
metadata: {name: deleted, namespace: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: shop, finalizers: [${KEEP}]}
spec: {nodeName: node-1, terminationGracePeriodSeconds: 0, containers: [{name: main, image: registry.example.com/main}]}
`);
    await cluster.kubectl(['delete', 'namespace', 'shop', '--wait=false']);
    await eventually(async () => expect(await read()).not.toEqual([]));
    const early = await read();
    expect(early.find(({ type }) => type === 'NamespaceContentRemaining')).toMatchObject({
      status: 'False',
      message: 'All content successfully removed',
    });
    expect(DeletionCondition.namesAllRemaining(early)).toBe(false);
    await cluster.kubectl(['get', 'secret', 'deleted', '-n', 'shop']);

    const released = JSON.stringify([{ op: 'remove', path: '/metadata/finalizers' }]);
    await cluster.kubectl(['patch', 'pod/first', '-n', 'shop', '--type=json', '-p', released]);
    await eventually(async () => expect(DeletionCondition.namesAllRemaining(await read())).toBe(true));
    const late = await read();
    expect(DeletionCondition.remainingResources(late)).toEqual([
      { resource: 'configmaps', count: 1 },
      { resource: 'controllerrevisions.apps', count: 1 },
    ]);
    expect(DeletionCondition.of(late, 'NamespaceDeletionContentFailure')).toBeUndefined();
    expect(await cluster.kubectl(['get', 'secrets', '-n', 'shop', '-o', 'name'])).toBe('');
    await expect(cluster.kubectl(['create', 'configmap', 'more', '-n', 'shop'])).rejects.toThrow(
      /being terminated/u,
    );
  });

  it('is believed of a file that holds the namespace and what it names, and of no less', async () => {
    const whole = await cluster.kubectl([
      'get',
      'namespace/shop',
      'configmap/kept',
      'controllerrevision/kept',
      '-n',
      'shop',
      '-o',
      'yaml',
    ]);
    expect(await summaryOf(whole)).not.toMatch(/more may be in it|besides/u);
    const part = await cluster.kubectl([
      'get',
      'namespace/shop',
      'configmap/kept',
      '-n',
      'shop',
      '-o',
      'yaml',
    ]);
    expect(await summaryOf(part)).toContain('1 controllerrevisions.apps');
  });
});

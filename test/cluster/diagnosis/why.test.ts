/** `why` and `check` from the outside, on a real control plane: what only a server can tell, and exit codes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis, FindingList } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { keepPolicy } from '../actions/keep-policy.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { runTool, type ToolResult } from '../tool.ts';

const SECRET = 'aHVudGVyMi1oZXJl';

describe('why and check', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  const tool = (words: string): Promise<ToolResult> => runTool(words.split(' '), { kubeconfig });

  async function create(kind: 'ConfigMap' | 'Secret', metadata: { name: string; [key: string]: unknown }) {
    const body = {
      apiVersion: 'v1',
      kind,
      metadata,
      ...(kind === 'Secret' ? { data: { key: SECRET } } : {}),
    };
    const query = 'fieldManager=drain-operator';
    const path = `/api/v1/namespaces/shop/${kind.toLowerCase()}s?${query}`;
    const answer = await cluster.api.send({ method: 'POST', path, body });
    expect(answer.status).toBe(201);
    return (JSON.parse(answer.body) as { metadata: { uid: string } }).metadata.uid;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(keepPolicy);
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['create', 'namespace', 'clean']);
    await eventually(async () => {
      await cluster
        .kubectl(['delete', 'configmap', 'trial', '-n', 'shop', '--ignore-not-found'])
        .catch(() => {});
      await create('ConfigMap', { name: `trial-${Date.now()}`, labels: { keep: 'true' } });
      await expect(
        cluster.kubectl(['delete', 'configmaps', '-l', 'keep=true', '-n', 'shop']),
      ).rejects.toThrow('backups');
    });
    const owner = await create('ConfigMap', { name: 'web' });
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'web',
      uid: owner,
      blockOwnerDeletion: true,
    };
    await create('Secret', {
      name: 'held',
      finalizers: ['example.com/drain'],
      ownerReferences: [reference],
    });
    await create('ConfigMap', {
      name: 'stray',
      labels: { keep: 'true' },
      ownerReferences: [{ ...reference, name: 'gone', uid: '00000000-0000-4000-8000-000000000001' }],
    });
    await cluster.kubectl([
      'delete',
      'configmap',
      'web',
      '-n',
      'shop',
      '--cascade=foreground',
      '--wait=false',
    ]);
    await eventually(async () => {
      const held = JSON.parse(
        await cluster.kubectl(['get', 'secret', 'held', '-n', 'shop', '-o', 'json']),
      ) as { metadata: { deletionTimestamp?: string } };
      expect(held.metadata.deletionTimestamp).toBeDefined();
    });
    // `clean` has what every namespace gets.
    await settled(cluster, 'clean');
  });
  afterAll(async () => {
    await cluster.kubectl(['delete', 'validatingadmissionpolicybinding', 'keep', '--ignore-not-found']);
    await cluster.kubectl(['delete', 'validatingadmissionpolicy', 'keep', '--ignore-not-found']);
    await cluster.stop();
  });

  it('leads down to the finalizer and says who set it, without a word of the Secret', async () => {
    const { code, stdout, stderr } = await tool('why cm/web -n shop');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ConfigMap shop\/web .*Secret held.*example\.com\/drain/u);
    expect(stdout).toMatch(
      /└─ held by finalizer example\.com\/drain {3}set by drain-operator \d+[sm][\ds]* ago or before;/u,
    );
    const document = await tool('why cm/web secret/held -n shop -o json');
    expect(stdout + document.stdout).not.toContain(SECRET);
    const { items } = JSON.parse(document.stdout) as Diagnosis;
    expect(items.map(({ chain }) => chain.at(-1)?.setBy?.manager)).toEqual([
      'drain-operator',
      'drain-operator',
    ]);
  });

  it('finds by dry runs which policy keeps the collector from deleting, and changes nothing', async () => {
    const { code, stdout } = await tool('why cm/stray -n shop --probe');
    expect(code).toBe(0);
    expect(stdout).toContain('backups are running');
    const [item] = (JSON.parse((await tool('why cm/stray -n shop --probe -o json')).stdout) as Diagnosis)
      .items;
    expect(item?.probes?.map(({ result }) => result)).toEqual(['rejected']);
    expect(await cluster.kubectl(['get', 'configmap', 'stray', '-n', 'shop', '-o', 'name'])).toBe(
      'configmap/stray\n',
    );
    // What nothing stops is only tried: nobody may have deleted it.
    const allowed = await tool('why cm/web -n shop --probe');
    expect(allowed.code).toBe(0);
    expect(await cluster.kubectl(['get', 'configmap', 'web', '-n', 'shop', '-o', 'name'])).toBe(
      'configmap/web\n',
    );
  });

  it('fails a pipeline where there is something, and passes where there is nothing', async () => {
    const found = await tool('check -n shop -o json');
    expect([found.code, found.stderr]).toEqual([1, '']);
    const { items, basis } = JSON.parse(found.stdout) as FindingList;
    expect(basis).toMatchObject({ source: 'cluster', complete: true });
    expect(items.map(({ object }) => object.name)).toContain('web');
    expect(found.stdout).not.toContain(SECRET);
    const clean = await tool('check -n clean');
    expect([clean.code, clean.stderr]).toEqual([0, '']);
    expect(clean.stdout).toMatch(/^No findings in \d+ objects\.\n$/u);
    expect((await tool('check -n shop --fail-on=never')).code).toBe(0);
    expect((await tool('check cm/nothing -n shop')).code).toBe(2);
  });
});

/**
 * The first list of a kind comes from a cache that lags, as an API server may answer one at resourceVersion=0, or is
 * simply older than what refers to what it lacks: owners that exist are in no list. Nothing may call them gone.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../eventually.ts';
import { nodeOf, type OwnershipTree, readTree } from '../ownership-document.ts';
import { type RunningTool, runTool, startTool } from '../tool.ts';

interface Finding {
  readonly code: string;
  readonly certainty: string;
  readonly message: string;
  readonly object: { readonly name: string };
  readonly remedies: readonly { readonly id: string; readonly requests: readonly unknown[] }[];
}

const base = '/api/v1/namespaces/default';
/** The list of the ConfigMaps of the namespace or of all, at whatever version, and never a watch or those of one name. */
const configMapList =
  /^GET \/api\/v1\/(?:namespaces\/default\/)?configmaps(?:\?(?!.*(?:watch|fieldSelector)=).*)?$/u;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('lists that lag', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let through: string;
  let running: RunningTool | undefined;
  const uids = new Map<string, string>();

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    through = await cluster.kubeconfig('admin', proxy.url);
    await owner('again');
    proxy.remember(configMapList);
    for (const scope of [['-n', 'default'], ['-A']])
      await runTool(['check', ...scope], { kubeconfig: through });
    proxy.remember(undefined);
    // From here on no list of ConfigMaps holds what is made.
    await cluster.api.json({ method: 'DELETE', path: `${base}/configmaps/again` });
    for (const name of ['again', 'late']) {
      await owner(name);
      await dependent(name);
    }
    await dependent('gone', 'a-uid-that-nothing-has');
  });
  afterEach(async () => {
    proxy.liftRules();
    running?.child.kill('SIGINT');
    await running?.exit;
    running = undefined;
  });
  afterAll(async () => {
    await proxy.stop();
    await cluster.stop();
  });

  async function owner(name: string): Promise<void> {
    const { metadata } = await cluster.api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: `${base}/configmaps`,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    });
    uids.set(name, metadata.uid);
  }

  async function dependent(name: string, uid = uids.get(name) ?? '', owned = name): Promise<void> {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owned, uid }];
    await cluster.api.json({
      method: 'POST',
      path: `${base}/secrets`,
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, ownerReferences } },
    });
  }

  /** And the watch that would bring what the list lacks brings nothing. */
  function lag(): void {
    proxy.addRule({ match: configMapList, fault: { kind: 'remembered' } });
    proxy.addRule({
      match: /^GET \/api\/v1\/(?:namespaces\/default\/)?configmaps\?.*watch=/u,
      fault: { kind: 'stall', afterBytes: 0 },
    });
  }

  async function findings(): Promise<readonly Finding[]> {
    const { stdout, stderr } = await runTool(['check', '-n', 'default', '-o', 'json'], {
      kubeconfig: through,
    });
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as { items: readonly Finding[] }).items;
  }

  it('find nothing wrong with what an owner holds that they lack, and name the one that is gone', async () => {
    lag();
    const found = await findings();
    expect(found.map(({ code, object, certainty }) => `${object.name} ${code} ${certainty}`)).toEqual([
      'gone PendingCollection exact',
    ]);
    expect(found[0]?.remedies.map(({ id }) => id)).toContain('prune-reference/a-uid-that-nothing-has');
  });

  it.each(['late', 'again'])('leave the owner %s solid, and offer nothing against it', async name => {
    lag();
    const tree = await readTree(['-n', 'default', `secret/${name}`], { kubeconfig: through });
    expect(nodeOf(tree, `Secret/${name}`)).toMatchObject({
      verdict: 'None',
      certainty: 'exact',
      owners: [{ status: 'Solid', certainty: 'exact' }],
    });
    const why = await runTool(['why', `secret/${name}`], { kubeconfig: through });
    expect(why.stdout).toContain(`ConfigMap ${name} owns it`);
    const offered = await runTool(['unblock', `secret/${name}`, '-o', 'name'], { kubeconfig: through });
    expect(offered.stdout).not.toContain('prune-reference');
    const planned = await runTool(['plan', '-n', 'default', '-o', 'json'], { kubeconfig: through });
    expect((JSON.parse(planned.stdout) as { deleted: { object: { name: string } }[] }).deleted).toMatchObject(
      [{ object: { name: 'gone' } }],
    );
  });

  it('are set right by lists of a name where owners may not be read one by one', async () => {
    lag();
    proxy.addRule({
      match: /^GET \/api\/v1\/namespaces\/default\/configmaps\/(?:late|again|gone)\b/u,
      fault: { kind: 'status', status: 403 },
    });
    expect(await findings()).toMatchObject([{ object: { name: 'gone' }, certainty: 'exact' }]);
  });

  it('leave it open whether owners exist that may not be looked up, and offer no change', async () => {
    lag();
    proxy.addRule({
      match:
        /^GET \/api\/v1\/namespaces\/default\/configmaps(?:\/(?:late|again|gone)\b|\?.*fieldSelector=metadata\.name)/u,
      fault: { kind: 'status', status: 403 },
    });
    const found = await findings();
    expect(found.map(({ object }) => object.name).sort()).toEqual(['again', 'gone', 'late']);
    for (const { certainty, message, remedies } of found) {
      expect(certainty).toBe('assumed');
      expect(message).toContain('reading it is forbidden');
      expect(remedies.flatMap(({ requests }) => requests)).toEqual([]);
    }
    const refused = await runTool(
      ['unblock', 'secret/late', '--remedy', `prune-reference/${uids.get('late') ?? ''}`, '--yes'],
      { kubeconfig: through },
    );
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('not confirmed by a look-up: absence of ConfigMap default/late');
  });

  it('cost two requests more where many owners of a kind are gone', async () => {
    const children = Array.from({ length: 120 }, (_, index) => index);
    await Promise.all(
      children.map(index => dependent(`many-${index}`, `lost-${index % 60}`, `lost-${index % 60}`)),
    );
    const before = proxy.requests.length;
    const found = await findings();
    const asked = proxy.requests.slice(before).filter(each => /\/configmaps\b/u.test(each));
    expect(found.filter(({ certainty }) => certainty === 'exact')).toHaveLength(121);
    const single = asked.filter(each => !configMapList.test(each));
    expect(single).toEqual([]);
    // The list of the namespace, the same for all look-ups, and where else the owners may be.
    expect(asked.map(each => each.split('?')[0] ?? '').sort()).toEqual([
      'GET /api/v1/configmaps',
      `GET ${base}/configmaps`,
      `GET ${base}/configmaps`,
    ]);
    await Promise.all(
      children.map(index => cluster.api.json({ method: 'DELETE', path: `${base}/secrets/many-${index}` })),
    );
  });

  it('are followed with what look-ups say while the watch brings nothing', async () => {
    lag();
    running = startTool(['tree', '-n', 'default', '-o', 'json', '--watch'], { kubeconfig: through });
    const tool = running;
    const latest = (): OwnershipTree => lastDocument(tool.stdout());
    await eventually(() => expect(latest().roots.length).toBeGreaterThan(0));
    expect(nodeOf(latest(), 'Secret/late').owners).toMatchObject([{ status: 'Solid' }]);
    await owner('later');
    await dependent('later');
    await eventually(() =>
      expect(nodeOf(latest(), 'Secret/later').owners).toMatchObject([
        { status: 'Solid', certainty: 'exact' },
      ]),
    );
  });
});

/** Documents follow each other, each on lines of its own; the last one may be unfinished. */
function lastDocument(output: string): OwnershipTree {
  const end = output.lastIndexOf('\n}\n');
  const start = Math.max(0, output.lastIndexOf('\n{\n', end));
  return JSON.parse(output.slice(start, end + 2)) as OwnershipTree;
}

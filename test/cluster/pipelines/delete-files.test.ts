/** `plan delete -f` on a real control plane: what it forecasts is what `kubectl delete -f` then does. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { runTool, type ToolResult } from '../tool.ts';

const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Namespace
metadata: {name: infra}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: app, image: registry.example.com/app}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: shop, finalizers: [example.com/drain]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: infra}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: shop}
`;

const named = (kind: string, name: string, more = '', apiVersion = 'v1'): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}${more}}\n`;

describe('plan delete -f', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-manifests-'));
  guardFolder(folder);
  const tool = (words: string): Promise<ToolResult> => runTool(words.split(' '), { kubeconfig });
  const kubectl = (words: string): Promise<{ readonly passes: boolean; readonly said: string }> =>
    cluster.kubectl([...words.split(' '), '--wait=false']).then(
      said => ({ passes: true, said }),
      (error: unknown) => ({ passes: false, said: String(error) }),
    );
  const left = async (): Promise<string[]> => {
    const printed = await cluster.kubectl([
      'get',
      'deployments,replicasets,pods,configmaps',
      '-A',
      '-o',
      'jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name} {end}',
    ]);
    return printed.split(' ').filter(each => /\/(?:shop|infra)\//u.test(each) && !each.includes('kube-root'));
  };

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(objects);
    await eventually(async () => {
      expect((await left()).filter(each => each.startsWith('Pod/'))).toHaveLength(2);
    });
    mkdirSync(path.join(folder, 'below'));
    // Without a namespace: that of -n. Of another version of its group: the same object. And in no order of names.
    writeFileSync(
      path.join(folder, '2.yaml'),
      named('ConfigMap', 'settings') + named('Deployment', 'api', '', 'apps/v1'),
    );
    writeFileSync(
      path.join(folder, '1.json'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace: 'shop' } }],
      }),
    );
    writeFileSync(
      path.join(folder, '3.yml'),
      named('ConfigMap', 'gone') + named('Widget', 'w', '', 'example.com/v1'),
    );
    writeFileSync(path.join(folder, 'below', 'kept.yaml'), named('ConfigMap', 'kept'));
    writeFileSync(path.join(folder, 'README.md'), 'not a manifest');
    writeFileSync(
      path.join(folder, 'below', 'abroad.yaml'),
      named('ConfigMap', 'settings', ', namespace: infra'),
    );
  });
  afterAll(() => cluster?.stop());

  it.each([
    ['a namespace that differs from that of -n', '-n shop -R'],
    ['what isn’t there', '-n shop'],
  ])('fails where kubectl delete does: %s', async (_, flags) => {
    const { code, stderr } = await tool(`plan delete -f ${folder} ${flags}`);
    const dry = await kubectl(`delete -f ${folder} ${flags} --dry-run=server`);
    expect([code === 0, stderr]).toEqual([dry.passes, expect.any(String)]);
    expect(dry.passes).toBe(false);
  });

  it('refuses a namespace that differs from that of -n altogether', async () => {
    const { code, stdout, stderr } = await tool(`plan delete -f ${folder} -n shop -R`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(
      'is in namespace infra by its manifest, and -n says shop',
    );
  });

  it('takes the objects in kubectl’s order', async () => {
    const words = ['2.yaml', '1.json', 'below/kept.yaml'].map(file => `-f ${folder}/${file}`).join(' ');
    const { stdout } = await tool(`plan delete ${words} -n shop -o json`);
    const { action } = JSON.parse(stdout) as Plan;
    const { said } = await kubectl(`delete ${words} -n shop --dry-run=client -o name`);
    expect(
      said
        .trim()
        .split('\n')
        .map(each => each.split('/')[1]),
    ).toEqual(action.targets.map(({ name }) => name));
    expect(action.targets).toHaveLength(4);
  });

  it('forecasts what kubectl delete then does, of the real objects and of no others', async () => {
    const before = await left();
    const words = `-f ${folder} -n shop`;
    const { code, stdout, stderr } = await tool(`plan delete ${words} -o json`);
    expect(code).toBe(1);
    expect(stderr).toContain('not in the cluster: ConfigMap shop/gone');
    const plan = JSON.parse(stdout) as Plan;
    expect(plan.notFound?.map(({ name, because }) => [name, because])).toEqual([
      ['gone', 'absent'],
      ['w', 'unserved'],
    ]);
    const gone = new Set(
      plan.deleted.map(({ object: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`),
    );
    const staying = plan.terminating.map(({ object: { name } }) => name);
    const { passes, said } = await kubectl(`delete ${words}`);
    expect(passes).toBe(false);
    for (const { name, because } of plan.notFound ?? [])
      expect(said, because).toContain(because === 'absent' ? `"${name}" not found` : `no matches for kind`);
    await eventually(async () => expect(await left()).toEqual(before.filter(each => !gone.has(each))));
    expect(staying).toEqual(['held']);
    const { items } = JSON.parse(
      await cluster.kubectl(['get', 'configmaps', '-n', 'shop', '-o', 'json']),
    ) as { items: readonly { metadata: { name: string; deletionTimestamp?: string } }[] };
    expect(
      items.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
    ).toEqual(staying);
  });

  it('deletes what is named, where the rest is no matter', async () => {
    const words = `-f ${folder}/3.yml -f ${folder}/below/kept.yaml -n shop`;
    expect((await tool(`delete ${words} --yes`)).code).toBe(2);
    expect(await left()).toContain('ConfigMap/shop/kept');
    expect((await tool(`delete ${words} --yes --ignore-not-found`)).code).toBe(0);
    expect(await left()).not.toContain('ConfigMap/shop/kept');
    expect(await left()).toContain('ConfigMap/infra/settings');
  });
});

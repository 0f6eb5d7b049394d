/** `wait --for=delete` on a real control plane: a namespace that goes, one that is stuck, and a pod that comes back. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WaitResult } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { runTool, startTool, type ToolResult } from '../tool.ts';

const objects = `
apiVersion: v1
kind: Namespace
metadata: {name: stuck}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: stuck, finalizers: [example.com/drain]}
---
apiVersion: v1
kind: Namespace
metadata: {name: goes}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: content, namespace: goes}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
`;

describe('wait --for=delete', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tool = (words: string): Promise<ToolResult> => runTool(words.split(' '), { kubeconfig });

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    // The ServiceAccount that pods of a StatefulSet need comes a moment after its namespace.
    await cluster.apply(objects);
    await cluster
      .kubectl(['wait', 'pod/web-0', '--for=condition=Ready', '-n', 'shop', PATIENTLY])
      .catch(() => {});
    await eventually(async () => {
      const phase = await cluster.kubectl([
        'get',
        'pod/web-0',
        '-n',
        'shop',
        '-o',
        'jsonpath={.status.phase}',
      ]);
      expect(phase).toBe('Running');
    });
  });
  afterAll(() => cluster?.stop());

  it('ends with the namespace that is deleted meanwhile', async () => {
    const waiting = startTool(['wait', 'ns/goes', '--for=delete', PATIENTLY], { kubeconfig });
    await eventually(() => expect(waiting.stderr()).toContain('waiting for Namespace goes to be deleted'));
    await cluster.kubectl(['delete', 'namespace', 'goes', '--wait=false']);
    expect(await waiting.exit).toBe(0);
    expect(waiting.stdout()).toMatch(/^Namespace goes is deleted, after \d+m?\d*s\.\n$/u);
    // And once more, now that it isn't there.
    expect(await tool('wait ns/goes --for=delete')).toMatchObject({
      code: 0,
      stdout: 'Namespace goes is not there.\n',
    });
  });

  it('says of one that is stuck what holds it, and fails as kubectl wait does', async () => {
    await cluster.kubectl(['delete', 'namespace', 'stuck', '--wait=false']);
    await eventually(async () => {
      const held = await cluster.kubectl([
        'get',
        'ns',
        'stuck',
        '-o',
        'jsonpath={.status.conditions[*].reason}',
      ]);
      expect(held).toContain('SomeFinalizersRemain');
    });
    const { code, stdout } = await tool('wait ns/stuck --for=delete --timeout=2s -o json');
    expect(code).toBe(1);
    const { outcome, items } = JSON.parse(stdout) as WaitResult;
    expect(outcome).toBe('TimedOut');
    expect(items[0]?.because).toContain('example.com/drain');
    expect(items[0]?.diagnosis?.findings.map(({ code: found }) => found)).toContain('NamespaceContentStuck');
    await expect(cluster.kubectl(['wait', 'ns/stuck', '--for=delete', '--timeout=2s'])).rejects.toThrow(
      'timed out',
    );
    const junit = await tool('wait ns/stuck --for=delete --timeout=0 -o junit');
    expect([junit.code, junit.stdout.includes('<failure type="NamespaceContentStuck"')]).toEqual([1, true]);
  });

  it('takes a pod that its StatefulSet recreates for deleted, and tells of the other uid', async () => {
    const waiting = startTool(['wait', 'pod/web-0', '-n', 'shop', '--for=delete', PATIENTLY, '-o', 'json'], {
      kubeconfig,
    });
    await eventually(() => expect(waiting.stderr()).toContain('waiting for Pod shop/web-0'));
    await cluster.kubectl(['delete', 'pod', 'web-0', '-n', 'shop', '--wait=false']);
    expect(await waiting.exit).toBe(0);
    const [item] = (JSON.parse(waiting.stdout()) as WaitResult).items;
    // Told as recreated where the new one was there by the end.
    expect(['Deleted', 'Recreated']).toContain(item?.outcome);
    await eventually(async () => {
      const uid = await cluster.kubectl(['get', 'pod/web-0', '-n', 'shop', '-o', 'jsonpath={.metadata.uid}']);
      expect(uid).not.toBe(item?.object.uid);
      if (item?.outcome === 'Recreated') expect(item.recreated?.uid).toBe(uid);
    });
  });

  it.each([
    'pod/nosuch -n shop',
    'pod/web-0 -n nosuch',
    'pods -l app=nosuch -n shop',
    'configmaps --all -n nosuch',
    'ns/stuck --timeout=0',
    'ns stuck shop --timeout=0',
    'pods -n shop',
    'nosuch/x',
    'sts/web pod/nosuch -n shop --timeout=0',
  ])('passes where kubectl wait does, and only there: %s', async words => {
    const passes = await cluster.kubectl(['wait', ...words.split(' '), '--for=delete']).then(
      () => true,
      () => false,
    );
    const { code, stdout, stderr } = await tool(`wait ${words} --for=delete`);
    expect(code === 0, stdout + stderr).toBe(passes);
  });

  it.each([
    ['what is there', '', 'v1 Namespace stuck', false],
    ['what was never there', '-n shop', 'v1 ConfigMap nosuch', true],
    ['what is there in another namespace', '-n shop', 'v1 ConfigMap held', true],
    ['what is there and has other labels', '-n shop -l app=nosuch', 'apps/v1 StatefulSet web', true],
    [
      'what is there and has the labels in the file alone',
      '-n shop -l app=web',
      'apps/v1 StatefulSet web',
      true,
    ],
    ['what is there beside what is not', '-n shop', 'v1 ConfigMap nosuch,apps/v1 StatefulSet web', false],
    ['a kind that is not served', '-n shop', 'example.com/v1 Widget w', false],
  ])('passes with -f where kubectl wait does, and only there: %s', async (_, flags, named, passes) => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'gc-tree-wait-')), 'manifests.json');
    guardFolder(path.dirname(file));
    const items = named.split(',').map(each => {
      const [apiVersion, kind, name] = each.split(' ');
      return { apiVersion, kind, metadata: { name, labels: { app: 'web' } } };
    });
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const words = [
      'wait',
      '-f',
      file,
      ...flags.split(' ').filter(word => word !== ''),
      '--for=delete',
      '--timeout=1s',
    ];
    const kubectl = await cluster.kubectl(words).then(
      () => true,
      () => false,
    );
    const { code, stdout, stderr } = await runTool(words, { kubeconfig });
    expect([kubectl, code === 0], stdout + stderr).toEqual([passes, passes]);
  });

  it.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
    'never passes while the API server is gone, and does once it is back and the object is not',
    async () => {
      await cluster.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: late, namespace: shop}}');
      const short = startTool(['wait', 'cm/late', '-n', 'shop', '--for=delete', '--timeout=3s'], {
        kubeconfig,
      });
      const long = startTool(['wait', 'cm/late', '-n', 'shop', '--for=delete', PATIENTLY], { kubeconfig });
      for (const each of [short, long])
        await eventually(() => expect(each.stderr()).toContain('waiting for'));
      await cluster.component('kube-apiserver').kill();
      expect(await short.exit, short.stdout() + short.stderr()).toBe(2);
      expect(short.stdout()).toContain('Whether ConfigMap shop/late is still there is unknown');
      await cluster.component('kube-apiserver').start();
      await eventually(() => cluster.kubectl(['delete', 'cm/late', '-n', 'shop', '--wait=false']));
      expect(await long.exit, long.stdout() + long.stderr()).toBe(0);
      expect(long.stdout()).toContain('ConfigMap shop/late is deleted, after ');
    },
  );

  it('cannot tell without the cluster', async () => {
    const { code, stdout, stderr } = await tool('wait ns/stuck --for=delete --server=https://127.0.0.1:1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('127.0.0.1:1');
  });
});

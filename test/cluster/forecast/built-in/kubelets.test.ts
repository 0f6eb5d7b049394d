/** Objects that a kubelet creates again: a real one, on fakes of the container runtime, runs a static pod. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { Component } from '../../../harness/processes/component.ts';
import { otherPrograms } from '../../../harness/processes/other-programs.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';
import { planOf } from '../ends.ts';

interface Plan {
  readonly outcome: string;
  readonly deleted: readonly { readonly object: { readonly kind: string; readonly name: string } }[];
  readonly recreated: readonly { readonly by: string; readonly kind: string; readonly count: number }[];
  readonly warnings: readonly string[];
}

const staticPod = `
apiVersion: v1
kind: Pod
metadata: {name: proxy, namespace: kube-system}
spec: {containers: [{name: main, image: registry.example.com/proxy}]}
`;

describe('a kubelet', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let kubelet: Component;
  let folder: string;
  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);
  const plan = (...targets: readonly string[]): Promise<Plan> => planOf(kubeconfig, ['delete', ...targets]);
  const read = async (target: string, path: string, namespace = 'kube-system'): Promise<string> =>
    kubectl('get', target, '-n', namespace, '--ignore-not-found', '-o', `jsonpath={${path}}`);
  const uid = (target: string): Promise<string> => read(target, '.metadata.uid');
  /** Resolves with the uid once there is another object of this name. */
  const isThere = (target: string, before = ''): Promise<string> =>
    eventually(async () => {
      const now = await uid(target);
      expect(now).not.toBe('');
      expect(now).not.toBe(before);
      return now;
    });

  beforeAll(async () => {
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    });
    kubeconfig = await cluster.kubeconfig();
    folder = mkdtempSync(join(tmpdir(), 'gct-kubelet-'));
    const manifests = join(folder, 'manifests');
    mkdirSync(manifests);
    writeFileSync(join(manifests, 'proxy.yaml'), staticPod);
    kubelet = new Component({
      name: 'kubelet',
      binary: (await otherPrograms('kubelet')).kubelet,
      args: [kubeconfig, 'node-1', manifests, folder],
      port: 0,
      folder,
      env: { TMPDIR: folder },
      ready: async () =>
        (await read('node/node-1', '.status.conditions[?(@.type=="Ready")].status')) === 'True',
    });
    await kubelet.start();
  });
  afterAll(async () => {
    await kubelet?.kill();
    await cluster?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('mirrors a static pod again whose mirror is deleted', async () => {
    const before = await isThere('pod/proxy-node-1');
    expect(await said(['why', 'pod/proxy-node-1', '-n', 'kube-system'], { kubeconfig })).toContain('static');
    const { recreated } = await plan('pod/proxy-node-1', '-n', 'kube-system');
    expect(recreated).toMatchObject([{ kind: 'Pod', by: 'Node node-1', count: 1 }]);
    await kubectl('delete', 'pod/proxy-node-1', '-n', 'kube-system');
    await isThere('pod/proxy-node-1', before);
  });

  it('registers its Node again only when it starts', async () => {
    const node = await uid('node/node-1');
    const driver = await isThere('csinode/node-1');
    const { deleted, recreated, warnings } = await plan('node/node-1');
    expect(deleted.map(({ object }) => object.kind)).toEqual(expect.arrayContaining(['Node', 'CSINode']));
    expect(recreated.filter(({ kind }) => kind === 'Node')).toEqual([]);
    expect(warnings.join(' ')).toMatch(/created again when .*kubelet.* starts/u);
    await kubectl('delete', 'node/node-1');
    await eventually(async () => expect(await uid('csinode/node-1')).toBe(''));
    expect(await uid('node/node-1')).toBe('');
    await kubelet.kill();
    await kubelet.start();
    await isThere('node/node-1', node);
    await isThere('csinode/node-1', driver);
    await isThere('pod/proxy-node-1');
  });

  it('creates the CSINode of its node again only when it starts', async () => {
    const before = await uid('csinode/node-1');
    const { recreated, warnings } = await plan('csinode/node-1');
    // The mirror pod of the deleted Node may be replaced meanwhile.
    expect(recreated.filter(({ kind }) => kind !== 'Pod')).toEqual([]);
    expect(warnings.join(' ')).toMatch(/created again when .*kubelet.* starts/u);
    await kubectl('delete', 'csinode/node-1');
    expect(await uid('csinode/node-1')).toBe('');
    await kubelet.kill();
    await kubelet.start();
    await isThere('csinode/node-1', before);
  });
});

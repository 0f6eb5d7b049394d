/** What is said where the collector of a real control plane is switched off, and where nobody leads. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectorMetrics, ManagerPage } from '../../../src/model/exchange/manager-pages.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { KEEPS_ITS_LEASE } from '../../harness/processes/layout.ts';
import { eventually } from '../eventually.ts';
import { runTool, said } from '../tool.ts';

const OFF = '--controllers=*,-garbagecollector';

/** Longer than anything takes that is not late, in milliseconds: nobody waits for it here. */
const LONG = 120_000;

/** A ConfigMap that was deleted in the foreground long ago, and is still there. */
async function storeLate(cluster: Cluster, name: string): Promise<void> {
  const since = (ago: number): string => new Date(Date.now() - ago).toISOString().replace(/\.\d+Z$/u, 'Z');
  await cluster.store('configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'default',
      name,
      uid: crypto.randomUUID(),
      creationTimestamp: since(2 * LONG),
      deletionTimestamp: since(LONG),
      deletionGracePeriodSeconds: 0,
      finalizers: ['foregroundDeletion'],
    },
  });
}

describe('a control plane whose collector is switched off', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> =>
    said([...args, '-n', 'default'], { kubeconfig });

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      controllerManagerFlags: [...KEEPS_ITS_LEASE, OFF],
    });
    kubeconfig = await cluster.kubeconfig();
    await storeLate(cluster, 'web');
    await eventually(() => cluster.kubectl(['get', 'lease', 'kube-controller-manager', '-n', 'kube-system']));
    // As kubelets show the static pod of a control plane.
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: {name: kube-controller-manager-cp-1, namespace: kube-system}
spec:
  automountServiceAccountToken: false
  containers: [{name: manager, image: manager, command: [kube-controller-manager, --leader-elect=true, "${OFF}"]}]
`);
  });
  afterAll(() => cluster?.stop());

  it('leaves a foreground deletion as it is, which why says with the flag', async () => {
    await eventually(async () => {
      expect(await tells('why', 'configmap/web')).toContain(
        `ConfigMap default/web is stuck because the collector is switched off: kube-controller-manager runs with ${OFF}; nothing that can be seen blocks its foreground deletion`,
      );
    });
  });

  it('and whose manager has ended is told by its lease, by why and plan', async () => {
    await cluster.component('kube-controller-manager').stop();
    await cluster.kubectl(['delete', 'pod', 'kube-controller-manager-cp-1', '-n', 'kube-system', '--force']);
    // As if it had ended as long ago.
    const renewTime = new Date(Date.now() - LONG).toISOString().replace('Z', '000Z');
    const patch = JSON.stringify({ spec: { renewTime } });
    const lease = ['lease', 'kube-controller-manager', '-n', 'kube-system'];
    await cluster.kubectl(['patch', ...lease, '--type=merge', '-p', patch]);
    await eventually(async () => {
      expect(await tells('why', 'configmap/web')).toMatch(
        /ConfigMap default\/web is stuck because kube-controller-manager seems not to run: its lease (is not renewed|has no holder); nothing that can be seen blocks its foreground deletion/u,
      );
    });
    await cluster.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}');
    expect(await tells('plan', 'delete', 'configmap/other')).toContain(
      'kube-controller-manager seems not to run: its lease was last renewed at ',
    );
  });
});

describe('what kube-controller-manager tells of itself', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
    });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  async function page(name: ManagerPage): Promise<string> {
    const token = /token: (\S+)/u.exec(await readFile(kubeconfig, 'utf8'))?.[1] ?? '';
    const { port } = cluster.component('kube-controller-manager');
    return readPage(`https://127.0.0.1:${port}/${name}`, token);
  }

  it('has the names that are read here', async () => {
    await eventually(async () => {
      const metrics = CollectorMetrics.read(await page('metrics'));
      expect(metrics).toEqual({ toDelete: 0, toOrphan: 0, changes: 0, longest: 0, syncErrors: 0 });
    });
    expect(ManagerPage.flags(await page('flagz'))).toEqual(
      expect.arrayContaining(['controllers=*', 'terminated-pod-gc-threshold=12500', 'leader-elect=false']),
    );
  });

  it('is passed over in silence where the API server cannot reach it', async () => {
    await cluster.component('kube-controller-manager').stop();
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: {name: kube-controller-manager-cp-1, namespace: kube-system}
spec:
  automountServiceAccountToken: false
  containers: [{name: manager, image: manager, command: [kube-controller-manager, "--controllers=*"]}]
`);
    await storeLate(cluster, 'web');
    await eventually(async () => {
      const { code, stdout, stderr } = await runTool(['why', 'configmap/web', '-n', 'default', '-v=6'], {
        kubeconfig,
      });
      expect(stderr).toContain('pods/https:kube-controller-manager-cp-1:10257/proxy/metrics');
      expect(code).toBe(0);
      expect(stdout).not.toContain('workqueue_depth');
    });
  });
});

/** Its certificate is not asked for: the port was read from its own command line. */
function readPage(url: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token}`, accept: 'text/plain' },
        agent: false,
      },
      incoming => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        incoming.once('end', () => resolve(text));
      },
    );
    outgoing.once('error', reject).end();
  });
}

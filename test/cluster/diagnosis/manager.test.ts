/** What is said where the collector of a real control plane is switched off, and where nobody leads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const OFF = '--controllers=*,-garbagecollector';

describe('a control plane whose collector is switched off', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const said = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await runTool([...args, '-n', 'default'], { kubeconfig });
    return stdout.replaceAll(/\s+/gu, ' ');
  };

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 0,
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      controllerManagerFlags: ['--leader-elect=true', OFF],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}}');
    await cluster.kubectl(['delete', 'configmap', 'web', '--cascade=foreground', '--wait=false']);
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
      expect(await said('why', 'configmap/web')).toContain(
        `ConfigMap default/web is stuck because the collector is switched off: kube-controller-manager runs with ${OFF}; nothing that can be seen blocks its foreground deletion`,
      );
    });
  });

  it('and whose manager has ended is told by its lease, by why and plan', async () => {
    await cluster.component('kube-controller-manager').stop();
    await cluster.kubectl(['delete', 'pod', 'kube-controller-manager-cp-1', '-n', 'kube-system', '--force']);
    await eventually(async () => {
      expect(await said('why', 'configmap/web')).toMatch(
        /ConfigMap default\/web is stuck because kube-controller-manager seems not to run: nobody (renews|holds) its lease; nothing that can be seen blocks its foreground deletion/u,
      );
    });
    await cluster.apply('{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}');
    expect(await said('plan', 'delete', 'configmap/other')).toContain(
      'kube-controller-manager seems not to run: its lease was last renewed at ',
    );
  });
});

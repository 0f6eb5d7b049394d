/**
 * Who takes off the finalizers that users find left over, and when: what docs/kubernetes.md says of them, and what the
 * tool relies on where it calls a removal safe.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../eventually.ts';

interface Metadata {
  readonly uid: string;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

const TRACKING = 'batch.kubernetes.io/job-tracking';
const KEEP = 'example.com/keep';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('left-over finalizers', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await eventually(() => cluster.kubectl(['get', 'serviceaccount', 'default', '-n', 'shop']));
  });
  afterAll(() => cluster.stop());

  /** Undefined where it is gone. */
  async function metadata(target: string): Promise<Metadata | undefined> {
    const answer = await cluster.kubectl(['get', target, '-n', 'shop', '--ignore-not-found', '-o', 'json']);
    return answer === '' ? undefined : (JSON.parse(answer) as { metadata: Metadata }).metadata;
  }
  const gone = (target: string) => eventually(async () => expect(await metadata(target)).toBeUndefined());
  const setFinalizers = (target: string, finalizers: readonly string[]) =>
    cluster.kubectl([
      'patch',
      target,
      '-n',
      'shop',
      '--type=merge',
      '-p',
      JSON.stringify({ metadata: { finalizers } }),
    ]);
  const setPhase = (pod: string, phase: string) =>
    cluster.kubectl([
      'patch',
      `pod/${pod}`,
      '-n',
      'shop',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { phase } }),
    ]);
  const remove = (target: string, ...flags: string[]) =>
    cluster.kubectl(['delete', target, '-n', 'shop', '--wait=false', ...flags]);
  const pod = (name: string, more = '', claim = '') => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop${more}}
spec:
  nodeName: node-1
  restartPolicy: Never
  containers: [{name: main, image: registry.example.com/main}]
  ${claim === '' ? '' : `volumes: [{name: v, persistentVolumeClaim: {claimName: ${claim}}}]`}`;

  it('the Job controller frees a counted pod of a finished Job when the pod is deleted, and not before', async () => {
    await cluster.apply(`
apiVersion: batch/v1
kind: Job
metadata: {name: backup, namespace: shop}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/main}]}}}`);
    await cluster.kubectl(['wait', 'job/backup', '-n', 'shop', '--for=condition=complete', PATIENTLY]);
    const name = (
      await cluster.kubectl(['get', 'pods', '-n', 'shop', '-l', 'job-name=backup', '-o', 'name'])
    ).trim();
    await setFinalizers(name, [TRACKING]);
    // What the controller does to a change of another pod shows that it has seen this one.
    await cluster.kubectl(['annotate', name, '-n', 'shop', 'example.com/seen=true']);
    await new Promise(resolve => setTimeout(resolve, 3000));
    expect((await metadata(name))?.finalizers).toEqual([TRACKING]);
    await remove('job/backup', '--cascade=foreground');
    await gone(name);
    await gone('job/backup');
  });

  it.each(['Succeeded', 'Failed'])(
    'a %s pod holds the claim that it used until it is deleted',
    async phase => {
      const name = phase.toLowerCase();
      await cluster.apply(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}, namespace: shop}
spec: {accessModes: [ReadWriteOnce], storageClassName: nobody, resources: {requests: {storage: 1Gi}}}
---${pod(name, '', name)}`);
      await eventually(async () =>
        expect((await metadata(`pvc/${name}`))?.finalizers).toEqual(['kubernetes.io/pvc-protection']),
      );
      await setPhase(name, phase);
      await remove(`pvc/${name}`);
      await new Promise(resolve => setTimeout(resolve, 4000));
      expect((await metadata(`pvc/${name}`))?.finalizers).toEqual(['kubernetes.io/pvc-protection']);
      await remove(`pod/${name}`, '--force');
      await gone(`pvc/${name}`);
    },
  );

  it('nobody can add foregroundDeletion to what is being deleted, and the collector takes it off what deletes nothing', async () => {
    await cluster.apply(pod('done', `, finalizers: [${KEEP}]`));
    await setPhase('done', 'Succeeded');
    await remove('pod/done');
    await expect(setFinalizers('pod/done', [KEEP, 'foregroundDeletion'])).rejects.toThrow(
      /no new finalizers can be added if the object is being deleted/,
    );
    // Another DELETE sets it, and the collector has nothing to wait for.
    await remove('pod/done', '--cascade=foreground');
    await eventually(async () => expect((await metadata('pod/done'))?.finalizers).toEqual([KEEP]));
    await setFinalizers('pod/done', []);
    await gone('pod/done');
  });

  it('the collector takes foregroundDeletion off a namespace too, which a DELETE with that policy does not set', async () => {
    await cluster.kubectl(['create', 'namespace', 'first']);
    await remove('namespace/first', '--cascade=foreground');
    expect((await metadata('namespace/first'))?.finalizers ?? []).not.toContain('foregroundDeletion');
    await gone('namespace/first');
    await cluster.kubectl(['create', 'namespace', 'second']);
    await setFinalizers('namespace/second', ['foregroundDeletion']);
    await remove('namespace/second');
    await gone('namespace/second');
  });

  it('while the controller manager is away it stays, and a start finishes it', async () => {
    await cluster.kubectl(['create', 'configmap', 'stale', '-n', 'shop']);
    await cluster.component('kube-controller-manager').stop();
    await remove('configmap/stale', '--cascade=foreground');
    expect((await metadata('configmap/stale'))?.finalizers).toEqual(['foregroundDeletion']);
    await cluster.component('kube-controller-manager').start();
    await gone('configmap/stale');
  });
});

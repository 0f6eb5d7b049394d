/** Pods that lost their owner in two ways, which only their managed fields tell apart on a real API server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { oneDeployment } from '../manifests.ts';
import { said } from '../tool.ts';

describe('a pod without its owner', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const get = async (...args: readonly string[]): Promise<string> =>
    (await cluster.kubectl(['get', ...args])).trim();
  const podOf = (name: string): Promise<string> =>
    eventually(async () => {
      const pod = await get('pods', '-l', `app=${name}`, '-o', 'name');
      expect(pod).toMatch(/^pod\/\S+$/u);
      return pod;
    });
  const owners = (pod: string): Promise<string> => get(pod, '-o', 'jsonpath={.metadata.ownerReferences}');
  const why = (pod: string): Promise<string> => said(['why', pod], { kubeconfig });

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(`${oneDeployment('left')}---${oneDeployment('freed')}---${oneDeployment('scaled')}`);
  });
  afterAll(() => cluster?.stop());

  it('is told to be released where somebody set a label of it', async () => {
    const pod = await podOf('freed');
    await cluster.kubectl(['label', pod, 'app=debug', '--overwrite']);
    await eventually(async () => expect(await owners(pod)).toBe(''));
    await cluster.kubectl(['delete', 'deployment', 'freed']);
    await eventually(async () => expect(await get('replicasets', '-l', 'app=freed', '-o', 'name')).toBe(''));
    const told = await why(pod);
    expect(told).toContain('kubectl-label has set its label app, at ');
    expect(told).not.toContain('The garbage collector removed the owner reference');
  });

  it('is told to be orphaned where nobody did', async () => {
    const pod = await podOf('left');
    const [set = ''] = (await get('replicasets', '-l', 'app=left', '-o', 'name')).split('\n');
    await cluster.kubectl(['delete', 'deployment', 'left', '--cascade=orphan']);
    await cluster.kubectl(['delete', set, '--cascade=orphan']);
    await eventually(async () => expect(await owners(pod)).toBe(''));
    const told = await why(pod);
    expect(told).toContain('only kube-controller-manager set its labels');
    expect(told).not.toContain('has set its label');
  });

  it('is told to be deleted by its controller where it is gone and an Event still says so', async () => {
    const pod = await podOf('scaled');
    await cluster.kubectl(['scale', 'deployment/scaled', '--replicas=0']);
    await cluster.kubectl(['wait', pod, '--for=delete', PATIENTLY]);
    const name = pod.slice('pod/'.length);
    // Events are written after what they tell of.
    await eventually(async () => {
      const told = await why(pod);
      expect(told).toContain(`Pod default/${name} isn't there.`);
      expect(told).toMatch(
        new RegExp(`SuccessfulDelete of ReplicaSet scaled-\\S+: Deleted pod: ${name} `, 'u'),
      );
    });
  });
});

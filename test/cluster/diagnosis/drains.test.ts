/** A node whose pods a real API server refuses to evict, because their budget allows nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { budgetedDeployment } from '../manifests.ts';
import { said } from '../tool.ts';

describe('a cordoned node with a pod whose budget allows nothing', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(budgetedDeployment('api'));
    const healthy = ['get', 'pdb', 'api', '-o', 'jsonpath={.status.currentHealthy}'];
    await eventually(async () => expect(await cluster.kubectl(healthy)).toBe('1'));
    await cluster.kubectl(['cordon', 'node-1']);
  });
  afterAll(() => cluster?.stop());

  it('is told of, and cannot be drained until the budget allows it', async () => {
    const tells = (): Promise<string> =>
      said(['check', '-A', '-o', 'wide', '--fail-on=never'], { kubeconfig });
    expect(await tells()).toContain(
      'Node node-1 is cordoned, and a drain would not end: PodDisruptionBudget default/api allows no disruption now, so that the API server refuses to evict Pod default/api-',
    );
    const drain = ['drain', 'node-1', '--ignore-daemonsets', '--timeout=3s'];
    await expect(cluster.kubectl(drain)).rejects.toThrow("violate the pod's disruption budget");
    const allowed = ['get', 'pdb', 'api', '-o', 'jsonpath={.status.disruptionsAllowed}'];
    await cluster.kubectl(['patch', 'pdb', 'api', '--type=merge', '-p', '{"spec":{"minAvailable":0}}']);
    await eventually(async () => expect(await cluster.kubectl(allowed)).toBe('1'));
    expect(await tells()).not.toContain('a drain would not end');
  });
});

/** The API server killed and restarted while the screen runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { openShop } from '../stories/shop.ts';
import { openTool } from '../tool.ts';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('the screen', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 3 });
    await openShop(cluster);
  });
  afterAll(() => cluster.stop());

  /** The rows below the header, without what differs by the time alone. */
  const rows = (screen: string[]) =>
    screen.slice(2).map(line => line.replaceAll(/\b\d+[smhd]\d*[smhd]?\b/g, 'AGE').trimEnd());

  it('says that the API server is gone, reconnects, and ends with the tree of a fresh start', async () => {
    const kubeconfig = await cluster.kubeconfig();
    const terminal = openTool(['-n', 'shop'], { kubeconfig });
    try {
      await terminal.waitFor(/StatefulSet web.*3\/3/);
      await terminal.waitFor(/\blive\b/);
      await cluster.component('kube-apiserver').kill();
      await terminal.waitFor(/lost|reconnect|disconnected|refused/i);
      expect(terminal.text()).toMatch(/StatefulSet web/);
      await cluster.component('kube-apiserver').start();
      await terminal.waitFor(/\blive\b/);
      await cluster.kubectl(['delete', 'deployment', 'api', '--namespace=shop']);
      await terminal.waitFor(screen => !screen.join('\n').includes('Deployment api'));
      const fresh = openTool(['-n', 'shop'], { kubeconfig });
      try {
        await fresh.waitFor(/StatefulSet web.*3\/3/);
        await fresh.waitFor(/\blive\b/);
        await terminal.waitFor(screen => rows(screen).join('\n') === rows(fresh.screen()).join('\n'));
      } finally {
        await fresh.close();
      }
    } finally {
      await terminal.close();
    }
  });
});

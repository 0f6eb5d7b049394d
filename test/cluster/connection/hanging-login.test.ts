/** A login that hangs at its renewal, against a real API server: nothing is called live meanwhile, and all is right after it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { pluginScript } from '../../kube/auth/plugin-script.ts';
import { kubeconfig, temporaryFolder, write } from '../../kube/kubeconfig-files.ts';
import { eventually } from '../eventually.ts';
import { comparable, readTree } from '../ownership-document.ts';
import { openTool, startTool } from '../tool.ts';

const TOKEN = 'viewer-token';
/** Where nothing changes, the next request is the next reading of discovery, 30 s after the last one. */
const ASKED_MS = 30_000 + 60_000;
/** From the moment at which nothing comes any more; seconds beyond it are the machine's, which is busy. */
const LOST_MS = 30_000 + 30_000;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('an exec plugin', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  beforeAll(async () => {
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver'],
      users: [{ name: 'viewer', token: TOKEN, groups: ['system:masters'] }],
    });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    await cluster.kubectl(['create', 'configmap', 'before', '--namespace=default']);
  });
  afterAll(async () => {
    await proxy?.stop();
    await cluster?.stop();
  });

  it('that hangs at its renewal is a lost connection within 30 s, until it answers', async () => {
    const plugin = pluginScript({ token: TOKEN, lastsMs: 2_000 });
    const text = kubeconfig(
      `{server: "${proxy.url}", certificate-authority: ${cluster.tls.ca}}`,
      plugin.user,
    );
    const file = write(temporaryFolder(), 'config', text);
    const scope = ['-n', 'default'];
    const terminal = openTool(scope, { kubeconfig: file, cols: 160 });
    const tree = startTool(['tree', ...scope, '--watch'], { kubeconfig: file });
    try {
      await terminal.waitFor('ConfigMap before');
      await terminal.waitFor(/kinds {2}live/u);
      await eventually(() => expect(tree.stdout()).toContain('before'));
      plugin.hang();
      await plugin.started(ASKED_MS);
      // As a load balancer that is restarted: whoever was followed has to ask again.
      proxy.cutEverything();
      await terminal.waitFor(`Reconnecting: the exec plugin ${plugin.folder}`, LOST_MS);
      expect(terminal.text()).toContain('not connected');
      expect(terminal.screen()[0]).not.toContain('live');
      await eventually(() => expect(tree.stderr()).toContain('Connection lost'), LOST_MS);
      await cluster.kubectl(['create', 'configmap', 'meanwhile', '--namespace=default']);
      await cluster.kubectl(['delete', 'configmap', 'before', '--namespace=default']);
      expect(terminal.text()).not.toContain('meanwhile');
      // What it waited for is there at last.
      plugin.recover();
      for (const pid of plugin.running()) process.kill(pid, 'SIGKILL');
      await terminal.waitFor('ConfigMap meanwhile');
      await terminal.waitFor(/kinds {2}live/u);
      expect(terminal.text()).not.toContain('ConfigMap before');
      await eventually(() => expect(tree.stdout()).toContain('meanwhile'));
      const direct = await cluster.kubeconfig();
      expect(comparable(await readTree(scope, { kubeconfig: file }))).toEqual(
        comparable(await readTree(scope, { kubeconfig: direct })),
      );
    } finally {
      tree.child.kill('SIGINT');
      await tree.exit;
      await terminal.close();
    }
    expect(plugin.running()).toEqual([]);
  });
});

/** A kind that may be listed but not watched: it is read again and again, said to be so, and never counted as live. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { everyReadVerb, letViewersRead } from '../diagnosis/viewers.ts';
import { eventually } from '../eventually.ts';
import { openTool, startTool } from '../tool.ts';

describe('a kind that may be listed but not watched', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  beforeAll(async () => {
    cluster = await startControlPlane({
      components: ['etcd', 'kube-apiserver'],
      users: [{ name: 'viewer', token: 'viewer-token', groups: ['viewers'] }],
    });
    await letViewersRead(cluster, resource => (resource === 'secrets' ? ['get', 'list'] : everyReadVerb));
    kubeconfig = await cluster.kubeconfig('viewer');
    await eventually(() =>
      cluster.kubectl(['auth', 'can-i', 'list', 'secrets', '-A', `--kubeconfig=${kubeconfig}`]),
    );
  });
  afterAll(() => cluster.stop());

  it('is said to be polled, follows the cluster all the same, and is live once it may be watched', async () => {
    const scope = ['-n', 'default'];
    const terminal = openTool(scope, { kubeconfig });
    const tree = startTool(['tree', ...scope, '--watch'], { kubeconfig });
    try {
      await terminal.waitFor('live, 1 kind polled');
      await eventually(() => expect(tree.stderr()).toContain('may be up to a minute old: secrets (403)'));
      terminal.send('B');
      await terminal.waitFor(/secrets +403/);
      terminal.send('\u001B');
      await cluster.kubectl(['create', 'secret', 'generic', 'late', '--namespace=default']);
      await terminal.waitFor('Secret late');
      await eventually(() => expect(tree.stdout()).toContain('late'));
      await letViewersRead(cluster, () => everyReadVerb);
      await terminal.waitFor(screen => /live(?!,)/u.test(screen[0] ?? ''));
      expect(tree.stderr().split('secrets (403)')).toHaveLength(2);
    } finally {
      tree.child.kill('SIGINT');
      await tree.exit;
      await terminal.close();
    }
  });
});

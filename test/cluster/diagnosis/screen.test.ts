/** The Problems view on a real control plane: a deletion that hangs shows up, is explained, and goes when it is over. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { openShop } from '../stories/shop.ts';
import { makeWebStuck } from '../stories/stuck-web.ts';
import { openTool } from '../tool.ts';

describe('a foreground deletion that hangs, on the screen', () => {
  let cluster: Cluster;
  let terminal: Terminal;

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 3 });
    await openShop(cluster);
    terminal = openTool(['-n', 'shop'], { kubeconfig: await cluster.kubeconfig(), cols: 160, rows: 45 });
  });
  afterAll(async () => {
    await terminal.close();
    await cluster
      .kubectl(['patch', 'pod', 'web-2', '-n', 'shop', '-p', '{"metadata":{"finalizers":null}}'])
      .catch(() => undefined);
    await cluster.stop();
  });

  it('is no problem while nothing is wrong', async () => {
    await terminal.waitFor('Problems 0');
    terminal.send('2');
    await terminal.waitFor('No problems found in namespace shop.');
    await terminal.waitFor(screen => screen[0]?.endsWith('live') ?? false);
  });

  it('appears by itself, with the way down to the finalizer and what can be done', async () => {
    await makeWebStuck(cluster);
    await terminal.waitFor(/✗ example\.com\/drain/);
    terminal.send('gj');
    await terminal.waitFor('StatefulSet shop/web is stuck');
    await terminal.waitFor('held by finalizer example.com/drain');
    await terminal.waitFor('clear-block/pod/web-2');
  });

  it('says by its managed fields who set the finalizer', async () => {
    terminal.send('/web-2 held\t');
    await terminal.waitFor('Only problems that contain');
    terminal.send('G');
    await terminal.waitFor(screen => screen.some(line => line.startsWith('>') && line.includes('Pod web-2')));
    terminal.send('m');
    await terminal.waitFor(/example\.com\/drain[ │\n].*?set by drain-operator/su);
    await terminal.waitFor(/StatefulSet web[ │\n].*?set by kube-controller-manager/su);
    terminal.send('q');
    await terminal.waitFor(() => !terminal.text().includes('set by drain-operator'));
    terminal.send('\u001B');
    await terminal.waitFor(() => !terminal.text().includes('Only problems that contain'));
  });

  it('goes from the view when it is over', async () => {
    await cluster.kubectl(['patch', 'pod', 'web-2', '-n', 'shop', '-p', '{"metadata":{"finalizers":null}}']);
    await terminal.waitFor('No problems found in namespace shop.');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });
});

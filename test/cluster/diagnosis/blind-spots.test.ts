/** With one kind forbidden and one API group down, the rest works, and both are named. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { nodeOf, type OwnershipTree, readTree } from '../ownership-document.ts';
import { openShop } from '../stories/shop.ts';
import { openTool, runTool } from '../tool.ts';
import { everyReadVerb, letViewersRead } from './viewers.ts';

describe('kinds that cannot be seen', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let tree: OwnershipTree;

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 3,
      users: [{ name: 'viewer', token: 'viewer-token', groups: ['viewers'] }],
    });
    await openShop(cluster);
    await letViewersRead(cluster, resource => (resource === 'secrets' ? [] : everyReadVerb));
    await cluster.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.down.example.com}
spec:
  group: down.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: nobody, namespace: default}
`);
    await eventually(async () =>
      expect((await cluster.api.send({ path: '/apis/down.example.com/v1' })).status).toBe(503),
    );
    kubeconfig = await cluster.kubeconfig('viewer');
    // Discovery tells of the group a little later than the path, and the authorizer has to hear of the binding.
    const asViewer = `--kubeconfig=${kubeconfig}`;
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    await eventually(async () => {
      expect((await cluster.api.send({ path: '/apis', accept })).body).toContain('down.example.com');
      await cluster.kubectl(['auth', 'can-i', 'list', 'statefulsets.apps', '-n', 'shop', asViewer]);
    });
    tree = await readTree(['-n', 'shop'], { kubeconfig });
  });
  afterAll(async () => {
    await cluster.kubectl(['delete', 'apiservice', 'v1.down.example.com', '--ignore-not-found']);
    await cluster.stop();
  });

  it('leave the rest of the tree as it is', () => {
    expect(nodeOf(tree, 'StatefulSet/web').dependents.map(node => node.object.name)).toEqual(
      expect.arrayContaining(['web-0', 'web-1', 'web-2']),
    );
  });

  it('are named in the document, each with its reason, and nothing else is', () => {
    expect(tree.basis.complete).toBe(false);
    expect(tree.basis.blindSpots).toHaveLength(2);
    const [first, second] = [...tree.basis.blindSpots].sort((a, b) => (a.resource > b.resource ? -1 : 1));
    expect(first).toMatchObject({ resource: 'secrets', reason: expect.stringMatching(/403|forbidden/i) });
    expect(second?.resource).toContain('down.example.com');
    expect(second?.reason).not.toBe('');
  });

  it('are named on standard error beside the text', async () => {
    const { code, stderr } = await runTool(['tree', '-n', 'shop'], { kubeconfig });
    expect(code).toBe(0);
    expect(stderr).toContain('secrets');
    expect(stderr).toContain('down.example.com');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  // What is asked about the kind itself nobody can answer; what is asked of the rest is answered, and says what it lacks.
  it.each([
    [0, 'tree -n shop'],
    [0, 'tree sts/web -n shop'],
    [2, 'tree secrets -n shop'],
    [2, 'tree secret/key -n shop'],
    [0, 'why sts/web -n shop'],
    [2, 'why secret/key -n shop'],
    [0, 'check -n shop --fail-on=error'],
    [0, 'check sts/web -n shop --fail-on=error'],
    [1, 'check -n shop --fail-on=error --fail-on-incomplete'],
    [1, 'check -A --fail-on=never --fail-on-incomplete'],
    [2, 'check secrets -n shop --fail-on=never'],
    [0, 'plan delete sts/web -n shop'],
    [1, 'plan delete sts/web -n shop --fail-on=stuck'],
    [2, 'plan delete secret/key -n shop'],
    [2, 'plan delete secret/key -n shop --ignore-not-found'],
    [0, 'podgc -n shop'],
    [2, 'podgc secret/key -n shop'],
    [0, 'wait sts/none -n shop --for=delete --timeout=0'],
    [1, 'wait sts/web -n shop --for=delete --timeout=0'],
    [2, 'wait secret/key -n shop --for=delete --timeout=0'],
    [0, 'delete sts/web -n shop --cascade=background --dry-run=client'],
    // Nothing was given to this user but to read.
    [2, 'delete sts/web -n shop --cascade=background --yes'],
    [2, 'delete secret/key -n shop --cascade=background --yes'],
    [2, 'delete secret/key -n shop --cascade=background --yes --ignore-not-found'],
  ] as const)('make the exit code %d of %s', async (expected, line) => {
    const { code, stdout, stderr } = await runTool(line.split(' '), { kubeconfig });
    expect(code, `${stdout}\n${stderr}`).toBe(expected);
    if (expected !== 2 || !line.includes('secret')) return;
    expect(stderr).toContain('secrets cannot be listed');
    expect(stdout).toBe('');
  });

  it('are counted and named on the screen, which shows the rest', async () => {
    const terminal = openTool(['-n', 'shop'], { kubeconfig });
    try {
      await terminal.waitFor('StatefulSet web');
      await terminal.waitFor('2 kinds unseen');
      terminal.send('B');
      await terminal.waitFor(screen => {
        const text = screen.join('\n');
        return text.includes('secrets') && text.includes('down.example.com');
      });
    } finally {
      await terminal.close();
    }
  });
});

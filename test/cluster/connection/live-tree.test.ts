/** The ownership tree of a live cluster, printed and on the screen, while workloads scale and are orphaned. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { nodeOf, readTree, title } from '../ownership-document.ts';
import { openShop, runningPods } from '../stories/shop.ts';
import { openTool, runTool } from '../tool.ts';

describe('the tree of a live cluster', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 3 });
    kubeconfig = await cluster.kubeconfig();
    await openShop(cluster);
  });
  afterAll(() => cluster.stop());

  it('has the pods and the ControllerRevision of a StatefulSet', async () => {
    const tree = await readTree(['sts/web', '-n', 'shop'], { kubeconfig });
    expect(tree).toMatchObject({
      apiVersion: 'gc-tree.dev/v1alpha1',
      kind: 'OwnershipTree',
      basis: { source: 'cluster', complete: true, blindSpots: [] },
    });
    expect(tree.roots.map(title)).toEqual(['StatefulSet/web']);
    const dependents = nodeOf(tree, 'StatefulSet/web').dependents.map(title);
    expect(dependents.filter(name => name.startsWith('Pod/')).sort()).toEqual([
      'Pod/web-0',
      'Pod/web-1',
      'Pod/web-2',
    ]);
    expect(dependents.filter(name => name.startsWith('ControllerRevision/web-'))).toHaveLength(1);
    expect(nodeOf(tree, 'Pod/web-0').owners).toMatchObject([
      { object: { kind: 'StatefulSet', name: 'web', namespace: 'shop' }, controller: true, status: 'Solid' },
    ]);
  });

  it('says the same in words', async () => {
    const { code, stdout } = await runTool(['tree', 'sts/web', '-n', 'shop'], { kubeconfig });
    expect(code).toBe(0);
    expect(stdout).toMatch(/StatefulSet (shop\/)?web\b.*3\/3/);
    for (const name of ['Pod web-0', 'Pod web-1', 'Pod web-2', 'ControllerRevision web-']) {
      expect(stdout).toContain(name);
    }
  });

  it.each([
    'statefulset web',
    'statefulsets web',
    'statefulsets.apps/web',
    'statefulsets.v1.apps/web',
    'StatefulSet/web',
  ])('finds the target "%s"', async target => {
    const tree = await readTree([...target.split(' '), '-n', 'shop'], { kubeconfig });
    expect(tree.roots.map(title)).toEqual(['StatefulSet/web']);
  });

  it('shows a Deployment with its ReplicaSet and pods among the roots of the namespace', async () => {
    const tree = await readTree(['-n', 'shop'], { kubeconfig });
    const [replicaSet] = nodeOf(tree, 'Deployment/api').dependents;
    expect(replicaSet?.object.kind).toBe('ReplicaSet');
    expect(replicaSet?.dependents.map(node => node.object.kind)).toEqual(['Pod', 'Pod', 'Pod']);
    expect(tree.roots.map(title)).not.toContain('Pod/web-0');
  });

  it('shows scaling on a running screen within a second', async () => {
    interface Scaled {
      readonly spec: { readonly replicas: number };
      readonly status?: { readonly readyReplicas?: number };
    }
    /** `ready/wanted`, and when the API server said so in milliseconds since the epoch. */
    const said: { readonly counts: string; readonly at: number }[] = [];
    const path = '/apis/apps/v1/namespaces/shop/statefulsets?watch=1';
    const endWatch = cluster.api.watch<Scaled>(path, ({ object: { spec, status } }) => {
      said.push({ counts: `${status?.readyReplicas ?? 0}/${spec.replicas}`, at: Date.now() });
    });
    const terminal = openTool(['sts/web', '-n', 'shop'], { kubeconfig });
    try {
      await terminal.waitFor(/StatefulSet (shop\/)?web.*3\/3/);
      await eventually(() => expect(said.at(-1)?.counts).toBe('3/3'));
      // Each change is drawn when it comes; on a busy machine one frame may be late, but not each of them.
      const late: number[] = [];
      for (const replicas of [5, 4, 5, 3, 5]) {
        const before = said.length;
        const counts = `${replicas}/${replicas}`;
        await cluster.kubectl(['scale', 'sts/web', `--replicas=${replicas}`, '--namespace=shop']);
        await terminal.waitFor(new RegExp(`StatefulSet (shop/)?web.* ${counts}`, 'u'));
        const drawn = Date.now();
        const { at } = await eventually(
          () => said.slice(before).find(each => each.counts === counts) ?? expect.unreachable(counts),
        );
        late.push(drawn - at);
      }
      expect(Math.min(...late), `${late.join(', ')} ms`).toBeLessThan(1000);
    } finally {
      endWatch();
      await terminal.close();
    }
  });

  it('has the pods as roots after their StatefulSet was deleted and they were orphaned', async () => {
    await cluster.kubectl(['delete', 'sts', 'web', '--cascade=orphan', '--namespace=shop']);
    await eventually(async () => {
      const tree = await readTree(['-n', 'shop'], { kubeconfig });
      const roots = tree.roots.map(title);
      expect(roots).not.toContain('StatefulSet/web');
      expect(roots).toEqual(expect.arrayContaining(['Pod/web-0', 'Pod/web-1', 'Pod/web-2']));
      expect(nodeOf(tree, 'Pod/web-0').owners).toEqual([]);
    });
    expect(await runningPods(cluster)).toEqual(expect.arrayContaining(['web-0', 'web-1', 'web-2']));
  });
});

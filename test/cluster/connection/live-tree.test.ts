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

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

function widget(name: string, size = 1): string {
  return `{apiVersion: example.com/v1, kind: Widget, metadata: {name: ${name}, namespace: default}, spec: {size: ${size}}}`;
}

describe('the state of custom resources', () => {
  let cluster: Cluster;
  let kubeconfig: string;

  async function report(name: string, status: object): Promise<void> {
    const patch = ['--subresource=status', '--type=merge', `--patch=${JSON.stringify({ status })}`];
    await cluster.kubectl(['patch', `widget/${name}`, '--namespace=default', ...patch]);
  }

  function ready(status: string, reason: string): object {
    return { conditions: [{ type: 'Ready', status, reason }] };
  }

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(definition);
    await eventually(() => cluster.apply(widget('gear')));
    await cluster.apply(widget('cog'));
    await report('gear', { observedGeneration: 1, ...ready('False', 'NoDisk') });
    await report('cog', { observedGeneration: 1, ...ready('True', 'Done') });
  });
  afterAll(() => cluster.stop());

  it.each([['-n', 'default'], ['-A']])('is their condition Ready with %s', async (...scope) => {
    const { stdout } = await runTool(['tree', ...scope, '-o', 'wide'], { kubeconfig });
    expect(stdout).toMatch(/Widget default\/cog +Ready +\S+ +True +Done /u);
    expect(stdout).toMatch(/Widget default\/gear +not Ready: NoDisk +\S+ +False +NoDisk /u);
  });

  it('is in documents', async () => {
    const { stdout } = await runTool(['tree', 'widgets/gear', '-o', 'json'], { kubeconfig });
    const node = { stateText: 'not Ready: NoDisk', ready: { status: 'False', reason: 'NoDisk' } };
    expect(JSON.parse(stdout)).toMatchObject({ roots: [node] });
  });

  it('changes on the screen as it changes in the cluster', async () => {
    const terminal = openTool(['-n', 'default'], { kubeconfig });
    try {
      await terminal.waitFor(/Widget gear +not Ready: NoDisk/u);
      await report('gear', ready('True', 'Done'));
      await terminal.waitFor(/Widget gear +Ready/u);
      await cluster.apply(widget('gear', 2));
      await terminal.waitFor(/Widget gear +generation 2 not ob/u);
    } finally {
      await terminal.close();
    }
  });
});

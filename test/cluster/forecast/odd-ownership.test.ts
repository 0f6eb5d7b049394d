/**
 * Owner references that no controller would write but every API server accepts: each is drawn and marked for
 * what it is, and none makes the tool loop or crash.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { nodeOf, type OwnershipTree, placesOf, readTree, title } from '../ownership-document.ts';
import { openTool, runTool } from '../tool.ts';

interface Owner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name: string;
  readonly uid: string;
}

const NOWHERE = '11111111-2222-3333-4444-555555555555';

// Without a controller manager nothing collects what is wrong, so the wrong stays to be looked at.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('odd ownership', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let tree: OwnershipTree;
  let text: string;

  const configMaps = '/api/v1/namespaces/odd/configmaps';
  const reference = (owner: Owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...owner });

  /** Resolves with the new object's uid. */
  async function create(path: string, body: object): Promise<string> {
    const made = await cluster.api.json<{ metadata: { uid: string } }>({ method: 'POST', path, body });
    return made.metadata.uid;
  }
  const configMap = (name: string, owners: readonly Owner[] = [], namespace = 'odd') =>
    create(`/api/v1/namespaces/${namespace}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: owners.map(reference) },
    });
  const setOwner = (name: string, owner: Owner) =>
    cluster.api.json({
      method: 'PATCH',
      path: `${configMaps}/${name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { ownerReferences: [reference(owner)] } },
    });

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    kubeconfig = await cluster.kubeconfig();
    for (const name of ['odd', 'elsewhere']) await cluster.kubectl(['create', 'namespace', name]);

    const first = await configMap('cycle-a');
    const second = await configMap('cycle-b', [{ name: 'cycle-a', uid: first }]);
    await setOwner('cycle-a', { name: 'cycle-b', uid: second });

    await setOwner('self', { name: 'self', uid: await configMap('self') });

    const left = await configMap('left');
    const right = await configMap('right');
    await create('/api/v1/namespaces/odd/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'shared',
        ownerReferences: [reference({ name: 'left', uid: left }), reference({ name: 'right', uid: right })],
      },
      spec: { containers: [{ name: 'app', image: 'registry.example.com/app' }] },
    });

    await configMap('dangling', [{ name: 'never-was', uid: NOWHERE }]);
    await configMap('misnamed', [{ name: 'not-left', uid: left }]);
    const abroad = await configMap('abroad', [], 'elsewhere');
    await configMap('foreign', [{ name: 'abroad', uid: abroad }]);

    await create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'above', ownerReferences: [reference({ name: 'left', uid: left })] },
    });

    const widget = await widgetOfAKindThatGoes();
    await configMap('bereft', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'wheel', uid: widget }]);

    tree = await readTree(['-A'], { kubeconfig });
    const printed = await runTool(['tree', '-A'], { kubeconfig });
    expect(printed.code, printed.stderr).toBe(0);
    text = printed.stdout;
  });
  afterAll(() => cluster.stop());

  /** A Widget whose CustomResourceDefinition is deleted again; resolves with the Widget's uid. */
  async function widgetOfAKindThatGoes(): Promise<string> {
    await cluster.apply(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`);
    const path = '/apis/example.com/v1/namespaces/odd/widgets';
    const uid = await eventually(() =>
      create(path, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'wheel' } }),
    );
    await cluster.kubectl(['delete', 'crd', 'widgets.example.com']);
    await eventually(async () => expect((await cluster.api.send({ path })).status).toBe(404));
    // Discovery forgets the group a little after the resource is gone.
    await eventually(async () =>
      expect((await cluster.api.send({ path: '/apis/example.com/v1' })).status).toBe(404),
    );
    return uid;
  }

  const ownerOf = (name: string) => nodeOf(tree, name).owners[0];

  it('draws both members of an owner cycle and ends it in a leaf that says so', () => {
    const ends = ['ConfigMap/cycle-a', 'ConfigMap/cycle-b']
      .flatMap(name => placesOf(tree, name))
      .filter(node => node.cycle === true);
    expect(ends).toHaveLength(1);
    expect(ends[0]?.dependents).toEqual([]);
    expect(text).toContain('cycle-a');
    expect(text).toContain('cycle-b');
    expect(text).toMatch(/cycle-[ab] .*cycle/);
  });

  it('draws an object that owns itself', () => {
    expect(placesOf(tree, 'ConfigMap/self').map(node => node.cycle === true)).toEqual([false, true]);
  });

  it('draws a pod with two owners under both, the second time as a leaf', () => {
    const [first, second, ...more] = placesOf(tree, 'Pod/shared');
    expect(more).toEqual([]);
    expect([first?.seeAlso === true, second?.seeAlso === true]).toEqual([false, true]);
    expect(first?.owners.map(owner => [owner.object.name, owner.status])).toEqual([
      ['left', 'Solid'],
      ['right', 'Solid'],
    ]);
  });

  it('draws an owner that does not exist as a virtual root', () => {
    expect(ownerOf('ConfigMap/dangling')?.status).toBe('Absent');
    const ghost = tree.roots.find(node => title(node) === 'ConfigMap/never-was');
    expect(ghost).toMatchObject({ state: 'Virtual', object: { uid: NOWHERE, namespace: 'odd' } });
    expect(ghost?.dependents.map(title)).toEqual(['ConfigMap/dangling']);
    expect(nodeOf(tree, 'ConfigMap/dangling').verdict).toBe('DeleteBackground');
  });

  it('marks a reference whose uid exists under another name', () => {
    expect(ownerOf('ConfigMap/misnamed')?.status).toBe('Mismatched');
  });

  it('marks an owner in another namespace', () => {
    expect(ownerOf('ConfigMap/foreign')?.status).toBe('OtherNamespace');
    expect(nodeOf(tree, 'ConfigMap/foreign').verdict).toBe('DeleteBackground');
  });

  it('marks a cluster-scoped dependent of a namespaced owner, which is never collected', () => {
    expect(ownerOf('ClusterRole/above')?.status).toBe('ClusterScopeViolation');
    expect(nodeOf(tree, 'ClusterRole/above').verdict).toBe('NeverCollected');
  });

  it('marks an owner whose kind is no longer served, over which the collector retries for ever', () => {
    expect(ownerOf('ConfigMap/bereft')?.status).toBe('Unresolvable');
    expect(nodeOf(tree, 'ConfigMap/bereft').verdict).toBe('RetryForever');
  });

  it.each(['wide', 'yaml', 'name', 'dot', 'mermaid'])('prints all of it as %s', async format => {
    const { code, stdout, stderr } = await runTool(['tree', '-A', '-o', format], { kubeconfig });
    expect(code, stderr).toBe(0);
    for (const name of ['cycle-a', 'self', 'shared', 'dangling', 'foreign', 'above', 'bereft']) {
      expect(stdout).toContain(name);
    }
  });

  it('shows all of it on the screen and is left as ever', async () => {
    const terminal = openTool(['-n', 'odd'], { kubeconfig, rows: 50 });
    try {
      await terminal.waitFor(/Problems \d/u);
      terminal.send('1');
      const names = ['cycle-a', 'cycle-b', 'self', 'shared', 'never-was', 'dangling', 'foreign', 'bereft'];
      await terminal.waitFor(screen => names.every(name => screen.join('\n').includes(name)));
      terminal.send('q');
      expect(await terminal.exit).toBe(0);
    } finally {
      await terminal.close();
    }
  });
});

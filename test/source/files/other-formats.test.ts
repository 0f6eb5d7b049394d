/** What other tools write: kinds of the same name in other groups, lists that hold nothing, objects without a status. */
import { describe, expect, test } from 'vitest';
import { podFacts } from '../../../src/model/object.ts';
import { failure, folderOf, objects, type Read, read, readText } from './reading.ts';

const shop = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: u-shop}\n';
const ownedBy = (apiVersion: string, kind: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop, uid: u-c, ownerReferences: [{apiVersion: ${apiVersion}, kind: ${kind}, name: o, uid: u-o}]}\n`;

function owned(found: Read): string {
  return objects(found).find(each => each.includes('ConfigMap')) ?? '';
}

describe('kinds of the same name in another group', () => {
  test('nodes of a storage system are no nodes of the cluster', async () => {
    const ofStorage =
      'apiVersion: storage.example.com/v1\nkind: NodeList\nitems:\n- {metadata: {name: n1, namespace: store, uid: other}}\n';
    const ofCluster =
      'apiVersion: v1\nkind: NodeList\nitems:\n- {metadata: {name: n1, uid: own}, status: {nodeInfo: {kubeletVersion: v1.33.1}}}\n';
    const folder = folderOf({ 'a.yaml': ofCluster, 'b.yaml': ofStorage });
    expect(await failure([folder])).toBe('no failure');
    expect((await read([folder])).source.info.serverVersion).toBe('v1.33.1');
  });

  test('a Namespace, a Service or a ClusterVersion of another group is no sign of the cluster', async () => {
    for (const [kind, name] of [
      ['Namespace', 'default'],
      ['Service', 'kubernetes'],
      ['ClusterVersion', 'version'],
    ]) {
      const of = (uid: string): string =>
        `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: default, uid: ${uid}}\nspec: {clusterID: ${uid}}\n`;
      expect(await failure([folderOf({ 'a.yaml': of('u1'), 'b.yaml': of('u2') })])).toBe('no failure');
    }
  });

  test('an Event or a Lease of another group does not tell the moment', async () => {
    const old = '"2020-01-01T00:00:00Z"';
    const { source } = await readText(
      `${shop}---\napiVersion: example.com/v1\nkind: Event\nmetadata: {name: e, namespace: shop, uid: u1}\nlastTimestamp: ${old}\n` +
        `---\napiVersion: example.com/v1\nkind: Lease\nmetadata: {name: l, namespace: kube-node-lease, uid: u2}\nspec: {renewTime: ${old}}\n`,
    );
    expect(source.info.takenAtFrom).toBe('files');
  });

  test.each(['uid: u1', 'namespace: shop'])('an Ingress under two groups is one object: %s', async sign => {
    const of = (apiVersion: string): string =>
      `apiVersion: ${apiVersion}\nkind: Ingress\nmetadata: {name: web, namespace: shop, ${sign === 'uid: u1' ? 'uid: u1, ' : ''}resourceVersion: "7"}\n`;
    const found = await readText(`${of('extensions/v1beta1')}---\n${of('networking.k8s.io/v1')}`);
    expect(objects(found)).toEqual(['networking.k8s.io/v1 Ingress shop/web']);
  });
});

test('a token that says null is no page', async () => {
  const found = await readText(
    `${shop}---\napiVersion: v1\nkind: PodList\nmetadata: {continue: "null"}\nitems:\n- {metadata: {name: p, namespace: shop, uid: u-p}}\n---\n${ownedBy('v1', 'Pod')}`,
  );
  expect(owned(found)).toBe('v1 ConfigMap shop/c < Pod o Absent');
  expect(found.source.warnings).toEqual([]);
});

describe('a list that holds nothing proves absence', () => {
  const emptyPods = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items: [] };
  test('as an element of another list', async () => {
    const folder = folderOf({
      'shop/all.json': JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [emptyPods] }),
      'shop.yaml': shop,
      'c.yaml': ownedBy('v1', 'Pod'),
    });
    expect(owned(await read([folder]))).toBe('v1 ConfigMap shop/c < Pod o Absent');
  });

  test('of a kind that a definition behind it brings', async () => {
    const folder = folderOf({
      'shop/a.json': JSON.stringify({
        kind: 'WidgetList',
        apiVersion: 'example.com/v1',
        metadata: {},
        items: [],
      }),
      'shop.yaml': shop,
      'z.yaml': `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}\n`,
      'c.yaml': ownedBy('example.com/v1', 'Widget'),
    });
    expect(owned(await read([folder]))).toBe('v1 ConfigMap shop/c < Widget o Absent');
  });

  test('in a file that is called after its namespace', async () => {
    const folder = folderOf({
      'pods/shop.json': JSON.stringify(emptyPods),
      'namespaces.yaml': shop,
      'c.yaml': ownedBy('v1', 'Pod'),
    });
    expect(owned(await read([folder]))).toBe('v1 ConfigMap shop/c < Pod o Absent');
  });
});

test('a pod of a backup without a status is not said to be Pending, one that was never applied is', async () => {
  const phaseOf = async (pod: string): Promise<string | undefined> => {
    const { view } = await readText(`apiVersion: v1\nkind: Pod\n${pod}`);
    const [node] = [...view.graph.nodes()];
    return node?.object === undefined ? undefined : podFacts(node.object)?.phase;
  };
  expect(await phaseOf('metadata: {name: a, uid: u1}\nspec: {containers: []}')).toBe('Unknown');
  expect(await phaseOf('metadata: {name: a}\nspec: {nodeName: n1, containers: []}')).toBe('Unknown');
  expect(await phaseOf('metadata: {name: a}\nspec: {containers: []}')).toBe('Pending');
});

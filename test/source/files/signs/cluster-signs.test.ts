/** Which cluster files show, and that they show one. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { failure, folderOf, read, readText } from '../reading.ts';

const list = (...items: string[]): string => `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`;

const namespace = (name: string, uid: string): string =>
  `- {apiVersion: v1, kind: Namespace, metadata: {name: ${name}, uid: ${uid}}}\n`;

const node = (name: string, uid: string, more = ''): string =>
  `- {apiVersion: v1, kind: Node, metadata: {name: ${name}, uid: ${uid}${more}}}\n`;

const created = (kind: string, name: string, at: string, uid = `u-${name}`): string =>
  `- {apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, uid: ${uid === '' ? '""' : uid}, creationTimestamp: "${at}"}}\n`;

const single = (item: string): string => item.replace(/^- /u, '');
const controlPlane = ', labels: {node-role.kubernetes.io/control-plane: ""}';

async function of(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = folderOf(files);
  return (await failure([folder])).replaceAll(folder + path.sep, '');
}

describe('files of two clusters are refused, with the names of two of them', () => {
  test.each([
    [
      'by the namespaces that nobody can delete',
      { 'a.yaml': list(namespace('kube-system', 'u1')), 'b.yaml': single(namespace('kube-system', 'u2')) },
      'SourceError: a.yaml and b.yaml are of two clusters: Namespace kube-system has another uid in each. Give the files of one.',
    ],
    [
      'by the Service of the API server',
      Object.fromEntries(
        ['a', 'b'].map(each => [
          `${each}/default/services.yaml`,
          list(
            `- {apiVersion: v1, kind: Service, metadata: {name: kubernetes, namespace: default, uid: ${each}}}\n`,
          ),
        ]),
      ),
      'SourceError: a/default/services.yaml and b/default/services.yaml are of two clusters: Service default/kubernetes has another uid in each. Give the files of one.',
    ],
    [
      'by what their servers say of themselves',
      {
        'a/version.json': '{"major": "1", "minor": "30", "gitVersion": "v1.30.4"}',
        'b/version.yaml': 'clientVersion: {gitVersion: v1.36.0}\nserverVersion: {gitVersion: v1.32.1}\n',
        'c.yaml': single(node('a', 'u1')),
      },
      'SourceError: a/version.json and b/version.yaml are of two clusters: their servers are v1.30.4 and v1.32.1. Give the files of one.',
    ],
    [
      'by lists of nodes that have none in common',
      { 'a.yaml': list(node('a', 'u1'), node('b', 'u2')), 'b.yaml': list(node('c', 'u3')) },
      'SourceError: a.yaml and b.yaml are of two clusters: they have no node in common. Give the files of one.',
    ],
    [
      'by folders with other nodes of the same names',
      { 'a/nodes/a.yaml': single(node('a', 'u1')), 'b/nodes/a.yaml': single(node('a', 'u2')) },
      'SourceError: a/nodes/a.yaml and b/nodes/a.yaml are of two clusters: they have no node in common. Give the files of one.',
    ],
    [
      'by what was created long before any namespace that nobody can delete',
      {
        'namespaces.yaml': list(
          created('Namespace', 'kube-system', '2025-03-13T20:09:31Z'),
          created('Namespace', 'kube-public', '2025-03-14T20:09:31Z'),
        ),
        'pods.yaml': list(
          created('Pod', 'young', '2025-03-12T20:09:32Z'),
          created('Pod', 'old', '2021-12-17T18:41:34Z'),
          created('Pod', 'older', '2021-12-16T18:41:34Z'),
        ),
      },
      'SourceError: pods.yaml and namespaces.yaml are of two clusters: Pod older was created on 2021-12-16, before Namespace kube-system on 2025-03-13. Give the files of one.',
    ],
  ])('%s', async (_, files, message) => {
    expect(await of(files)).toBe(message);
  });

  test('in one file too', async () => {
    const text = `${list(namespace('default', 'u1'))}---\n${list(namespace('default', 'u2'))}`;
    expect(await failure(['-'], { stdin: text })).toBe(
      'SourceError: standard input holds objects of two clusters: Namespace default has another uid in each. Give the files of one.',
    );
  });
});

test.each([
  [
    'the same cluster twice',
    { 'a.yaml': list(node('a', 'u1'), node('b', 'u2')), 'b.yaml': list(node('b', 'u2')) },
  ],
  [
    'lists of nodes at times between which all were replaced',
    {
      'a.yaml': list(node('a', 'u1'), namespace('kube-system', 'u')),
      'b.yaml': list(node('b', 'u2'), namespace('kube-system', 'u')),
    },
  ],
  [
    'lists of nodes by role',
    { 'a.yaml': list(node('a', 'u1', controlPlane)), 'b.yaml': list(node('b', 'u2')) },
  ],
  [
    'what was created soon before its first namespace, by a clock that is wrong',
    {
      'a.yaml': list(created('Namespace', 'kube-system', '2025-03-13T20:09:31Z')),
      'b.yaml': list(created('Node', 'n1', '2025-03-12T20:09:32Z')),
    },
  ],
  [
    'what was created before a namespace that was made again',
    {
      'a.yaml': list(
        created('Namespace', 'default', '2025-03-13T20:09:31Z'),
        created('Namespace', 'kube-system', '2021-12-17T18:41:34Z'),
      ),
      'b.yaml': list(created('Node', 'n1', '2021-12-17T18:41:34Z')),
    },
  ],
  [
    'a manifest that a tool dated when it wrote it',
    {
      'a.yaml': list(created('Namespace', 'kube-system', '2025-03-13T20:09:31Z')),
      'b.yaml': single(created('Service', 'web', '2021-12-17T18:41:34Z', '')),
    },
  ],
  ['nodes one by one', { 'a.yaml': single(node('a', 'u1')), 'b.yaml': single(node('b', 'u2')) }],
  [
    'another namespace that was made again',
    { 'a.yaml': list(namespace('shop', 'u1')), 'b.yaml': list(namespace('shop', 'u2')) },
  ],
])('of one cluster may be %s', async (_, files) => {
  expect(await of(files)).toBe('no failure');
});

describe("the server's version", () => {
  const kubelet = (name: string, version: string): string =>
    `- {apiVersion: v1, kind: Node, metadata: {name: ${name}, uid: ${name}}, status: {nodeInfo: {kubeletVersion: ${version}}}}\n`;
  const nodes = list(kubelet('a', 'v1.9.11'), kubelet('b', 'v1.30.4-gke.100'), kubelet('c', 'v1.29.12'));

  test('is at least that of the newest kubelet', async () => {
    expect((await readText(nodes)).source.info.serverVersion).toBe('v1.30.4-gke.100');
    const block =
      'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\nstatus:\n  nodeInfo:\n    kubeletVersion: v1.28.1\n';
    expect((await readText(block)).source.info.serverVersion).toBe('v1.28.1');
    expect((await readText(list(namespace('shop', 'u')))).source.info.serverVersion).toBeUndefined();
  });

  test('is what OpenShift reports of its API server', async () => {
    const operator =
      'apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata:\n  name: kube-apiserver\nstatus:\n  versions:\n  - name: operator\n    version: 4.17.2\n  - name: kube-apiserver\n    version: 1.30.5\n';
    expect((await readText(`${nodes}---\n${operator}`)).source.info.serverVersion).toBe('v1.30.5');
  });

  test.each([
    ['the API server', '{"major": "1", "minor": "31", "gitVersion": "v1.31.1"}'],
    ['kubectl', '{"clientVersion": {"gitVersion": "v1.36.0"}, "serverVersion": {"gitVersion": "v1.31.1"}}'],
    [
      'a support bundle',
      '{"info": {"major": "1", "minor": "31", "gitVersion": "v1.31.1"}, "string": "v1.31.1"}',
    ],
  ])('is what %s wrote to a file', async (_, version) => {
    const { source } = await read([folderOf({ 'nodes.yaml': nodes, 'version.json': version })]);
    expect(source.info.serverVersion).toBe('v1.31.1');
    expect(source.warnings).toEqual([]);
  });
});

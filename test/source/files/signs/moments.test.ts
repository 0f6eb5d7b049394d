/** Files of two moments of one cluster: no error comes of what never was together. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { failure, folderOf, moveOf, objects, read } from '../reading.ts';

interface Made {
  readonly uid?: string;
  readonly version?: number;
  readonly owner?: readonly [kind: string, name: string, uid: string];
  readonly created?: string;
}

const DAY1 = '2026-11-01T00:00:00Z';
const DAY2 = '2026-11-02T00:00:00Z';

function object(
  kind: string,
  name: string,
  { uid = `uid-${name}`, version = 1, owner, created }: Made = {},
): string {
  const apiVersion = kind === 'ReplicaSet' || kind === 'Deployment' ? 'apps/v1' : 'v1';
  const [of, named, id] = owner ?? [];
  const owners =
    owner === undefined
      ? ''
      : `, ownerReferences: [{apiVersion: apps/v1, kind: ${of}, name: ${named}, uid: ${id}}]`;
  const born = `, creationTimestamp: "${created ?? DAY1}"`;
  return `- {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: shop, uid: ${uid}, resourceVersion: "${version}"${born}${owners}}}\n`;
}

const list = (...items: string[]): string => `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`;

async function together(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly objects: string[]; readonly warnings: string[]; move(name: string): string }> {
  const folder = folderOf(files);
  const found = await read([folder]);
  const warnings = (found.source.warnings ?? []).map(each => each.replaceAll(folder + path.sep, ''));
  return { objects: objects(found), warnings, move: name => moveOf(found, name) };
}

test('the newer one counts whole where days lie between, in whatever order they are read', async () => {
  const old = list(
    object('ReplicaSet', 'rs', { uid: 'rs-old' }),
    object('Pod', 'old', { owner: ['ReplicaSet', 'rs', 'rs-old'] }),
    object('ConfigMap', 'kept', { owner: ['ReplicaSet', 'rs', 'rs-old'] }),
    object('Service', 'web'),
  );
  const renewed = list(
    object('ReplicaSet', 'rs', { uid: 'rs-new', version: 9, created: DAY2 }),
    object('Pod', 'new', { version: 9, created: DAY2, owner: ['ReplicaSet', 'rs', 'rs-new'] }),
    object('Service', 'web'),
  );
  for (const [oldName, newName] of [
    ['a.yaml', 'b.yaml'],
    ['b.yaml', 'a.yaml'],
  ] as const) {
    const found = await together({ [oldName]: old, [newName]: renewed });
    expect(found.objects).toEqual([
      'apps/v1 ReplicaSet shop/rs',
      'v1 Pod shop/new < ReplicaSet rs Solid',
      'v1 Service shop/web',
    ]);
    expect(found.warnings).toContain(
      `${oldName} and ${newName} are of two moments of one cluster: ReplicaSet shop/rs has another uid in each. ${newName}, the newer one, counts; what only the older one has is left out (2 objects).`,
    );
  }
});

describe('of reads one after the other', () => {
  test('what the newer one shows to be gone is left out, and the older one proves nothing', async () => {
    const found = await together({
      'all.yaml': list(
        object('Deployment', 'api'),
        object('ReplicaSet', 'rs', { uid: 'rs-old' }),
        object('Pod', 'old', { owner: ['ReplicaSet', 'rs', 'rs-old'] }),
        object('ConfigMap', 'gone-with-it', { owner: ['ReplicaSet', 'rs', 'rs-old'] }),
        object('ConfigMap', 'stays', { owner: ['Deployment', 'api', 'uid-api'] }),
        object('ConfigMap', 'unknown', { owner: ['StatefulSet', 'db', 'uid-db'] }),
      ),
      'later.yaml': list(
        object('ReplicaSet', 'rs', { uid: 'rs-new', version: 9 }),
        object('Pod', 'new', { version: 9, owner: ['ReplicaSet', 'rs', 'rs-new'] }),
        object('Pod', 'of-a-new-one', { version: 9, owner: ['Deployment', 'web', 'uid-web'] }),
      ),
    });
    expect(found.objects).toEqual([
      'apps/v1 Deployment shop/api',
      'apps/v1 ReplicaSet shop/rs',
      'v1 ConfigMap shop/stays < Deployment api Solid',
      'v1 ConfigMap shop/unknown < StatefulSet db Unknown',
      'v1 Pod shop/new < ReplicaSet rs Solid',
      'v1 Pod shop/of-a-new-one < Deployment web Unknown',
    ]);
    expect(found.warnings).toEqual([
      'an object stands in the files more than once, the newest counts: ReplicaSet shop/rs (all.yaml, then later.yaml).',
      'all.yaml and later.yaml are of two moments of one cluster: ReplicaSet shop/rs has another uid in each. later.yaml, the newer one, counts; of what only the older one has 2 objects that may be gone are left out, and its lists prove nothing.',
    ]);
  });

  test('what was in a namespace or on a node that the newer one shows to be gone or going is left out', async () => {
    const alone = (kind: string, name: string, version: number): string =>
      `- {apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, uid: u-${name}, resourceVersion: "${version}"}}\n`;
    const onNode = (node: string): string =>
      `- {apiVersion: v1, kind: Pod, metadata: {name: on-${node}, namespace: shop, uid: u-on-${node}, resourceVersion: "1"}, spec: {nodeName: ${node}}}\n`;
    const spaces = (version: number): string =>
      ['kube-system', 'shop'].map(name => alone('Namespace', name, version)).join('');
    const inSpace = (name: string): string =>
      `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ${name}, uid: u-in-${name}, resourceVersion: "1", creationTimestamp: "2026-11-01T23:50:00Z"}}\n`;
    const found = await together({
      'all.yaml': list(
        spaces(1),
        alone('Namespace', 'gone', 1),
        alone('Namespace', 'going', 1),
        alone('Node', 'n1', 1),
        alone('Node', 'n2', 1),
        onNode('n1'),
        onNode('n2'),
        inSpace('gone'),
        inSpace('going'),
      ),
      'later.yaml': list(
        spaces(9),
        alone('Node', 'n1', 9),
        '- {apiVersion: v1, kind: Namespace, metadata: {name: going, uid: u-going, resourceVersion: "9", deletionTimestamp: "2026-11-02T00:00:00Z"}}\n',
      ),
    });
    expect(found.objects).toEqual([
      'v1 Namespace going',
      'v1 Namespace kube-system',
      'v1 Namespace shop',
      'v1 Node n1',
      'v1 Pod shop/on-n1',
    ]);
  });

  test('each is complete where nothing has changed in between', async () => {
    const pod = object('Pod', 'p', { owner: ['ReplicaSet', 'rs', 'uid-rs'] });
    const orphan = object('Pod', 'o', { owner: ['ReplicaSet', 'none', 'uid-none'] });
    const found = await together({
      'all.yaml': list(object('ReplicaSet', 'rs'), pod, orphan),
      'pods.yaml': list(pod, orphan),
    });
    expect(found.warnings).toEqual([]);
    expect(found.objects).toContain('v1 Pod shop/o < ReplicaSet none Absent');
  });

  test('none proves anything where each has something newer', async () => {
    const found = await together({
      'a.yaml': list(object('Pod', 'p', { version: 2 }), object('Pod', 'q', { version: 1 })),
      'b.yaml': list(
        object('Pod', 'p', { version: 1 }),
        object('Pod', 'q', { version: 2 }),
        object('ConfigMap', 'c', { owner: ['Pod', 'r', 'uid-r'] }).replace('apps/v1', 'v1'),
      ),
    });
    expect(found.objects).toContain('v1 ConfigMap shop/c < Pod r Unknown');
    expect(found.warnings).toContain(
      "a.yaml and b.yaml are of two moments of one cluster: Pod shop/p has another resourceVersion in each, and which of them is the newer one doesn't show. That an object isn't in them proves nothing.",
    );
  });
});

test('of two folders with the same files all of each belongs together', async () => {
  const found = await together({
    'day1/pods.yaml': list(
      object('Pod', 'p', { owner: ['ReplicaSet', 'rs', 'uid-rs'] }),
      object('Pod', 'q', { version: 1 }),
    ),
    'day1/rs.yaml': list(object('ReplicaSet', 'rs'), object('ReplicaSet', 'other')),
    'day1/single.yaml': object('ConfigMap', 'c').replace(/^- /u, ''),
    'day2/pods.yaml': list(object('Pod', 'q', { version: 5, created: DAY2 })),
    'day2/rs.yaml': list(object('ReplicaSet', 'other')),
  });
  expect(found.objects).toEqual(['apps/v1 ReplicaSet shop/other', 'v1 Pod shop/q']);
});

test('what has nothing in common but names is refused', async () => {
  const names = ['a', 'b'];
  const folder = folderOf({
    'one/all.yaml': list(...names.map(each => object('Pod', each, { uid: `one-${each}` }))),
    'two/all.yaml': list(...names.map(each => object('Pod', each, { uid: `two-${each}`, version: 2 }))),
  });
  expect((await failure([folder])).replaceAll(folder + path.sep, '')).toBe(
    'SourceError: one and two have 2 objects of the same names, each with another uid: they are of two clusters, or of times between which all of that was made again. Give the files of one.',
  );
});

describe('a list of Nodes', () => {
  const heartbeat = '2026-11-02T12:00:00Z';
  const nodes = list(
    `- {apiVersion: v1, kind: Node, metadata: {name: n1, uid: u1}, status: {conditions: [{type: Ready, status: "True", lastHeartbeatTime: "${heartbeat}"}]}}\n`,
  );
  const pod = (name: string, node: string, ready: string, more = ''): string =>
    `- {apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, uid: u-${name}${more}}, spec: {nodeName: ${node}}, status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "${ready}"}]}}\n`;
  const lacksNodes = async (...pods: string[]): Promise<readonly [boolean, readonly string[]]> => {
    const { source, view } = await read([folderOf({ 'nodes.yaml': nodes, 'pods.yaml': list(...pods) })]);
    const type = view.catalog.resolveKind('v1', 'Node');
    return [type !== undefined && view.seesAt(type, '', 'n2'), source.warnings ?? []];
  };

  test.each([
    ['just before it was read', '2026-11-02T11:59:00Z'],
    ['when it had been read', '2026-11-02T14:00:00Z'],
  ])('may lack a node where a pod got ready %s', async (_, ready) => {
    expect(
      await lacksNodes(pod('a', 'n2', '2026-10-01T00:00:00Z'), pod('b', 'n2', ready), pod('c', 'n1', ready)),
    ).toEqual([
      false,
      [
        `the Nodes in the files are incomplete or of another moment: n2, where Pod shop/b was at ${ready}, isn't among them, and the newest of their reports is from ${heartbeat}. That a Node isn't in the files proves nothing.`,
      ],
    ]);
  });

  test.each([
    ['whose pods got ready long before', pod('a', 'n2', '2026-11-02T11:00:00Z')],
    [
      'whose pods are being deleted',
      pod('a', 'n2', '2026-11-02T11:59:00Z', ', deletionTimestamp: "2026-11-02T12:00:00Z"'),
    ],
  ])('proves that there is no node %s', async (_, item) => {
    expect(await lacksNodes(item)).toEqual([true, []]);
  });
});

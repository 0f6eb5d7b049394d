import { appendFileSync, chmodSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { objectIds } from '../../../src/model/object-id.ts';
import type { FilesSource } from '../../../src/source/files/files-source.ts';
import { failure, fixture, folderOf, moveOf, objects, read, readText, sourceOf } from './reading.ts';

const list = (items: string): string => `apiVersion: v1\nkind: List\nitems:\n${items}`;

function item(apiVersion: string, kind: string, name: string, more = ''): string {
  const [namespace, bare] = name.includes('/') ? name.split('/') : ['', name];
  const where = namespace === '' ? '' : `, namespace: ${namespace}`;
  return `- {apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${bare}${where}, uid: uid-${kind}-${bare}, resourceVersion: "1"${more}}}\n`;
}

function owned(apiVersion: string, kind: string, name: string, uid = `uid-${kind}-${name}`): string {
  return `, ownerReferences: [{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: ${uid}}]`;
}

describe('what kubectl prints of one namespace is read alike', () => {
  const shop = [
    'apps/v1 Deployment shop/api',
    'apps/v1 ReplicaSet shop/api-6999f94c45 < Deployment api Solid',
    'apps/v1 StatefulSet shop/web',
    'v1 Pod shop/api-6999f94c45-8br7m < ReplicaSet api-6999f94c45 Solid',
    'v1 Pod shop/api-6999f94c45-wh2jc < ReplicaSet api-6999f94c45 Solid',
    'v1 Pod shop/web-0 < StatefulSet web Solid',
    'v1 Service shop/web',
  ];

  test.each(['all.yaml', 'all.json'])('get all,cm,secret: %s', async name => {
    const found = objects(await read([fixture(name)]));
    expect(found).toEqual(
      [
        ...shop,
        'v1 ConfigMap shop/gear-config < Widget gear Unknown',
        'v1 ConfigMap shop/kube-root-ca.crt',
        'v1 Secret shop/db',
      ].sort(),
    );
  });

  test.each(['dump.yaml', 'dump.json'])(
    'cluster-info dump, with container logs in between: %s',
    async name => {
      // A dump has no StatefulSets.
      const expected = shop
        .filter(each => !each.includes('StatefulSet shop'))
        .map(each => each.replace('web Solid', 'web Unknown'));
      expect(objects(await read([fixture(name)]))).toEqual(
        [...expected, 'v1 Node node-1', 'v1 Node node-2'].sort(),
      );
    },
  );

  test('a list of the API server, whose elements have no kind of their own', async () => {
    expect(objects(await read([fixture('replicasets.json')]))).toEqual([
      'apps/v1 ReplicaSet shop/api-6999f94c45 < Deployment api Unknown',
    ]);
  });

  test('facts are read as from a cluster', async () => {
    const { view } = await read([fixture('all.yaml')]);
    const [deployment] = view.graph.ofType({
      ...view.catalog.types[0]!,
      group: 'apps',
      resource: 'deployments',
    });
    expect(deployment?.object?.facts).toMatchObject({ kind: 'Workload', desired: 2, ready: 2 });
    const pods = [...view.graph.nodes()].filter(node => node.identity.kind === 'Pod');
    expect(pods.map(node => node.object?.facts)).toMatchObject(
      pods.map(() => ({ kind: 'Pod', phase: 'Running', readyContainers: 1 })),
    );
  });
});

test('a dump folder is read whole, and what is no manifest in it is counted', async () => {
  const dump = await read([fixture('dump-folder')]);
  expect(objects(dump)).toContain(
    'v1 Pod infra/metrics-554f75fd47-ptrm6 < ReplicaSet metrics-554f75fd47 Solid',
  );
  expect(dump.source.warnings).toEqual([
    expect.stringMatching(/^a file that is no manifest was skipped: .+\.$/u),
  ]);
});

test('a must-gather folder is read through its wrapping, an object in two files of it without a warning', async () => {
  const pod = 'metadata: {name: web-0, namespace: shop, uid: u1, resourceVersion: "5"}';
  const wrapped = 'must-gather.local.1/quay-io-release-sha256-00';
  const { view, source } = await read([
    folderOf({
      [`${wrapped}/namespaces/shop/core/pods.yaml`]: `---\napiVersion: v1\nitems:\n- ${pod.replace('metadata: ', 'metadata: ')}\nkind: PodList\n`,
      [`${wrapped}/namespaces/shop/pods/web-0/web-0.yaml`]: `---\napiVersion: v1\nkind: Pod\n${pod}\n`,
      [`${wrapped}/cluster-scoped-resources/core/nodes/node-1.yaml`]:
        'apiVersion: v1\nkind: Node\nmetadata: {name: node-1, uid: u2}\n',
      [`${wrapped}/timestamp`]: '2026',
      [`${wrapped}/namespaces/shop/pods/web-0/c/logs/current.log`]: 'x',
      [`${wrapped}/etcd_info/endpoint.json`]: '[{"Endpoint": "x", "Status": {}}]',
      [`${wrapped}/notes.yaml`]: 'a: [unclosed\n',
    }),
  ]);
  expect(objects({ view, source })).toEqual(['v1 Node node-1', 'v1 Pod shop/web-0']);
  expect(source.warnings).toEqual([
    expect.stringMatching(/^4 files that are no manifests were skipped: .+ and 1 more\.$/u),
  ]);
});

describe('an owner that is not in the files', () => {
  const pod = item('v1', 'Pod', 'shop/web-0', owned('apps/v1', 'ReplicaSet', 'gone'));
  const replicaSet = item('apps/v1', 'ReplicaSet', 'shop/other');

  test('is absent where they hold its kind', async () => {
    const files = await readText(list(pod + replicaSet));
    expect(objects(files)).toContain('v1 Pod shop/web-0 < ReplicaSet gone Absent');
    expect(moveOf(files, 'web-0')).toBe('DeleteBackground exact');
  });

  test('is unknown where they do not, and with a closed world absent', async () => {
    const files = await readText(list(pod));
    expect(objects(files)).toEqual(['v1 Pod shop/web-0 < ReplicaSet gone Unknown']);
    expect(files.view.complete).toBe(false);
    expect(files.view.blindSpots()).toContainEqual({
      resource: 'replicasets.apps',
      reason: 'not in the files',
    });
    const closed = await readText(list(pod), { closedWorld: true });
    expect(objects(closed)).toEqual(['v1 Pod shop/web-0 < ReplicaSet gone Absent']);
    expect(closed.view.complete).toBe(true);
    expect(closed.view.blindSpots()).toEqual([]);
  });

  test('is absent where an empty list of its kind was read', async () => {
    const empty = '---\napiVersion: apps/v1\nkind: ReplicaSetList\nitems: []\n';
    expect(objects(await readText(list(pod) + empty))).toEqual([
      'v1 Pod shop/web-0 < ReplicaSet gone Absent',
    ]);
    expect(
      objects(
        await readText(`${list(pod)}---\n{"apiVersion": "apps/v1", "kind": "ReplicaSetList", "items": null}`),
      ),
    ).toEqual(['v1 Pod shop/web-0 < ReplicaSet gone Absent']);
  });

  test('is unknown where only a list of another namespace was read', async () => {
    const other = item('apps/v1', 'ReplicaSet', 'infra/other');
    const apart = await read([folderOf({ 'pods.yaml': list(pod), 'replicasets.yaml': list(other) })]);
    expect(objects(apart)).toContain('v1 Pod shop/web-0 < ReplicaSet gone Unknown');
    expect(apart.view.blindSpots()).toContainEqual({
      resource: 'replicasets.apps',
      reason: 'not all in the files; seen only in infra',
    });
    // A list over both was read over both.
    const together = await readText(list(pod + other));
    expect(objects(together)).toContain('v1 Pod shop/web-0 < ReplicaSet gone Absent');
    // As was an empty one in the folder of the namespace.
    const dumped = folderOf({
      'shop/pods.yaml': list(pod),
      'shop/replicasets.yaml': 'apiVersion: apps/v1\nkind: ReplicaSetList\nitems: []\n',
      'infra/replicasets.yaml': list(other),
    });
    for (const names of [[dumped], [path.join(dumped, 'infra'), path.join(dumped, 'shop')]])
      expect(objects(await read(names))).toContain('v1 Pod shop/web-0 < ReplicaSet gone Absent');
  });

  test('is unknown where its kind is empty in a file over several namespaces, one list for each', async () => {
    const empty = '---\napiVersion: apps/v1\nkind: ReplicaSetList\nitems: []\n---\n';
    const files = await readText(list(pod) + empty + list(item('v1', 'Pod', 'infra/p')));
    expect(objects(files)).toContain('v1 Pod shop/web-0 < ReplicaSet gone Unknown');
  });

  test('is unknown where objects by themselves or an array hold its kind, with a uid or without', async () => {
    const single = (text: string): string => text.replace(/^- /u, '');
    const other = item('apps/v1', 'ReplicaSet', 'shop/other');
    for (const text of [
      `${single(pod)}---\n${single(other)}`,
      pod + other,
      `${single(pod)}---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: new, namespace: shop}}\n`,
    ]) {
      const files = await readText(text);
      expect(objects(files)).toContain('v1 Pod shop/web-0 < ReplicaSet gone Unknown');
      expect(files.view.blindSpots()).toContainEqual({
        resource: 'replicasets.apps',
        reason: 'not all in the files; seen in no namespace',
      });
    }
  });

  test('is unknown where one of its name stands in another file, which may be of another day or cluster', async () => {
    const single = (text: string): string => text.replace(/^- /u, '');
    const child = single(item('v1', 'Pod', 'shop/web-0', owned('apps/v1', 'ReplicaSet', 'rs', 'former')));
    const namesake = single(item('apps/v1', 'ReplicaSet', 'shop/rs'));
    const apart = await read([folderOf({ 'pod.yaml': child, 'rs.yaml': namesake })]);
    expect(objects(apart)).toContain('v1 Pod shop/web-0 < ReplicaSet rs Unknown');
    const together = await readText(`${child}---\n${namesake}`);
    expect(objects(together)).toContain('v1 Pod shop/web-0 < ReplicaSet rs Absent');
  });

  test('is unknown everywhere but in the namespaces of the list, unless all namespaces are listed', async () => {
    const volume = '- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v, uid: v}}\n';
    const text = list(pod + replicaSet + item('v1', 'Pod', 'infra/p') + volume);
    const seen = async (text: string): Promise<boolean[]> => {
      const { view } = await readText(text);
      const [pods, volumes] = [
        view.catalog.resolveKind('v1', 'Pod'),
        view.catalog.resolveKind('v1', 'PersistentVolume'),
      ];
      if (pods === undefined || volumes === undefined) throw new Error('no such kinds');
      return [
        view.sees(pods, 'infra'),
        view.sees(pods, 'elsewhere'),
        view.seesAll(pods),
        view.seesAll(volumes),
      ];
    };
    expect(await seen(text)).toEqual([true, false, false, true]);
    const namespace = (name: string): string => item('v1', 'Namespace', name);
    const all = text + namespace('shop') + namespace('infra');
    expect(await seen(all)).toEqual([true, true, true, true]);
    expect(await seen(all + namespace('elsewhere'))).toEqual([true, false, false, true]);
  });
});

describe('a list that is not whole', () => {
  const pods = item('v1', 'Pod', 'shop/p', owned('apps/v1', 'ReplicaSet', 'gone'));
  const sets = ['a', 'b', 'c'].map(name => item('apps/v1', 'ReplicaSet', `shop/${name}`)).join('');
  const kubectls = `apiVersion: v1\nitems:\n${pods}${sets}kind: List\nmetadata:\n  resourceVersion: ""\n`;
  const json = `{
  "apiVersion": "v1",
  "items": [
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "uid": "p", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "gone"}]}},
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a", "namespace": "shop", "uid": "a"}}
  ],
  "kind": "List",
  "metadata": {"resourceVersion": ""}
}
`;
  const standing = 'v1 Pod shop/p < ReplicaSet gone';

  test('proves nothing wherever its file is cut off, and is told of', async () => {
    expect(objects(await readText(kubectls))).toContain(`${standing} Absent`);
    expect(objects(await readText(json))).toContain(`${standing} Absent`);
    for (const whole of [kubectls, json]) {
      const from =
        whole === json ? json.lastIndexOf('"ReplicaSet"') : kubectls.indexOf('- {apiVersion: apps') + 20;
      // Behind the kind nothing is missing but the list's own metadata.
      const to = whole === json ? whole.length - 2 : whole.indexOf('kind: List') + 'kind: List'.length;
      for (let end = from; end < to; end++) {
        const files = await readText(whole.slice(0, end));
        expect(objects(files), whole.slice(0, end)).not.toContain(`${standing} Absent`);
        expect(files.source.warnings).toEqual([
          'standard input is a list that the end of the file cuts off: its missing objects are unknown.',
        ]);
      }
    }
  });

  test('has no half of an element', async () => {
    const files = await readText(kubectls.slice(0, kubectls.indexOf('uid-ReplicaSet-b') + 4));
    expect(objects(files)).toEqual(['apps/v1 ReplicaSet shop/a', `${standing} Unknown`]);
  });

  test('proves nothing where it is one page of several', async () => {
    for (const more of ['continue: abc', 'remainingItemCount: 7']) {
      const files = await readText(`${list(pods + sets)}metadata:\n  ${more}\n`);
      expect(objects(files)).toContain(`${standing} Unknown`);
      expect(files.source.warnings).toEqual([
        'standard input is one page of a longer list: what the others hold is unknown.',
      ]);
    }
  });

  test('may be one whose last line has no end', async () => {
    expect(objects(await readText(list(pods + sets).trimEnd()))).toContain(`${standing} Unknown`);
    expect(objects(await readText(kubectls.trimEnd()))).toContain(`${standing} Absent`);
  });
});

describe('kinds that Kubernetes does not have', () => {
  const pod = item('v1', 'Pod', 'shop/p', owned('example.com/v1', 'Widget', 'gone'));

  test('are unknown as owners where nothing defines or carries them, and with a closed world unresolvable', async () => {
    expect(objects(await readText(list(pod)))).toEqual(['v1 Pod shop/p < Widget gone Unknown']);
    expect(objects(await readText(list(pod), { closedWorld: true }))).toEqual([
      'v1 Pod shop/p < Widget gone Unresolvable',
    ]);
  });

  test('are unknown as owners of what lies in no namespace too', async () => {
    const node = item('v1', 'Node', 'node-1', owned('example.com/v1', 'Machine', 'gone'));
    expect(objects(await readText(list(node)))).toEqual(['v1 Node node-1 < Machine gone Unknown']);
  });

  test('are unresolvable as owners in a version of Kubernetes that never had them, or that their definition lacks', async () => {
    const typo = item('v1', 'Pod', 'shop/p', owned('apps/v1', 'ReplicationSet', 'gone'));
    expect(objects(await readText(list(typo)))).toEqual(['v1 Pod shop/p < ReplicationSet gone Unresolvable']);
    const crd = readFileSync(fixture('crd.yaml'), 'utf8');
    const old = item('v1', 'Pod', 'shop/p', owned('example.com/v1alpha1', 'Widget', 'gone'));
    expect(objects(await readText(`${crd}---\n${list(old)}`))).toContain(
      'v1 Pod shop/p < Widget gone Unresolvable',
    );
  });

  test('are never made up of a reference that spells a known kind in another way', async () => {
    const crd = readFileSync(fixture('crd.yaml'), 'utf8');
    const gear = item('example.com/v1', 'Widget', 'shop/gear');
    const kinds = ['Widget', 'widget', 'WidgetList', 'WIDGET', 'widgets', 'Widgets', 'widgetList'];
    const pods = kinds.map((kind, at) =>
      item('v1', 'Pod', `shop/p${at}`, owned('example.com/v1', kind, 'gear', 'uid-Widget-gear')),
    );
    const standings = [
      'v1 Pod shop/p0 < Widget gear Solid',
      'v1 Pod shop/p1 < widget gear Solid',
      'v1 Pod shop/p2 < WidgetList gear Mismatched',
      'v1 Pod shop/p3 < WIDGET gear Unresolvable',
      'v1 Pod shop/p4 < widgets gear Unresolvable',
      'v1 Pod shop/p5 < Widgets gear Unresolvable',
      'v1 Pod shop/p6 < widgetList gear Unresolvable',
    ];
    for (const definition of [crd, '']) {
      const files = await readText(`${definition}---\n${list(gear + pods.join(''))}`);
      expect(objects(files).filter(each => each.startsWith('v1 Pod'))).toEqual(standings);
      const { types } = files.view.catalog;
      const ofGroup = types.filter(({ group }) => group === 'example.com').map(({ kind }) => kind);
      expect(new Set(ofGroup)).toEqual(new Set(['Widget']));
    }
  });

  test('are one kind where references write it with capitals and without', async () => {
    const files = await readText(
      list(
        item('v1', 'Pod', 'shop/a', owned('example.com/v1', 'thing', 'gone')) +
          item('v1', 'Pod', 'shop/b', owned('example.com/v1', 'Thing', 'gone')),
      ),
    );
    expect(objects(files)).toEqual([
      'v1 Pod shop/a < thing gone Unknown',
      'v1 Pod shop/b < Thing gone Unknown',
    ]);
    expect(files.view.catalog.types.filter(({ group }) => group === 'example.com')).toHaveLength(1);
  });

  test('lead to an object without a uid in lower case, too', async () => {
    const owner = '- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: canary, namespace: shop}}\n';
    const service = item('v1', 'Service', 'shop/canary', owned('apps/v1', 'daemonset', 'canary'));
    expect(objects(await readText(list(owner + service)))).toContain(
      'v1 Service shop/canary < daemonset canary Solid',
    );
  });

  test('are known by their definition, in each served version', async () => {
    const files = await read([fixture('crd.yaml'), fixture('widgets.yaml')]);
    const widgets = files.view.catalog.types.filter(type => type.kind === 'Widget');
    expect(widgets).toMatchObject([
      { version: 'v1', resource: 'widgets', shortNames: ['wd'], namespaced: true, preferred: true },
      { version: 'v1beta1', preferred: false },
    ]);
    expect(objects(files)).toContain('v1 ConfigMap shop/gear-config < Widget gear Solid');
    const alone = await readText(`${readFileSync(fixture('crd.yaml'), 'utf8')}---\n${list(pod)}`);
    expect(objects(alone)).toContain('v1 Pod shop/p < Widget gone Unknown');
  });

  test('are namespaced exactly when one of their objects has a namespace', async () => {
    const { view } = await readText(
      list(
        item('example.com/v1', 'Widget', 'a') +
          item('example.com/v1', 'Widget', 'shop/b') +
          item('example.com/v1', 'Policy', 'c') +
          item('example.com/v1beta1', 'Policy', 'd'),
      ),
    );
    const known = view.catalog.types.filter(type => type.group === 'example.com');
    expect(
      known.map(({ resource, version, namespaced, preferred }) => ({
        resource,
        version,
        namespaced,
        preferred,
      })),
    ).toEqual([
      { resource: 'widgets', version: 'v1', namespaced: true, preferred: true },
      { resource: 'policies', version: 'v1', namespaced: false, preferred: true },
      { resource: 'policies', version: 'v1beta1', namespaced: false, preferred: false },
    ]);
    expect(
      [...view.graph.nodes()]
        .map(({ identity }) => `${identity.apiVersion} ${identity.namespace}/${identity.name}`)
        .sort(),
    ).toEqual([
      'example.com/v1 /c',
      'example.com/v1 /d',
      'example.com/v1 default/a',
      'example.com/v1 shop/b',
    ]);
  });

  test('in an old version of a known kind are served where an object carries it, else perhaps', async () => {
    const pods = item('v1', 'Pod', 'shop/p', owned('apps/v1beta1', 'Deployment', 'web'));
    expect(objects(await readText(list(pods)))).toEqual(['v1 Pod shop/p < Deployment web Unknown']);
    const carried = await readText(list(pods + item('apps/v1beta1', 'Deployment', 'shop/web')));
    expect(objects(carried)).toEqual(['apps/v1 Deployment shop/web', 'v1 Pod shop/p < Deployment web Solid']);
  });
});

describe('manifests without uids', () => {
  const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: api-1
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: api, uid: 0-1}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dangling
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: other, uid: 0-2}]
`;

  test('are in the default namespace or the one asked for, and their references lead to what they name', async () => {
    expect(objects(await readText(manifests))).toEqual([
      'apps/v1 Deployment default/api',
      'apps/v1 ReplicaSet default/api-1 < Deployment api Solid',
      'v1 ConfigMap default/dangling < Deployment other Unknown',
    ]);
    expect(objects(await readText(manifests, { namespace: 'shop' }))).toContain(
      'apps/v1 Deployment shop/api',
    );
  });

  test('have the same identity in each reading, and one that is told from a uid', async () => {
    const uids = async (): Promise<string[]> =>
      [...(await readText(manifests)).view.graph.nodes()]
        .filter(node => !node.virtual)
        .map(node => node.identity.uid);
    expect(await uids()).toEqual(await uids());
    expect((await uids()).every(objectIds.isSynthetic)).toBe(true);
  });

  test('where objects have uids, references go by those alone', async () => {
    const other = item('v1', 'Pod', 'shop/p', owned('apps/v1', 'ReplicaSet', 'rs', 'another'));
    const files = await readText(list(other + item('apps/v1', 'ReplicaSet', 'shop/rs')));
    expect(objects(files)).toContain('v1 Pod shop/p < ReplicaSet rs Absent');
  });
});

test('a reference goes by its uid wherever that is known, whatever else it names', async () => {
  const text = `
apiVersion: v1
kind: ConfigMap
metadata: {name: named}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other, uid: u1}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dependent
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: named, uid: u1}]
`;
  expect(objects(await readText(text))).toContain(
    'v1 ConfigMap default/dependent < ConfigMap named Mismatched',
  );
});

describe('what stands twice', () => {
  test('byte for byte is one, with a uid or without, and nothing to tell of', async () => {
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: {a: b}}\n';
    const list = readFileSync(fixture('all.yaml'));
    const files = await read([
      folderOf({ 'a.yaml': manifest, 'copy/b.yaml': manifest, 'all.yaml': list, 'copy/all.yaml': list }),
    ]);
    expect(files.source.warnings).toEqual([]);
  });

  test('counts as read last, with a warning', async () => {
    const folder = folderOf({
      'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: {from: a}}\n',
      'b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, uid: u, labels: {from: b}}\n',
    });
    const { view, source } = await read([folder]);
    expect([...view.graph.nodes()].map(node => node.object?.labels)).toEqual([['from', 'b']]);
    expect(source.warnings).toEqual([
      `an object stands in the files more than once, the last one read counts: ConfigMap default/x (${path.join(folder, 'a.yaml')}, then ${path.join(folder, 'b.yaml')}).`,
    ]);
  });

  test('as what an aggregated API shows of it, under the same uid, is passed over', async () => {
    const shown = list(
      item('v1', 'Namespace', 'shop', '').replace('uid-Namespace-shop', 'u1') +
        item('project.openshift.io/v1', 'Project', 'shop').replace('uid-Project-shop', 'u1') +
        item('image.openshift.io/v1', 'ImageStream', 'shop/app').replace('uid-ImageStream-app', 'u2') +
        item('image.openshift.io/v1', 'ImageStreamTag', 'shop/app1').replace('uid-ImageStreamTag-app1', 'u2'),
    );
    const files = await readText(shown);
    expect(objects(files)).toEqual(['image.openshift.io/v1 ImageStream shop/app', 'v1 Namespace shop']);
    expect(files.source.warnings).toEqual([]);
  });

  test('a file that is named twice is read once', async () => {
    const files = await read([fixture('all.yaml'), fixture('all.yaml')]);
    expect(files.source.warnings).toEqual([]);
  });
});

describe('a uid that identifies nothing', () => {
  const zeros = '00000000-0000-0000-0000-000000000000';
  const object = (kind: string, name: string, uid: string, more = ''): string =>
    item(kind === 'ReplicaSet' ? 'apps/v1' : 'v1', kind, `shop/${name}`, more).replace(
      `uid-${kind}-${name}`,
      JSON.stringify(uid),
    );
  const owner = (name: string, uid: string): string =>
    owned('apps/v1', 'ReplicaSet', name, JSON.stringify(uid));

  test.each(['REDACTED', '<redacted>', zeros, 'xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx', '***', 'same-for-all'])(
    'leaves each object what it is, and references lead to what they name: %s',
    async uid => {
      const files = await readText(
        list(
          object('ReplicaSet', 'rs1', uid) +
            object('ReplicaSet', 'rs2', uid) +
            object('Pod', 'p1', uid, owner('rs1', uid)) +
            object('Pod', 'p2', uid, owner('rs2', uid)) +
            object('Pod', 'p3', uid, owner('rs3', uid)),
        ),
      );
      expect(objects(files)).toEqual([
        'apps/v1 ReplicaSet shop/rs1',
        'apps/v1 ReplicaSet shop/rs2',
        'v1 Pod shop/p1 < ReplicaSet rs1 Solid',
        'v1 Pod shop/p2 < ReplicaSet rs2 Solid',
        'v1 Pod shop/p3 < ReplicaSet rs3 Absent',
      ]);
      expect(moveOf(files, 'p1')).toBe('None assumed');
      expect(moveOf(files, 'p3')).toBe('DeleteBackground assumed');
      expect(files.source.warnings).toEqual([
        `5 objects have masked or repeated uids, such as ReplicaSet shop/rs1 (${JSON.stringify(uid)}): they are identified by their names, and what owns what is assumed.`,
      ]);
    },
  );

  test('of an object or of a reference alone leads by the name, too', async () => {
    const files = await readText(
      list(
        object('ReplicaSet', 'rs1', 'u1') +
          object('ReplicaSet', 'rs2', zeros) +
          object('Pod', 'p1', 'p1', owner('rs1', zeros)) +
          object('Pod', 'p2', 'p2', owner('rs2', 'u2')),
      ),
    );
    expect(objects(files)).toContain('v1 Pod shop/p1 < ReplicaSet rs1 Solid');
    expect(objects(files)).toContain('v1 Pod shop/p2 < ReplicaSet rs2 Solid');
    expect([moveOf(files, 'p1'), moveOf(files, 'p2')]).toEqual(['None assumed', 'None assumed']);
  });

  test('is known in every order of files, and what stands twice with it stands once', async () => {
    const all = [
      object('ReplicaSet', 'rs1', 'same'),
      object('Pod', 'p1', 'p1', owner('rs1', 'same')),
      object('Pod', 'p2', 'same'),
      object('ReplicaSet', 'rs1', 'same'),
    ];
    const expected = [
      'apps/v1 ReplicaSet shop/rs1',
      'v1 Pod shop/p1 < ReplicaSet rs1 Solid',
      'v1 Pod shop/p2',
    ];
    for (const order of [all, all.toReversed(), [all[2]!, all[0]!, all[3]!, all[1]!]])
      expect(objects(await readText(list(order.join(''))))).toEqual(expected);
  });

  test('of a claim says nothing against the volume that is bound to it', async () => {
    const volume = (uid: string): string =>
      `- {apiVersion: v1, kind: PersistentVolume, metadata: {name: v, uid: v}, spec: {claimRef: {namespace: shop, name: c, uid: ${uid}}}, status: {phase: Bound}}\n`;
    for (const [claim, reference] of [
      ['REDACTED', 'u'],
      ['u', 'REDACTED'],
      [zeros, zeros],
    ] as const) {
      const { view } = await readText(list(volume(reference) + object('PersistentVolumeClaim', 'c', claim)));
      const facts = [...view.graph.nodes()].find(({ identity }) => identity.name === 'v')?.object?.facts;
      expect(facts).toMatchObject({ claimName: 'c', claimUid: '' });
    }
  });

  test('makes no two clusters of one', async () => {
    const namespaces = ['REDACTED', 'u1'].map(uid => ({
      text: `- {apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: ${uid}}}\n- {apiVersion: v1, kind: Node, metadata: {name: n, uid: ${uid}}}\n`,
    }));
    const folder = folderOf({ 'a.yaml': list(namespaces[0]!.text), 'b.yaml': list(namespaces[1]!.text) });
    expect(await failure([folder])).toBe('no failure');
  });

  test('keeps objects apart that have one name in two groups', async () => {
    const nodes = ['v1', 'longhorn.io/v1beta2'].map(version =>
      item(version, 'Node', version === 'v1' ? 'n1' : 'longhorn-system/n1').replace('uid-Node-n1', 'same'),
    );
    expect(objects(await readText(list(nodes.join(''))))).toEqual([
      'longhorn.io/v1beta2 Node longhorn-system/n1',
      'v1 Node n1',
    ]);
    const same = nodes.map(each => each.replace(', namespace: longhorn-system', ''));
    expect(objects(await readText(list(same.join(''))))).toEqual([
      'longhorn.io/v1beta2 Node n1',
      'v1 Node n1',
    ]);
  });

  test('gathers no events of others', async () => {
    const event =
      '- {apiVersion: v1, kind: Event, metadata: {name: e, namespace: shop}, involvedObject: {kind: Pod, name: p1, uid: REDACTED}, reason: Failed, message: it failed, type: Warning}\n';
    const files = await readText(
      list(object('Pod', 'p1', 'REDACTED') + object('Pod', 'p2', 'REDACTED') + event),
    );
    for (const { uid, namespace } of [...files.view.graph.nodes()].map(({ identity }) => identity))
      expect(await files.source.events({ uid, namespace })).toEqual([]);
  });
});

describe('a file that cannot be read is told of in a sentence', () => {
  const cases: readonly [string, string | Buffer, string | RegExp][] = [
    [
      'broken YAML',
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n   uid: b\n',
      /FILE, line \d+, column \d+: .+\.$/u,
    ],
    [
      'broken YAML in a later document',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: "Pod\n',
      /FILE, line 7, column 1: .+ a quote or bracket before it that has no end\.$/u,
    ],
    [
      'broken YAML in an element of a list',
      `${list(item('v1', 'Pod', 'a'))}- apiVersion: v1\n  kind: [Pod\n`,
      /FILE, line [67], column \d+: /u,
    ],
    [
      'broken YAML behind the elements of a list',
      `${list(item('v1', 'Pod', 'a'))}metadata: {\n`,
      /FILE, line [67], column \d+: /u,
    ],
    [
      'broken JSON',
      '{"apiVersion": "v1",\n "kind": "Pod",\n "metadata": {"name": }}',
      /FILE, line 3, column 23: Unexpected token '\}'/u,
    ],
    [
      'broken JSON in an element of a list',
      '{"kind": "List", "apiVersion": "v1", "items": [\n{},\n{"kind" "Pod"}]}',
      /FILE, line 3, column 9: Expected ':'/u,
    ],
    [
      'JSON that ends in the middle',
      '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod"},',
      'FILE, line 1: the file ends in the middle of the document of line 1.',
    ],
    ['an empty file', '', 'FILE is empty.'],
    ['blanks', ' \n\n', 'FILE is empty.'],
    ['comments', '# nothing\n---\n', 'FILE holds no Kubernetes object.'],
    ['plain text', 'hello\n', 'FILE holds no Kubernetes object.'],
    [
      'YAML of something else',
      'services:\n  web: {image: x}\n',
      'FILE holds no Kubernetes object: apiVersion and kind are missing.',
    ],
    [
      'a second document of something else',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\na: b\n',
      'FILE, line 5, holds no Kubernetes object: apiVersion and kind are missing.',
    ],
    [
      'a table',
      'NAME    READY   STATUS\nweb-0   1/1     Running\n',
      'FILE is a table for people. Print with -o yaml or -o json.',
    ],
    [
      'a table of all namespaces',
      'NAMESPACE   NAME    READY\nshop: x     web-0   1/1\n',
      'FILE is a table for people. Print with -o yaml or -o json.',
    ],
    ['HTML', '<!DOCTYPE html><html></html>', 'FILE is HTML or XML, not YAML or JSON.'],
    [
      'a kubeconfig',
      'apiVersion: v1\nkind: Config\nclusters: []\n',
      'FILE is a kubeconfig. Give it with --kubeconfig.',
    ],
    [
      "an API server's error",
      '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","code":403}',
      'FILE is an error that the API server answered: pods is forbidden.',
    ],
    [
      'metadata alone',
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[]}',
      "FILE holds metadata alone, which doesn't tell what kind of object it is of.",
    ],
    [
      'a template',
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n',
      /FILE, line 4, column 10: .*It looks like a template: render it first \(helm template, for a chart\)\.$/u,
    ],
    [
      'a name that no object can have',
      'apiVersion: v1\nkind: Service\nmetadata: {name: "a%1Bb"}\n',
      'FILE holds an object called "a%1Bb", a name that no API server takes.',
    ],
    [
      'a template that is no YAML',
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n{{- include "x" . | nindent 2 }}\n',
      /FILE, line [45], column \d+: .*It looks like a template: render it first \(helm template, for a chart\)\.$/u,
    ],
    [
      'a template that begins with an action',
      '{{- if .Values.x }}\napiVersion: v1\n',
      'FILE is a template. Render it first (helm template, for a chart).',
    ],
    [
      'gzip',
      Buffer.from([0x1f, 0x8b, 8, 0]),
      'FILE is compressed with gzip. Unpack it first (gunzip, tar xzf).',
    ],
    [
      'a binary file',
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]),
      'FILE is a binary file, not YAML or JSON.',
    ],
    [
      'another encoding',
      Buffer.from('apiVersion: v1\nkind: Pod\nmetadata: {name: caf\u00e9}\n', 'latin1'),
      'FILE, line 3: not UTF-8. Save the file as UTF-8.',
    ],
  ];

  test.each(cases)('%s', async (_what, content, expected) => {
    const file = path.join(folderOf({ f: content }), 'f');
    const message = (await failure([file])).replaceAll(file, 'FILE');
    if (typeof expected === 'string')
      expect(message).toBe(`${message.slice(0, message.indexOf(': '))}: ${expected}`);
    else expect(message).toMatch(expected);
    expect(message).toMatch(/^(SourceError|ForeignFile|Error): /u);
    expect(message.split('\n').length).toBeLessThanOrEqual(2);
  });

  test('no such file, an empty folder, a folder of other files, an address, empty standard input', async () => {
    expect(await failure(['nowhere.yaml'])).toBe('SourceError: nowhere.yaml: no such file or folder.');
    const empty = folderOf({});
    expect(await failure([empty])).toBe(`SourceError: ${empty}: the folder is empty.`);
    const other = folderOf({ 'a.txt': 'x', 'b.yaml': 'x: y' });
    expect(await failure([other])).toBe(`SourceError: ${other}: no manifests in this folder, among 2 files.`);
    expect(await failure(['https://example.com/x.yaml'])).toContain("addresses aren't fetched");
    expect(await failure(['-'])).toContain(
      'standard input is empty. Did the command in front of the pipe fail?',
    );
  });

  test.skipIf(process.getuid?.() === 0)('no permission', async () => {
    const folder = folderOf({ 'a.yaml': 'x' });
    chmodSync(path.join(folder, 'a.yaml'), 0);
    expect(await failure([folder])).toContain('no permission to read it.');
  });

  test('a broken manifest in a folder is named and makes it incomplete', async () => {
    const folder = folderOf({
      'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n',
      'b.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: \n',
    });
    const found = await read([folder], { closedWorld: true });
    expect(objects(found)).toEqual(['v1 Pod default/a']);
    expect(found.source.warnings.join()).toContain(`${path.join(folder, 'b.yaml')}, line `);
    expect(found.view.complete).toBe(false);
    expect(await failure([folder], { strict: true })).toContain(`${path.join(folder, 'b.yaml')}, line `);
  });
});

test('an owner that comes in by a merge key is an owner, in every style', async () => {
  const owner = '{apiVersion: v1, kind: ConfigMap, name: owner, uid: u1}';
  const head = 'apiVersion: v1\nkind: ConfigMap\n';
  const parent = `${head}metadata: {name: owner, uid: u1}\n---\n`;
  const children = [
    `${head}common: &c\n  ownerReferences: [${owner}]\nmetadata:\n  <<: *c\n  name: child\n`,
    `${head}metadata:\n  name: child\n  <<:\n    ownerReferences:\n    - ${owner}\n`,
    `${head}metadata: {<<: [{name: other}, {ownerReferences: [${owner}]}], name: child}\n`,
    `${head}metadata:\n  name: child\n  ownerReferences:\n  - <<: ${owner}\n    controller: yes\n`,
    `${head}<<: {metadata: {name: child, ownerReferences: [${owner}]}}\n`,
  ];
  for (const child of children) {
    for (const text of [parent + child, `${child}---\n${parent}`]) {
      const files = await readText(text);
      expect(objects(files)).toEqual([
        'v1 ConfigMap default/child < ConfigMap owner Solid',
        'v1 ConfigMap default/owner',
      ]);
    }
  }
});

test('what an element of a list or its head names is known in the elements behind it', async () => {
  const element = (name: string, metadata: string): string =>
    `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    ${metadata}\n    name: ${name}\n`;
  const lists = [
    `items:\n${element('a', '<<: &m {namespace: shop}')}${element('b', '<<: *m')}${element('c', '<<: *m')}`,
    `common: &m {namespace: shop}\nitems:\n${element('a', '<<: *m')}${element('b', '<<: *m')}${element('c', '<<: *m')}`,
    `items:\n${element('a', 'namespace: shop')}${element('b', '<<: &m {namespace: shop}')}${element('c', '<<: *m')}metadata: {}\n`,
  ];
  for (const text of lists) {
    const file = path.join(folderOf({ 'a.yaml': `apiVersion: v1\nkind: List\n${text}` }), 'a.yaml');
    const files = await read([file]);
    expect(objects(files)).toEqual(['a', 'b', 'c'].map(name => `v1 ConfigMap shop/${name}`));
    const [node] = [...files.view.graph.nodes()];
    if (node?.object === undefined) throw new Error('no object');
    const { type, namespace, name } = node.object;
    expect(await files.source.get(type, namespace, name)).toMatchObject({ metadata: { name, namespace } });
  }
});

test('links in a loop or to nothing do no harm', async () => {
  const folder = folderOf({ 'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n' });
  symlinkSync(folder, path.join(folder, 'again'));
  symlinkSync(path.join(folder, 'nowhere'), path.join(folder, 'b.yaml'));
  expect(objects(await read([folder]))).toEqual(['v1 Pod default/a']);
});

test('any form of YAML and JSON is read: flow style, indented lists, arrays, anchors, a byte order mark, CRLF', async () => {
  const expected = ['v1 Pod default/a', 'v1 Pod default/b'];
  const texts = [
    '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, {apiVersion: v1, kind: Pod, metadata: {name: b}}]}',
    'kind: List\napiVersion: v1\nitems:\n    # first\n    - kind: Pod\n      apiVersion: v1\n      metadata:\n        name: a\n        finalizers:\n        - x/y\n\n    - kind: Pod\n      apiVersion: v1\n      metadata:\n        name: b\n        finalizers:\n            - x/z\n',
    '[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}},{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}]',
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}} {"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}',
    '- &pod {kind: Pod, apiVersion: v1, metadata: {name: a}}\n- <<: *pod\n  metadata: {name: b}\n  kind: Pod\n  apiVersion: v1\n',
    '\uFEFFapiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n---\r\napiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: b\r\n',
    '%YAML 1.2\n---\n{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}\n...\n---\n# c\nkind: Pod\napiVersion: v1\nmetadata: {name: b}',
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- apiVersion: v1\n  kind: PodList\n  items: [{metadata: {name: b}}]\n',
  ];
  for (const text of texts) expect(objects(await readText(text)), text).toEqual(expected);
});

describe('the object from the file', () => {
  test('is what stands there, by whatever way it came in', async () => {
    for (const name of [
      'all.yaml',
      'all.json',
      'dump.yaml',
      'dump.json',
      'dump-folder',
      'replicasets.json',
    ]) {
      const { source, view } = await read([fixture(name)]);
      for (const { object } of view.graph.nodes()) {
        if (object === undefined) continue;
        const json = await source.get(object.type, object.namespace, object.name);
        expect(json).toMatchObject({
          apiVersion: object.type.apiVersion,
          kind: object.type.kind,
          metadata: { uid: object.uid },
        });
      }
    }
    const { source, view } = await read([fixture('widgets.yaml')]);
    const type = view.catalog.resolveKind('v1', 'ConfigMap');
    expect(type && (await source.get(type, 'shop', 'gear-config'))).toMatchObject({
      data: { unicode: 'naïve – ☃ 𝒳', tricky: 'on' },
    });
    expect(type && (await source.get(type, 'shop', 'none'))).toBeUndefined();
  });

  test('never has the values of a Secret', async () => {
    const { source, view } = await read([fixture('all.yaml')]);
    const type = view.catalog.resolveKind('v1', 'Secret');
    const secret = type && (await source.get(type, 'shop', 'db'));
    expect(secret).toMatchObject({ data: { greeting: '(hidden)' } });
    expect(JSON.stringify(secret)).not.toMatch(/hello-world|aGVsbG8/u);
  });

  test('is refused once the file has changed, and from standard input', async () => {
    const file = path.join(
      folderOf({ 'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n' }),
      'a.yaml',
    );
    const { source, view } = await read([file]);
    const type = view.catalog.resolveKind('v1', 'Pod');
    if (type === undefined) throw new Error('no pods');
    expect(await source.get(type, 'default', 'a')).toMatchObject({ kind: 'Pod' });
    appendFileSync(file, '# more\n');
    await expect(source.get(type, 'default', 'a')).rejects.toThrow('has changed since it was read');
    const piped = await readText(readFileSync(file));
    await expect(piped.source.get(type, 'default', 'a')).rejects.toThrow(
      'standard input cannot be read a second time',
    );
  });
});

test('the moment is that of the newest file, or of reading standard input', async () => {
  const folder = folderOf({
    'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n',
    'b.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n',
  });
  utimesSync(path.join(folder, 'a.yaml'), 1_000, 2_000);
  utimesSync(path.join(folder, 'b.yaml'), 1_000, 1_500);
  const { source } = await read([folder]);
  expect(source.info).toMatchObject({ source: 'files', context: folder, takenAt: 2_000_000 });
  const piped = await readText('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
  expect(piped.source.info.takenAt).toBe(Date.parse('2026-11-21T12:00:00Z'));
});

describe('the moment of files that were copied', () => {
  const written = Date.parse('2026-11-21T12:00:00Z');
  const pod = (created: string, more = ''): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u, creationTimestamp: ${created}${more && `, ${more}`}}\n`;
  const lease = (renewed: string, name = 'kube-scheduler', namespace = 'kube-system'): string =>
    `apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec:\n  renewTime: ${renewed}\n`;
  const nodeLease = (name: string, renewed: string): string => lease(renewed, name, 'kube-node-lease');
  const node = (name: string, ready: string, heartbeat: string): string =>
    `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, uid: ${name}}\nstatus: {conditions: [{type: Ready, status: "${ready}", lastHeartbeatTime: ${heartbeat}}]}\n`;
  const event = (seen: string): string =>
    `apiVersion: v1\nkind: Event\nmetadata: {name: e}\nlastTimestamp: ${seen}\n`;

  test.each([
    [
      'is told by the Lease that was renewed last',
      [lease('2026-11-01T00:00:07.5Z'), lease('2026-11-01T00:00:01Z')],
      '2026-11-01T00:00:07.5Z',
      'objects',
    ],
    [
      'is told by Events where there is no Lease',
      [event('2026-11-01T00:00:00Z')],
      '2026-11-01T00:00:00Z',
      'objects',
    ],
    [
      'is that of the files while a cluster could still be silent',
      [event('2026-11-20T14:20:00Z')],
      '2026-11-21T12:00:00Z',
      'files',
    ],
    [
      'is that of the files where a Lease was renewed just before',
      [lease('2026-11-21T11:59:50Z')],
      '2026-11-21T12:00:00Z',
      'files',
    ],
    [
      'is not told by the Lease of a controller that may be down',
      [
        'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: operator, namespace: shop}\nspec: {renewTime: 2026-11-01T00:00:00Z}\n',
      ],
      '2026-11-21T12:00:00Z',
      'files',
    ],
    [
      'is never before something in them was to be deleted',
      [
        lease('2026-11-01T00:00:00Z'),
        'apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u, creationTimestamp: 2026-10-01T00:00:00Z, deletionTimestamp: 2026-11-03T00:00:00Z}\n',
      ],
      '2026-11-03T00:00:00Z',
      'objects',
    ],
    [
      'is never before something in them was made',
      [lease('2026-11-01T00:00:00Z'), pod('2026-11-02T00:00:00Z')],
      '2026-11-02T00:00:00Z',
      'objects',
    ],
    [
      'is not told by what lies ahead of the clock',
      [lease('2027-11-01T00:00:00Z')],
      '2026-11-21T12:00:00Z',
      'files',
    ],
    [
      'is not after the request for a deletion by its grace period',
      [
        lease('2026-11-01T00:00:00Z'),
        pod(
          '2026-10-01T00:00:00Z',
          'deletionTimestamp: 2026-11-01T00:00:35Z, deletionGracePeriodSeconds: 30',
        ),
      ],
      '2026-11-01T00:00:05Z',
      'objects',
    ],
    [
      'is told by the heartbeat of a node, not by that of one that is gone',
      [
        node('a', 'True', '2026-11-01T00:05:00Z'),
        node('b', 'Unknown', '2026-10-01T00:00:00Z'),
        pod('2026-10-01T00:00:00Z'),
      ],
      '2026-11-01T00:05:00Z',
      'objects',
    ],
    [
      'is that of the files where only a node is silent whose kubelet has stopped',
      [node('b', 'Unknown', '2026-10-01T00:00:00Z')],
      '2026-11-21T12:00:00Z',
      'files',
    ],
    [
      'is not told by the one clock that is an hour ahead of three others',
      [
        lease('2026-11-01T00:00:05Z'),
        lease('2026-11-01T00:00:07Z', 'kube-controller-manager'),
        nodeLease('a', '2026-11-01T00:00:03Z'),
        nodeLease('fast', '2026-11-01T01:00:06Z'),
        `${pod('2026-10-01T00:00:00Z')}status: {startTime: 2026-11-01T00:59:00Z}\n`,
      ],
      '2026-11-01T00:00:07Z',
      'objects',
    ],
    [
      'is told by one that is an hour ahead where nobody contradicts',
      [nodeLease('dead', '2026-11-01T00:00:03Z'), lease('2026-11-01T01:00:06Z')],
      '2026-11-01T01:00:06Z',
      'objects',
    ],
    [
      'is not told by when something is to happen',
      [
        lease('2026-11-01T00:00:00Z'),
        'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c, namespace: shop, uid: c}\nstatus: {notAfter: 2026-11-20T00:00:00Z, renewalTime: 2026-11-10T00:00:00Z}\n',
        'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c, namespace: shop, uid: cj}\nstatus: {lastScheduleTime: 2026-11-01T00:00:09Z, nextScheduleTime: 2026-11-02T00:00:00Z}\n',
      ],
      '2026-11-01T00:00:09Z',
      'objects',
    ],
  ])('%s', async (_, documents, moment, from) => {
    const folder = folderOf({ 'a.yaml': documents.join('---\n') });
    utimesSync(path.join(folder, 'a.yaml'), written / 1000, written / 1000);
    const { source } = await read([folder]);
    expect(source.info).toMatchObject({ takenAt: Date.parse(moment), takenAtFrom: from });
  });
});

describe('the time of files', () => {
  const terminating =
    'apiVersion: v1\nkind: Pod\nmetadata: {name: a, uid: u, creationTimestamp: 2026-10-01T00:00:00Z, deletionTimestamp: 2026-11-01T00:00:30Z, deletionGracePeriodSeconds: 30}\n';

  async function written(at: string, more = ''): Promise<FilesSource> {
    const folder = folderOf({ 'a.yaml': `${terminating}${more}` });
    utimesSync(path.join(folder, 'a.yaml'), Date.parse(at) / 1000, Date.parse(at) / 1000);
    return (await read([folder])).source;
  }

  test.each([
    ['status: {startTime: 2026-11-01T02:00:00Z}', '2026-11-01T02:00:00Z'],
    [
      'status: {conditions: [{type: Ready, status: "False", lastTransitionTime: 2026-11-01T03:00:00Z}]}',
      '2026-11-01T03:00:00Z',
    ],
    [
      'status: {containerStatuses: [{state: {terminated: {startedAt: 2026-10-01T00:00:00Z, finishedAt: 2026-11-01T04:00:00Z}}}]}',
      '2026-11-01T04:00:00Z',
    ],
    ['', '2026-11-01T00:00:00Z'],
  ])('does not count where it is older than what is in them: %s', async (more, moment) => {
    const { info, warnings } = await written('1970-01-01T00:00:00Z', more);
    expect(info).toMatchObject({ takenAt: Date.parse(moment), takenAtFrom: 'objects' });
    expect(warnings).toEqual([
      `the files are dated 1970-01-01T00:00:00Z, before the newest time in them, ${moment.slice(0, 19)}Z, as of which they are judged: what is being deleted may have been for longer.`,
    ]);
  });

  test('does not count where it lies ahead of the clock', async () => {
    expect((await written('2030-01-01T00:00:00Z')).info.takenAt).toBe(Date.parse('2026-11-21T12:00:00Z'));
  });

  test('is all there is where nothing in them lives, which is told of what is being deleted', async () => {
    const { info, warnings } = await written('2026-11-20T00:00:00Z');
    expect(info).toMatchObject({ takenAt: Date.parse('2026-11-20T00:00:00Z'), takenAtFrom: 'files' });
    expect(warnings).toEqual([
      'nothing in the files is newer than 2026-11-01T00:00:00Z; they are judged as of 2026-11-20T00:00:00Z, when they were written: if they were copied then, what is being deleted may not have been for so long.',
    ]);
    expect((await written('2026-11-01T09:00:00Z')).warnings).toEqual([]);
  });
});

describe('UTF-16, as a redirection in PowerShell writes it,', () => {
  const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  const text = `\uFEFF${readFileSync(fixture('widgets.yaml'), 'utf8').replaceAll('\n', '\r\n')}`;

  test.each([
    ['low byte first', Buffer.from(text, 'utf16le')],
    ['high byte first', swapped(text)],
  ])('is read like UTF-8, %s', async (_, bytes) => {
    const expected = objects(await read([fixture('widgets.yaml')]));
    const file = path.join(folderOf({ 'w.yaml': bytes }), 'w.yaml');
    expect(objects(await read([file]))).toEqual(expected);
    for (const chunk of [1, 7, 4096]) expect(objects(await readText(bytes, { chunk }))).toEqual(expected);
    const { source, view } = await read([file]);
    const type = view.catalog.resolveKind('v1', 'ConfigMap');
    expect(type && (await source.get(type, 'shop', 'gear-config'))).toMatchObject({
      data: { unicode: 'naïve – ☃ 𝒳' },
    });
  });
});

test.each(['dump.yaml', 'dump.json'])(
  'what kubectl prints behind a dump is no part of it: %s',
  async name => {
    const text = readFileSync(fixture(name), 'utf8');
    const expected = objects(await readText(text));
    for (const chunk of [5, 65_536])
      expect(objects(await readText(`${text}Cluster info dumped to standard output\n`, { chunk }))).toEqual(
        expected,
      );
  },
);

test('closing ends the reading, of a silent pipe too', async () => {
  const closed = sourceOf([fixture('all.yaml')]);
  await closed.close();
  await expect(closed.start(() => {})).rejects.toThrow('reading was stopped');
  const pipe = new PassThrough();
  const waiting = sourceOf(['-'], { pipe });
  const started = waiting.start(() => {});
  pipe.write('apiVersion: v1\n');
  setImmediate(() => void waiting.close());
  await expect(started).rejects.toThrow('reading was stopped');
  expect(pipe.destroyed).toBe(true);
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Person } from '../../../src/disk/person.ts';
import { cacheFolderOf, DiskCache } from '../../../src/kube/discovery/disk-cache.ts';
import { documentsOfAggregated, groupOf } from '../../../src/kube/discovery/kubectl-documents.ts';

const base = mkdtempSync(path.join(tmpdir(), 'gc-tree-discovery-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const me = Person.current();
const person: Person = { uid: me?.uid ?? 0, trusts: () => true, isAlone: () => false };
const HOUR = 3_600_000;

describe('the place of the cache', () => {
  const env = { HOME: '/home/me' };
  it.each([
    ['https://10.0.0.1:6443', '/home/me/.kube/cache/discovery/10.0.0.1_6443'],
    ['https://api.example.com', '/home/me/.kube/cache/discovery/api.example.com'],
    ['http://localhost:8080/', '/home/me/.kube/cache/discovery/localhost_8080'],
    [
      'https://rancher.example.com/k8s/clusters/c-1',
      '/home/me/.kube/cache/discovery/rancher.example.com/k8s/clusters/c_1',
    ],
    ['https://[::1]:6443', '/home/me/.kube/cache/discovery/___1__6443'],
    ['https://a(b)c~d', '/home/me/.kube/cache/discovery/a(b)c_d'],
  ])('of %s is that of kubectl', (server, folder) => {
    expect(cacheFolderOf({ folder: undefined, env, server })).toBe(folder);
  });

  it('is what the flag says, then KUBECACHEDIR, then below the home', () => {
    const server = 'https://a';
    const all = { ...env, KUBECACHEDIR: '/env' };
    expect(cacheFolderOf({ folder: '/flag', env: all, server })).toBe('/flag/discovery/a');
    expect(cacheFolderOf({ folder: '', env: all, server })).toBe('/env/discovery/a');
    expect(cacheFolderOf({ folder: undefined, env: {}, server })).toBeUndefined();
  });

  it('never lies above the folder', () => {
    expect(cacheFolderOf({ folder: undefined, env, server: 'https://a/../../../.ssh' })).toBeUndefined();
  });
});

const resource = (name: string, kind: string) => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced: true,
  kind,
  verbs: ['delete', 'get', 'list', 'watch'],
});
const documents = {
  groups: [groupOf('', ['v1']), groupOf('example.com', ['v2', 'v1'])],
  resources: new Map([
    ['v1', [resource('configmaps', 'ConfigMap')]],
    [
      'example.com/v2',
      [resource('widgets', 'Widget'), { ...resource('widgets/scale', 'Scale'), group: 'autoscaling' }],
    ],
    ['example.com/v1', [resource('widgets', 'Widget')]],
  ]),
};

describe.skipIf(me === null)('the cache', () => {
  let folder: string;
  let now: number;
  let cache: DiskCache;
  beforeEach(async () => {
    folder = path.join(mkdtempSync(path.join(base, 'cache-')), 'discovery', 'host');
    now = Date.now();
    cache = new DiskCache(folder, () => now, person);
    await cache.write(documents);
  });

  const at = (...names: string[]) => path.join(folder, ...names);
  const groups = () => at('servergroups.json');
  const widgets = () => at('example.com', 'v2', 'serverresources.json');

  it('is read back as it was written, each version for itself', async () => {
    expect(await cache.read()).toMatchObject([
      { group: '', versions: [{ version: 'v1', resources: [{ resource: 'configmaps' }] }] },
      {
        group: 'example.com',
        versions: [
          { version: 'v2', resources: [{ resource: 'widgets' }] },
          { version: 'v1', resources: [{ resource: 'widgets' }] },
        ],
      },
    ]);
    expect(await cache.isExpired()).toBe(false);
  });

  it("is written for nobody else to change, in folders as kubectl's, whatever the umask", async () => {
    const before = process.umask(0);
    try {
      folder = `${folder}-2`;
      await new DiskCache(folder, () => now, person).write(documents);
    } finally {
      process.umask(before);
    }
    expect(statSync(groups()).mode & 0o777).toBe(0o600);
    expect(statSync(widgets()).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(widgets())).mode & 0o777).toBe(0o750);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter(name => /\.json./u.test(name))).toEqual([]);
  });

  it('is missing after six hours, and where it is of a time to come', async () => {
    now += 6 * HOUR + 60_000;
    expect(await cache.read()).toBeUndefined();
    expect(await cache.isExpired()).toBe(true);
    now -= 7 * HOUR;
    expect(await cache.read()).toBeUndefined();
  });

  it('lacks the versions whose file is older, and no others', async () => {
    const old = (now - 7 * HOUR) / 1000;
    utimesSync(widgets(), old, old);
    const [core, example] = (await cache.read()) ?? [];
    expect(core?.versions[0]?.failure).toBeUndefined();
    expect(example?.versions.map(({ failure }) => failure)).toEqual([
      'not in the discovery cache',
      undefined,
    ]);
  });

  it.each<[string, () => void]>([
    ['is not JSON', () => writeFileSync(groups(), '{"groups":[')],
    ['is something else', () => writeFileSync(groups(), '[1, null, {"groups": 7}]')],
    ['is empty', () => writeFileSync(groups(), '')],
    ['is nested without end', () => writeFileSync(groups(), '['.repeat(2_000_000))],
    ['is huge', () => truncateSync(groups(), 5 * 1024 * 1024)],
    [
      'names a group that is a path',
      () => writeFileSync(groups(), JSON.stringify({ groups: [groupOf('../../../etc', ['v1'])] })),
    ],
    [
      'names a version that is a path',
      () => writeFileSync(groups(), JSON.stringify({ groups: [groupOf('', ['../..'])] })),
    ],
    ['can be written to by others', () => chmodSync(groups(), 0o666)],
    ['is in a folder that others can write to', () => chmodSync(folder, 0o777)],
    [
      'is a link',
      () => {
        rmSync(groups());
        symlinkSync('/etc/hosts', groups());
      },
    ],
    [
      'is a pipe',
      () => {
        rmSync(groups());
        execFileSync('mkfifo', [groups()]);
      },
    ],
    ['is another file by a second name', () => linkSync(groups(), `${groups()}-2`)],
    [
      'is a folder',
      () => {
        rmSync(groups());
        mkdirSync(groups());
      },
    ],
  ])('counts as missing where its list of groups %s', async (_, spoil) => {
    spoil();
    expect(await cache.read()).toBeUndefined();
  });

  it.each<[string, string]>([
    ['is not JSON', '{'],
    [
      'is that of another version',
      JSON.stringify({ groupVersion: 'v1', resources: [resource('pods', 'Pod')] }),
    ],
    [
      'names a resource that is a path',
      JSON.stringify({ groupVersion: 'example.com/v2', resources: [resource('..', 'Up')] }),
    ],
    [
      'names a resource with a query',
      JSON.stringify({ groupVersion: 'example.com/v2', resources: [resource('pods?watch=1', 'Pod')] }),
    ],
    [
      'names a kind that is no word',
      JSON.stringify({ groupVersion: 'example.com/v2', resources: [resource('pods', '\u001b[2J')] }),
    ],
  ])('lacks a version whose file %s', async (_, text) => {
    writeFileSync(widgets(), text);
    const [, example] = (await cache.read()) ?? [];
    expect(example?.versions[0]).toEqual({
      version: 'v2',
      resources: [],
      failure: 'not in the discovery cache',
    });
    expect(example?.versions[1]?.resources).toHaveLength(1);
  });

  it('belongs to another user: it is neither read nor written', async () => {
    const theirs = new DiskCache(folder, () => now, { ...person, uid: person.uid + 1, trusts: () => true });
    const before = readFileSync(groups(), 'utf8');
    expect(await theirs.read()).toBeUndefined();
    await theirs.write({ groups: [], resources: new Map() });
    expect(readFileSync(groups(), 'utf8')).toBe(before);
  });

  it('is left out where it cannot be written, and leaves nothing behind', async () => {
    const blocked = path.join(path.dirname(folder), 'blocked');
    writeFileSync(blocked, '');
    const none = new DiskCache(blocked, () => now, person);
    await none.write(documents);
    expect(await none.read()).toBeUndefined();
    mkdirSync(`${blocked}-2/servergroups.json`, { recursive: true });
    await new DiskCache(`${blocked}-2`, () => now, person).write(documents);
    expect(
      readdirSync(`${blocked}-2`)
        .filter(name => name !== 'servergroups.json')
        .sort(),
    ).toEqual(['example.com', 'v1']);
  });
});

describe('aggregated discovery', () => {
  it('becomes the documents of kubectl, with subresources and without what is stale or has no kind', () => {
    const kind = (name: string, group = '', version = '') => ({ group, version, kind: name });
    const answer = {
      items: [
        {
          metadata: {},
          versions: [
            {
              version: 'v1',
              resources: [
                {
                  resource: 'pods',
                  responseKind: kind('Pod'),
                  scope: 'Namespaced',
                  singularResource: 'pod',
                  verbs: ['get', 'list'],
                  shortNames: ['po'],
                  categories: ['all'],
                  subresources: [
                    {
                      subresource: 'eviction',
                      responseKind: kind('Eviction', 'policy', 'v1'),
                      verbs: ['create'],
                    },
                    { subresource: 'nothing', verbs: ['get'] },
                  ],
                },
                {
                  resource: 'odd',
                  scope: 'Cluster',
                  singularResource: 'odd',
                  verbs: ['get'],
                  responseKind: null,
                },
              ],
            },
          ],
        },
        { metadata: { name: 'down.example.com' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
      ],
    };
    const { groups, resources } = documentsOfAggregated(answer);
    expect(groups).toEqual([
      {
        name: '',
        versions: [{ groupVersion: 'v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'v1', version: 'v1' },
      },
      { name: 'down.example.com', versions: null, preferredVersion: { groupVersion: '', version: '' } },
    ]);
    expect([...resources]).toEqual([
      [
        'v1',
        [
          {
            name: 'pods',
            singularName: 'pod',
            namespaced: true,
            kind: 'Pod',
            verbs: ['get', 'list'],
            shortNames: ['po'],
            categories: ['all'],
          },
          {
            name: 'pods/eviction',
            singularName: 'pod',
            namespaced: true,
            group: 'policy',
            version: 'v1',
            kind: 'Eviction',
            verbs: ['create'],
          },
        ],
      ],
    ]);
  });
});

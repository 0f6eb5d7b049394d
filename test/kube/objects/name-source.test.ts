import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import { DiskCache } from '../../../src/kube/discovery/disk-cache.ts';
import { createNameSource } from '../../../src/kube/objects/name-source.ts';
import { connectTo } from '../connect.ts';
import { httpServer } from '../local-server.ts';

const base = mkdtempSync(path.join(tmpdir(), 'gc-tree-names-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const types = ['configmaps', 'pods', 'secrets', 'services'];
const discovery = (names: readonly string[]) => ({
  items: [
    {
      metadata: {},
      versions: [
        {
          version: 'v1',
          resources: names.map(name => ({
            resource: name,
            responseKind: { kind: name[0]?.toUpperCase() + name.slice(1, -1) },
            scope: 'Namespaced',
            singularResource: name.slice(0, -1),
            verbs: ['delete', 'get', 'list', 'watch'],
            categories: ['all'],
          })),
        },
      ],
    },
  ],
});

/** A server that serves these types, with an object in each, and what was asked of it. */
async function serverOf(served: string[]) {
  const requests: string[] = [];
  const server = await httpServer((request, response) => {
    const url = request.url ?? '';
    requests.push(url);
    const resource = /^\/api\/v1\/namespaces\/shop\/([a-z]+)/u.exec(url)?.[1];
    const isServed = resource !== undefined && served.includes(resource);
    const body =
      url === '/api'
        ? discovery(served)
        : url === '/apis'
          ? { items: [] }
          : {
              metadata: { resourceVersion: '1' },
              items: [{ metadata: { name: `my-${resource}`, uid: 'u' } }],
            };
    response.writeHead(url.startsWith('/api/') && !isServed ? 404 : 200, {
      'content-type': url.startsWith('/api/') ? 'application/json' : aggregated,
    });
    response.end(JSON.stringify(body));
  });
  const cache = new DiskCache(path.join(mkdtempSync(path.join(base, 'cache-')), 'discovery', 'host'));
  /** As each Tab is a process of its own. */
  const ask = async (word: string) => {
    requests.length = 0;
    const transport = connectTo(server.url, { cluster: '' });
    const source = createNameSource({
      transport,
      discovery: new Discovery(transport, { cache, withVersion: false }),
      namespace: 'shop',
    });
    const names = await source.names(word, 'shop', AbortSignal.timeout(60_000));
    // What is written beside the answer is there for the next one.
    await expect.poll(() => cache.isExpired()).toBe(false);
    await source.close();
    return { names, requests: [...requests] };
  };
  return { ask };
}

test('a name costs discovery and a list at first, and a list alone afterwards', async () => {
  const { ask } = await serverOf(types);
  const list = '/api/v1/namespaces/shop/pods?resourceVersion=0';
  expect(await ask('pod')).toEqual({ names: ['my-pods'], requests: ['/api', '/apis', list] });
  expect(await ask('pods')).toEqual({ names: ['my-pods'], requests: [list] });
});

test('a word for more types than may be asked for names nothing', async () => {
  const { ask } = await serverOf(types);
  await ask('pods');
  expect(await ask('all')).toEqual({ names: [], requests: [] });
});

test('a word that nobody serves is looked for once, at the server', async () => {
  const { ask } = await serverOf(types);
  await ask('pods');
  expect(await ask('widget')).toEqual({ names: [], requests: ['/api', '/apis'] });
});

test('a type that is gone names nothing, and is forgotten', async () => {
  const served = [...types];
  const { ask } = await serverOf(served);
  await ask('pods');
  served.splice(served.indexOf('pods'), 1);
  const list = '/api/v1/namespaces/shop/pods?resourceVersion=0';
  expect(await ask('pods')).toEqual({ names: [], requests: [list, '/api', '/apis'] });
  // The file may be written a moment later.
  await expect.poll(async () => (await ask('pods')).requests).toEqual(['/api', '/apis']);
});

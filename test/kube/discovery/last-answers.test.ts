import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Person } from '../../../src/disk/person.ts';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import { DiskCache } from '../../../src/kube/discovery/disk-cache.ts';
import { LastAnswers } from '../../../src/kube/discovery/last-answers.ts';
import { connectTo } from '../connect.ts';
import { httpServer } from '../local-server.ts';

const base = mkdtempSync(path.join(tmpdir(), 'gc-tree-last-answers-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(base, 'home-')), 'discovery', 'server');
});

const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Kind {
  readonly plural: string;
  readonly kind: string;
}

function answer(group: string, version: string, kinds: readonly Kind[]) {
  const resources = kinds.map(({ plural, kind }) => ({
    resource: plural,
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: kind.toLowerCase(),
    verbs: ['list', 'watch'],
  }));
  return { items: [{ metadata: { name: group }, versions: [{ version, resources }] }] };
}

/** A server whose ETags are those of its content. */
async function server(type = v2) {
  const state = {
    '/api': answer('', 'v1', [{ plural: 'pods', kind: 'Pod' }]),
    '/apis': answer('apps', 'v1', [{ plural: 'deployments', kind: 'Deployment' }]),
  };
  const statuses: string[] = [];
  const { url } = await httpServer((request, response) => {
    const body = state[request.url as keyof typeof state] as object | undefined;
    if (body === undefined) return void response.writeHead(404).end();
    const text = JSON.stringify(body);
    const etag = `"${Buffer.from(text).toString('base64')}"`;
    const status = request.headers['if-none-match'] === etag ? 304 : 200;
    statuses.push(`${request.url} ${status}`);
    response.writeHead(status, { 'content-type': type, etag });
    response.end(status === 304 ? undefined : text);
  });
  const discovery = (cache?: DiskCache): Discovery =>
    new Discovery(connectTo(url, { cluster: '' }), {
      withVersion: false,
      lastAnswers: new LastAnswers(folder),
      cache,
    });
  return { state, statuses, discovery };
}

const files = (): string[] => readdirSync(folder).sort();

async function isKept(): Promise<void> {
  await vi.waitFor(() => expect(files()).toEqual(['gc-tree-api.json', 'gc-tree-apis.json']));
}

describe('what the server said the last time', () => {
  it('is a guess whose types stay the same objects when the server confirms it', async () => {
    const { discovery, statuses } = await server();
    expect(await discovery().recalled()).toBeUndefined();
    await discovery().refresh();
    await isKept();
    statuses.length = 0;
    const next = discovery();
    const guess = await next.recalled();
    expect(guess?.types.map(({ resource }) => resource)).toEqual(['pods', 'deployments']);
    expect(statuses).toEqual([]);
    const { types } = await next.refresh();
    expect(statuses.sort()).toEqual(['/api 304', '/apis 304']);
    expect(types).toHaveLength(2);
    types.forEach((type, index) => expect(type).toBe(guess?.types[index]));
  });

  it('is corrected and kept anew where something else is served', async () => {
    const { discovery, state } = await server();
    await discovery().refresh();
    await isKept();
    state['/apis'] = answer('batch', 'v1', [{ plural: 'jobs', kind: 'Job' }]);
    const next = discovery();
    const guess = await next.recalled();
    const { types } = await next.refresh();
    expect(types.map(({ resource }) => resource)).toEqual(['pods', 'jobs']);
    expect(types[0]).toBe(guess?.types[0]);
    await vi.waitFor(async () => {
      const again = await discovery().recalled();
      expect(again?.types.map(({ resource }) => resource)).toEqual(['pods', 'jobs']);
    });
  });

  it("fills kubectl's cache although the server didn't send it again", async () => {
    const { discovery } = await server();
    await discovery().refresh();
    await isKept();
    const next = discovery(new DiskCache(folder));
    await next.recalled();
    await next.refresh();
    await vi.waitFor(() => expect(files()).toContain('servergroups.json'));
    const cached = await new DiskCache(folder).read();
    expect(
      cached?.flatMap(({ versions }) =>
        versions.flatMap(({ resources }) => resources.map(each => each.resource)),
      ),
    ).toEqual(['pods', 'deployments']);
  });

  it('is of no use once the server has answered', async () => {
    const { discovery } = await server();
    await discovery().refresh();
    await isKept();
    const next = discovery();
    await next.refresh();
    expect(await next.recalled()).toBeUndefined();
  });

  it('is not kept of a server from before 1.30', async () => {
    const { discovery } = await server(v2.replace('v=v2', 'v=v2beta1'));
    const { types } = await discovery().refresh();
    expect(types).toHaveLength(2);
    expect(await discovery().recalled()).toBeUndefined();
  });

  it('is for its user alone', async () => {
    const { discovery } = await server();
    await discovery().refresh();
    await isKept();
    for (const name of files()) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is no JSON', '{'],
    ['has no ETag', '{"answer": {"items": []}}'],
    ['is something else', '[]'],
  ])('does not count where it %s', async (_what, content) => {
    const { discovery } = await server();
    await discovery().refresh();
    await isKept();
    writeFileSync(path.join(folder, 'gc-tree-apis.json'), content);
    const next = discovery();
    expect(await next.recalled()).toBeUndefined();
    expect((await next.refresh()).types).toHaveLength(2);
  });

  it.skipIf(Person.current() === null)('does not count where others could have written it', async () => {
    const { discovery } = await server();
    await discovery().refresh();
    await isKept();
    chmodSync(path.join(folder, 'gc-tree-api.json'), 0o666);
    expect(await discovery().recalled()).toBeUndefined();
  });

  it('is missing without harm where nothing can be written', async () => {
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file in the place of the folder');
    const { discovery } = await server();
    expect((await discovery().refresh()).types).toHaveLength(2);
    await new LastAnswers(folder).write('/api', { etag: '"a"', json: {} });
    expect(readFileSync(folder, 'utf8')).toBe('a file in the place of the folder');
    expect(await discovery().recalled()).toBeUndefined();
  });
});

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ObjectRequests } from '../../../src/kube/objects/object-requests.ts';
import { type } from '../../graph/fixtures.ts';

const configMaps = type({ kind: 'ConfigMap', resource: 'configmaps' });

function read(status: number, body: string, headers: Record<string, string> = {}): Promise<unknown> {
  const requests = new ObjectRequests({
    server: 'https://cluster',
    request: () => Promise.resolve({ status, headers, body: Readable.from([Buffer.from(body)]) }),
    close: () => Promise.resolve(),
  });
  return requests.get(configMaps, 'shop', 'web');
}

describe('the answer to a look at one object', () => {
  it('is the object, or that it does not exist', async () => {
    expect(await read(200, '{"kind":"ConfigMap"}')).toEqual({ kind: 'ConfigMap' });
    expect(await read(404, '{"kind":"Status","details":{"name":"web"}}')).toBeUndefined();
  });

  it.each([
    // Nobody may take these for the absence of the object.
    [404, '404 page not found', { 'content-type': 'text/plain' }, 'nothing is served there (404)'],
    [404, '<html>no such backend</html>', { 'content-type': 'text/html' }, 'nothing is served there (404)'],
    [404, '{"kind":"Status","code":404}', {}, 'nothing is served there (404)'],
    [500, '{"message":"etcd is away"}', {}, 'etcd is away'],
    [502, '<html>bad gateway</html>', { 'content-type': 'text/html' }, 'status 502'],
    [503, 'no backend', { 'content-type': 'text/plain; charset=utf-8' }, 'no backend'],
    [429, '{"message":"too busy"}', { 'retry-after': '1' }, 'too busy'],
    [429, '{"message":"too busy"}', { 'retry-after': '3600' }, 'too busy (it asks to wait 3600 s)'],
    [200, '[', {}, 'the answer is no object'],
  ] as const)('%d %s is told', async (status, body, headers, said) => {
    await expect(read(status, body, headers)).rejects.toThrow(
      `cannot read ConfigMap shop/web from https://cluster: ${said}`,
    );
  });
});

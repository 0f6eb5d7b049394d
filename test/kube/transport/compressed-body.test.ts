import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ConnectOptions, connectTo, get } from '../connect.ts';
import { fixture } from '../kubeconfig-files.ts';
import { type Handler, httpServer, httpsServer } from '../local-server.ts';

const text = JSON.stringify({ items: Array.from({ length: 20_000 }, (_, i) => `pod-${i}`) });
const compressed = gzipSync(text);

// Of servers on this machine no compressed answers are asked for, unless the kubeconfig says so.
const compressing = `certificate-authority: ${fixture('ca.crt')}, disable-compression: false`;

const answer: Handler = ({ headers }, response) => {
  const isAsked = headers['accept-encoding'] === 'gzip';
  if (isAsked) response.setHeader('content-encoding', 'gzip');
  response.setHeader('content-length', isAsked ? compressed.length : text.length);
  response.end(isAsked ? compressed : text);
};

describe('an answer', () => {
  it('is asked for compressed and read as it was before', async () => {
    const asked: unknown[] = [];
    const server = await httpsServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      answer(request, response);
    });
    const transport = connectTo(server.url, { cluster: compressing });
    for (const bulk of [false, true]) {
      const { headers, text: read } = await get(transport, '/api/v1/pods', { bulk });
      expect(read).toBe(text);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers['content-length']).toBeUndefined();
    }
    expect(asked).toEqual(['gzip', 'gzip']);
  });

  it.each<[string, ConnectOptions]>([
    ['--disable-compression', { flags: { disableCompression: true } }],
    ['disable-compression of the kubeconfig', { cluster: 'disable-compression: true' }],
    ['a server on this machine', {}],
  ])('is asked for as it is for %s, and read compressed all the same', async (_name, options) => {
    let forced = false;
    const asked: unknown[] = [];
    const server = await httpServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      if (forced) response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed);
      else answer(request, response);
    });
    const transport = connectTo(server.url, { cluster: '', ...options });
    expect((await get(transport)).text).toBe(text);
    forced = true;
    expect((await get(transport)).text).toBe(text);
    expect(asked).toEqual([undefined, undefined]);
  });

  it('of a watch is not asked for compressed, and comes event by event where it is', async () => {
    const asked: unknown[] = [];
    const gzip = createGzip();
    const server = await httpServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' });
      gzip.pipe(response);
      gzip.write('one');
      gzip.flush();
    });
    const transport = connectTo(server.url, { cluster: 'disable-compression: false' });
    const { body } = await transport.request({ method: 'GET', path: '/?watch=1', stream: true });
    const chunks = body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('one');
    gzip.end('two');
    expect(String((await chunks.next()).value)).toBe('two');
    expect((await chunks.next()).done).toBe(true);
    expect(asked).toEqual([undefined]);
  });

  it.each(['cut short', 'not what it says'])('that is %s fails its reader, and nobody else', async what => {
    const server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(what === 'cut short' ? compressed.subarray(0, 2000) : text);
    });
    const transport = connectTo(server.url, { cluster: '' });
    await expect(get(transport, '/', { stream: true })).rejects.toThrow();
    // Nobody reads this one: the process must live on.
    await transport.request({ method: 'GET', path: '/', stream: true });
  });

  it('that nobody reads to its end frees its connection', async () => {
    const server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(compressed.subarray(0, 2000));
    });
    const transport = connectTo(server.url, { cluster: '' });
    const { body } = await transport.request({ method: 'GET', path: '/', stream: true });
    body.destroy();
    while (server.open > 0) await new Promise(resolve => setTimeout(resolve, 10));
  });
});

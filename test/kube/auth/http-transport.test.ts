import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { warningsIn } from '../../../src/kube/transport/warnings.ts';
import { connectTo, failure, get } from '../connect.ts';
import { fixture } from '../kubeconfig-files.ts';
import {
  cleanUp,
  connectProxy,
  freezableRelay,
  type Handler,
  httpServer,
  httpsServer,
  socksProxy,
} from '../local-server.ts';

const echo: Handler = (request, response) => {
  response.setHeader('x-http-version', request.httpVersion);
  const { url, headers, rawHeaders } = request;
  response.end(JSON.stringify({ url, headers, rawHeaders }));
};

const eventually = async (check: () => boolean) => {
  for (let i = 0; i < 500 && !check(); i++) await new Promise(resolve => setTimeout(resolve, 10));
  expect(check()).toBe(true);
};

/** Speaks HTTP/2 as far as it counts requests, and sends what `answer` makes for each, or nothing. */
async function bareHttp2Server(answer?: (stream: number) => Buffer) {
  const counts = { requests: 0, connections: 0 };
  const [cert, key] = ['server.crt', 'server.key'].map(name => readFileSync(fixture(name)));
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, socket => {
    counts.connections++;
    let rest: Buffer | undefined;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      rest = rest === undefined ? chunk.subarray(PREFACE_BYTES) : Buffer.concat([rest, chunk]);
      while (rest.length >= 9) {
        const length = 9 + rest.readUIntBE(0, 3);
        if (rest.length < length) break;
        if (rest[3] === HEADERS_FRAME) {
          counts.requests++;
          if (answer !== undefined) socket.write(answer(rest.readUInt32BE(5)));
        }
        rest = rest.subarray(length);
      }
    });
    cleanUp(() => void socket.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(counts, { url: `https://127.0.0.1:${port}` });
}

/** `PRI * HTTP/2.0 …`, which comes in one piece with what follows, or alone. */
const PREFACE_BYTES = 24;
const HEADERS_FRAME = 1;

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

/** `200` with one header more, whose value may hold any byte. */
const http2Answer = (name: string, value: Buffer, body: string) => (stream: number) => {
  const literal = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const fields = Buffer.concat([Buffer.from([0x88, 0]), literal(Buffer.from(name)), literal(value)]);
  return Buffer.concat([
    frame(4, 0, 0, Buffer.alloc(0)),
    frame(HEADERS_FRAME, 4, stream, fields),
    frame(0, 1, stream, Buffer.from(body)),
  ]);
};

/** Answers every request of a connection with the same bytes. */
async function bareHttp1Server(answer: Buffer) {
  const server = createTcpServer(socket => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(answer));
    cleanUp(() => void socket.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const oddBytes = [0, 1, 8, 11, 27, 127, 128, 255];

describe('a header with an odd byte in it', () => {
  const value = (byte: number): Buffer =>
    Buffer.concat([Buffer.from('299 - "a'), Buffer.from([byte]), Buffer.from('b"')]);

  it.each(oddBytes)('does not end a connection over HTTP/1.1: %i', async byte => {
    const answer = Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nwarning: '),
      value(byte),
      Buffer.from('\r\ncontent-length: 2\r\n\r\n{}'),
    ]);
    const transport = connectTo((await bareHttp1Server(answer)).url);
    for (const bulk of [false, true, false, true]) {
      const response = await transport.request({ method: 'GET', path: '/api', bulk });
      expect([response.status, await text(response.body)]).toEqual([200, '{}']);
      expect(warningsIn(response.headers['warning'] ?? '')).toHaveLength(1);
    }
  });

  it.each(oddBytes)('does not end a connection over HTTP/2: %i', async byte => {
    const server = await bareHttp2Server(http2Answer('warning', value(byte), '{}'));
    const transport = connectTo(server.url);
    for (let n = 0; n < 2; n++) {
      const response = await transport.request({ method: 'GET', path: '/api' });
      expect([response.status, await text(response.body)]).toEqual([200, '{}']);
    }
    expect(server.connections).toBe(1);
  });
});

describe('a request', () => {
  it('reaches a plain http server, without credentials', async () => {
    const server = await httpServer(echo);
    const transport = connectTo(server.url, { cluster: '', user: '{token: abc, as: jane}' });
    const { headers } = JSON.parse((await get(transport)).text);
    expect(headers['authorization']).toBeUndefined();
    expect(headers['impersonate-user']).toBe('jane');
  });

  it('goes over HTTP/2 where the server has it', async () => {
    const server = await httpsServer(echo);
    const answer = await get(connectTo(server.url), '/version?x=1');
    expect(answer.headers['x-http-version']).toBe('2.0');
    expect(JSON.parse(answer.text).url).toBe('/version?x=1');
  });

  it('leaves on a new HTTP/2 connection without waiting for the settings of the server', async () => {
    const server = await bareHttp2Server();
    const transport = connectTo(server.url);
    const answers = ['/api', '/apis', '/version'].map(path => transport.request({ method: 'GET', path }));
    for (const answer of answers) answer.catch(() => {});
    await eventually(() => server.requests === 3);
    expect(server.connections).toBe(1);
  });

  it('is sent below the base path of the server', async () => {
    const server = await httpServer(echo);
    const transport = connectTo(`${server.url}/k8s/clusters/c-1/`, { cluster: '' });
    expect(JSON.parse((await get(transport, '/api/v1/pods?limit=1')).text).url).toBe(
      '/k8s/clusters/c-1/api/v1/pods?limit=1',
    );
    expect(transport.server).toBe(`${server.url}/k8s/clusters/c-1`);
  });

  it('asks for no compression and sends the headers and body that it was given', async () => {
    let body = '';
    const server = await httpServer((request, response) => {
      request.on('data', chunk => {
        body += chunk;
      });
      request.on('end', () => echo(request, response));
    });
    const transport = connectTo(server.url, { cluster: '' });
    const answer = await get(transport, '/', {
      method: 'PATCH',
      body: '{"a":1}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    const { headers } = JSON.parse(answer.text);
    expect(body).toBe('{"a":1}');
    expect(headers['content-type']).toBe('application/merge-patch+json');
    expect(headers['accept-encoding']).toBeUndefined();
  });

  it('impersonates with all that the flags and the kubeconfig say', async () => {
    const server = await httpsServer(echo);
    const transport = connectTo(server.url, {
      user: '{as: jane, as-user-extra: {example.com/scopes: [a, b]}}',
      flags: { asGroup: ['dev', 'qa'], asUid: '7', asUserExtra: ['(Ä%)=c'] },
    });
    const raw: string[] = JSON.parse((await get(transport)).text).rawHeaders;
    const sent = raw.flatMap((name, i) => (/^impersonate/i.test(name) ? [`${name}: ${raw[i + 1]}`] : []));
    // Each value in a header of its own: the API server would take `dev, qa` as the name of one group.
    expect(sent.sort()).toEqual([
      'impersonate-extra-%28%c3%84%25%29: c',
      'impersonate-extra-example.com%2fscopes: a',
      'impersonate-extra-example.com%2fscopes: b',
      'impersonate-group: dev',
      'impersonate-group: qa',
      'impersonate-uid: 7',
      'impersonate-user: jane',
    ]);
  });

  it('resolves with any status', async () => {
    const server = await httpServer((_request, response) => response.writeHead(503).end('down'));
    expect(await get(connectTo(server.url, { cluster: '' }))).toMatchObject({ status: 503, text: 'down' });
  });
});

describe('an answer', () => {
  it('is there as soon as its headers are, and streams', async () => {
    let stream: ServerResponse | undefined;
    const server = await httpsServer((_request, response) => {
      stream = response;
      response.writeHead(200);
      response.write('one');
    });
    const { body } = await connectTo(server.url).request({ method: 'GET', path: '/?watch=1', stream: true });
    const chunks = body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('one');
    stream?.end('two');
    expect(String((await chunks.next()).value)).toBe('two');
    expect((await chunks.next()).done).toBe(true);
  });

  it.each(['http', 'https'])('holds the server back while nobody reads it (%s)', async scheme => {
    let written = 0;
    const endless: Handler = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const push = () => {
        // Bounded, so that a missing brake fails the test instead of filling memory.
        while (written < 256 * 1024 * 1024) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', push);
        }
      };
      push();
    };
    const server = await (scheme === 'http' ? httpServer(endless) : httpsServer(endless));
    const transport = connectTo(server.url, scheme === 'http' ? { cluster: '' } : {});
    const { body } = await transport.request({ method: 'GET', path: '/', stream: true });
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(32 * 1024 * 1024);
    body.destroy();
  });

  it('that breaks off fails its reader, and nobody else', async () => {
    const server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const transport = connectTo(server.url, { cluster: '' });
    await expect(get(transport, '/', { stream: true })).rejects.toThrow();
    // Nobody reads this one: the process must live on.
    await transport.request({ method: 'GET', path: '/', stream: true });
    await eventually(() => server.open === 0);
    const { body } = await transport.request({ method: 'GET', path: '/', stream: true });
    body.destroy(new Error('no longer wanted'));
    await new Promise(resolve => setTimeout(resolve, 10));
  });
});

describe('an aborted request', () => {
  it('rejects with the reason and frees the connection', async () => {
    const server = await httpServer(() => {});
    const abort = new AbortController();
    const transport = connectTo(server.url, { cluster: '' });
    const pending = transport.request({ method: 'GET', path: '/', signal: abort.signal });
    await eventually(() => server.open === 1);
    abort.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    await eventually(() => server.open === 0);
  });

  it('ends a running watch', async () => {
    let closed = false;
    const server = await httpsServer((_request, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200);
      response.write('event');
    });
    const abort = new AbortController();
    const { body } = await connectTo(server.url).request({
      method: 'GET',
      path: '/?watch=1',
      stream: true,
      signal: abort.signal,
    });
    abort.abort();
    await expect(
      (async () => {
        for await (const _ of body);
      })(),
    ).rejects.toThrow();
    await eventually(() => closed);
  });
});

describe('connections', () => {
  it('are few for many watches over HTTP/2, and never too few over HTTP/1.1', async () => {
    const hang: Handler = (_request, response) => {
      response.writeHead(200);
      response.write('x');
    };
    for (const [server, atMost] of [
      [await httpsServer(hang), 10],
      [await httpServer(hang), 120],
    ] as const) {
      const transport = connectTo(server.url, server.url.startsWith('https') ? {} : { cluster: '' });
      const watches = await Promise.all(
        Array.from({ length: 120 }, () =>
          transport.request({ method: 'GET', path: '/?watch=1', stream: true }),
        ),
      );
      expect(watches.every(watch => watch.status === 200)).toBe(true);
      expect(server.open).toBeLessThanOrEqual(atMost);
    }
  });

  it('that the server closed while idle are no failure', async () => {
    const served = new WeakSet<object>();
    const server = await httpServer((request, response) => {
      // Closed in the moment in which the next request is on its way.
      if (served.has(request.socket)) return void request.socket.destroy();
      served.add(request.socket);
      response.end('ok');
    });
    const transport = connectTo(server.url, { cluster: '' });
    for (let i = 0; i < 4; i++) expect((await get(transport)).text).toBe('ok');
    expect((await get(transport)).text).toBe('ok');
    const write = transport.request({ method: 'POST', path: '/', body: '{}' });
    // A change may have been made before the connection broke: it is not sent twice.
    expect(await failure(write)).toContain('the connection was closed before an answer came');
  });

  it('that died silently are given up, and the next request gets through', async () => {
    const server = await httpsServer((request, response) => {
      response.writeHead(200);
      if (request.url === '/version') response.end('ok');
      else response.write('event');
    });
    const relay = await freezableRelay(server.port);
    const transport = connectTo(relay.url, { pingIntervalMs: 50 });
    const { body } = await transport.request({ method: 'GET', path: '/?watch=1', stream: true });
    // Long enough for a first ping to be answered.
    await new Promise(resolve => setTimeout(resolve, 150));
    relay.freeze();
    await expect(
      (async () => {
        for await (const _ of body);
      })(),
    ).rejects.toThrow('died');
    expect((await get(transport, '/version')).text).toBe('ok');
  });

  it('are gone after close, and a request then fails in words', async () => {
    const server = await httpsServer((_request, response) => {
      response.writeHead(200);
      response.write('event');
    });
    const transport = connectTo(server.url);
    const { body } = await transport.request({ method: 'GET', path: '/?watch=1', stream: true });
    await transport.close();
    await expect(
      (async () => {
        for await (const _ of body);
      })(),
    ).rejects.toThrow();
    await eventually(() => server.open === 0);
    expect(await failure(transport.request({ method: 'GET', path: '/' }))).toContain('was closed');
    expect(server.open).toBe(0);
  });
});

describe('--request-timeout', () => {
  const slow: Handler = (_request, response) => {
    response.writeHead(200);
    response.write('part');
    const timer = setTimeout(() => response.end('rest'), 400);
    cleanUp(() => clearTimeout(timer));
  };

  it('ends a list that takes longer, even half-way through its body', async () => {
    const server = await httpServer(slow);
    const transport = connectTo(server.url, { cluster: '', flags: { requestTimeout: '100ms' } });
    await expect(get(transport, '/api/v1/pods', { stream: true })).rejects.toThrow();
    expect(await failure(get(transport, '/version'))).toContain(
      'no complete answer within --request-timeout',
    );
    const silent = await httpServer(() => {});
    const waiting = connectTo(silent.url, { cluster: '', flags: { requestTimeout: '100ms' } });
    expect(await failure(get(waiting, '/api/v1/pods'))).toContain(
      'no complete answer within --request-timeout',
    );
  });

  it('leaves watches alone', async () => {
    const server = await httpServer(slow);
    const transport = connectTo(server.url, { cluster: '', flags: { requestTimeout: '100ms' } });
    expect((await get(transport, '/api/v1/pods?watch=1', { stream: true })).text).toBe('partrest');
  });
});

describe('a proxy', () => {
  it('of the kubeconfig tunnels https, with its password', async () => {
    const server = await httpsServer(echo);
    const proxy = await connectProxy(server.port);
    const transport = connectTo('https://api.example.com', {
      cluster: clusterWith(proxy.url.replace('//', '//me:pass@')),
    });
    expect((await get(transport)).status).toBe(200);
    expect(proxy.asked[0]).toBe(`api.example.com:443 Basic ${Buffer.from('me:pass').toString('base64')}`);
  });

  it('of the environment is used unless NO_PROXY says no', async () => {
    const server = await httpsServer(echo);
    const proxy = await connectProxy(server.port);
    const env = { HTTPS_PROXY: proxy.url };
    expect((await get(connectTo('https://api.example.com', { env }))).status).toBe(200);
    expect(proxy.asked).toHaveLength(1);
    const excluded = connectTo('https://no-such-host.invalid', { env: { ...env, NO_PROXY: '.invalid' } });
    expect(await failure(get(excluded))).toContain('cannot be resolved');
    expect(proxy.asked).toHaveLength(1);
  });

  it('may speak SOCKS5, and the server is verified through it', async () => {
    const server = await httpsServer(echo);
    const proxy = await socksProxy(server.port);
    expect(
      (await get(connectTo('https://api.example.com', { cluster: clusterWith(proxy.url) }))).status,
    ).toBe(200);
    expect(proxy.asked).toEqual(['api.example.com']);
    const wrong = connectTo('https://elsewhere.example.com', { cluster: clusterWith(proxy.url) });
    expect(await failure(get(wrong))).toContain('not valid for elsewhere.example.com');
  });

  it('that refuses or is down is named without its password', async () => {
    const proxy = await httpServer((_request, response) => response.end());
    const refusing = connectTo('https://api.example.com', {
      cluster: clusterWith(`http://me:pass@127.0.0.1:${proxy.port}`),
    });
    expect(await failure(get(refusing))).not.toContain('pass@');
    const down = connectTo('https://api.example.com', { cluster: clusterWith('http://me:pass@127.0.0.1:1') });
    expect(await failure(get(down))).toBe(
      'cannot reach https://api.example.com (context test): connection refused; is the proxy http://127.0.0.1:1 running?',
    );
  });
});

function clusterWith(proxyUrl: string): string {
  return `certificate-authority: ${fixture('ca.crt')}, proxy-url: "${proxyUrl}"`;
}

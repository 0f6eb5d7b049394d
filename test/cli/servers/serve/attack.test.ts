/** Whoever can reach the port, with or without a token, and tries what isn't meant for them. */
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answerer,
  HttpServer,
  type Limits,
  plain,
} from '../../../../src/cli/servers/http/http-server.ts';
import { type Attributes, type Caller, Reviewer } from '../../../../src/cli/servers/http/reviews.ts';
import { ask, ReviewingSource, type Serving, startServing } from './serving.ts';

const cluster = `
- {kind: Namespace, name: shop, namespace: ''}
- {kind: Namespace, name: bank, namespace: ''}
- {kind: ConfigMap, name: ledger, namespace: bank, finalizers: [bank.example/audit], deletionTimestamp: '2026-11-21T11:30:00Z'}
- {kind: ConfigMap, name: till, finalizers: [shop.example/till], deletionTimestamp: '2026-11-21T11:50:00Z'}
`;
const rules = {
  admin: [...['/metrics', '/v1alpha1/check', '/v1alpha1/tree'].map(path => `path ${path}`), '*.* in *'],
  metrics: ['path /metrics'],
};

let serving: Serving | undefined;
let server: HttpServer | undefined;

afterEach(async () => {
  await serving?.end();
  await server?.close(0);
  serving = undefined;
  server = undefined;
});

async function serve(source = new ReviewingSource(cluster, rules)): Promise<Serving> {
  serving = await startServing(source);
  while ((await ask(serving, '/readyz')).status !== 200);
  return serving;
}

/** Everything that comes until the other side closes. */
async function raw(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => {});
  socket.write(request);
  await new Promise(resolve => socket.once('close', resolve));
  return said;
}

describe('without a token', () => {
  it.each([
    'GET /metrics HTTP/1.1\r\nHost: attacker.example',
    'GET /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: https://attacker.example',
    'GET /healthz/../metrics HTTP/1.1\r\nHost: a',
    'GET /healthz/%2e%2e/metrics HTTP/1.1\r\nHost: a',
    'GET /%6detrics HTTP/1.1\r\nHost: a',
    'GET /healthz/..%2fmetrics HTTP/1.1\r\nHost: a',
    'GET /healthz;/../metrics HTTP/1.1\r\nHost: a',
    'GET /\\attacker.example/metrics HTTP/1.1\r\nHost: a',
    'GET //metrics HTTP/1.1\r\nHost: a',
    'GET http://a/metrics HTTP/1.1\r\nHost: a',
    'GET /v1alpha1/../../../../etc/passwd HTTP/1.1\r\nHost: a',
    'GET /v1alpha1/check?namespace=shop#/healthz HTTP/1.1\r\nHost: a',
    'GET /v1alpha1/__proto__ HTTP/1.1\r\nHost: a',
    'GET /constructor HTTP/1.1\r\nHost: a',
    'OPTIONS * HTTP/1.1\r\nHost: a',
    'OPTIONS /metrics HTTP/1.1\r\nHost: a\r\nOrigin: https://attacker.example\r\nAccess-Control-Request-Method: GET',
    'HEAD /metrics HTTP/1.1\r\nHost: a',
    'TRACE /metrics HTTP/1.1\r\nHost: a',
    'CONNECT a:443 HTTP/1.1\r\nHost: a',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nX-Remote-User: admin\r\nX-Forwarded-User: admin\r\nImpersonate-User: admin',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YWRtaW46YWRtaW4=',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ',
    'GET /metrics?token=token-admin&access_token=token-admin HTTP/1.1\r\nHost: a',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b',
    'GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
    'GET /metrics HTTP/1.1\r\nHost: a\nAuthorization: Bearer token-admin',
  ])('%j gets nothing', async request => {
    const { url } = await serve();
    const said = await raw(url, `${request}\r\nConnection: close\r\n\r\n`);
    expect(said).not.toMatch(/ 200 |gc_tree_|ledger|till|root:|access-control-allow/iu);
  });
});

describe('with the token of another', () => {
  it('a path that is written otherwise is the same path to whoever allows it', async () => {
    const at = await serve();
    for (const path of ['/metrics/../v1alpha1/check', '/v1alpha1/%2e/check', '/metrics/%2e%2e/v1alpha1/tree'])
      expect([
        path,
        (await raw(at.url, get(`${path}?namespace=shop`, 'token-metrics'))).split(' ')[1],
      ]).toEqual([path, '403']);
  });

  it('of two tokens in one request none is mixed up with the other', async () => {
    const at = await serve();
    const said = await raw(
      at.url,
      'GET /v1alpha1/check?namespace=shop HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-metrics\r\nAuthorization: Bearer token-admin\r\nConnection: close\r\n\r\n',
    );
    expect(said).toMatch(/^HTTP\/1.1 (?:400|401|403) /u);
  });

  it('is told nothing that is kept for a caller of nearly the same name, groups or namespace', async () => {
    const asked: string[] = [];
    const reviewer = new Reviewer({
      now: () => 0,
      send: ({ body }) => {
        asked.push(JSON.stringify(body));
        return Promise.resolve({ status: 201, body: { status: { allowed: asked.length % 2 === 0 } } });
      },
    });
    const caller = (given: Partial<Caller>): Caller => ({
      username: 'a',
      uid: '',
      groups: [],
      extra: {},
      ...given,
    });
    const callers = [
      caller({}),
      caller({ username: '', uid: 'a' }),
      caller({ groups: ['b', 'c'] }),
      caller({ groups: ['b,c'] }),
      caller({ groups: ['b","c'] }),
      caller({ extra: { b: ['c'] } }),
      caller({ extra: Object.fromEntries([['__proto__', ['c']]]) }),
      caller({ extra: Object.fromEntries([['constructor', ['c']]]) }),
      caller({ username: 'a\ud800' }),
      caller({ username: 'a\ud801' }),
      caller({ username: 'a\ufffd' }),
    ];
    const list = (group: string, resource: string, namespace: string): Attributes => ({
      resourceAttributes: { verb: 'list', group, resource, namespace },
    });
    const places = [
      list('', 'pods', 'a'),
      list('', 'pods', ''),
      list('pods', '', 'a'),
      list('a', 'pods', ''),
    ];
    for (const each of callers) for (const place of places) await reviewer.allows(each, place);
    expect(new Set(asked).size).toBe(callers.length * places.length);
  });
});

describe('a parameter that is given twice', () => {
  it.each([
    'namespace=shop&namespace=bank',
    'all-namespaces=false&all-namespaces=true&namespace=shop',
    'namespace=shop&output=json&output=yaml',
    'namespace=shop&selector=a&selector=b',
    'namespace=shop&effects=true&effects=false',
  ])('%s is refused: the one that is answered may not be the one that is meant', async query => {
    const at = await serve();
    const { status, body } = await ask(at, `/v1alpha1/check?${query}`, 'token-admin');
    expect([status, JSON.parse(body)]).toMatchObject([400, { message: expect.stringContaining('once') }]);
  });

  it.each(['__proto__', 'constructor', 'toString', '', 'namespace%00', 'NAMESPACE', 'namespace[]'])(
    'and one that is called %j is none',
    async key => {
      const at = await serve();
      const { status, body } = await ask(at, `/v1alpha1/check?namespace=shop&${key}=true`, 'token-admin');
      expect([status, body]).toEqual([400, expect.stringContaining('there is no parameter')]);
    },
  );
});

it('a token that a review says again is in no log and no answer', async () => {
  const source = new ReviewingSource(cluster, rules);
  const at = await serve(source);
  const token = 'eyJhbGciOiJSUzI1NiJ9.cGF5bG9hZA.c2lnbmF0dXJl';
  for (const message of [
    `invalid bearer token ${token}`,
    `cannot decode "${token.slice(0, 20)}…"`,
    JSON.stringify({ token }),
  ]) {
    source.fails = { status: 400, body: { message } };
    const { status, body } = await ask(at, '/metrics', token);
    expect(status).toBe(503);
    expect(body + at.said()).not.toContain(token.slice(0, 20));
  }
});

describe('connections', () => {
  const limits: Limits = { connections: 3, requestMs: 300, answerMs: 1_000, idleMs: 10_000 };
  const hello: Answerer = () => Promise.resolve(plain(200, 'hello'));

  async function listen(): Promise<number> {
    server = new HttpServer(hello, { address: '127.0.0.1', port: 0, certificate: undefined, limits });
    return server.listen({ address: '127.0.0.1', port: 0 });
  }

  it('on which nothing is sent do not keep others away for ever', async () => {
    const port = await listen();
    const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('close', resolve).resume())));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  });

  it('on which a request comes byte by byte end in time', async () => {
    const port = await listen();
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const timer = setInterval(() => socket.write('a'), 50);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nX: ');
    await new Promise(resolve => socket.once('close', resolve).resume());
    clearInterval(timer);
  });

  it('that carry a thousand requests at once answer them one after the other', async () => {
    const port = await listen();
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const said = await raw(
      `http://a:${port}`,
      `${request.repeat(999)}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(said.match(/200 OK/gu)).toHaveLength(1000);
  });

  it.each([
    ['40,000 headers', `GET / HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(40_000)}\r\n`],
    ['a path of a megabyte', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a method of a megabyte', `${'A'.repeat(1_000_000)} / HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['no request', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
  ])('with %s are closed, and others served', async (_, request) => {
    const port = await listen();
    expect(await raw(`http://a:${port}`, request)).not.toContain('200 OK');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  });
});

function get(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
}

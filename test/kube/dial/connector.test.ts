import { describe, expect, it } from 'vitest';
import { connectTo, failure, get } from '../connect.ts';
import { fixture } from '../kubeconfig-files.ts';
import { cleanUp, connectProxy, type Handler, httpServer, httpsServer, socksProxy } from '../local-server.ts';

const ok: Handler = (_request, response) => response.end('ok');
const trusted = `certificate-authority: ${fixture('ca.crt')}`;

describe('a connection', () => {
  it('trusts whom SSL_CERT_FILE names, unless the kubeconfig names somebody', async () => {
    const { url } = await httpsServer(ok);
    const env = { SSL_CERT_FILE: fixture('ca.crt') };
    expect((await get(connectTo(url, { cluster: '', env }))).text).toBe('ok');
    const other = `certificate-authority: ${fixture('stranger.crt')}`;
    expect(await failure(get(connectTo(url, { cluster: other, env })))).toContain('not trusted');
  });

  it('is verified, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    cleanUp(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const { url } = await httpsServer(ok);
    const cluster = `certificate-authority: ${fixture('stranger.crt')}`;
    expect(await failure(get(connectTo(url, { cluster })))).toContain('not trusted');
  });

  it('takes a server by its address as tls-server-name', async () => {
    const { url } = await httpsServer(ok);
    const named = (name: string) => connectTo(url, { cluster: `${trusted}, tls-server-name: "${name}"` });
    expect((await get(named('127.0.0.1'))).text).toBe('ok');
    expect(await failure(get(named('10.0.0.1')))).toContain('not valid for 10.0.0.1 but for');
  });

  it('trusts a certificate itself in place of its authority', async () => {
    const { url } = await httpsServer(ok);
    expect(
      (await get(connectTo(url, { cluster: `certificate-authority: ${fixture('server.crt')}` }))).text,
    ).toBe('ok');
  });
});

describe('a proxy', () => {
  it('that speaks TLS is verified against the cluster’s authority, by name and by address', async () => {
    const server = await httpsServer(ok);
    for (const host of ['127.0.0.1', 'localhost']) {
      const proxy = await connectProxy(server.port, { certificate: 'server' });
      const through = (cluster: string) =>
        connectTo('https://api.example.com', {
          cluster: `${cluster}, proxy-url: "https://me:pass@${host}:${proxy.port}"`,
        });
      expect((await get(through(trusted))).text).toBe('ok');
      expect(proxy.asked).toEqual([`api.example.com:443 Basic ${Buffer.from('me:pass').toString('base64')}`]);
      expect(await failure(get(through(`certificate-authority: ${fixture('stranger.crt')}`)))).toContain(
        `(context test): the proxy https://${host}:${proxy.port}: its certificate is signed by an authority that is not trusted`,
      );
      expect(proxy.asked).toHaveLength(1);
    }
  });

  it('that speaks TLS is also verified for plain http, where the kubeconfig turns verification off', async () => {
    const proxy = await connectProxy(1, { certificate: 'server' });
    const transport = connectTo('http://api.example.com', {
      cluster: `insecure-skip-tls-verify: true, proxy-url: "https://127.0.0.1:${proxy.port}"`,
    });
    expect(await failure(get(transport))).toContain('the proxy https://127.0.0.1');
  });

  it('is handed requests for plain http as they are, with its password', async () => {
    const seen: unknown[] = [];
    const proxy = await httpServer((request, response) => {
      seen.push([request.url, request.headers.host, request.headers['proxy-authorization']]);
      response.end('ok');
    });
    const transport = connectTo('http://api.example.com/base', {
      cluster: `proxy-url: "http://me:pa%20ss@127.0.0.1:${proxy.port}"`,
    });
    expect((await get(transport, '/api?limit=1')).text).toBe('ok');
    expect(seen).toEqual([
      [
        'http://api.example.com/base/api?limit=1',
        'api.example.com',
        `Basic ${Buffer.from('me:pa ss').toString('base64')}`,
      ],
    ]);
  });

  it('with SOCKS5 leads to an address as well', async () => {
    const server = await httpsServer(ok);
    const proxy = await socksProxy(server.port);
    const transport = connectTo('https://127.0.0.1:6443', {
      cluster: `${trusted}, proxy-url: "${proxy.url}"`,
    });
    expect((await get(transport)).text).toBe('ok');
    expect(proxy.asked).toEqual(['127.0.0.1']);
  });

  it('carries many watches on few connections', async () => {
    const server = await httpsServer((_request, response) => {
      response.writeHead(200);
      response.write('event');
    });
    const proxy = await connectProxy(server.port);
    const transport = connectTo('https://api.example.com', {
      cluster: `${trusted}, proxy-url: "${proxy.url}"`,
    });
    await Promise.all(
      Array.from({ length: 50 }, () => transport.request({ method: 'GET', path: '/?watch=1', stream: true })),
    );
    expect(proxy.asked.length).toBeLessThanOrEqual(10);
  });

  it('that asks for a password, or answers with something else, is said so', async () => {
    for (const [status, words] of [
      [407, 'rejects the user and password of proxy-url or HTTPS_PROXY (407).'],
      [502, 'answered 502; check proxy-url or HTTPS_PROXY.'],
    ] as const) {
      const proxy = await connectProxy(1, { status });
      const transport = connectTo('https://api.example.com', {
        cluster: `${trusted}, proxy-url: "http://me:secret@127.0.0.1:${proxy.port}"`,
      });
      expect(await failure(get(transport))).toBe(
        `cannot reach https://api.example.com (context test): the proxy http://127.0.0.1:${proxy.port} ${words}`,
      );
    }
  });

  it('of the environment is named where an identity provider is behind it', async () => {
    const server = await httpsServer(ok);
    const expired = `x.${Buffer.from('{"exp":1}').toString('base64url')}.x`;
    const provider = `{name: oidc, config: {id-token: ${expired}, refresh-token: r, client-id: a, idp-issuer-url: "https://idp.invalid"}}`;
    const transport = connectTo(server.url, {
      user: `{auth-provider: ${provider}}`,
      env: { HTTPS_PROXY: 'http://me:secret@127.0.0.1:1' },
    });
    const message = await failure(get(transport));
    expect(message).toContain('connection refused; is the proxy http://127.0.0.1:1 running?');
    expect(message).not.toContain('secret');
  });
});

import { describe, expect, it } from 'vitest';
import { systemTiming } from '../../../src/kube/transport/timing.ts';
import { connectTo, failure, get } from '../connect.ts';
import { fixture, temporaryFolder, write } from '../kubeconfig-files.ts';
import { freePort, httpServer, httpsServer } from '../local-server.ts';

const ok = () => httpsServer((_request, response) => response.end('ok'));

const hasty = {
  ...systemTiming,
  sleep: (_: number, signal: AbortSignal) => systemTiming.sleep(20, signal),
};

describe('a server that cannot be reached is told apart from one that', () => {
  it('refuses the connection', async () => {
    const url = `https://127.0.0.1:${await freePort()}`;
    expect(await failure(get(connectTo(url)))).toBe(
      `cannot reach ${url} (context test): connection refused; is the API server running, and is this its address?`,
    );
  });

  it('has a name that nobody knows', async () => {
    expect(await failure(get(connectTo('https://no-such-host.invalid')))).toContain(
      'the host name no-such-host.invalid cannot be resolved',
    );
  });

  it('is not trusted', async () => {
    const { url } = await ok();
    const stranger = connectTo(url, { cluster: `certificate-authority: ${fixture('stranger.crt')}` });
    expect(await failure(get(stranger))).toContain('signed by an authority that is not trusted');
    expect(await failure(get(connectTo(url, { cluster: '' })))).toContain('not trusted');
    expect((await get(connectTo(url, { cluster: 'insecure-skip-tls-verify: true' }))).text).toBe('ok');
    expect((await get(connectTo(url, { cluster: '', flags: { insecureSkipTlsVerify: true } }))).text).toBe(
      'ok',
    );
  });

  it('has another name, unless --tls-server-name says which', async () => {
    const { url } = await httpsServer((_request, response) => response.end('ok'), { certificate: 'other' });
    expect(await failure(get(connectTo(url)))).toContain(
      'its certificate is not valid for 127.0.0.1 but for DNS:other.example.com; fix the address, or pass --tls-server-name.',
    );
    expect((await get(connectTo(url, { flags: { tlsServerName: 'other.example.com' } }))).text).toBe('ok');
  });

  it('has an expired certificate', async () => {
    const { url } = await httpsServer((_request, response) => response.end('ok'), { certificate: 'expired' });
    expect(await failure(get(connectTo(url)))).toContain("the server's certificate has expired");
  });

  it('speaks no TLS', async () => {
    const server = await httpServer((_request, response) => response.end('ok'));
    expect(await failure(get(connectTo(server.url.replace('http', 'https'))))).toContain(
      'does not speak TLS',
    );
  });

  it('speaks TLS alone', async () => {
    const { url } = await ok();
    const plain = connectTo(url.replace('https', 'http'), {
      cluster: '',
      flags: { requestTimeout: '0' },
      timing: hasty,
    });
    expect(await failure(get(plain))).toMatch(
      /the connection was closed before an answer came; should the address start with https:\/\/ \?$/u,
    );
  });

  it('wants another client certificate', async () => {
    const { url } = await httpsServer((_request, response) => response.end('ok'), {
      clientCertificates: true,
    });
    expect(await failure(get(connectTo(url)))).toContain('refused the client certificate');
  });

  it('closes the connection without an answer', async () => {
    const server = await httpServer((_request, response) => response.destroy());
    const transport = connectTo(server.url, { cluster: '', flags: { requestTimeout: '0' }, timing: hasty });
    expect(await failure(get(transport))).toContain('the connection was closed before an answer came');
  });

  it('is to be verified with a file that holds no certificate', async () => {
    const { url } = await ok();
    const file = write(temporaryFolder(), 'ca.crt', 'nonsense');
    expect(await failure(get(connectTo(url, { cluster: `certificate-authority: ${file}` })))).toContain(
      'the certificate authority that is to be trusted holds no certificate in PEM.',
    );
    const user = `{client-certificate: ${file}, client-key: ${file}}`;
    expect(await failure(get(connectTo(url, { user })))).toContain('the client certificate is not in PEM.');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveConnection } from '../../../src/kube/config/connection.ts';
import { fixture, kubeconfig, temporaryFolder, write } from '../kubeconfig-files.ts';

const failure = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
};

describe('a kubeconfig that kubectl refuses', () => {
  const pem = readFileSync(fixture('ca.crt'), 'utf8');
  const data = Buffer.from(pem).toString('base64');
  const of = (cluster: string, user?: string) => () =>
    resolveConnection(
      {
        kubeconfig: write(temporaryFolder(), 'config', kubeconfig(`{server: "https://a", ${cluster}}`, user)),
      },
      {},
    );

  it('gives a certificate or key twice, as file and as data', () => {
    expect(
      failure(of(`certificate-authority: ${fixture('ca.crt')}, certificate-authority-data: ${data}`)),
    ).toBe('cluster "test" sets both certificate-authority and certificate-authority-data; remove one.');
    const both = `{client-certificate: /a, client-certificate-data: ${data}, client-key: /b}`;
    expect(failure(of('', both))).toContain('user "test" sets both client-certificate and');
    const keys = `{client-certificate: /a, client-key-data: ${data}, client-key: /b}`;
    expect(failure(of('', keys))).toContain('user "test" sets both client-key and client-key-data');
  });

  it('has data that is not base64, with nothing else in it than line breaks', () => {
    for (const wrong of [`${data}!`, data.replace('L', '_'), `A${data}`, data.replace(/^..../, '$& ')]) {
      expect(failure(of(`certificate-authority-data: "${wrong}"`))).toBe(
        'the certificate-authority-data of cluster "test" is not base64; encode the PEM text, or name its file as certificate-authority.',
      );
    }
    const broken = data.replace(/.{64}/g, '$&\\n');
    expect(of(`certificate-authority-data: "${broken}\\n"`)().cluster.caData).toContain('\n');
  });

  it('has a proxy-url that is no address of a proxy, which is not shown', () => {
    for (const wrong of ['socks5h://p', 'p:3128', '//p', 'http://', ' http://p', 'http://me:pa ss@p']) {
      expect(failure(of(`proxy-url: "${wrong}"`))).toBe(
        'the proxy-url of cluster "test" is not the address of a proxy; it should look like http://host:3128, https:// or socks5://.',
      );
    }
    expect(of('proxy-url: "SOCKS5://me:pass@p"')().proxyUrl).toBe('SOCKS5://me:pass@p');
  });
});

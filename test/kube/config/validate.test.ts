import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
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
      expect(failure(of(`certificate-authority-data: "${wrong}"`))).toMatch(
        /^kubeconfig \S+ cannot be used: clusters\[0\]\.cluster\.certificate-authority-data is not base64\.$/u,
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

  const exec = (more: string, user = '', v = 'v1') =>
    of('', `{${user}exec: {apiVersion: client.authentication.k8s.io/${v}, command: a, ${more}}}`);

  it('has an exec plugin that does not say whether it asks, which v1 wants to know', () => {
    expect(failure(exec(''))).toBe(
      'user "test" has an exec plugin without an interactiveMode; set exec.interactiveMode to Never or IfAvailable or Always.',
    );
    expect(failure(exec('interactiveMode: never'))).toContain(
      'with interactiveMode "never"; set it to Never',
    );
    expect(exec('', '', 'v1beta1')().user.exec?.interactiveMode).toBe('IfAvailable');
  });

  it('has an exec plugin with settings that cannot be meant', () => {
    const mode = 'interactiveMode: Never';
    for (const [more, says] of [
      ['command: ""', 'without a command'],
      ['apiVersion: ""', 'without an API version'],
      ['env: [{value: x}]', 'with an environment variable that has no name'],
      ['env: [null]', 'with an environment variable that has no name'],
    ] as const)
      expect(failure(exec(`${mode}, ${more}`)), more).toContain(`user "test" has an exec plugin ${says}`);
    expect(failure(exec(mode, 'auth-provider: {name: oidc}, '))).toContain(
      'and an auth-provider; remove one',
    );
    expect(failure(exec(mode, 'token: a, ', 'v1alpha1'))).toBe(
      'the exec plugin a of user "test" is set to API version "client.authentication.k8s.io/v1alpha1", which is not supported; use client.authentication.k8s.io/v1.',
    );
  });

  it('has a login that kubectl no longer knows, with or without a token', () => {
    const provider = (name: string) => failure(of('', `{token: a, auth-provider: {name: ${name}}}`));
    expect(provider('gcp')).toBe(
      'user "test" logs in by the auth-provider gcp, which Kubernetes has removed; use the exec plugin gke-gcloud-auth-plugin.',
    );
    expect(provider('azure')).toContain('use the exec plugin kubelogin.');
    expect(provider('constructor')).toContain('the auth-provider "constructor", which is unknown');
    const oidc = (config: string) => of('', `{token: a, auth-provider: {name: oidc, config: ${config}}}`);
    expect(failure(oidc('{client-id: a}'))).toBe(
      'user "test" logs in by the auth-provider oidc, without idp-issuer-url; set it there.',
    );
    expect(failure(oidc('{idp-issuer-url: "https://a"}'))).toContain('without client-id');
    expect(oidc('{idp-issuer-url: "https://a", client-id: b}')().user.token).toBe('a');
  });

  it('has a token and a password', () => {
    for (const user of ['token: a, username: b', 'token: a, password: b', 'tokenFile: /a, username: b'])
      expect(failure(of('', `{${user}}`)), user).toContain('both a token and a user name');
    const file = write(temporaryFolder(), 'config', kubeconfig('{server: "https://a"}', '{username: b}'));
    expect(failure(() => resolveConnection({ kubeconfig: file, token: 'a' }, {}))).toContain('both a token');
  });

  it('is not held to how one logs in where nobody does, over plain http', () => {
    const plain = kubeconfig('{server: "http://a"}', '{auth-provider: {name: gcp}}');
    const file = write(temporaryFolder(), 'config', plain);
    expect(resolveConnection({ kubeconfig: file }, {}).server).toBe('http://a');
  });
});

import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runExecPlugin } from '../../../../src/kube/auth/exec/exec-plugin.ts';
import { resolveConnection } from '../../../../src/kube/config/resolve-connection.ts';
import { kubeconfig, temporaryFolder, write } from '../../kubeconfig-files.ts';

const v1 = 'client.authentication.k8s.io/v1';
const script = `#!/bin/sh
printf '{"apiVersion":"${v1}","status":{"token":"%s"}}' "\${0}"
`;

interface Wish {
  readonly command: string;
  /** What follows `credentialPluginPolicy:`; no kuberc unless told. */
  readonly policy?: string;
  readonly PATH?: string;
  readonly exec?: string;
}

/** In a folder with plugins `bin/login` and `other/login`; `DIR` stands for it. Resolves with the token or the error. */
async function login({ command, policy, PATH = 'DIR/bin', exec = '' }: Wish): Promise<string> {
  const folder = temporaryFolder();
  const here = (text: string) => text.replaceAll('DIR', folder);
  for (const each of ['bin', 'other']) write(folder, `${each}/login`, script, 0o700);
  const config = write(
    folder,
    'config',
    kubeconfig(
      '{server: "https://a"}',
      `{exec: {apiVersion: ${v1}, interactiveMode: Never, command: ${here(command)}${here(exec)}}}`,
    ),
  );
  if (policy !== undefined)
    write(
      folder,
      '.kube/kuberc',
      `apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\ncredentialPluginPolicy: ${here(policy)}\n`,
    );
  const connection = resolveConnection({ kubeconfig: config }, { HOME: folder, PATH: here(PATH) });
  const plugin = connection.user.exec;
  if (plugin === undefined) throw new Error('no plugin');
  const turn = { signal: new AbortController().signal, personAsked: () => {} };
  return runExecPlugin({ exec: plugin, connection, memory: {}, turn }).then(
    ({ token }) => token.replace(folder, 'DIR'),
    (error: Error) => error.message.replaceAll(folder, 'DIR').replace(/^.*user "test" /, ''),
  );
}

const allow = (...commands: string[]) =>
  `Allowlist\ncredentialPluginAllowlist: [${commands.map(command => `{command: "${command}"}`).join(', ')}]`;
const denied = (file: string) =>
  `may not run: ${file} is not in the credentialPluginAllowlist of DIR/.kube/kuberc.`;

describe('the program of an exec plugin', () => {
  it('is looked up on our PATH, not on the one that it gets', async () => {
    expect(await login({ command: 'login', exec: ', env: [{name: PATH, value: DIR/other}]' })).toBe(
      'DIR/bin/login',
    );
    expect(await login({ command: 'login', PATH: 'DIR/other:DIR/bin' })).toBe('DIR/other/login');
    expect(await login({ command: 'login', PATH: '' })).toContain('was not found');
    expect(await login({ command: 'login', PATH: 'DIR:DIR/none' })).toContain('was not found');
  });

  it('is never one in a relative folder of the PATH', async () => {
    const before = process.cwd();
    const folder = temporaryFolder();
    write(folder, 'sub/login', script, 0o700);
    write(folder, 'login', script, 0o700);
    process.chdir(folder);
    try {
      for (const PATH of ['.:DIR/bin', ':DIR/bin', 'DIR/none:', 'sub:DIR/bin'])
        expect(await login({ command: 'login', PATH }), PATH).toContain(
          'was found in a relative folder of the PATH alone, from which nothing is run',
        );
      expect(await login({ command: 'login', PATH: 'DIR/bin:.' })).toBe('DIR/bin/login');
      rmSync('login');
      mkdirSync('login');
      expect(await login({ command: 'login', PATH: '.:DIR/bin' })).toBe('DIR/bin/login');
    } finally {
      process.chdir(before);
    }
  });

  it('that is not executable is passed over on the PATH, and named by its path', async () => {
    const folder = temporaryFolder();
    chmodSync(write(folder, 'login', script), 0o600);
    expect(await login({ command: 'login', PATH: `${folder}:DIR/bin` })).toBe('DIR/bin/login');
    expect(await login({ command: path.join(folder, 'login') })).toContain('it is not executable');
  });
});

describe('a policy of the kuberc', () => {
  it.each([
    ['AllowAll', 'login', 'DIR/bin/login'],
    ['""', 'login', 'DIR/bin/login'],
    ['DenyAll', 'login', 'may not run: credentialPluginPolicy of DIR/.kube/kuberc is DenyAll.'],
    ['DenyAll', 'DIR/bin/login', 'may not run: credentialPluginPolicy of DIR/.kube/kuberc is DenyAll.'],
    [allow('login'), 'login', 'DIR/bin/login'],
    [allow('other', 'DIR/bin/login'), 'login', 'DIR/bin/login'],
    [allow('login'), 'DIR/bin/login', 'DIR/bin/login'],
    [allow('DIR/bin/login'), './bin/../bin/login', 'DIR/bin/login'],
    [allow('login'), 'DIR/other/login', denied('DIR/other/login')],
    [allow('DIR/other/login'), 'login', denied('DIR/bin/login')],
    [allow('other'), 'login', denied('DIR/bin/login')],
    [allow('bin/login'), 'login', denied('DIR/bin/login')],
    [allow('logi', 'login2'), 'login', denied('DIR/bin/login')],
    [allow('other'), 'missing', 'was not found: install it or put it on the PATH.'],
    [allow('missing'), 'missing', 'was not found: install it or put it on the PATH.'],
  ])('%s, for %s: %s', async (policy, command, says) => {
    expect(await login({ command, policy })).toContain(says);
  });

  it('is asked before the terminal is', async () => {
    const mode = ', interactiveMode: Always';
    expect(await login({ command: 'login', policy: 'DenyAll', exec: mode })).toContain('is DenyAll');
  });
});

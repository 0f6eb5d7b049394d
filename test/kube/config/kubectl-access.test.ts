/** How kubectl is started on the cluster that a source reads: its flags, what goes by a file, and when it is refused. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { kubectlAccess } from '../../../src/kube/config/kubectl-access.ts';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { readPipedConfig } from '../../../src/kube/open-cluster.ts';
import type { ConnectionFlags } from '../../../src/source/connection-flags.ts';
import { kubeconfig, temporaryFolder, write } from '../kubeconfig-files.ts';

const SECRET = 's3cr3t-token';

function world(user = '{}', cluster = '{server: "https://eu.example.com"}') {
  const folder = temporaryFolder();
  const file = write(folder, 'config', kubeconfig(cluster, user));
  write(folder, 'bin/kubectl', '#!/bin/sh\n', 0o755);
  const env = { PATH: path.join(folder, 'bin'), KUBECONFIG: file };
  const opened = { context: 'test', server: 'https://eu.example.com' };
  const open = (flags: ConnectionFlags = {}, more: Partial<typeof opened> = {}) =>
    kubectlAccess(flags, env, { ...opened, ...more });
  return { folder, file, env, opened, open };
}

describe('the flags', () => {
  test('name the context, also where that was left to the kubeconfig: it may say another one by now', () => {
    const { folder, open } = world();
    expect(open()).toMatchObject({ program: path.join(folder, 'bin/kubectl'), words: ['--context', 'test'] });
  });

  test('are those that the tool got', () => {
    const { file, open } = world();
    const flags: ConnectionFlags = {
      kubeconfig: file,
      cluster: 'test',
      user: 'test',
      as: 'boss; id',
      asGroup: ['ops', '--all'],
      asUid: '7',
      asUserExtra: ['team=a b'],
      clientCertificate: '/a.crt',
      clientKey: '/a.key',
      tlsServerName: 'api',
      insecureSkipTlsVerify: true,
      namespace: 'shop',
      requestTimeout: '2s',
    };
    expect(open(flags).words).toEqual(
      [
        [
          '--kubeconfig',
          file,
          '--context',
          'test',
          '--cluster',
          'test',
          '--user',
          'test',
          '--as',
          'boss; id',
        ],
        ['--as-group', 'ops', '--as-group', '--all', '--as-uid', '7', '--as-user-extra', 'team=a b'],
        ['--client-certificate', '/a.crt', '--client-key', '/a.key', '--tls-server-name', 'api'],
        ['--insecure-skip-tls-verify'],
      ].flat(),
    );
  });

  test('of a server alone name no context', () => {
    const { folder, env } = world();
    const flags = { server: 'https://other.example.com' };
    const opened = { context: undefined, server: flags.server };
    const nowhere = { ...env, KUBECONFIG: path.join(folder, 'none') };
    expect(kubectlAccess(flags, nowhere, opened).words).toEqual(['--server', flags.server]);
  });
});

describe('a token of the command line', () => {
  test('goes by a kubeconfig that only this user can read, and that is gone afterwards', () => {
    const { open } = world('{client-certificate: a.crt, client-key: a.key, token: other}');
    const { words, close } = open({ token: SECRET, as: 'boss' });
    expect(words).toEqual(['--kubeconfig', expect.any(String)]);
    const [, file = ''] = words;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(words.join(' ')).not.toContain(SECRET);
    expect(readFileSync(file, 'utf8')).toContain(SECRET);
    close();
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  test('takes with it everything else of the connection', () => {
    const { env, open } = world(
      '{as: boss, as-groups: [ops], as-user-extra: {team: [a]}, exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [a b], env: [{name: X, value: why}], interactiveMode: Never, provideClusterInfo: true}}',
      '{server: "https://eu.example.com", certificate-authority: ca.crt, tls-server-name: api, proxy-url: "http://u:p@proxy:1", disable-compression: false, extensions: [{name: client.authentication.k8s.io/exec, extension: {a: 1}}]}',
    );
    const { words, close } = open({ token: SECRET, namespace: 'shop' });
    const [, file = ''] = words;
    const written = resolveConnection({ kubeconfig: file }, env);
    const meant = resolveConnection({ token: SECRET, namespace: 'shop' }, env);
    const plain = ({ cluster, user, namespace, server }: typeof meant) => ({
      server,
      namespace,
      cluster: { ...cluster, name: '' },
      user: { ...user, name: '', file: '' },
    });
    expect(plain(written)).toEqual(plain(meant));
    expect(parseKubeconfig(readFileSync(file, 'utf8'), file).currentContext).toBe('gc-tree');
    close();
  });
});

test('a kubeconfig that came through a pipe goes by a file, because nobody can read it again', async () => {
  const { folder, file, env } = world();
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', 'cat "$1" > "$2"', 'sh', file, pipe], { stdio: 'ignore' });
  const flags = { kubeconfig: pipe };
  await readPipedConfig(flags, env);
  const { words, close } = kubectlAccess(flags, env, { context: 'test', server: 'https://eu.example.com' });
  expect(words).toHaveLength(2);
  expect(words[1]).not.toBe(pipe);
  expect(resolveConnection({ kubeconfig: words[1] }, env).server).toBe('https://eu.example.com');
  close();
});

describe('refused', () => {
  test('is a kubeconfig that leads elsewhere by now', () => {
    const { open } = world();
    expect(() => open({}, { server: 'https://us.example.com' })).toThrow(
      'the kubeconfig has changed: it leads to https://eu.example.com, and the screen shows https://us.example.com. Start gc-tree again.',
    );
  });

  test('is a context that is gone', () => {
    const { open } = world();
    expect(() => open({}, { context: 'gone' })).toThrow('no context "gone" in the kubeconfig');
  });

  test('is a machine without kubectl, with what to do', () => {
    const { env, opened } = world();
    expect(() => kubectlAccess({}, { ...env, PATH: '/nowhere' }, opened)).toThrow(
      'kubectl is not on the PATH. Install it, or start gc-tree with its folder on the PATH.',
    );
  });

  test('is a kubectl in a relative folder, which could be anybody’s', () => {
    const { folder, env, opened } = world();
    const relative = path.relative(process.cwd(), path.join(folder, 'bin'));
    expect(() => kubectlAccess({}, { ...env, PATH: relative }, opened)).toThrow(
      'kubectl is only in a folder of the PATH that is relative',
    );
  });
});

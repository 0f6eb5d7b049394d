import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runExecPlugin } from '../../../../src/kube/auth/exec/exec-plugin.ts';
import { resolveConnection } from '../../../../src/kube/config/resolve-connection.ts';
import type { PersonsTerminal } from '../../../../src/source/source.ts';
import { fixture, kubeconfig, temporaryFolder, write } from '../../kubeconfig-files.ts';

const v1 = 'client.authentication.k8s.io/v1';
const credential = (status: object) => JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, status });

/** Runs a plugin that is this shell script. */
async function run(script: string, exec = '', cluster = '', terminal?: PersonsTerminal) {
  const folder = temporaryFolder();
  write(folder, 'plugin', `#!/bin/sh\n${script}\n`, 0o700);
  const file = write(
    folder,
    'config',
    kubeconfig(
      `{server: "https://api.example.com"${cluster}}`,
      `{exec: {apiVersion: ${v1}, command: ./plugin, interactiveMode: IfAvailable${exec}}}`,
    ),
  );
  const connection = resolveConnection({ kubeconfig: file }, { PATH: process.env['PATH'] });
  const plugin = connection.user.exec;
  if (plugin === undefined) throw new Error('no plugin');
  const notices: string[] = [];
  const turn = { signal: new AbortController().signal, personAsked: () => {} };
  const context = { exec: plugin, connection };
  const options = { notice: (line: string) => notices.push(line), memory: {}, terminal };
  const result = runExecPlugin({ ...options, ...context, turn });
  return { folder, notices, result };
}

const failure = async (...args: Parameters<typeof run>) => {
  const { result } = await run(...args);
  return result.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
};

describe('an exec plugin', () => {
  it('gives a token and says how long it lasts', async () => {
    const { result } = await run(
      `echo '${credential({ token: 'abc', expirationTimestamp: '2030-01-02T03:04:05Z' })}'`,
    );
    expect(await result).toEqual({
      token: 'abc',
      certificate: '',
      key: '',
      expires: Date.UTC(2030, 0, 2, 3, 4, 5),
    });
  });

  it('is told of the cluster when it asks for that', async () => {
    const cluster = `, certificate-authority: ${fixture('ca.crt')}, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: me}}]`;
    const script = `echo "$KUBERNETES_EXEC_INFO" > "$OUT"; echo '${credential({ token: 'abc' })}'`;
    const out = path.join(temporaryFolder(), 'info');
    const env = `, env: [{name: OUT, value: ${out}}]`;
    await (await run(script, `${env}, provideClusterInfo: true`, cluster)).result;
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: v1,
      spec: {
        interactive: false,
        cluster: {
          server: 'https://api.example.com',
          'certificate-authority-data': readFileSync(fixture('ca.crt')).toString('base64'),
          config: { audience: 'me' },
        },
      },
    });
    await (await run(script, env, cluster)).result;
    expect(JSON.parse(readFileSync(out, 'utf8')).spec).toEqual({ interactive: false });
    // As Go writes what isn't there.
    await (await run(script, `${env}, provideClusterInfo: true`)).result;
    expect(JSON.parse(readFileSync(out, 'utf8')).spec.cluster).toEqual({
      server: 'https://api.example.com',
      config: null,
    });
  });

  it('gets its arguments and environment, and an empty standard input', async () => {
    const script = `read line; printf '{"apiVersion":"${v1}","status":{"token":"%s"}}' "$1-$MINE-$line"`;
    const { result } = await run(script, ', args: [one], env: [{name: MINE, value: two}]');
    expect((await result).token).toBe('one-two-');
  });

  it('can tell the user something while it runs', async () => {
    const { result, notices } = await run(
      `printf 'open \\033[1mhttps://login\\033[0m\\n' >&2; echo '${credential({ token: 'abc' })}'`,
    );
    await result;
    expect(notices).toEqual(['open https://login']);
  });

  it('that fails is quoted on one line, without its standard output', async () => {
    const message = await failure(
      `echo secret; printf 'SSO session\\n\\033[31mexpired\\033[0m\\n' >&2; exit 3`,
    );
    expect(message).toMatch(
      /^the exec plugin \S+plugin of user "test" failed with exit code 3: SSO session expired$/,
    );
  });

  it('that answers nonsense is named, and the answer not shown', async () => {
    expect(await failure('echo secret-token')).toContain('printed no ExecCredential');
    expect(await failure('echo secret-token')).not.toContain('secret-token');
    expect(await failure('echo null')).toContain('printed no ExecCredential;');
    expect(await failure(`echo '{}'`)).toContain('answers in none');
    expect(await failure(`echo '${credential({})}'`)).toContain('neither token nor certificate');
    expect(await failure(`echo '{"apiVersion":"${v1}"}'`)).toContain('returned no status');
    expect(await failure(`echo '${credential({ clientKeyData: 'x' })}'`)).toContain(
      'only one of certificate and key',
    );
    expect(await failure(`echo '${credential({ token: 'x' }).replace('/v1', '/v1beta1')}'`)).toContain(
      `is set to API version ${v1} but answers in client.authentication.k8s.io/v1beta1`,
    );
  });

  it('answers as Go reads it, in JSON or YAML, and with nothing of another type', async () => {
    const token = async (answer: string) => (await (await run(`printf %s '${answer}'`)).result).token;
    expect(await token(`apiVersion: ${v1}\nstatus: {token: abc, other: 1}`)).toBe('abc');
    const answered = (status: object) => failure(`echo '${credential(status)}'`);
    expect(await answered({ token: 5 })).toContain('printed no ExecCredential: status.token is a number');
    expect(await failure(`echo '${credential({ token: 'a' }).replace('ExecC', 'C')}'`)).toContain(
      'printed no ExecCredential;',
    );
    for (const expirationTimestamp of ['soon', '2999-01-02', ''])
      expect(await answered({ token: 'a', expirationTimestamp })).toContain('no time of RFC 3339');
    expect(await answered({ token: 'a', expirationTimestamp: 'secret' })).not.toContain('secret');
  });

  it('that is not there is named, with the hint of the kubeconfig', async () => {
    const hint = ', command: no-such-plugin, installHint: "get it from\\nhttps://example.com"';
    expect(await failure('', hint)).toBe(
      'the exec plugin no-such-plugin of user "test" was not found: get it from https://example.com',
    );
    expect(await failure('', ', command: no-such-plugin')).toContain('put it on the PATH');
  });

  it('that has to ask on the terminal is not left waiting for an answer', async () => {
    expect(await failure('', ', interactiveMode: Always')).toContain('log in with kubectl first');
  });
});

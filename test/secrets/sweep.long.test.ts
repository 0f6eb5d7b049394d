/**
 * No credential and no Secret's data turns up in anything that is printed or written: they are planted wherever there are
 * any, and everything is run that prints, in success and failure.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Services } from '../../src/cli/runtime/command.ts';
import { consoleFor } from '../cli/console.ts';
import { fixture, kubeconfig, temporaryFolder, write } from '../kube/kubeconfig-files.ts';
import { connectProxy, httpsServer } from '../kube/local-server.ts';
import { echoingServer } from './echoing-server.ts';
import { Needles, plant } from './planted.ts';

/** Every run a second time without its log; by itself it is found in what the log leaves out alone. */
const levels = process.env['GC_TREE_SWEEP'] === '1' ? ['-v=0', '-v=6', '-v=9'] : ['-v=9'];

const names = [
  'token',
  'flag',
  'password',
  'plugin',
  'early',
  'argument',
  'refresh',
  'client-secret',
  'proxy',
  'file',
  'data',
  'string-data',
  'annotation',
  'manifest',
  'environment',
];
const key = readFileSync(fixture('client-a.key'), 'utf8');
const jwt = (fields: object) =>
  ['{"alg":"none"}', JSON.stringify(fields), plant('jwt')]
    .map(part => Buffer.from(part).toString('base64url'))
    .join('.');
const idToken = jwt({ exp: 1, sub: plant('jwt') });
const needles = new Needles([
  ...names.map(plant),
  plant('jwt'),
  ...key.split('\n').filter(line => line.length > 20 && !line.startsWith('-')),
]);
const encoded = (value: string) => Buffer.from(value).toString('base64');

const secret = {
  data: { password: encoded(plant('data')) },
  stringData: { password: plant('string-data') },
  annotations: {
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
      stringData: { a: plant('annotation') },
    }),
    'example.com/copy': plant('annotation'),
  },
};

let services: Services;
beforeAll(async () => {
  vi.stubGlobal('__VERSION__', 'test');
  ({ services } = await import('../../src/entry.ts'));
});
afterAll(() => void vi.unstubAllGlobals());

/** One user's home, and what was printed there. */
function home(more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const env = {
    HOME: folder,
    XDG_STATE_HOME: path.join(folder, 'state'),
    PATH: process.env['PATH'] ?? '',
    AWS_SECRET_ACCESS_KEY: plant('environment'),
    ...more,
  };
  const printed: string[] = [];
  const start = async (args: readonly string[], of: typeof runCommandLine, input = '') => {
    const { io, result } = consoleFor({ env, stdin: input, now: () => Date.now() });
    const code = await of(args, io, services);
    const { out, err } = result();
    printed.push(out, err);
    expect({ args, leaked: needles.in(out + err) }).toEqual({ args, leaked: [] });
    return { code, out, err };
  };
  return {
    folder,
    run: (words: string, input?: string) => start(words.split(' '), runCommandLine, input),
    complete: (words: string) => start(words.split(' '), complete),
    /** Nothing is left in files, either. */
    clean: () => expect(needles.below(folder)).toEqual([]),
  };
}

const formats = [
  'text',
  'wide',
  'json',
  'yaml',
  'name',
  'dot',
  'mermaid',
  'svg',
  'html',
  'junit',
  'sarif',
  'github',
  'markdown',
];
const reading = ['why secret/db -n shop', 'check -A', 'plan', 'plan delete secret/db -n shop', 'podgc -A'];

/** Where the kubeconfig is, nobody looks. */
function kubeconfigOf(server: string, user: string, cluster = ''): string {
  const authority = `certificate-authority: ${fixture('ca.crt')}`;
  return write(
    temporaryFolder(),
    'config',
    kubeconfig(`{server: "${server}", ${authority}${cluster}}`, user),
  );
}

const v1 = 'client.authentication.k8s.io/v1';
const answer = JSON.stringify({ apiVersion: v1, kind: 'ExecCredential', status: { token: plant('plugin') } });

/** Says all it knows before it answers, some of it in pieces. */
function plugin(end: string): string {
  const folder = temporaryFolder();
  const chatter = `
cat >&2 <<'END'
debug: Authorization: Bearer ${plant('plugin')}
debug: {"refresh_token": "${plant('early')}", "id": "${idToken}"}
debug: login --password ${plant('argument')} at https://me:${plant('early')}@login.example.com/?access_token=${plant('early')}
${key}
END
env >&2
printf 'refresh_token=' >&2; sleep 0.15; printf '${plant('early')}\\n' >&2
`;
  write(folder, 'plugin', `#!/bin/sh\n${chatter}\n${end}\n`, 0o700);
  const env = `env: [{name: CLIENT_SECRET, value: "${plant('client-secret')}"}]`;
  return `{exec: {apiVersion: ${v1}, command: ${folder}/plugin, interactiveMode: Never, args: ["--password=${plant('argument')}"], ${env}}}`;
}

describe('nothing of what is planted is shown or kept', () => {
  it.each(levels)('by any command in any format (%s)', async level => {
    const { url } = await echoingServer(secret);
    const config = kubeconfigOf(url, `{token: "${plant('token')}"}`);
    const { run: at, complete: tab, clean } = home({ KUBECONFIG: config });
    for (const format of formats) await at(`tree -A -o ${format} ${level}`);
    for (const words of reading)
      for (const format of ['text', 'json']) await at(`${words} -o ${format} ${level}`);
    const { out } = await at(`tree -A ${level}`);
    expect(out).toContain('Secret db');
    for (const words of [`tree -n shop secret/`, 'why -n shop secret/d', 'tree --context ', 'undo '])
      await tab(words);
    // What is kept of it: journal, backup, cache.
    const deleted = await at(`delete secret/db -n shop --yes --wait=false ${level}`);
    expect(deleted.out).toContain('DELETE /api/v1/namespaces/shop/secrets/db');
    const entry = (await at('undo -o name')).out.trim();
    expect(entry).not.toBe('');
    for (const words of [
      'undo',
      'undo -o json',
      `undo ${entry} --dry-run=client`,
      'unblock cm/bystander -n shop',
    ])
      await at(`${words} ${level}`);
    clean();
  });

  const users: Record<string, () => string | Promise<string>> = {
    'a token': () => `{token: "${plant('token')}"}`,
    'a password': () => `{username: me, password: "${plant('password')}"}`,
    'a file': () => `{tokenFile: ${write(temporaryFolder(), 'token', plant('file'))}}`,
    'a certificate': () =>
      `{client-certificate: ${fixture('client-a.crt')}, client-key-data: ${encoded(key)}}`,
    'a plugin': () => plugin(`echo '${answer}'`),
    'a plugin that fails': () => plugin(`echo '${answer}'; echo '${plant('plugin')}' >&2; exit 1`),
    'a plugin that prints a bare token': () => plugin(`echo '${plant('plugin')}'`),
    'a provider that refuses': async () => {
      const provider = await httpsServer((request, response) => {
        let body = '';
        request.on('data', (part: Buffer) => {
          body += part.toString();
        });
        request.on('end', () => {
          if (request.url !== '/token')
            return response.end(JSON.stringify({ token_endpoint: `${provider.url}/token` }));
          const said = `${body} ${decodeURIComponent(body)} ${request.headers.authorization ?? ''}`;
          return response.writeHead(400).end(JSON.stringify({ error: 'invalid', error_description: said }));
        });
      });
      return `{auth-provider: {name: oidc, config: {id-token: "${idToken}", refresh-token: "${plant('refresh')}", client-id: me, client-secret: "${plant('client-secret')}", idp-issuer-url: "${provider.url}", idp-certificate-authority: ${fixture('ca.crt')}}}}`;
    },
  };

  it.each(Object.keys(users))('of a user with %s, whatever the server says', async name => {
    const server = await echoingServer(secret);
    const {
      run: at,
      complete: tab,
      clean,
    } = home({
      KUBECONFIG: kubeconfigOf(server.url, (await users[name]?.()) ?? ''),
    });
    for (const isCareless of [false, true]) {
      server.isCareless = isCareless;
      for (const words of ['tree -A', 'check -A -o json'])
        for (const level of levels) await at(`${words} ${level}`);
    }
    await tab('tree secret/');
    clean();
  });

  it('of a flag, and of a proxy', async () => {
    const server = await echoingServer(secret);
    const { port } = new URL(server.url);
    const proxies = await Promise.all([
      connectProxy(Number(port)),
      connectProxy(Number(port), { status: 407 }),
    ]);
    for (const proxy of proxies) {
      const address = `http://me:${encodeURIComponent(plant('proxy'))}@127.0.0.1:${proxy.port}`;
      const config = kubeconfigOf(server.url, '{}', `, proxy-url: "${address}"`);
      const { run: at, clean } = home({ HTTPS_PROXY: address });
      for (const level of levels) {
        const { err } = await at(`tree -A --kubeconfig ${config} --token ${plant('flag')} ${level}`);
        if (proxy === proxies[1]) expect(err).toContain('407');
        await at(
          `tree -A --server https://api.example.com --token ${plant('flag')} --request-timeout=5s ${level}`,
        );
      }
      clean();
    }
    expect(proxies[0]?.asked.join()).toContain('Basic');
  });

  it('of files, whole and broken', async () => {
    const { run: at, clean } = home();
    const manifest = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  annotations: {example.com/copy: "${plant('annotation')}"}\nstringData: {password: "${plant('manifest')}"}\ndata: {password: ${encoded(plant('data'))}}\n`;
    for (const words of ['tree', 'why secret/db', 'check', 'plan delete secret/db'])
      for (const format of formats)
        for (const level of levels) await at(`${words} -f - -o ${format} ${level}`, manifest);
    const json = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      stringData: { a: plant('manifest') },
    });
    const broken = [
      `${manifest}  bad: [${plant('manifest')}\n`,
      manifest.replace('stringData: {', `stringData: {"${plant('manifest')}": *${plant('manifest')}, `),
      `${json.slice(0, -1)}${plant('manifest')}}`,
      json.slice(0, -3),
      `{"kind": "Secret", "a": ${plant('manifest')}}`,
    ];
    for (const text of broken)
      for (const level of levels) {
        const { code } = await at(`tree -f - ${level}`, text);
        expect({ text, code }).toEqual({ text, code: expect.any(Number) });
      }
    clean();
  });

  it('of a kubeconfig that is broken', async () => {
    const token = plant('token');
    for (const text of [
      `users: [{user: {token: "${token}`,
      `users: {token: ${token}}`,
      `kind: "${'a'.repeat(5)}"\nx: *${token}`,
      `users: [{name: a, user: {token: [${token}]}}]`,
    ]) {
      const config = write(temporaryFolder(), 'config', text);
      const { run: at, complete: tab } = home({ KUBECONFIG: config });
      const { code } = await at('tree -v=9');
      expect(code).toBe(2);
      await tab('--context ');
    }
  });
});

it('what is planted would be found', () => {
  const value = plant('token');
  const base64 = [0, 1, 2].map(before => Buffer.from(`${'x'.repeat(before)}${value}yz`).toString('base64'));
  for (const text of [value, encodeURIComponent(value), ...base64, JSON.stringify({ a: value })])
    expect(needles.in(`a ${text} b`)).toContain(value);
  const folder = temporaryFolder();
  write(folder, path.join('a', 'b'), value);
  expect(needles.below(folder)).toEqual([`${value} in a/b`]);
});

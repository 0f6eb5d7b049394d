import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseKubeconfig } from '../../../src/kube/config/kubeconfig.ts';
import { homeFolder, kubeconfigPaths } from '../../../src/kube/config/load-kubeconfig.ts';
import { listContexts, resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { kubeconfigNames, readPipedConfig } from '../../../src/kube/open-cluster.ts';
import { platformOf } from '../../../src/platform/platform.ts';
import { kubeconfig, temporaryFolder, write } from '../kubeconfig-files.ts';
import { kubeconfigCases, printed } from './kubeconfig-cases.ts';

const v1 = 'client.authentication.k8s.io/v1';

const twoContexts = `
apiVersion: v1
kind: Config
current-context: staging
clusters:
- name: eu
  cluster: {server: "https://eu.example.com:6443/", certificate-authority: certs/ca.crt, tls-server-name: api.eu}
- name: lab
  cluster: {server: "https://lab.example.com/k8s/clusters/c-1/", insecure-skip-tls-verify: true}
users:
- name: alice
  user: {token: alice-token, as: boss, as-groups: [ops], as-uid: "7"}
- name: bob
  user: {client-certificate: bob.crt, client-key: /keys/bob.key, tokenFile: bob.token}
contexts:
- {name: prod-eu, context: {cluster: eu, user: bob, namespace: shop}}
- {name: staging, context: {cluster: lab, user: alice}}
- {name: broken-cluster, context: {cluster: nowhere, user: alice}}
- {name: broken-user, context: {cluster: eu, user: nobody}}
`;

function saved(text = twoContexts) {
  const folder = temporaryFolder();
  return { folder, file: write(folder, 'config', text) };
}

const failure = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
};

describe('the kubeconfig', () => {
  it('is read from HOME when nothing else is said', () => {
    const home = temporaryFolder();
    write(home, '.kube/config', twoContexts);
    const connection = resolveConnection({}, { HOME: home });
    expect(connection).toMatchObject({ contextName: 'staging', namespace: 'default' });
    expect(connection.server).toBe('https://lab.example.com/k8s/clusters/c-1');
  });

  it('resolves relative paths against the folder of its own file', () => {
    const { folder, file } = saved();
    const { cluster, user } = resolveConnection({ kubeconfig: file, context: 'prod-eu' }, {});
    expect(cluster.caFile).toBe(path.join(folder, 'certs/ca.crt'));
    expect(user).toMatchObject({
      certFile: path.join(folder, 'bob.crt'),
      keyFile: '/keys/bob.key',
      tokenFile: path.join(folder, 'bob.token'),
    });
  });

  it('takes an exec command with a separator from its folder, and a bare one from the PATH', () => {
    const folder = temporaryFolder();
    const exec = (command: string) =>
      resolveConnection(
        {
          kubeconfig: write(
            folder,
            'config',
            kubeconfig(
              '{server: "https://a"}',
              `{exec: {apiVersion: ${v1}, command: ${command}, env: null, interactiveMode: Never}}`,
            ),
          ),
        },
        {},
      ).user.exec?.command;
    expect(exec('bin/login')).toBe(path.join(folder, 'bin/login'));
    expect(exec('aws')).toBe('aws');
  });

  it.each(kubeconfigCases)('with $what is read or refused as kubectl does it', ({ text, read }) => {
    let found: unknown;
    try {
      found = printed(parseKubeconfig(text, 'config'));
    } catch (error) {
      // Nothing of it is told, for it may be a credential.
      expect(String(error)).toMatch(
        /^\S*Error: kubeconfig config (?:is not|cannot be used:|lists) [^\n]*\.$/u,
      );
    }
    if (read === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(read);
  });

  it('gives the extension for exec plugins its types', () => {
    const { file } = saved(
      kubeconfig(
        '{server: "https://a", extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x, count: 3}}]}',
      ),
    );
    expect(resolveConnection({ kubeconfig: file }, {}).cluster.execConfig).toEqual({
      audience: 'x',
      count: 3,
    });
  });

  it('may be JSON', () => {
    const { file } = saved(
      JSON.stringify({
        'current-context': 'a',
        clusters: [
          { name: 'a', cluster: { server: 'https://a.example.com', 'certificate-authority': null } },
        ],
        contexts: [{ name: 'a', context: { cluster: 'a', user: '' } }],
      }),
    );
    expect(resolveConnection({ kubeconfig: file }, {}).server).toBe('https://a.example.com');
  });

  it('that is broken is named with the line, and without its content', () => {
    const { file } = saved('apiVersion: v1\nusers:\n- name: a\n  user: {token: secret-token\n');
    const message = failure(() => resolveConnection({ kubeconfig: file }, {}));
    expect(message).toContain(`kubeconfig ${file} is not valid YAML: line`);
    expect(message).not.toContain('secret-token');
  });

  it('that is something else is refused', () => {
    const { file } = saved('kind: Pod\n');
    expect(failure(() => resolveConnection({ kubeconfig: file }, {}))).toContain('its kind is Pod');
  });

  it('that lists a name twice is refused, as kubectl does', () => {
    const { file } = saved('clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]');
    expect(failure(() => resolveConnection({ kubeconfig: file }, {}))).toContain(
      'lists "a" twice under clusters',
    );
  });

  it.skipIf(process.platform === 'win32')('that never ends is refused', () => {
    expect(failure(() => resolveConnection({ kubeconfig: '/dev/zero' }, {}))).toBe(
      'cannot read kubeconfig /dev/zero: it is too large.',
    );
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read is named', () => {
    const { file } = saved();
    chmodSync(file, 0);
    expect(failure(() => resolveConnection({ kubeconfig: file }, {}))).toContain('permission denied');
  });
});

describe('a kubeconfig that is a pipe', () => {
  it('is read once, for all who read the configuration, and waited for without holding up the rest', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const flags = { kubeconfig: file };
    const both = Promise.all([
      readPipedConfig(flags, {}),
      readPipedConfig({}, { KUBECONFIG: `/none:${file}` }),
    ]);
    const writer = await open(file, 'w');
    await writer.write(kubeconfig('{server: "https://piped"}', '{token: abc}'));
    await writer.close();
    await both;
    // Nobody writes any more: whoever read the pipe now would wait for ever.
    const connection = resolveConnection(flags, {});
    expect(connection.reload().user.token).toBe('abc');
    await readPipedConfig(flags, {});
    expect(kubeconfigNames({}, { KUBECONFIG: file }).contexts).toEqual(['test']);
  });
});

describe('on Windows', () => {
  const windows = platformOf('win32');
  /** With the separators of this machine's files. */
  const mixed = { ...windows, path: { ...path.posix, delimiter: ';' } as typeof path.posix };

  it('a list of kubeconfigs is parted by semicolons, and colons are of drives', () => {
    const KUBECONFIG = String.raw`C:\a\config;"D:\b;c\config";;C:\a\config`;
    expect(kubeconfigPaths(undefined, { KUBECONFIG }, windows)).toEqual([
      String.raw`C:\a\config`,
      String.raw`D:\b;c\config`,
    ]);
    expect(kubeconfigPaths(undefined, { USERPROFILE: String.raw`C:\Users\me` }, windows)).toEqual([
      String.raw`C:\Users\me\.kube\config`,
    ]);
    expect(kubeconfigPaths(undefined, {}, windows)).toEqual([]);
  });

  it('the first home that has a kubeconfig counts, else the first that is there, as client-go has it', () => {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const env = { HOME: at('home'), USERPROFILE: at('profile'), HOMEDRIVE: folder, HOMEPATH: '/network' };
    expect(homeFolder(env, mixed)).toBe(at('home'));
    write(folder, 'network/x', '');
    expect(homeFolder(env, mixed)).toBe(at('network'));
    write(folder, 'profile/x', '');
    expect(homeFolder(env, mixed)).toBe(at('profile'));
    write(folder, 'network/.kube/config', '');
    expect(homeFolder(env, mixed)).toBe(at('network'));
    write(folder, 'home/.kube/config', '');
    expect(homeFolder(env, mixed)).toBe(at('home'));
    expect(homeFolder({ ...env, HOMEPATH: '', HOME: '' }, mixed)).toBe(at('profile'));
  });
});

describe('several files in KUBECONFIG', () => {
  it('are merged: the first to name something wins whole, the first current context too', () => {
    const folder = temporaryFolder();
    const first = write(folder, 'one/config', 'users: [{name: test, user: {as: first}}]');
    const second = write(
      folder,
      'two/config',
      kubeconfig('{server: "https://two", certificate-authority: ca}', '{token: t}'),
    );
    const third = write(folder, 'three/config', kubeconfig('{server: "https://three"}', '{}', 'third'));
    const env = { KUBECONFIG: [first, second, third, first].join(path.delimiter) };
    const connection = resolveConnection({}, env);
    expect(connection).toMatchObject({ server: 'https://two', contextName: 'test' });
    expect(connection.user).toMatchObject({ as: 'first', token: '' });
    expect(connection.cluster.caFile).toBe(path.join(folder, 'two/ca'));
    expect(listContexts({}, env).map(context => [context.name, context.current])).toEqual([
      ['test', true],
      ['third', false],
    ]);
  });

  it('may be missing or empty', () => {
    const { folder, file } = saved();
    const empty = write(folder, 'empty', '');
    const KUBECONFIG = [path.join(folder, 'gone'), empty, file].join(path.delimiter);
    expect(resolveConnection({}, { KUBECONFIG }).contextName).toBe('staging');
  });

  it('are passed over by --kubeconfig, which must exist', () => {
    const { file } = saved();
    expect(resolveConnection({ kubeconfig: file }, { KUBECONFIG: '/nowhere' }).contextName).toBe('staging');
    expect(failure(() => resolveConnection({ kubeconfig: '/nowhere/config' }, { KUBECONFIG: file }))).toBe(
      'kubeconfig /nowhere/config does not exist.',
    );
  });
});

describe('flags', () => {
  const resolve = (flags: Parameters<typeof resolveConnection>[0]) =>
    resolveConnection({ kubeconfig: saved().file, ...flags }, {});

  it('choose context, cluster, user and namespace', () => {
    expect(resolve({ context: 'prod-eu' })).toMatchObject({ namespace: 'shop', contextName: 'prod-eu' });
    expect(resolve({ context: 'prod-eu', namespace: 'ns/other' }).namespace).toBe('other');
    const mixed = resolve({ context: 'prod-eu', cluster: 'lab', user: 'alice' });
    expect(mixed.server).toContain('lab.example.com');
    expect(mixed.user.token).toBe('alice-token');
  });

  it('for another server leave the certificate name of the kubeconfig behind', () => {
    const other = resolve({ context: 'prod-eu', server: 'https://10.0.0.1:6443' });
    expect(other.cluster.tlsServerName).toBe('');
    expect(resolve({ context: 'prod-eu' }).cluster.tlsServerName).toBe('api.eu');
    expect(resolve({ context: 'prod-eu', tlsServerName: 'x' }).cluster.tlsServerName).toBe('x');
  });

  it('about trust replace all of the trust that the kubeconfig sets', () => {
    expect(resolve({ context: 'prod-eu', insecureSkipTlsVerify: true }).cluster).toMatchObject({
      insecureSkipTlsVerify: true,
      caFile: '',
    });
    expect(resolve({ certificateAuthority: '/my/ca' }).cluster).toMatchObject({
      insecureSkipTlsVerify: false,
      caFile: '/my/ca',
    });
  });

  it('give a token that takes the place of any other', () => {
    expect(resolve({ context: 'prod-eu', token: 'mine' }).user).toMatchObject({
      token: 'mine',
      tokenFile: '',
    });
  });

  it('impersonate in place of what the kubeconfig impersonates', () => {
    expect(resolve({ as: 'jane', asGroup: ['dev', 'qa'] }).user).toMatchObject({
      as: 'jane',
      asGroups: ['dev', 'qa'],
      asUid: '7',
    });
    expect(failure(() => resolve({ context: 'prod-eu', asGroup: ['dev'] }))).toContain('pass --as');
  });

  it('impersonate with extra values beside those of the kubeconfig, of which they replace the same keys', () => {
    const extra = kubeconfig(
      '{server: "https://a"}',
      '{as: jane, as-user-extra: {example.com/scopes: [read], reason: [none]}}',
    );
    const { user } = resolveConnection(
      { kubeconfig: saved(extra).file, asUserExtra: ['reason=a=b', 'reason=c', 'team='] },
      {},
    );
    expect(user.asUserExtra).toEqual({
      'example.com/scopes': ['read'],
      reason: ['a=b', 'c'],
      team: [''],
    });
    expect(failure(() => resolve({ as: 'jane', asUserExtra: ['team'] }))).toBe(
      'invalid --as-user-extra "team": give a key and a value, as in --as-user-extra team=value.',
    );
  });

  it('that say more about whom to act as need a user to impersonate', () => {
    const needs = 'need a user to impersonate: pass --as';
    for (const flags of [{ asUserExtra: ['a=b'] }, { asUid: '7' }, { asGroup: ['dev'] }])
      expect(failure(() => resolve({ context: 'prod-eu', ...flags }))).toContain(needs);
    for (const user of ['as-user-extra: {a: [b]}', 'as-groups: [dev]', 'as-uid: "7"']) {
      const { file } = saved(kubeconfig('{server: "https://a"}', `{${user}}`));
      const failed = failure(() => resolveConnection({ kubeconfig: file }, {}));
      expect(failed).toContain(needs);
      expect(failed).toContain('user "test"');
    }
  });

  it('give a client certificate and key in place of those of the kubeconfig, files and data', () => {
    const data = kubeconfig(
      '{server: "https://a"}',
      '{client-certificate-data: Y2VydA==, client-key-data: a2V5}',
    );
    const { file } = saved(data);
    expect(
      resolveConnection({ kubeconfig: file, clientCertificate: 'my.crt', clientKey: '/my.key' }, {}).user,
    ).toMatchObject({ certFile: 'my.crt', certData: '', keyFile: '/my.key', keyData: '' });
    // The other half stays that of the kubeconfig.
    expect(resolveConnection({ kubeconfig: file, clientKey: '/my.key' }, {}).user).toMatchObject({
      certData: 'Y2VydA==',
      keyFile: '/my.key',
      keyData: '',
    });
    expect(failure(() => resolve({ clientCertificate: 'my.crt' }))).toContain(
      'without its key; set client-key or client-key-data, or pass --client-key',
    );
  });

  it('limit requests in seconds or as a Go duration', () => {
    expect(resolve({ requestTimeout: '30' }).requestTimeoutMs).toBe(30_000);
    expect(resolve({ requestTimeout: '1m30.5s' }).requestTimeoutMs).toBe(90_500);
    expect(resolve({ requestTimeout: '0' }).requestTimeoutMs).toBe(0);
    for (const wrong of ['soon', '1x', '-1s', '1m ']) {
      expect(failure(() => resolve({ requestTimeout: wrong }))).toContain(
        `invalid --request-timeout "${wrong}"`,
      );
    }
  });

  it('suffice without a kubeconfig when they name a server', () => {
    const connection = resolveConnection({ server: 'localhost:8001' }, {});
    expect(connection).toMatchObject({ server: 'http://localhost:8001', contextName: undefined });
  });
});

describe('what is wrong is said in one line:', () => {
  const message = (flags: Parameters<typeof resolveConnection>[0], text?: string) =>
    failure(() => resolveConnection({ kubeconfig: saved(text).file, ...flags }, {}));

  it('a context that is not there, with those that are', () => {
    expect(message({ context: 'prdo' })).toBe(
      'no context "prdo" in the kubeconfig. Contexts: broken-cluster, broken-user, prod-eu, staging.',
    );
  });

  it('a context whose cluster or user is not there', () => {
    expect(message({ context: 'broken-cluster' })).toBe(
      'context "broken-cluster" uses cluster "nowhere", which is not in the kubeconfig. Clusters: eu, lab.',
    );
    expect(message({ context: 'broken-user' })).toContain(
      'context "broken-user" uses user "nobody", which is not in the kubeconfig.',
    );
  });

  it('no kubeconfig at all, with the places that were searched', () => {
    expect(failure(() => resolveConnection({}, { HOME: '/nowhere' }))).toContain(
      'no kubeconfig found (looked for /nowhere/.kube/config).',
    );
    expect(failure(() => resolveConnection({ context: 'a' }, { KUBECONFIG: '/x/y' }))).toContain(
      'no kubeconfig found (looked for /x/y).',
    );
  });

  it('no current context, with those to choose from', () => {
    expect(message({}, 'contexts: [{name: a, context: {cluster: a}}]')).toContain('Contexts: a.');
  });

  it('a wrong --cluster and --user', () => {
    expect(message({ cluster: 'x' })).toContain('no cluster "x" in the kubeconfig. Clusters: eu, lab.');
    expect(message({ user: 'x' })).toContain('no user "x" in the kubeconfig. Users: alice, bob.');
  });

  it('an authority together with a refusal to verify', () => {
    const both = kubeconfig(
      '{server: "https://a", certificate-authority: ca, insecure-skip-tls-verify: true}',
    );
    expect(message({}, both)).toContain('sets both');
  });

  it.each(['.', '..', 'a/b', '../..', 'a%2Fb'])('a namespace that would be another path: %s', namespace => {
    expect(message({ context: 'prod-eu', namespace })).toContain(`invalid namespace "${namespace}"`);
  });

  it('a server that is no address, without repeating it', () => {
    expect(message({ server: 'ftp://me:secret@host' })).not.toContain('secret');
  });
});

it('keeps credentials in the address out of the server that messages show', () => {
  const { file } = saved(kubeconfig('{server: "https://me:secret@host:6443/base/?x=1"}'));
  expect(resolveConnection({ kubeconfig: file }, {}).server).toBe('https://host:6443/base');
});

it('stays with its context when it is read again after the current context was changed', () => {
  const { folder, file } = saved();
  const connection = resolveConnection({ kubeconfig: file }, {});
  write(folder, 'config', twoContexts.replace('current-context: staging', 'current-context: prod-eu'));
  expect(connection.reload().contextName).toBe('staging');
});

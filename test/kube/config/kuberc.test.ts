import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import { kubeconfig, temporaryFolder, write } from '../kubeconfig-files.ts';

const v1beta1 = 'apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n';
const denyAll = `${v1beta1}credentialPluginPolicy: DenyAll\n`;
const user =
  '{exec: {apiVersion: client.authentication.k8s.io/v1, command: login, interactiveMode: IfAvailable}}';

/** A home with this kuberc, and what is made of it. */
function home(kuberc?: string) {
  const folder = temporaryFolder();
  const config = write(folder, 'config', kubeconfig('{server: "https://a"}', user));
  const usual = path.join(folder, '.kube', 'kuberc');
  if (kuberc !== undefined) write(folder, '.kube/kuberc', kuberc);
  const resolve = (flag?: string, env: Readonly<Record<string, string>> = {}) =>
    resolveConnection({ kubeconfig: config, kuberc: flag }, { HOME: folder, ...env });
  return { folder, usual, resolve };
}

/** The policy, or what is said instead. */
function policyOf(kuberc: string): string {
  const { resolve, usual } = home(kuberc);
  try {
    const { pluginPolicy, warning } = resolve();
    return warning || `${pluginPolicy?.policy} ${pluginPolicy?.allowlist.join()}`;
  } catch (error) {
    return (error as Error).message.replace(usual, 'FILE');
  }
}

describe('the kuberc', () => {
  it('lies where kubectl looks for it: in --kuberc, in KUBERC, in the home', () => {
    const { folder, usual, resolve } = home(denyAll);
    const other = write(folder, 'other', v1beta1);
    const third = write(folder, 'third', v1beta1);
    const fileOf = (...given: Parameters<typeof resolve>) => resolve(...given).pluginPolicy?.file;
    expect(fileOf()).toBe(usual);
    expect(fileOf('', { KUBERC: '' })).toBe(usual);
    expect(fileOf(undefined, { KUBERC: other })).toBe(other);
    expect(fileOf(third, { KUBERC: other })).toBe(third);
    expect(fileOf(undefined, { KUBERC: 'off' })).toBeUndefined();
    expect(fileOf(usual, { KUBECTL_KUBERC: 'False' })).toBeUndefined();
    expect(() => resolve(third, { KUBERC: 'off' })).toThrow(/--kuberc and KUBERC=off exclude each other/);
  });

  it('may be missing or unreadable, but not where it was named', () => {
    const { folder, resolve } = home();
    expect(resolve()).toMatchObject({ pluginPolicy: undefined, warning: '' });
    const missing = path.join(folder, 'missing');
    expect(() => resolve(missing)).toThrow(`cannot read kuberc ${missing}: no such file.`);
    expect(() => resolve(undefined, { KUBERC: folder })).toThrow(
      `cannot read kuberc ${folder}: it is a folder.`,
    );
    const broken = home('kind: Preference\n');
    expect(broken.resolve().warning).toBe(
      `kuberc ${broken.usual} is ignored, with what it says of credential plugins: it holds no Preference of kubectl.config.k8s.io/v1beta1 or v1alpha1.`,
    );
    expect(() => broken.resolve(undefined, { KUBERC: broken.usual })).toThrow(
      `cannot read kuberc ${broken.usual}`,
    );
  });

  it.skipIf(process.getuid?.() === 0)('that nobody may read is said to be ignored', () => {
    const { usual, resolve } = home(denyAll);
    chmodSync(usual, 0);
    expect(resolve().warning).toContain('permission denied');
  });

  it('is told of by whoever opens the cluster', async () => {
    const { folder, usual } = home('nonsense');
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const flags = { kubeconfig: path.join(folder, 'config') };
    await openCluster(flags, { env: { HOME: folder }, verbosity: 0, log }).close();
    expect(lines).toEqual([expect.stringContaining(`kuberc ${usual} is ignored`)]);
  });

  it('stops a pod with settings that kubectl refuses, and denies its service account nothing', () => {
    const { folder, usual } = home(denyAll);
    const mount = 'var/run/secrets/kubernetes.io/serviceaccount';
    write(folder, `${mount}/token`, 'a');
    const env = { HOME: folder, KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    expect(resolveConnection({}, env, folder).user).toMatchObject({ name: 'in-cluster', exec: undefined });
    write(folder, '.kube/kuberc', `${v1beta1}credentialPluginPolicy: Deny`);
    expect(() => resolveConnection({}, env, folder)).toThrow(
      `kuberc ${usual}: credentialPluginPolicy "Deny"`,
    );
  });

  it('is silent about what does not concern a user without a plugin', () => {
    const { folder } = home('nonsense');
    const config = write(folder, 'plain', kubeconfig('{server: "https://a"}', '{token: a}'));
    expect(resolveConnection({ kubeconfig: config }, { HOME: folder }).warning).toBe('');
  });

  it.each([
    ['', 'undefined undefined'],
    ['---\n\n--- # nothing\n', 'undefined undefined'],
    [v1beta1, ' '],
    [denyAll, 'DenyAll '],
    [`${v1beta1}credentialPluginPolicy: null\ncredentialPluginAllowlist: null\n`, ' '],
    [
      `${v1beta1}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: a}, {name: /b/c}]`,
      'Allowlist a,/b/c',
    ],
    [
      `${v1beta1}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: a, name: a}]`,
      'Allowlist a',
    ],
    // The first one that decodes counts, whatever stands before it.
    [`kind: Other\n---\n${denyAll}---\n${v1beta1}`, 'DenyAll '],
    [`${denyAll.replace('v1beta1', 'v2')}---\n${v1beta1}`, ' '],
    [`${denyAll}defaults: {}\n---\n${v1beta1}`, ' '],
    [
      JSON.stringify({
        apiVersion: 'kubectl.config.k8s.io/v1beta1',
        kind: 'Preference',
        credentialPluginPolicy: 'DenyAll',
      }),
      'DenyAll ',
    ],
  ])('%j says %j', (kuberc, says) => {
    expect(policyOf(kuberc)).toBe(says);
  });

  it('passes over what kubectl passes over, and says so', () => {
    // v1alpha1 has no policy, so kubectl runs the plugin.
    for (const [kuberc, policy, says] of [
      [
        denyAll.replace('v1beta1', 'v1alpha1'),
        '',
        'credentialPluginPolicy is no field of kubectl.config.k8s.io/v1alpha1, and is ignored.',
      ],
      [`${v1beta1}credentialpluginpolicy: DenyAll\n`, '', 'credentialpluginpolicy is no field of'],
      [`${denyAll}defaults: [{command: get, flags: []}]`, 'DenyAll', 'defaults[0].flags is no field of'],
      [
        `${v1beta1}credentialPluginPolicy: AllowAll\ncredentialPluginPolicy: DenyAll\n`,
        'DenyAll',
        'a field appears twice',
      ],
    ] as const) {
      const { pluginPolicy, warning } = home(kuberc).resolve();
      expect(pluginPolicy?.policy).toBe(policy);
      expect(warning).toContain(says);
    }
  });

  it.each([
    [
      'credentialPluginPolicy: denyall',
      'credentialPluginPolicy "denyall" is unknown; use AllowAll, DenyAll or Allowlist.',
    ],
    [
      'credentialPluginPolicy: DenyAll\ncredentialPluginAllowlist: []',
      'credentialPluginAllowlist is for credentialPluginPolicy Allowlist alone, which is "DenyAll".',
    ],
    [
      'credentialPluginAllowlist: [{command: a}]',
      'credentialPluginAllowlist is for credentialPluginPolicy Allowlist alone, which is "".',
    ],
    [
      'credentialPluginPolicy: Allowlist',
      'credentialPluginPolicy is Allowlist, and credentialPluginAllowlist names no command; use DenyAll to allow none.',
    ],
    [
      'credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: a}, {}]',
      'entry 2 of credentialPluginAllowlist is empty.',
    ],
    [
      'credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: ./a/}]',
      'credentialPluginAllowlist has "./a/", which would never match; write "a".',
    ],
    ['aliases: [{name: get-a}]', 'the alias "get-a" has more in its name than letters.'],
    ['aliases: [{name: a}, {name: a}]', 'the alias "a" appears twice.'],
    [
      'defaults: [{command: get, options: [{name: --output}]}]',
      'the option "--output" has to be written without dashes.',
    ],
  ])('with %j stops everything', (kuberc, says) => {
    expect(policyOf(v1beta1 + kuberc)).toBe(`kuberc FILE: ${says}`);
  });

  it.each([
    ['credentialPluginPolicy: true', 'credentialPluginPolicy is a boolean, not text; put it in quotes'],
    ['credentialPluginPolicy: yes', 'credentialPluginPolicy is a boolean, not text; put it in quotes'],
    [
      'defaults: [{options: [{default: 5}]}]',
      'defaults[0].options[0].default is a number, not text; put it in quotes',
    ],
    [
      'credentialPluginAllowlist: [{name: a, command: b}]',
      'an entry of its credentialPluginAllowlist has a name and another command',
    ],
    ['a: "', 'it is not valid YAML: line 3 cannot be read'],
  ])('with %j is no preferences at all', (kuberc, says) => {
    const { usual, resolve } = home(v1beta1 + kuberc);
    expect(resolve().warning).toContain(`${says}.`);
    expect(() => resolve(undefined, { KUBERC: usual })).toThrow(`cannot read kuberc ${usual}: ${says}.`);
  });

  it('has no secrets to tell: a line is shortened and has no control characters', () => {
    const long = `${v1beta1}"\\e[31m${'x'.repeat(500)}": 1\n`;
    // oxlint-disable-next-line no-control-regex -- none is what is wanted
    expect(home(long).resolve().warning).not.toMatch(/\u001b|x{400}/);
  });
});

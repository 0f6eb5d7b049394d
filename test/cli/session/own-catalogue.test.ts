import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Diagnosis } from '../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../source/files/reading.ts';
import { command } from '../console.ts';

/** Whoever removes hook.bank.example/ledger has no name that tells so. */
const held = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ledger
  namespace: shop
  uid: c
  deletionTimestamp: "2025-11-02T10:00:00Z"
  finalizers: [hook.bank.example/ledger, resources-finalizer.argocd.argoproj.io]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: bookkeeping, namespace: bank, uid: d}
spec: {replicas: 1}
status: {replicas: 1, readyReplicas: 1, availableReplicas: 1}
`;

const entry = (controller: string, finalizer: string, cost = 'the ledger stays open'): string => `
- controller: ${controller}
  runsIn: cluster
  workloads: [bookkeeping]
  finalizers:
    - names: [${finalizer}]
      carriedBy: ConfigMaps of the bank
      protects: the ledger is closed first
      cost: ${cost}
`;

const catalogue = entry('the bookkeeping service', 'hook.bank.example/ledger');

async function why(words: string, env?: Record<string, string>): Promise<string> {
  const { out, err } = await command(`why cm/ledger -n shop -f - --closed-world -o json ${words}`, {
    stdin: held,
    ...(env && { env }),
  });
  expect(err).not.toMatch(/^kubectl gc-tree/u);
  const { items } = parse(out) as Diagnosis;
  return JSON.stringify(items);
}

function fileWith(text: string, name = 'catalogue.yaml'): string {
  const file = path.join(folderOf({}), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

it('knows a finalizer by name that only its user knows', async () => {
  expect(await why('')).not.toContain('bookkeeping');
  const told = await why(`--catalogue ${fileWith(catalogue)}`);
  expect(told).toContain('the ledger stays open');
});

it('reads the one in the folder of its user’s configuration without being told', async () => {
  const file = fileWith(catalogue, 'kubectl-gc-tree/catalogue.yaml');
  const told = await why('', { XDG_CONFIG_HOME: path.resolve(file, '../..') });
  expect(told).toContain('the ledger stays open');
});

it('takes a name before a pattern, and an entry of the user’s before one that is built in', async () => {
  const configured = fileWith(
    entry('another', '"*.bank.example/*"', 'nobody says this') +
      entry('our Argo CD', 'resources-finalizer.argocd.argoproj.io', 'our applications stay'),
    'kubectl-gc-tree/catalogue.yaml',
  );
  const told = await why(`--catalogue ${fileWith(catalogue)}`, {
    XDG_CONFIG_HOME: path.resolve(configured, '../..'),
  });
  expect(told).toContain('the ledger stays open');
  expect(told).not.toContain('nobody says this');
  expect(told).toContain('our applications stay');
  expect(told).toContain('Deployment bank/bookkeeping: 1 of 1 ready');
});

it('repeats the flag in the commands that it prints', async () => {
  const file = fileWith(catalogue);
  const { out } = await command(
    `why cm/ledger -n shop -f ${fileWith(held, 'held.yaml')} --catalogue ${file}`,
  );
  expect(out).toContain(`--catalogue ${file}`);
});

it.each([
  [
    `${catalogue}\n- controller: other\n  manages: []\n`,
    /: line 11: other: runsIn is missing \(and 1 more\)\.\ndocs/u,
  ],
  ['a: b: c', /: line 1: .*needs quotes\.\ndocs/u],
  ['{}', /: line 1: a catalogue is a list/u],
])('says where a catalogue is wrong', async (text, message) => {
  const { err, exitCode } = await command(`why cm/ledger -n shop -f - --catalogue ${fileWith(text)}`, {
    stdin: held,
  });
  expect(err).toMatch(message);
  expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  expect(exitCode).toBe(2);
});

it('says which file is not there', async () => {
  const { err, exitCode } = await command('check -f - --catalogue /nowhere/at-all.yaml', { stdin: held });
  expect(err).toBe(
    'kubectl gc-tree: the catalogue /nowhere/at-all.yaml cannot be read: there is no such file.\n',
  );
  expect(exitCode).toBe(2);
});

it.each(['/dev/zero', '/'])('takes %s for no catalogue', async file => {
  const { err, exitCode } = await command(`check -f - --catalogue ${file}`, { stdin: held });
  expect(err).toBe(`kubectl gc-tree: the catalogue ${file} is no file.\n`);
  expect(exitCode).toBe(2);
});

it('says who manages an object, by its own mark and by that of its controller', async () => {
  const owner = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
  uid: o
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: "api\\e[2J", meta.helm.sh/release-namespace: shop}
---
apiVersion: v1
kind: Secret
metadata:
  name: key
  namespace: shop
  uid: s
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: settings, uid: o, controller: true}]
`;
  const { out } = await command('why secret/key -n shop -f -', { stdin: owner });
  expect(out).toMatch(
    /^Managed by\n {2}Helm release shop\/api\S*\[2J through ConfigMap settings \(annotation meta\.helm\.sh\/release-name: api/mu,
  );
  expect(out).not.toContain('\u001b');
  const document = await command('why secret/key -n shop -f - -o json', { stdin: owner });
  expect(parse(document.out)).toMatchObject({
    items: [
      { managedBy: [{ tool: 'Helm', called: 'release', namespace: 'shop', through: { name: 'settings' } }] },
    ],
  });
});

it.skipIf(process.platform === 'win32')(
  'takes none from the configuration that others can write to',
  async () => {
    const home = folderOf({});
    const file = path.join(home, 'kubectl-gc-tree', 'catalogue.yaml');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, catalogue);
    chmodSync(file, 0o666);
    const { err } = await command('why cm/ledger -n shop -f - --closed-world', {
      stdin: held,
      env: { XDG_CONFIG_HOME: home },
    });
    expect(err).toContain(`${file} can be written to by other users (mode 0666)`);
  },
);

it.skipIf(process.platform === 'win32')('refuses a pipe in its place in the configuration', async () => {
  const home = folderOf({});
  const file = path.join(home, 'kubectl-gc-tree', 'catalogue.yaml');
  mkdirSync(path.dirname(file), { recursive: true });
  execFileSync('mkfifo', ['-m', '600', file]);
  const { err, exitCode } = await command('why cm/ledger -n shop -f - --closed-world', {
    stdin: held,
    env: { XDG_CONFIG_HOME: home },
  });
  expect(err).toBe(`kubectl gc-tree: the catalogue ${file} is no file.\n`);
  expect(exitCode).toBe(2);
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { FindingList } from '../../../../src/cli/documents/definitions.ts';
import { command, SmallSource } from '../../console.ts';
import { elementsOf } from '../../documents/xml-reader.ts';

const troubled = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Namespace, name: infra, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Deployment, name: api, spec: {replicas: 0}}
- {kind: Secret, name: cert, namespace: infra, owners: [apps/v1 Deployment api]}
- {kind: ClusterRole, name: read-all, namespace: "", owners: [apps/v1 Deployment api]}
`;

// The clock of the console stands at noon of 2026-11-21.
const entry = (fields: string): string =>
  `apiVersion: gc-tree.dev/v1alpha1\nkind: Baseline\nfindings:\n${fields}`;
const cert = 'OwnerInOtherNamespace/Secret/infra/cert';
const role = 'NamespacedOwnerOfClusterScoped/ClusterRole.rbac.authorization.k8s.io/read-all';
const known = (id: string, expires = '2026-12-31', more = ''): string =>
  `  - {id: '${id}', reason: OPS-12, expires: ${expires}${more}}\n`;

function fileOf(text: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'gc-tree-baseline-')), 'baseline.yaml');
  writeFileSync(file, text);
  return file;
}

function run(words: string) {
  return command(words, { source: new SmallSource(troubled) });
}

async function against(text: string, words = 'check -A') {
  const file = fileOf(text);
  const result = await run(`${words} --baseline ${file}`);
  return { ...result, out: result.out.replaceAll(file, 'FILE'), err: result.err.replaceAll(file, 'FILE') };
}

describe('check --baseline', () => {
  test('what -o baseline writes leaves every finding out, and the exit code is 0', async () => {
    const written = await run('check -A -o baseline');
    expect([written.exitCode, written.err]).toEqual([0, '']);
    const schema = JSON.parse((await command('schema Baseline')).out) as object;
    expect(new Ajv2020().validate(schema, parse(written.out))).toBe(true);
    const { out, exitCode } = await against(written.out);
    expect([exitCode, out]).toEqual([
      0,
      'No findings in 5 objects.\n2 known findings are left out by FILE.\n',
    ]);
  });

  test('leaves out a finding by its id, and by a pattern of names', async () => {
    for (const id of [cert, `${cert}#Deployment.apps/api`, 'OwnerInOtherNamespace/Secret/inf*/c*t']) {
      const { out, exitCode } = await against(entry(known(id)));
      expect(out).toContain('1 known finding is left out by FILE.');
      expect(out).not.toContain('infra/cert');
      expect(exitCode).toBe(1);
    }
  });

  test.each([
    `${cert}#Deployment.apps/other`,
    'OwnerInOtherNamespace/Secret/*',
    'OwnerRecreated/Secret/infra/cert',
  ])('leaves out nothing else: %s', async id => {
    const { out } = await against(entry(known(id)).replace('/Secret/*', '/Secret/x*'));
    expect(out).toContain('infra/cert');
    expect(out).toContain('1 entry of FILE matches nothing any more:');
  });

  test('counts through the last day, and says of what has expired that it counts again', async () => {
    expect((await against(entry(known(cert, '2026-11-21') + known(role)))).exitCode).toBe(0);
    const { out, exitCode } = await against(entry(known(cert, '2026-11-20') + known(role)));
    expect(exitCode).toBe(1);
    expect(out).toContain('infra/cert');
    expect(out).toContain(
      `1 entry of FILE has expired, so 1 finding counts again: ${cert} (2026-11-20: OPS-12).\n`,
    );
  });

  test('counts what is worse than it was known to be', async () => {
    const { out, exitCode } = await against(
      entry(known(cert, '2026-12-31', ', severity: warning') + known(role)),
    );
    expect(exitCode).toBe(1);
    expect(out).toContain(`1 finding is worse than FILE says, and counts: ${cert}.`);
  });

  test('says of an entry that it matches nothing only where everything was looked at', async () => {
    const text = entry(
      known(cert) + known('OwnerCycle/ConfigMap/shop/gone') + known('OwnerCycle/ConfigMap/infra/gone'),
    );
    expect((await against(text, 'check -n infra')).out).toContain(
      '1 entry of FILE matches nothing any more: OwnerCycle/ConfigMap/infra/gone. Remove it.',
    );
    expect((await against(text, 'check secret/cert -n infra')).out).not.toContain('any more');
    expect((await against(text, 'check -A --codes OwnerInOtherNamespace')).out).not.toContain('any more');
  });

  test('reports say what is known, and why', async () => {
    const text = entry(known(cert) + known('OwnerCycle/ConfigMap/shop/gone'));
    const document = JSON.parse((await against(text, 'check -A -o json')).out) as FindingList;
    expect(document.items.map(({ code }) => code)).toEqual(['NamespacedOwnerOfClusterScoped']);
    expect(document.baseline).toMatchObject({
      file: 'FILE',
      known: [{ id: `${cert}#Deployment.apps/api`, entry: cert, reason: 'OPS-12', expires: '2026-12-31' }],
      expired: [],
      worse: [],
      unmatched: ['OwnerCycle/ConfigMap/shop/gone'],
    });
    const schema = JSON.parse((await command('schema FindingList')).out) as object;
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(schema, document), JSON.stringify(ajv.errors)).toBe(true);
    const junit = (await against(text, 'check -A -o junit')).out;
    expect(elementsOf(junit, 'skipped')[0]?.attributes['message']).toBe('known until 2026-12-31: OPS-12');
    expect(elementsOf(junit, 'failure')).toHaveLength(1);
    const sarif = (await against(text, 'check -A -o sarif')).out;
    expect(sarif).toContain('"justification": "OPS-12"');
    const github = (await against(text, 'check -A -o github')).out;
    expect(github).toContain('::notice title=kubectl gc-tree check::1 known finding is left out by FILE.\n');
    expect(github).not.toContain('infra/cert');
    expect((await against(text, 'check -A -o markdown')).out).toContain(
      '1 entry of FILE matches nothing any more',
    );
  });

  test('is written on from what is known, with its reasons', async () => {
    const { out, exitCode } = await against(entry(known(cert)), 'check -A -o baseline');
    expect(exitCode).toBe(0);
    const { findings } = parse(out) as { findings: { id: string; reason: string; expires: string }[] };
    expect(findings).toEqual([
      { id: cert, reason: 'OPS-12', expires: '2026-12-31' },
      expect.objectContaining({ reason: 'known since 2026-11-21', expires: '2027-02-19' }),
    ]);
  });

  test.each([
    ['', 'line 1: a baseline has apiVersion, kind and findings'],
    ['findings: []', 'line 1: apiVersion is missing'],
    [entry('  - {id: a/b/c, reason: x}\n'), 'line 4: findings[0].expires is missing'],
    [
      entry(known('a/b/c', '2026-02-30')),
      'line 4: findings[0].expires is 2026-02-30, and there is no such day',
    ],
    [entry(known('a/b/c', 'tomorrow')), 'line 4: findings[0].expires must be a day: 2027-01-31'],
    [entry(known('a/b/c').replace('OPS-12', '" "')), 'line 4: findings[0].reason is empty'],
    [entry(known('a')), 'line 4: findings[0].id must be the id of a finding'],
    [entry(known('a/b/c', '2026-12-31', ', owner: me')), 'line 4: findings[0].owner is no field'],
    [entry('  - {id: [\n'), 'line 5: '],
  ])('a bad file is one line, and exit code 2: %j', async (text, message) => {
    const { out, err, exitCode } = await against(text);
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err.split('\n')).toHaveLength(2);
    expect(err).toContain(`kubectl gc-tree: the baseline FILE: ${message}`);
  });

  test('a missing file says how to write one', async () => {
    const { err, exitCode } = await run('check --baseline /nowhere/b.yaml');
    expect([exitCode, err]).toEqual([
      2,
      'kubectl gc-tree: the baseline /nowhere/b.yaml cannot be read: there is no such file; check -o baseline > FILE writes one.\n',
    ]);
  });
});

describe('findings that say the same', () => {
  const deleted = 'deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0';
  const namespace = (state: string): string => `
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: ns${state}}, spec: {finalizers: [kubernetes]}}`;
  const held = (name: string): string => `
- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: shop, uid: ${name}, ${deleted}, finalizers: [example.com/${name}]}}`;
  const set = `
- {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web, namespace: shop, uid: web, ${deleted}, finalizers: [foregroundDeletion]}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-0, namespace: shop, uid: web-0, ${deleted}, finalizers: [example.com/drain], ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: web, controller: true, blockOwnerDeletion: true}]}
  spec: {nodeName: n1, containers: [{name: a, image: a}]}
  status: {phase: Succeeded}`;

  async function check(items: string, words: string) {
    const stdin = `apiVersion: v1\nkind: List\nitems:${items}\n`;
    return command(`check -A -f - --closed-world ${words}`, { stdin });
  }

  const ids = (baseline: string): string[] =>
    (parse(baseline) as { findings: { id: string }[] }).findings.map(({ id }) => id.replace(/#.*/u, ''));

  test.each([
    [
      'a stuck namespace',
      `${namespace(`, ${deleted}`)}${held('a')}`,
      'FinalizerWithoutController/ConfigMap/shop/a',
    ],
    ['a stuck StatefulSet', `${namespace('')}${set}`, 'PodHeldByFinalizer/Pod/shop/web-0'],
  ])('are one entry of %s', async (_, items, id) => {
    expect((await check(items, '')).out).toMatch(/^[2-9] findings/mu);
    const written = await check(items, '-o baseline --by-cause=false');
    expect(ids(written.out)).toEqual([id]);
    const { exitCode, out } = await check(items, `--baseline ${fileOf(written.out)}`);
    expect(exitCode, out).toBe(0);
  });

  test('hide nothing that is held later, and no namespace that gets stuck later', async () => {
    const stuck = namespace(`, ${deleted}`);
    const first = fileOf((await check(`${stuck}${held('a')}`, '-o baseline --by-cause=false')).out);
    const later = await check(`${stuck}${held('a')}${held('b')}`, `--baseline ${first}`);
    expect(later.exitCode).toBe(1);
    expect(later.out).toContain('shop/b');
    const before = fileOf((await check(`${namespace('')}${held('a')}`, '-o baseline --by-cause=false')).out);
    const after = await check(`${stuck}${held('a')}`, `--baseline ${before}`);
    expect(after.exitCode).toBe(1);
    expect(after.out).toContain('NamespaceContentStuck');
  });

  describe('a known cause', () => {
    const stuck = namespace(`, ${deleted}`);
    const other = held('b').replace('example.com/b', 'example.com/a');

    test('is one entry, and leaves out what it holds later', async () => {
      const written = (await check(`${namespace('')}${held('a')}`, '-o baseline')).out;
      expect(ids(written)).toEqual(['Cause/finalizer/example.com/a']);
      expect((await check(`${namespace('')}${held('a')}${other}`, '-o baseline')).out).toBe(written);
      const later = await check(`${stuck}${held('a')}${other}`, `--baseline ${fileOf(written)}`);
      expect(later.exitCode, later.out).toBe(0);
      expect(later.out).toContain('3 known findings are left out');
    });

    test('leaves out nothing that another cause holds, or that is worse', async () => {
      const written = (await check(`${stuck}${held('a')}`, '-o baseline')).out;
      const later = await check(`${stuck}${held('a')}${held('b')}`, `--baseline ${fileOf(written)}`);
      expect([later.exitCode, later.out.includes('shop/b')]).toEqual([1, true]);
      const milder = fileOf(written.replaceAll('severity: error', 'severity: warning'));
      const worse = await check(`${stuck}${held('a')}`, `--baseline ${milder}`);
      expect(worse.exitCode).toBe(1);
      expect(worse.out).toContain('2 findings are worse than');
    });

    test('is said to match nothing only if everything was looked at', async () => {
      const file = fileOf(entry(known('Cause/finalizer/example.com/gone')));
      expect((await check(stuck, `--baseline ${file}`)).out).toContain('matches nothing any more');
      for (const part of ['--codes OwnerCycle', '--exclude-codes OwnerCycle'])
        expect((await check(stuck, `--baseline ${file} ${part}`)).out).not.toContain('any more');
    });

    test('of faulty references isn’t what waits for the same object, nor another fault', async () => {
      const fault = fileOf(
        entry(known('Cause/Deployment.apps/shop/api#OwnerInOtherNamespace') + known(role)),
      );
      const knows = (file: string) =>
        command(`check -A --baseline ${file}`, { source: new SmallSource(troubled) });
      expect((await knows(fault)).exitCode).toBe(0);
      for (const id of ['Deployment.apps/shop/api', 'Deployment.apps/shop/api#OwnerRecreated'])
        expect((await knows(fileOf(entry(known(`Cause/${id}`) + known(role))))).exitCode).toBe(1);
    });
  });
});

/** `check` in a pipeline: what GitHub shows of it, Markdown, and that nothing unseen passes for clean. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { elementsOf } from '../../documents/xml-reader.ts';

const troubled = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Deployment, name: api, spec: {replicas: 0}}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap settings, example.com/v1 Widget theme]}
- {kind: ClusterRole, name: read-all, namespace: "", owners: [apps/v1 Deployment api]}
`;
const sound = '- {kind: ConfigMap, name: alone}';

function run(words: string, setting: Setting = {}) {
  return command(words, { source: new SmallSource(troubled), ...setting });
}

/** Secrets may not be listed. */
function blindSource(): SmallSource {
  const type = builtInTypes.find(({ kind }) => kind === 'Secret');
  if (type === undefined) throw new Error('no type of Secrets');
  return new SmallSource(sound, {
    statuses: [{ type, state: 'blind', count: 0, facts: true, reason: '403' }],
  });
}

function folder(): string {
  return mkdtempSync(path.join(tmpdir(), 'gc-tree-report-'));
}

describe('on GitHub', () => {
  test('each finding is an annotation of its severity, and the step says what was looked at', async () => {
    const { out, err, exitCode } = await run('check -A -o github');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^::error title=ClusterRole read-all%3A NamespacedOwnerOfClusterScoped::ClusterRole read-all .+%0Akubectl gc-tree why clusterrole\/read-all%0Ahttps:\/\/.+#namespacedownerofclusterscoped$/u,
    );
    expect(lines.at(-1)).toMatch(/^::notice title=kubectl gc-tree check::\d findings .+ in 4 objects\.$/u);
    expect([err, exitCode]).toEqual(['', 1]);
  });

  test('objects of files are annotated where they stand', async () => {
    const workspace = folder();
    const file = path.join(workspace, 'broken.yaml');
    writeFileSync(
      file,
      '# first\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: all\n  uid: a\n  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: b, uid: b}]\n',
    );
    const { out } = await command(`check -f ${file} --closed-world -o github`, {
      env: { GITHUB_WORKSPACE: workspace },
    });
    expect(out).toMatch(/^::\w+ file=broken\.yaml,line=\d,title=ClusterRole all%3A Namesp/mu);
  });

  test('the summary of the job is appended to, and is what -o markdown prints', async () => {
    const summary = path.join(folder(), 'summary.md');
    writeFileSync(summary, 'before\n');
    await run('check -A -o github', { env: { GITHUB_STEP_SUMMARY: summary } });
    const { out, exitCode } = await run('check -A -o markdown');
    expect(exitCode).toBe(1);
    expect(readFileSync(summary, 'utf8')).toBe(`before\n${out}`);
    expect(out).toMatch(/^### kubectl gc-tree check\n\n\d findings .+ in 4 objects\.\n\n\| Severity \|/u);
    expect(out).toContain('\n| error | ClusterRole -/read-all | [NamespacedOwnerOfClusterScoped](https://');
  });

  test('a summary is cut where GitHub would refuse it whole', async () => {
    const summary = path.join(folder(), 'summary.md');
    writeFileSync(summary, 'x'.repeat(1024 * 1024 - 400));
    await run('check -A -o github', { env: { GITHUB_STEP_SUMMARY: summary } });
    const text = readFileSync(summary, 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/The rest is left out: a summary has at most 1 MiB\.\n$/u);
  });

  test('a summary that cannot be written changes no exit code', async () => {
    const { err, exitCode } = await run('check -A -o github', {
      env: { GITHUB_STEP_SUMMARY: path.join(folder(), 'nowhere', 'summary.md') },
    });
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^Warning: the job summary .+ cannot be written \(ENOENT\)\.\n$/u);
  });
});

describe('what could not be seen', () => {
  test('is an annotation, and with --fail-on-incomplete a failure', async () => {
    const told = await command('check -o github', { source: blindSource() });
    expect(told.out).toContain(
      '::warning title=kubectl gc-tree check%3A not everything was seen::What could not be seen is not known to be free of findings: 1 kind could not be seen: secrets (403).\n',
    );
    expect(told.exitCode).toBe(0);
    const failed = await command('check -o github --fail-on-incomplete', { source: blindSource() });
    expect(failed.out).toContain('::error title=kubectl gc-tree check%3A not everything was seen::');
    expect([failed.exitCode, failed.err]).toEqual([
      1,
      '--fail-on-incomplete: 1 kind could not be seen: secrets (403).\n',
    ]);
  });

  test('is a failed case in JUnit where it fails the command, and a skipped one where it does not', async () => {
    const told = await command('check -o junit', { source: blindSource() });
    expect([elementsOf(told.out, 'skipped').length, elementsOf(told.out, 'failure').length]).toEqual([1, 0]);
    const failed = await command('check -o junit --fail-on-incomplete', { source: blindSource() });
    expect([elementsOf(failed.out, 'skipped').length, elementsOf(failed.out, 'failure').length]).toEqual([
      0, 1,
    ]);
    expect(elementsOf(failed.out, 'testsuites')[0]?.attributes['failures']).toBe('1');
  });

  test('is nothing where all was seen, and a lost connection is something', async () => {
    expect((await command('check --fail-on-incomplete', { source: new SmallSource(sound) })).exitCode).toBe(
      0,
    );
    const source = new SmallSource(sound, {
      connection: { state: 'lost', reason: 'refused', since: Date.parse('2026-11-21T11:59:00Z') },
    });
    const { err, exitCode } = await command('check --fail-on-incomplete', { source });
    expect(exitCode).toBe(1);
    expect(err).toContain('--fail-on-incomplete: The connection is lost');
  });

  test('is what files do not hold, too', async () => {
    const stdin = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n';
    expect((await command('check -f - --fail-on-incomplete', { stdin })).exitCode).toBe(1);
    expect((await command('check -f - --fail-on-incomplete --closed-world', { stdin })).exitCode).toBe(0);
  });
});

test('why, plan and podgc print Markdown with all that they say', async () => {
  const why = await run('why cm/below -o markdown');
  expect(why.out).toMatch(/^### ConfigMap shop\/below\n\n```text\nConfigMap shop\/below /u);
  const plan = await run('plan delete cm/below -o markdown');
  expect(plan.out).toMatch(/^### kubectl gc-tree plan\n\nDeleting ConfigMap shop\/below .+\n\n```text\n/u);
  const podgc = await run('podgc -o markdown');
  expect(podgc.out).toMatch(/^### kubectl gc-tree podgc\n\n```text\n/u);
});

describe('a cause of several objects', () => {
  const heldBy = (name: string, namespace: string) =>
    `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}, uid: ${name}, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.com/keep]}}\n`;
  const stdin = `apiVersion: v1\nkind: List\nitems:\n${['a', 'b', 'c'].map(each => heldBy(each, `ns-${each}`)).join('')}`;
  const check = (words: string) => command(`check -A -f - --closed-world ${words}`, { stdin });
  const id = 'finalizer/example.com/keep';

  test('is one case in JUnit, and each finding is one with --by-cause=false or --codes', async () => {
    const { out, exitCode } = await check('-o junit');
    expect(exitCode).toBe(1);
    expect(elementsOf(out, 'failure')).toHaveLength(1);
    expect(elementsOf(out, 'testcase')[0]?.attributes).toMatchObject({
      classname: 'cluster.FinalizerWithoutController',
      name: id,
    });
    expect(elementsOf(out, 'testsuites')[0]?.attributes).toMatchObject({ tests: '2', failures: '1' });
    expect(elementsOf(out, 'failure')[0]?.attributes['message']).toBe(
      'example.com/keep: nothing in this cluster handles example.com: holds 3 objects',
    );
    expect(out).toContain('ConfigMap ns-c/c is stuck');
    for (const words of ['--by-cause=false', '--codes FinalizerWithoutController']) {
      const each = (await check(`-o junit ${words}`)).out;
      expect(elementsOf(each, 'failure')).toHaveLength(3);
      expect(elementsOf(each, 'testsuites')[0]?.attributes).toMatchObject({ tests: '4', failures: '3' });
    }
  });

  test('holds no object that carries its finalizer and is not being deleted', async () => {
    const alive = heldBy('d', 'ns-d').replace('deletionTimestamp: "2026-01-01T00:00:00Z", ', '');
    const { out } = await command('check -A -f - --closed-world -o json', { stdin: `${stdin}${alive}` });
    const { causes } = JSON.parse(out) as { causes: { id: string; holds: { name: string }[] }[] };
    expect(causes.map(cause => [cause.id, ...cause.holds.map(({ name }) => name)])).toEqual([
      [id, 'a', 'b', 'c'],
      [`${id}#FinalizerHandlerAbsent`, 'd'],
    ]);
  });

  test('is one skipped case in JUnit if a baseline knows it', async () => {
    const file = path.join(folder(), 'baseline.yaml');
    writeFileSync(file, (await check('-o baseline')).out);
    const { out, exitCode } = await check(`-o junit --baseline ${file}`);
    expect(exitCode).toBe(0);
    expect(elementsOf(out, 'skipped')).toHaveLength(1);
    expect(elementsOf(out, 'testsuites')[0]?.attributes).toMatchObject({ tests: '2', failures: '0' });
  });

  test('is one result in SARIF, with what it holds as related locations', async () => {
    const resultsOf = async (words: string) => {
      const log = JSON.parse((await check(`-o sarif ${words}`)).out) as {
        runs: { results: { ruleId: string; partialFingerprints: object; relatedLocations?: object[] }[] }[];
      };
      return log.runs[0]?.results ?? [];
    };
    const [only, ...more] = await resultsOf('');
    expect(more).toEqual([]);
    expect(only).toMatchObject({
      ruleId: 'FinalizerWithoutController',
      partialFingerprints: { 'causeId/v1': id },
      relatedLocations: ['a', 'b', 'c'].map(each => ({ message: { text: `ConfigMap ns-${each}/${each}` } })),
    });
    const each = await resultsOf('--by-cause=false');
    expect(each.map(({ partialFingerprints }) => partialFingerprints)).toEqual(
      ['a', 'b', 'c'].map(name => ({
        'findingId/v1': `FinalizerWithoutController/ConfigMap/ns-${name}/${name}`,
      })),
    );
  });

  test('is one annotation on GitHub, and one row in Markdown', async () => {
    const annotations = async (words: string) =>
      (await check(`-o github ${words}`)).out.split('\n').filter(each => each.startsWith('::error'));
    expect(await annotations('')).toEqual([
      `::error title=${id}::example.com/keep: nothing in this cluster handles example.com: holds 3 objects: ConfigMap ns-a/a, ConfigMap ns-b/b and ConfigMap ns-c/c`,
    ]);
    expect(await annotations('--by-cause=false')).toHaveLength(3);
    const rows = async (words: string) =>
      (await check(`-o markdown ${words}`)).out.split('\n').filter(each => each.startsWith('| error'));
    expect(await rows('')).toEqual([expect.stringContaining(id)]);
    expect(await rows('--by-cause=false')).toHaveLength(3);
  });
});

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WaitResult } from '../../../../src/cli/documents/definitions.ts';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { type JsonObject, SourceError } from '../../../../src/source/source.ts';
import { folderOf } from '../../../source/files/reading.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { elementsOf } from '../../documents/xml-reader.ts';

const shop = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, name: going, labels: {app: web}, deletionTimestamp: "2026-11-21T11:59:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, name: alive}
`;

function objectOf(name: string): KubeObject {
  for (const change of objects(shop))
    if (change.op === 'upsert' && change.object.name === name) return change.object;
  throw new Error(`no ${name}`);
}

/** What a GET of an object answers: its uid, undefined where there is none, or a failure. */
type Answer = string | undefined | SourceError;

/** Tells at the first word of progress that these objects are gone, by name. */
class Cluster extends SmallSource {
  readonly answers = new Map<string, Answer>();
  readonly asked: string[] = [];

  override get(_: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    this.asked.push(`${namespace}/${name}`);
    const answer = this.answers.get(name);
    if (answer instanceof SourceError) return Promise.reject(answer);
    return Promise.resolve(answer === undefined ? undefined : { metadata: { uid: answer } });
  }

  go(name: string): void {
    const gone = objectOf(name);
    this.emit({ changes: [{ op: 'delete', uid: gone.uid, type: gone.type }] });
  }
}

function run(
  words: string,
  given: { gone?: readonly string[]; answers?: Record<string, Answer> } & Setting = {},
) {
  const { gone = [], answers = {}, ...setting } = given;
  const source = new Cluster(shop);
  for (const [name, answer] of Object.entries(answers)) source.answers.set(name, answer);
  let told = false;
  return command(`wait ${words}`, {
    source,
    onError: () => {
      if (told) return;
      told = true;
      for (const name of gone) source.go(name);
    },
    ...setting,
  });
}

async function json(words: string, given: Parameters<typeof run>[1] = {}) {
  const { out, exitCode } = await run(`${words} -o json`, given);
  const { outcome, items } = JSON.parse(out) as WaitResult;
  return { exitCode, outcome, items };
}

const blind = (kind: string): Partial<SourceBatch> => {
  const type = builtInTypes.find(each => each.kind === kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  return { statuses: [{ type, state: 'blind', count: 0, facts: true, reason: '403' }] };
};

describe('wait --for=delete', () => {
  test('ends when the objects are deleted', async () => {
    const { out, err, exitCode } = await run('cm/going --for=delete --timeout=9s', { gone: ['going'] });
    expect([out, exitCode]).toEqual(['ConfigMap shop/going is deleted, after 0s.\n', 0]);
    expect(err).toBe('kubectl gc-tree: waiting for ConfigMap shop/going to be deleted\n');
  });

  test('takes what is not there at the start for deleted', async () => {
    expect(await run('cm/nosuch --for=delete')).toMatchObject({
      out: 'ConfigMap shop/nosuch is not there.\n',
      err: '',
      exitCode: 0,
    });
    // Nor is the namespace.
    expect((await run('cm/going -n nosuch --for=delete')).exitCode).toBe(0);
  });

  test('says why where the time is up', async () => {
    const { out, exitCode } = await run('cm/held cm/alive --for=delete --timeout=3s');
    const [held, alive, more] = out.split('\n');
    expect(held).toMatch(/^Still there after 3s: ConfigMap shop\/held .+ example\.com\/hold/u);
    expect(alive).toMatch(/^Still there after 3s: ConfigMap shop\/alive /u);
    expect(more).toBe('More: kubectl gc-tree why configmap/held -n shop');
    expect(exitCode).toBe(1);
  });

  test('looks once with --timeout=0, and a week with a negative one', async () => {
    const once = await run('cm/held --for=delete --timeout=0');
    expect([once.exitCode, once.err]).toEqual([1, '']);
    expect(once.out).toMatch(/^Still there: ConfigMap shop\/held/u);
    const { timeoutSeconds } = JSON.parse(
      (await run('cm/going --for=delete --timeout=-1s -o json', { gone: ['going'] })).out,
    ) as WaitResult;
    expect(timeoutSeconds).toBe(7 * 24 * 60 * 60);
  });

  test('takes the same name with another uid for deleted, and tells it', async () => {
    const { items, exitCode, outcome } = await json('cm/going --for=delete --timeout=9s', {
      gone: ['going'],
      answers: { going: 'another' },
    });
    expect([exitCode, outcome]).toEqual([0, 'Reached']);
    expect(items).toMatchObject([
      { outcome: 'Recreated', object: { name: 'going' }, recreated: { name: 'going', uid: 'another' } },
    ]);
  });

  test('waits for what a selector or --all means at the start', async () => {
    const selected = await json('cm -l app=web --for=delete --timeout=9s', { gone: ['going'] });
    expect(selected.items.map(({ object, outcome }) => `${object.name} ${outcome}`)).toEqual([
      'going Deleted',
    ]);
    const all = await json('cm --all --for=delete --timeout=2s', { gone: ['going'] });
    expect(all.items.map(({ object, outcome }) => `${object.name} ${outcome}`).sort()).toEqual([
      'alive Remaining',
      'going Deleted',
      'held Remaining',
    ]);
    expect(all.exitCode).toBe(1);
  });

  test('says that nothing is selected, which --fail-on-empty makes a failure', async () => {
    expect(await run('cm -l app=nosuch --for=delete')).toMatchObject({
      out: '',
      err: 'No resources found in shop namespace.\n',
      exitCode: 0,
    });
    expect((await run('cm -l app=nosuch --for=delete --fail-on-empty')).exitCode).toBe(1);
    const { out } = await run('cm -l app=nosuch --for=delete -o junit');
    expect(elementsOf(out, 'testcase').map(({ attributes }) => attributes['name'])).toEqual([
      '0 objects waited for',
    ]);
  });
});

describe('wait -f', () => {
  const configMap = (name: string, more = ''): string =>
    `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;
  const written = (...manifests: readonly string[]): string =>
    `${folderOf({ 'all.yaml': manifests.join('') })}/all.yaml`;
  const told = async (words: string, given: Parameters<typeof run>[1] = {}) => {
    const { items, exitCode } = await json(`${words} --for=delete --timeout=2s`, given);
    return [exitCode, ...items.map(({ object, outcome }) => `${object.namespace}/${object.name} ${outcome}`)];
  };

  test('waits for what the files name, and takes what is not there for deleted', async () => {
    const file = written(
      configMap('going', ', labels: {app: nothing-of-the-cluster}'),
      configMap('nosuch'),
      configMap('nosuch', ', namespace: infra'),
    );
    expect(await told(`-f ${file}`, { gone: ['going'] })).toEqual([
      0,
      'shop/going Deleted',
      'shop/nosuch Absent',
      'infra/nosuch Absent',
    ]);
  });

  test('says how to ask about what is still there without the files', async () => {
    const { out, exitCode } = await run(`-f ${written(configMap('held'))} --for=delete --timeout=2s`);
    expect([exitCode, out.split('\n')[1]]).toEqual([1, 'More: kubectl gc-tree why configmap/held -n shop']);
  });

  test('asks the API server for what a list does not hold yet', async () => {
    const file = written(configMap('young'));
    expect(await told(`-f ${file}`, { answers: { young: 'u' } })).toEqual([2, 'shop/young Unknown']);
  });

  test('goes with -l by the labels in the cluster', async () => {
    const file = written(configMap('going'), configMap('held', ', labels: {app: web}'));
    const gone = { gone: ['going'] };
    expect(await told(`-f ${file} -l app=web`, gone)).toEqual([0, 'shop/going Deleted']);
    expect(await run(`-f ${file} -l app=nosuch --for=delete`)).toMatchObject({
      err: 'No resources found in shop namespace.\n',
      exitCode: 0,
    });
  });

  test('reads folders in a folder with -R alone', async () => {
    const folder = folderOf({ 'a.yaml': configMap('nosuch'), 'below/b.yaml': configMap('held') });
    expect(await told(`-f ${folder}`)).toEqual([0, 'shop/nosuch Absent']);
    expect(await told(`-f ${folder} -R`)).toEqual([1, 'shop/held Remaining', 'shop/nosuch Absent']);
  });

  test.each([
    [
      'a kind that is not served',
      '---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n',
      '',
      'it serves no kind Widget',
    ],
    ['another namespace than that of -n', configMap('x', ', namespace: infra'), '-n shop', '-n says shop'],
    ['-A where a manifest names no namespace', configMap('x'), '-A', 'names no namespace'],
    ['a selector of fields', configMap('x'), '--field-selector metadata.name=x', '-f names what to wait for'],
    ['--all', configMap('x'), '--all', '-f names what to wait for'],
    [
      'what says that files are all there is',
      configMap('x'),
      '--closed-world',
      'unknown flag for wait: --closed-world',
    ],
    [
      'a kind that cannot be seen',
      '---\napiVersion: v1\nkind: Secret\nmetadata: {name: x}\n',
      '',
      'secrets cannot be listed',
    ],
  ])('refuses %s', async (_, manifest, flags, message) => {
    const source = new SmallSource(shop, blind('Secret'));
    const { out, err, exitCode } = await command(
      `wait -f ${written(manifest)} ${flags} --for=delete`.replace('  ', ' '),
      { source },
    );
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err.replaceAll(/\s+/gu, ' ')).toContain(message);
  });
});

describe('wait never takes for deleted', () => {
  test('what a list does not hold yet, and the API server has', async () => {
    const { items, exitCode } = await json('cm/young --for=delete --timeout=2s', { answers: { young: 'u' } });
    expect(exitCode).toBe(2);
    expect(items).toMatchObject([
      { outcome: 'Unknown', because: expect.stringContaining('the watch does not') },
    ]);
  });

  test('what the watch has lost, and the API server has', async () => {
    const { items, exitCode } = await json('cm/going --for=delete --timeout=2s', {
      gone: ['going'],
      answers: { going: objectOf('going').uid },
    });
    expect([exitCode, items[0]?.outcome]).toEqual([2, 'Unknown']);
  });

  test('what nobody can ask about', async () => {
    const failed = new SourceError('the API server answered 500.', { status: 500 });
    for (const [words, gone] of [
      ['cm/nosuch', []],
      ['cm/going', ['going']],
    ] as const) {
      const answers = { nosuch: failed, going: failed };
      const { items, exitCode } = await json(`${words} --for=delete --timeout=2s`, { gone, answers });
      expect([exitCode, items[0]?.outcome]).toEqual([2, 'Unknown']);
    }
  });

  test('a kind that cannot be listed, in a category either', async () => {
    for (const words of ['secret/x', 'secrets --all', 'cm,secret --all']) {
      const { out, err, exitCode } = await command(`wait ${words} --for=delete`, {
        source: new SmallSource(shop, blind('Secret')),
      });
      expect([out, exitCode]).toEqual(['', 2]);
      expect(err).toMatch(/^kubectl gc-tree: secrets cannot be listed/u);
    }
    const { err, exitCode } = await command('wait all --all --for=delete', {
      source: new SmallSource(shop, blind('Pod')),
    });
    expect([exitCode, err]).toEqual([
      2,
      'kubectl gc-tree: pods cannot be listed (403), so it is unknown when they are deleted.\n',
    ]);
  });

  test('anything once the connection is lost', async () => {
    const source = new Cluster(shop);
    for (const name of ['going', 'held']) source.answers.set(name, new SourceError('connection refused.'));
    const { out, exitCode } = await command('wait cm/going cm/held --for=delete --timeout=2s', {
      source,
      onError: text => {
        if (text.includes('lost')) return;
        source.emit({
          changes: [],
          connection: { state: 'lost', reason: 'refused', since: Date.parse('2026-11-21T12:00:00Z') },
        });
        source.go('going');
      },
    });
    expect(exitCode).toBe(2);
    expect(out).toBe(
      'Whether ConfigMap shop/going is still there is unknown: The connection is lost: this is as of what was last seen.\nWhether ConfigMap shop/held is still there is unknown: The connection is lost: this is as of what was last seen.\n',
    );
  });

  test('but says what holds an object that the API server still has, though something is not followed', async () => {
    const source = new Cluster(shop, {
      connection: { state: 'catchingUp', cause: 'delayed', since: Date.parse('2026-11-21T12:00:00Z') },
    });
    source.answers.set('held', objectOf('held').uid);
    const { out, exitCode } = await command('wait cm/held --for=delete --timeout=2s', { source });
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^Still there after 2s: ConfigMap shop\/held .+ example\.com\/hold/u);
  });

  test('but takes the word of the watch where a GET is forbidden', async () => {
    const forbidden = new SourceError('forbidden.', { status: 403 });
    const { exitCode, items } = await json('cm/going --for=delete --timeout=9s', {
      gone: ['going'],
      answers: { going: forbidden },
    });
    expect([exitCode, items[0]?.outcome]).toEqual([0, 'Deleted']);
  });
});

describe('reports of wait', () => {
  test('JUnit has a case for each object, failed where it is still there', async () => {
    const { out } = await run('cm/held cm/nosuch --for=delete --timeout=2s -o junit');
    expect(elementsOf(out, 'testsuites')[0]?.attributes).toMatchObject({
      tests: '3',
      failures: '1',
      errors: '0',
    });
    const [failure] = elementsOf(out, 'failure');
    expect(failure?.attributes['type']).toBe('FinalizerWithoutController');
    expect(failure?.text).toContain('held by finalizer example.com/hold');
    const answers = { held: new SourceError('no.', { status: 500 }) };
    const unknown = await run('cm/held --for=delete --timeout=2s -o junit', { gone: ['held'], answers });
    expect(elementsOf(unknown.out, 'error')).toHaveLength(1);
  });

  test('GitHub gets an error for what is still there, and a summary', async () => {
    const summary = path.join(mkdtempSync(path.join(tmpdir(), 'gc-tree-wait-')), 'summary.md');
    const { out } = await run('cm/held cm/going --for=delete --timeout=2s -o github', {
      gone: ['going'],
      answers: { going: 'another' },
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(out).toMatch(
      /^::error title=ConfigMap shop\/held%3A not deleted::Still there after 2s: .+%0Akubectl gc-tree why configmap\/held -n shop\n::notice title=ConfigMap shop\/going%3A recreated::.+\n::notice title=kubectl gc-tree wait::1 object deleted \(1 recreated\), 1 still there\.\n$/u,
    );
    expect(readFileSync(summary, 'utf8')).toMatch(
      /^### kubectl gc-tree wait\n[^]+\n### ConfigMap shop\/held\n\n```text\n/u,
    );
  });
});

test.each([
  ['cm/held', 'say what to wait for: wait TYPE/NAME --for=delete.'],
  [
    'cm/held --for=condition=Ready',
    'only --for=delete is waited for here. kubectl wait knows the other conditions.',
  ],
  ['--for=delete', 'name the objects to wait for'],
  ['cm --for=delete', 'write cm/NAME, or select with -l or --all.'],
  ['cm/held --for=delete -f x.yaml', 'wait needs something that changes: leave -f out.'],
  ['-f README.md --for=delete --replay x', 'wait needs something that changes: leave --replay out.'],
  ['cm/held --for=delete --timeout=soon', '--timeout: soon is no duration.'],
  ['cm/held --for=delete -o sarif', 'wait cannot print sarif, which is for check.'],
  ['widget/x --for=delete', 'the server doesn\'t have a resource type "widget".'],
])('wait %s is wrong use', async (words, message) => {
  const { out, err, exitCode } = await run(words);
  expect([out, exitCode]).toEqual(['', 2]);
  expect(err).toContain(message);
});

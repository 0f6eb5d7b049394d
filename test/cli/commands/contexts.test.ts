import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { ContextList } from '../../../src/cli/documents/definitions.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import type { Services } from '../../../src/cli/runtime/command.ts';
import type { SourceFlags } from '../../../src/cli/runtime/flags.ts';
import { type Source, SourceError } from '../../../src/source/source.ts';
import { consoleFor, type Session, SmallSource } from '../console.ts';
import { schemaOf } from '../documents/schema.ts';
import { elementsOf } from '../documents/xml-reader.ts';

const stuck = `
- {kind: ConfigMap, name: a, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
`;
const clean = '- {kind: ConfigMap, name: a}\n';

const HOSTILE = 'prod-\u001B[31m\nevil';

interface Clusters {
  readonly [context: string]: string | Error;
}

const clusters: Clusters = {
  'prod-a': stuck,
  'prod-b': clean,
  'prod-c': new SourceError('cannot reach https://10.0.0.1: connect ECONNREFUSED'),
  'stage.1': clean,
};

interface Ran extends Omit<Session, 'screens'> {
  /** The contexts in the order in which they were opened. */
  readonly opened: readonly string[];
  readonly most: number;
}

async function run(words: readonly string[], there: Clusters = clusters): Promise<Ran> {
  const { io, services, result } = consoleFor();
  const opened: string[] = [];
  let open = 0;
  let most = 0;
  const contexts: Services = {
    ...services,
    kubeconfigNames: () => Promise.resolve({ contexts: Object.keys(there).sort(), clusters: [], users: [] }),
    openSource: async ({ context = '' }: SourceFlags): Promise<Source> => {
      opened.push(context);
      open += 1;
      most = Math.max(most, open);
      const found = there[context];
      if (found === undefined || found instanceof Error) {
        open -= 1;
        throw found ?? new SourceError('no such context');
      }
      const source = new SmallSource(found);
      const close = source.close.bind(source);
      source.close = () => {
        open -= 1;
        return close();
      };
      return source;
    },
  };
  const exitCode = await runCommandLine(words, io, contexts);
  const { out, err } = result();
  expect(open).toBe(0);
  return { out, err, exitCode, opened, most };
}

async function list(words: readonly string[], there?: Clusters): Promise<ContextList> {
  const { out } = await run([...words, '-o', 'json'], there);
  return JSON.parse(out) as ContextList;
}

describe('--contexts', () => {
  test('asks each context that a pattern or a name stands for, once, and no other', async () => {
    const asked = async (...patterns: string[]): Promise<string[]> =>
      (await list(['check', ...patterns.map(each => `--contexts=${each}`)])).items.map(
        ({ context }) => context,
      );
    expect(await asked('prod-*')).toEqual(['prod-a', 'prod-b', 'prod-c']);
    expect(await asked('stage.1,prod-?')).toEqual(['prod-a', 'prod-b', 'prod-c', 'stage.1']);
    expect(await asked('prod-b', 'prod-b,*-b')).toEqual(['prod-b']);
    // A dot is one.
    expect((await run(['check', '--contexts=stage?'])).exitCode).toBe(2);
    expect((await run(['check', '--contexts=*tage.1'])).opened).toEqual(['stage.1']);
  });

  test('tells every answer, though one context fails, and fails with 2', async () => {
    const { out, err, exitCode } = await run(['check', '--contexts=prod-*']);
    expect(exitCode).toBe(2);
    expect(out).toMatch(
      /^Context prod-a\n[^]*FinalizerWithoutController[^]*\nContext prod-b\n[^]*\nContext prod-c\n/u,
    );
    expect(out).toContain('It could not be read: cannot reach https://10.0.0.1');
    expect(out).toContain('3 contexts asked. prod-c could not be read.');
    expect(err).toBe('prod-c: cannot reach https://10.0.0.1: connect ECONNREFUSED\n');
    expect((await run(['check', '--contexts=prod-a,prod-b'])).exitCode).toBe(1);
    expect((await run(['check', '--contexts=prod-b,stage.1'])).exitCode).toBe(0);
    expect((await run(['check', '--contexts=prod-a', '--fail-on=never'])).exitCode).toBe(0);
  });

  test('is one document, with what each context alone would print', async () => {
    for (const command of ['check', 'podgc']) {
      const document = await list([command, '--contexts=prod-*']);
      expect(document).toMatchObject({ kind: 'ContextList', counts: { total: 3, failed: 1 } });
      const validate = new Ajv2020({ strict: false }).compile(schemaOf('ContextList'));
      expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
      const [first, , third] = document.items;
      const alone = await run([command, '--context=prod-a', '-o', 'json']);
      expect(first?.document).toEqual(JSON.parse(alone.out));
      expect(third).toEqual({
        context: 'prod-c',
        error: { message: 'cannot reach https://10.0.0.1: connect ECONNREFUSED' },
      });
    }
  });

  test('asks some at a time', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, clean]));
    const { most, opened } = await run(['check', '--contexts=*'], many);
    expect(opened).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  test('is one report, in which nothing of two contexts is the same', async () => {
    const both = { 'prod-a': stuck, 'prod-d': stuck, 'prod-c': clusters['prod-c'] ?? '' };
    const junit = await run(['check', '--contexts=prod-*', '-o', 'junit'], both);
    expect(elementsOf(junit.out, 'testsuites')[0]?.attributes).toMatchObject({ failures: '2', errors: '1' });
    const names = elementsOf(junit.out, 'testsuite').map(({ attributes }) => attributes['name']);
    expect(names).toContain('prod-a: namespace shop');
    expect(new Set(names).size).toBe(names.length);
    expect(junit.out).toContain('<error type="NotAsked" message="cannot reach https://10.0.0.1');
    const github = await run(['check', '--contexts=prod-*', '-o', 'github'], both);
    const lines = github.out.trim().split('\n');
    expect(lines[0]).toContain('::error title=prod-c%3A kubectl gc-tree check::cannot reach');
    expect(github.out).toMatch(/title=prod-a%3A ConfigMap shop\/a/u);
    expect(github.out).toMatch(/title=prod-d%3A ConfigMap shop\/a/u);
    const markdown = await run(['check', '--contexts=prod-*', '-o', 'markdown'], both);
    expect(markdown.out.match(/^### .*$/gmu)).toEqual([
      '### kubectl gc-tree check: prod-a',
      '### kubectl gc-tree check: prod-c',
      '### kubectl gc-tree check: prod-d',
    ]);
  });

  test('names commands for the context that they are about', async () => {
    expect((await run(['check', '--contexts=prod-a'])).out).toMatch(
      /kubectl gc-tree why .*--context prod-a/u,
    );
  });

  test.each(['text', 'junit', 'github', 'markdown', 'json', 'yaml'])(
    'shows no control character of a context’s name: %s',
    async format => {
      const { out, err } = await run(['check', '--contexts=*', '-o', format], {
        [HOSTILE]: new SourceError('is gone: Bearer abcdefghijklmnopqrstuvwxyz0123456789'),
        other: stuck,
      });
      expect(`${out}${err}`).not.toContain('\u001B');
      expect(err).not.toContain('\nevil');
      if (format === 'json')
        expect((JSON.parse(out) as ContextList).items.map(({ context }) => context)).toContain(HOSTILE);
    },
  );

  test.each([
    [['check', '--contexts=nosuch'], 'no context "nosuch" in the kubeconfig'],
    [['check', '--contexts=prod-aa'], 'Did you mean prod-a'],
    [['check', '--contexts=,'], 'needs a name or a pattern'],
    [['check', '--contexts=prod-*', '--context=prod-a'], '--context names one cluster'],
    [['check', '--contexts=prod-*', '--token=secret-token-of-one'], '--token names one cluster'],
    [['check', '--contexts=prod-*', '--server=https://x'], '--server names one cluster'],
    [['check', '--contexts=prod-*', '--demo=shop'], '--demo names something else'],
    [['check', '--contexts=prod-*', '-f', 'x'], '-f names something else'],
    [['check', '--contexts=prod-*', '-w'], 'leave --watch out'],
    [['check', '--contexts=prod-*', '-o', 'name'], 'cannot say which context'],
    [['check', '--contexts=prod-*', '-o', 'sarif'], 'cannot say which context'],
    [['check', '--contexts=prod-*', '-o', 'baseline'], 'a baseline is of one cluster'],
    [['podgc', '--contexts=prod-*', '-o', 'name'], 'cannot say which context'],
    [['why', 'cm/a', '--contexts=prod-*'], 'unknown flag --contexts'],
  ])('refuses %s before anything is asked', async (words, why) => {
    const { out, err, exitCode, opened } = await run(words);
    expect([exitCode, out, opened]).toEqual([2, '', []]);
    expect(err.replaceAll(/\s+/gu, ' ')).toContain(why);
    expect(err).not.toContain('secret-token-of-one');
  });

  test('tells of a namespace that one of them doesn’t have', async () => {
    const { err, exitCode, out } = await run(['check', 'cm/a', '--contexts=prod-a,prod-b'], {
      'prod-a': stuck,
      'prod-b': '- {kind: ConfigMap, name: other}\n',
    });
    expect(exitCode).toBe(2);
    expect(err).toContain('prod-b: configmap "a" not found');
    expect(out).toContain('FinalizerWithoutController');
  });
});

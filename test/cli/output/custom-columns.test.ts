/** `-o custom-columns`, on the documents that `-o json` prints. */
import { describe, expect, test } from 'vitest';
import { parseColumns, printColumns } from '../../../src/cli/runtime/custom-columns.ts';
import { command, SmallSource } from '../console.ts';

const source = new SmallSource(`
- { kind: Namespace, name: shop, namespace: "" }
- { kind: Deployment, name: web }
- { kind: ConfigMap, name: old, owners: [apps/v1 Deployment legacy] }`);

const run = (words: string) => command(words, { source });

describe('the fields of a document', () => {
  const print = (document: unknown, spec: string, headers = false): string =>
    printColumns(document, parseColumns(spec), headers);

  test.each([
    ['.a.b', 'x'],
    ['a.b', 'x'],
    ['{.a.b}', 'x'],
    ["['a']['b']", 'x'],
    ['.list[0]', '1'],
    ['.list[-1]', '2'],
    ['.list[*]', '1,2'],
    ['.list', '[1 2]'],
    ['.rows[*].n', '1,2'],
    ['.a', 'map[b:x]'],
    ['.dotted\\.name/x', 'yes'],
    ['.none', '<none>'],
    ['.list.n', '<none>'],
    ['.list[9]', '<none>'],
    ['.constructor', '<none>'],
    ['.rows[?(@.n==2)].n', '2'],
    ['.rows[?(@.none)].n', '<none>'],
    ['.flag', 'false'],
    ['.hostile', 'a%1B[2J'],
  ])('%s is %s', (path, text) => {
    const rows = [{ n: 1 }, { n: 2 }];
    const more = { 'dotted.name/x': 'yes', flag: false, hostile: 'a\u001b[2J' };
    expect(print({ a: { b: 'x' }, list: [1, 2], rows, ...more }, `H:${path}`)).toBe(`${text}\n`);
  });

  test('stand in columns as kubectl sets them', () => {
    const items = [{ a: 'long-value', b: 1 }, { a: 'x' }];
    expect(print({ items }, 'NAME:.a,B:.b,C:.c', true)).toBe(
      'NAME         B        C\nlong-value   1        <none>\nx            <none>   <none>\n',
    );
  });
});

test('check prints a row for each finding, and keeps its exit code', async () => {
  const { out, exitCode } = await run('check -A -o custom-columns=CODE:.code,NAME:.object.name');
  expect(out).toMatch(/^CODE +NAME\n\w+ +old\n/u);
  expect(exitCode).toBe(1);
});

test('tree prints a row for each root, or with --flat for each object', async () => {
  const names = 'custom-columns=NAME:.object.name --no-headers';
  expect((await run(`tree -n shop -o ${names}`)).out).toBe('legacy\nweb\n');
  expect((await run(`tree -n shop --flat -o ${names}`)).out.split('\n').sort()).toEqual([
    '',
    'legacy',
    'old',
    'web',
  ]);
});

test('plan prints one row', async () => {
  const { out } = await run('plan delete deploy/web -n shop -o custom-columns=OUTCOME:.outcome');
  expect(out).toBe('OUTCOME\nCompletes\n');
});

test.each([
  ['check -o custom-columns', 'custom-columns needs columns'],
  ['check -o custom-columns=CODE', 'Write HEADER:PATH'],
  ['check -o custom-columns=A:.items[?(@.a>1)]', 'Use fields, [N], [*] and [?('],
  ['check -o custom-columns=A:..name', 'Use fields, [N], [*] and [?('],
  ['check -w -o custom-columns=A:.code', "--watch can't be combined with -o custom-columns"],
  ['podgc -o custom-columns=A:.pod', 'podgc cannot print custom-columns'],
  ['check -o columns=A:.code', 'unknown output format'],
])('%s is refused', async (words, message) => {
  const { err, exitCode } = await run(words);
  expect(err).toContain(message);
  expect(exitCode).toBe(2);
});

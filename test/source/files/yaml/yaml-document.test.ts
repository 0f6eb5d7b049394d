import { describe, expect, test } from 'vitest';
import { readYamlDocument, YamlError } from '../../../../src/source/files/yaml/yaml-document.ts';
import { mergeCases } from '../merge-cases.ts';

const limits = { maxDepth: 50, maxAliasCharacters: 10_000, maxNodes: 1_000_000 };

function read(text: string): unknown {
  return readYamlDocument(text, limits);
}

function failure(text: string): string {
  try {
    return `read: ${JSON.stringify(read(text))}`;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `${error.line}:${error.column} ${error.message}`;
  }
}

describe('merge keys', () => {
  // Each of them is what the real kubectl makes of it: test/cluster/input/yaml.test.ts.
  test.each(mergeCases)('$what', ({ text, value }) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    '{<<: 1}',
    '{<<: }',
    '{<<: [1]}',
    '{<<: [[{a: 1}]]}',
    '[&a [{x: 1}], {<<: *a}]',
    '[&a x, {<<: *a}]',
  ])('of something else are refused: %s', text => {
    expect(failure(text)).toMatch(/^1:\d+ a merge key \(<<\) needs a mapping, or a sequence of mappings$/u);
  });

  test('change nothing of what they merge', () => {
    expect(read('[&a {x: 1}, {<<: *a, x: 2, z: 1}, *a]')).toEqual([{ x: 1 }, { x: 2, z: 1 }, { x: 1 }]);
  });

  test('leave a key that stands twice by itself a mistake', () => {
    expect(failure('{<<: {a: 1}, a: 2, a: 3}')).toBe('1:23 the key "a" appears here twice');
    expect(failure('{a: 1, <<: {b: 1}, a: 3}')).toMatch(/appears here twice$/u);
  });
});

describe('within brackets and quotes kubectl does not look at the indentation', () => {
  test.each<[string, string, unknown]>([
    [
      'a bracket that closes below its key',
      'a:\n  args: [\n    "-x", z,\n  ]\n  b: 1\n',
      { a: { args: ['-x', 'z'], b: 1 } },
    ],
    ['a brace in the first column', 'a:\n  b: {\n    c: d,\n}\ne: f\n', { a: { b: { c: 'd' } }, e: 'f' }],
    ['double quotes', 'a:\n  b: "one\ntwo\\\nthree"\n', { a: { b: 'one twothree' } }],
    ['single quotes', "a:\n  b: 'one\n\ntwo'\n", { a: { b: 'one\ntwo' } }],
    ['plain text', 'a:\n  k: {b: one\ntwo}\n', { a: { k: { b: 'one two' } } }],
    ['a tab', 'a: {\n\tb: c\n}\n', { a: { b: 'c' } }],
    [
      'several of them',
      'l:\n- - x: [\n1,\n # c\n\n[2,\n3\n]\n]\n  - z\n',
      { l: [[{ x: [1, [2, 3]] }, 'z']] },
    ],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  test('what is wrong is told where it stands', () => {
    expect(failure('a:\n  b: [\n*x]\n')).toBe(
      '3:2 an alias without an anchor. Put text that begins with * in quotes',
    );
    expect(failure('a: "b\nc: d\n')).toMatch(/^2:1 a line that should be indented further/u);
  });
});

test('scalars are what YAML 1.1 and kubectl say', () => {
  const yes = ['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'];
  const no = ['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'];
  const numbers: readonly [string, number][] = [
    ['0777', 511],
    ['-0777', -511],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b101', 5],
    ['08', 8],
    ['1_000', 1000],
    ['-_5', -5],
    ['+1', 1],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['18446744073709551615', 2 ** 64],
    ['07777777777777777777777777', 7.777777777777778e24],
  ];
  const texts = [
    'yEs',
    'oN',
    '0xg',
    '0b2',
    '_1',
    '+',
    '._5',
    '.5_0',
    '1e400',
    '2001-01-01',
    '1:30',
    '.e1',
    '1.5.2',
  ];
  const nothing = ['~', 'null', 'Null', 'NULL', ''];
  expect(read(yes.map(each => `- ${each}`).join('\n'))).toEqual(yes.map(() => true));
  expect(read(no.map(each => `- ${each}`).join('\n'))).toEqual(no.map(() => false));
  expect(read(numbers.map(([each]) => `- ${each}`).join('\n'))).toEqual(numbers.map(([, value]) => value));
  expect(read(texts.map(each => `- ${each}`).join('\n'))).toEqual(texts);
  expect(read(nothing.map(each => `- ${each}`).join('\n'))).toEqual(nothing.map(() => null));
  for (const each of [...yes, ...no, ...nothing, ...numbers.map(([text]) => text)])
    expect(read(`- "${each}"\n- '${each}'\n- !!str ${each}\n- ! ${each}`)).toEqual([each, each, each, each]);
  expect(read('[!!int "3", !!float 3, !!bool yes, !!null ~, !!binary aGk=, !own 12]')).toEqual([
    3,
    3,
    true,
    null,
    'hi',
    '12',
  ]);
  expect(failure('- .inf')).toBe('1:3 .inf is no number in JSON');
  expect(failure('- !!int x')).toBe('1:9 no value that !!int fits');
});

test('keys become text', () => {
  expect(read('{0x10: a, on: b, 1.50: c, 1e6: d, 9007199254740993: e, "0x10": f}')).toEqual({
    16: 'a',
    true: 'b',
    1.5: 'c',
    '1e+06': 'd',
    '9007199254740993': 'e',
    '0x10': 'f',
  });
  for (const text of ['~: a', '[a]: b', '{a: b}: c', '? [a]\n: b'])
    expect(failure(text)).toMatch(/a key that is neither text nor a number$/u);
  const read2 = read('__proto__: {a: 1}\nconstructor: 2') as object;
  expect(Object.getPrototypeOf(read2)).toBe(Object.prototype);
  expect(JSON.stringify(read2)).toBe('{"__proto__":{"a":1},"constructor":2}');
});

describe('aliases', () => {
  test('stand for the latest anchor of their name', () => {
    expect(read('[&a 1, *a, &a 2, *a, &b {c: *a}, *b]')).toEqual([1, 1, 2, 2, { c: 2 }, { c: 2 }]);
  });

  test('of nothing, or within what they stand for, are refused', () => {
    expect(failure('[*a, &a 1]')).toBe(
      '1:3 an alias without an anchor. Put text that begins with * in quotes',
    );
    expect(failure('&a [*a]')).toBe('1:6 an alias that contains itself');
    expect(failure('&a {b: [*a]}')).toMatch(/contains itself$/u);
  });

  test('that multiply nodes are refused where kubectl refuses them', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 6; level++)
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    // 100,000 nodes are few enough, and 99 in a hundred of them behind aliases too many.
    expect(failure(lines.slice(0, 3).join('\n'))).toMatch(/^read: /u);
    expect(failure(lines.join('\n'))).toMatch(/its aliases stand for too much/u);
  });

  test('that multiply text are refused', () => {
    const text = 'x'.repeat(100);
    const refers = (count: number): string => `a: &a ${text}\nb: [${Array(count).fill('*a').join(', ')}]`;
    expect(failure(refers(90))).toMatch(/^read: /u);
    expect(failure(refers(101))).toMatch(/its aliases stand for too much/u);
    // By way of mappings, and of merge keys.
    expect(failure(`a: &a {b: ${text}}\nc: [${Array(101).fill('{<<: *a}').join(', ')}]`)).toMatch(
      /too much/u,
    );
    expect(failure(`a: &a ${text}\nb: &b [*a, *a]\nc: [${Array(50).fill('*b').join(', ')}]`)).toMatch(
      /too much/u,
    );
  });

  test('make nothing deeper than it may be', () => {
    const lines = ['a0: &a0 [x]'];
    for (let level = 1; level < 60; level++) lines.push(`a${level}: &a${level} [*a${level - 1}]`);
    expect(failure(lines.slice(0, 49).join('\n'))).toMatch(/^read: /u);
    expect(failure(lines.slice(0, 51).join('\n'))).toMatch(/^50:\d+ nested more than 50 levels deep$/u);
  });
});

test('nesting has a bound, in every style', () => {
  for (const text of [
    '['.repeat(60),
    '{a: '.repeat(60),
    '- '.repeat(60),
    '{'.repeat(100_000),
    '- '.repeat(100_000),
  ])
    expect(failure(text)).toMatch(/^1:\d+ nested more than 50 levels deep$/u);
  const block = Array.from({ length: 60 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  expect(failure(block)).toMatch(/nested more than 50 levels deep$/u);
});

test('more nodes than there is memory for are refused before they take any', () => {
  const options = { ...limits, maxNodes: 1_000 };
  expect(readYamlDocument(`[${'a, '.repeat(900)}]`, options)).toHaveLength(900);
  for (const text of [
    `[${'a,'.repeat(2_000)}]`,
    '- a\n'.repeat(2_000),
    `{${'a: b, '.repeat(2_000)}}`,
    '['.repeat(2_000),
  ])
    expect(() => readYamlDocument(text, options)).toThrow(/^too large to be read in this style/u);
  // Text alone is no node.
  expect(readYamlDocument('x'.repeat(100_000), options)).toHaveLength(100_000);
});

test('what kubectl reads otherwise is refused', () => {
  for (const text of ['a: b # c\u2028d: e', 'a: b\u0085c: d', 'a: "\u2029"'])
    expect(failure(text)).toMatch(/kubectl takes for a line break/u);
  for (const text of ['[?a]', '{a: b?c}', '[:a]', '[!own , b]'])
    expect(failure(text)).toMatch(/which kubectl reads otherwise/u);
  expect(read('{a: "?b", c: ":d"}\n')).toEqual({ a: '?b', c: ':d' });
  expect(read('a: ?b\nc: :d\ne: http://x?y\n')).toEqual({ a: '?b', c: ':d', e: 'http://x?y' });
});

test('lone surrogates become what they are in Go: the character that stands for none', () => {
  expect(read('a: "\\ud800"\n"\\udfff": b')).toEqual({ a: '\uFFFD', '\uFFFD': 'b' });
});

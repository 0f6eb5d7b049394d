import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonCutter } from '../../../src/source/files/json-cutter.ts';
import type { Cutter, Piece } from '../../../src/source/files/piece.ts';
import { YamlCutter } from '../../../src/source/files/yaml-cutter.ts';
import { SourceError } from '../../../src/source/source.ts';
import { failure, fixture, folderOf, objects, readText } from './reading.ts';

const names = [
  'all.yaml',
  'all.json',
  'crd.yaml',
  'widgets.yaml',
  'dump.yaml',
  'dump.json',
  'replicasets.json',
];
const files = new Map(names.map(name => [name, readFileSync(fixture(name))]));

function bytesOf(name: string): Buffer {
  return files.get(name) ?? Buffer.alloc(0);
}

function pieces(name: string, chunk: number): string[] {
  const found: string[] = [];
  const hand = ({ bytes, offset, line, part, items, cut }: Piece): void => {
    found.push(JSON.stringify({ offset, line, part, items, cut, text: bytes.toString('base64') }));
  };
  const cutter: Cutter = name.endsWith('.json') ? new JsonCutter(hand) : new YamlCutter(hand);
  const bytes = bytesOf(name);
  for (let at = 0; at < bytes.length; at += chunk) cutter.push(bytes.subarray(at, at + chunk));
  cutter.end();
  return found;
}

test.each(names)('%s is cut alike, in whatever portions it arrives', name => {
  const whole = pieces(name, bytesOf(name).length);
  for (const chunk of [1, 2, 3, 7, 64, 1000]) expect(pieces(name, chunk)).toEqual(whole);
});

test('an element begins in the file where its piece says', () => {
  for (const name of names)
    for (const piece of pieces(name, 100)) {
      const { offset, line, part, items, text } = JSON.parse(piece) as {
        readonly offset: number;
        readonly line: number;
        readonly part: string;
        readonly items: number;
        readonly text: string;
      };
      if (part === 'document' && items > 0) continue;
      const bytes = bytesOf(name);
      const own = Buffer.from(text, 'base64');
      expect(bytes.subarray(offset, offset + own.length).equals(own)).toBe(true);
      expect(bytes.subarray(0, offset).toString('latin1').split('\n').length).toBe(line);
    }
});

/** Something done to a file at a place in it, from 0 to 1. */
type Damage = (bytes: Buffer, place: number) => Buffer;

const at = (bytes: Buffer, place: number): number => Math.floor(place * bytes.length);
const put =
  (text: string): Damage =>
  (bytes, place) =>
    Buffer.concat([bytes.subarray(0, at(bytes, place)), Buffer.from(text), bytes.subarray(at(bytes, place))]);

const damages: readonly Damage[] = [
  // Truncated, cut out, doubled, one byte changed, and what an editor or a bad disk puts in.
  (bytes, place) => bytes.subarray(0, at(bytes, place)),
  (bytes, place) =>
    Buffer.concat([bytes.subarray(0, at(bytes, place)), bytes.subarray(at(bytes, place) + 40)]),
  (bytes, place) =>
    Buffer.concat([bytes.subarray(0, at(bytes, place)), bytes.subarray(Math.max(0, at(bytes, place) - 300))]),
  (bytes, place) => {
    const copy = Buffer.from(bytes);
    copy[at(bytes, place)] = Math.floor(place * 1e6) % 256;
    return copy;
  },
  ...[
    '\n',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    '- ',
    '\n- ',
    '\n---\n',
    '\n...\n',
    ':',
    '\t',
    '\\',
    '#',
    '&a ',
    '*a ',
    '!!binary ',
    '\u0000',
    '\uFEFF',
    '\u202E',
    '\n==== START logs for container x ====\n',
    '\nitems:\n',
    'null',
    '\n<<: *a\n',
    '|\n',
    '\r',
    '{{ x }}',
    '\n__proto__: {}\n',
    '"__proto__":{},',
    '"constructor":1,',
    '1e999',
  ].map(put),
];

const damaged = fc
  .tuple(
    fc.constantFrom(...names),
    fc.array(fc.tuple(fc.nat({ max: damages.length - 1 }), fc.double({ min: 0, max: 0.9999, noNaN: true })), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom(65_536, 65_536, 501),
  )
  .map(([name, hits, chunk]) => ({
    bytes: hits.reduce((bytes, [damage, place]) => damages[damage]?.(bytes, place) ?? bytes, bytesOf(name)),
    chunk,
  }));

describe('damaged files', () => {
  test('end in a result, or in an error of at most two lines', async () => {
    let read = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(damaged, async ({ bytes, chunk }) => {
        try {
          objects(await readText(bytes, { chunk }));
          read++;
        } catch (error) {
          // Anything else would be a fault of ours.
          if (!(error instanceof SourceError)) throw error;
          expect(error.message.split('\n').length).toBeLessThanOrEqual(2);
          expect(error.message).toMatch(/^standard input/u);
          refused++;
        }
      }),
      { numRuns: 300 },
    );
    expect(read).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(20);
  });

  test('of random bytes and words too', async () => {
    const words = fc.constantFrom(
      'apiVersion: v1\n',
      'kind: List\n',
      'kind: Pod\n',
      'items:\n',
      '- ',
      '  ',
      'metadata:\n',
      'name: x\n',
      '{',
      '}',
      '[',
      ']',
      '"items":',
      '"kind":"List",',
      ',',
      '---\n',
      'null',
      '"',
      '\n',
    );
    const text = fc
      .array(fc.oneof(words, fc.string({ maxLength: 5 })), { maxLength: 20 })
      .map(parts => parts.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          text,
          fc.uint8Array({ maxLength: 60 }).map(each => Buffer.from(each)),
        ),
        async content => {
          await readText(content, { chunk: 5 }).catch((error: unknown) => {
            if (!(error instanceof SourceError)) throw error;
          });
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test('YAML that multiplies by its aliases is refused', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 10; i++)
    lines.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n${lines.join('\n')}\n`;
  await expect(readText(text)).rejects.toThrow('its aliases stand for too much');
});

test('an alias inside of what it stands for is refused', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\na: &a [*a]\n';
  await expect(readText(text)).rejects.toThrow(/alias/u);
});

describe('nesting deeper than anything in Kubernetes', () => {
  const deep = 100_000;
  const json = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":';
  const yaml = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: ';
  test.each([
    ['JSON lists', `${json}${'['.repeat(deep)}${']'.repeat(deep)}}`, 1],
    ['JSON mappings', `${json}${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`, 1],
    ['JSON without an end', `${json}${'['.repeat(deep)}`, 1],
    ['JSON on lines', `${json}${'[\n'.repeat(deep)}${']\n'.repeat(deep)}}`, 500],
    ['lists of lists in a JSON list', `{"kind":"List","apiVersion":"v1","items":${'['.repeat(deep)}`, 1],
    ['YAML in brackets', `${yaml}${'['.repeat(deep)}${']'.repeat(deep)}\n`, 4],
    ['YAML in braces', `${yaml}${'{a: '.repeat(deep)}${'}'.repeat(deep)}\n`, 4],
    ['YAML sequences', `${yaml.trimEnd()}\n${'- '.repeat(deep)}a\n`, 5],
    ['YAML keys', `${yaml.trimEnd()}\n  ${'? '.repeat(deep)}a\n`, 5],
    ['YAML elements', `apiVersion: v1\nkind: List\nitems:\n${'- '.repeat(deep)}a\n`, 4],
    [
      'indented YAML',
      `${yaml.trimEnd()}\n${Array.from({ length: 600 }, (_, at) => `${' '.repeat(at + 1)}a:`).join('\n')}`,
      503,
    ],
  ])('is told in one sentence with the place: %s', async (_what, text, line) => {
    const message = await failure(['-'], { stdin: text });
    expect(message).toMatch(
      new RegExp(
        `^SourceError: standard input, line ${line}(, column \\d+)?: nested more than 500 levels deep\\.$`,
        'u',
      ),
    );
  });

  test('is nothing that Kubernetes has: 400 levels are read', async () => {
    const deepest = 400;
    for (const text of [
      `${json}${'['.repeat(deepest)}${']'.repeat(deepest)}}`,
      `${yaml}${'['.repeat(deepest)}${']'.repeat(deepest)}\n`,
      `${yaml.trimEnd()}\n${'- '.repeat(deepest)}a\n`,
    ])
      expect(objects(await readText(text))).toEqual(['v1 Pod default/a']);
  });
});

/**
 * A few megabytes in portions of a few hundred bytes: whatever looks at all of them again for each portion or line
 * doesn't come to its end within the time of a test, on no machine.
 */
describe('one long line', () => {
  const length = 4 * 1024 * 1024;
  const chunk = 64;
  const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":';
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n';
  const x = 'x'.repeat(length);
  test.each([
    ['of a JSON text', `${json}{"a":"${x}"}}`],
    ['of JSON escapes', `${json}{"a":"${'\\n'.repeat(length / 2)}"}}`],
    [
      'of JSON fields',
      `${json}{${Array.from({ length: length / 64 }, (_, at) => `"k${at}":"v"`).join(',')}}}`,
    ],
    [
      'of a JSON list',
      `{"apiVersion":"v1","kind":"List","items":[${`${json}{}},`.repeat(length / 128)}${json}{}}]}`,
    ],
    ['of plain YAML', `${yaml}  a: ${x}\n`],
    ['of words', `${yaml}  a: ${'x '.repeat(length / 2)}\n`],
    ['in single quotes', `${yaml}  a: '${"''".repeat(length / 2)}'\n`],
    ['in double quotes', `${yaml}  a: "${'\\x41'.repeat(length / 4)}"\n`],
    ['of a literal block', `${yaml}  a: |\n    ${x}\n`],
    ['of a folded block', `${yaml}  a: >\n    ${x}\n`],
    ['of blanks', `${yaml}  a: b${' '.repeat(length)}\n`],
    ['of a comment', `${yaml}  a: b # ${x}\n`],
    ['of YAML in brackets', `${yaml}  a: [${'x, '.repeat(length / 64)}x]\n`],
    [
      'of one YAML list',
      `apiVersion: v1\nkind: List\nitems: [${`${json}{}},`.repeat(length / 256)}${json}{}}]\n`,
    ],
  ])('%s is read', async (_what, text) => {
    expect(objects(await readText(text, { chunk }))).toEqual(['v1 ConfigMap default/a']);
  });

  test.each([
    ['that is no JSON', `{}\n=${x}`],
    ['that breaks off', `${json}{"a":"${x}`],
    ['with an error at its end', `${json}{"a":"${x}",}}`],
    ['of nothing', ' '.repeat(length)],
    ['of a template', `${yaml}  a: "${'{{x'.repeat(length / 3)}\n`],
    ['of a text alone', x],
    ['of colons', `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${'x: '.repeat(length / 3)}\n`],
  ])('%s is refused', async (_what, text) => {
    expect(await failure(['-'], { stdin: text, chunk })).toMatch(
      /^(SourceError|ForeignFile): standard input/u,
    );
  });

  test.each([
    ['of sequences without a colon', `${yaml}  a:\n${'  - x\n'.repeat(length / 32)}`],
    ['of one text in single quotes', `${yaml}  a: '${'x\n    '.repeat(length / 32)}'\n`],
    ['of one text in double quotes', `${yaml}  a: "${'x\n    '.repeat(length / 32)}"\n`],
    ['of one plain text', `${yaml}  a: ${'x\n    '.repeat(length / 32)}x\n`],
    ['of one literal block', `${yaml}  a: |\n${'    x\n'.repeat(length / 32)}`],
    ['of nothing', `${yaml}  a: b\n${'\n'.repeat(length / 8)}`],
    ['of comments', `${yaml}  a: b\n${'# x\n'.repeat(length / 32)}`],
    ['of keys', `${yaml}${Array.from({ length: length / 64 }, (_, at) => `  k${at}: v\n`).join('')}`],
  ])('or many short ones, %s, are read', async (_what, text) => {
    expect(objects(await readText(text, { chunk }))).toEqual(['v1 ConfigMap default/a']);
  });

  test('in a folder, or many of blanks, are passed over', async () => {
    const folder = folderOf({
      'a.yaml': `"${x}`,
      'b.yaml': `${'\n'.repeat(120_000)}"`,
      'c.json': `{"a": ${'['.repeat(300)}`,
    });
    expect(await failure([folder])).toContain('no manifests in this folder, among 3 files');
  });
});

test('a text that many aliases stand for takes the memory of one', async () => {
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: &a ${'x'.repeat(1024 * 1024)}\n  b: [${Array(100_000).fill('*a').join(', ')}]\n`;
  expect(await failure(['-'], { stdin: text })).toMatch(
    /^SourceError: standard input, line 6, column \d+: its aliases stand for too much: they would multiply what the file holds\.$/u,
  );
});

test('a Secret leaves nothing of its values behind', async () => {
  for (const name of ['all.yaml', 'all.json']) {
    const { view } = await readText(bytesOf(name));
    const seen = new Set<unknown>();
    const kept: string[] = [];
    const visit = (value: unknown): void => {
      if (typeof value === 'string') kept.push(value);
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      if (value instanceof Map) for (const [key, each] of value) [key, each].forEach(visit);
      else if (value instanceof Set) value.forEach(visit);
      else Object.values(value).forEach(visit);
    };
    visit([...view.graph.nodes()]);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.filter(text => /hello-world|aGVsbG8/u.test(text))).toEqual([]);
  }
});

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readBlockYaml } from '../../../../src/source/files/yaml/block-yaml.ts';
import { readYamlDocument, YamlError } from '../../../../src/source/files/yaml/document.ts';
import { notPlain } from '../../../../src/source/files/yaml/scalars.ts';
import { configMap, drawn } from '../yaml-texts.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
}

function parse(text: string): unknown {
  return readYamlDocument(text, { maxDepth: 500, maxAliasCharacters: 1_000_000, maxNodes: 1_000_000 });
}

/** What the reader of any YAML makes of a text, or `broken`. */
function fully(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YamlError) return 'broken';
    throw error;
  }
}

const scalars = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom(
    'on',
    'null',
    '~',
    '1e3',
    '0x1f',
    '0o17',
    '1.10',
    '-',
    '- a',
    'a: b',
    "it's",
    '# no',
    'a #b',
    '',
    ' x ',
  ),
  fc.constantFrom(
    'line\n',
    'two\nlines',
    'two\n\nlines\n\n',
    '  indented\nless',
    '\n',
    'a\tb',
    'x'.repeat(90) + ' ' + 'y'.repeat(90),
  ),
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('spec', 'items', 'a.b/c', 'f:x', 'on', '1'), fc.string({ maxLength: 8 })),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

describe("kubectl's own output", () => {
  test.each(['all.yaml', 'crd.yaml', 'dump.yaml', 'widgets.yaml'])(
    'is read as the full parser reads it: %s',
    name => {
      // Lists are cut into elements before; here each line that begins one begins a text.
      const texts = fixture(name)
        .split(/^==== START[^]*?^==== END.*$|^---$/mu)
        .flatMap(document => document.split(/^(?=- )/mu))
        .filter(text => text.startsWith('- '))
        .map(text => text.replace(/^[a-z][^]*$/mu, ''));
      expect(texts.length).toBeGreaterThan(0);
      let quick = 0;
      for (const text of texts) {
        const read = readBlockYaml(text, false);
        if (read === notPlain) continue;
        quick++;
        expect(read).toEqual(parse(text));
      }
      // The rest has long lines in double quotes.
      expect(quick / texts.length).toBeGreaterThan(0.6);
    },
  );
});

test('folded scalars, literal blocks and sequences at any column are read', () => {
  const text = `metadata:
  name: web
  empty:
message: 'The node was low on resource: ephemeral-storage. It''s
  over.

  Next.'
plain: several words
  on two lines

  and a paragraph
literal: |
  # not a comment
    deeper

  - no: sequence
stripped: |-
  x
kept: |+
  y

items:
- a: 1
  b:
  - - x
    - y
  -
    z: {}
indented:
    - []
    - "\\u00e9"
nothing:
`;
  expect(readBlockYaml(text, false)).toEqual(parse(text));
});

test.each(['|', '|-', '|+'])(
  'a literal block (%s) that begins with lines of blanks begins with empty lines',
  header => {
    for (const blanks of ['', ' ', '  ', ' \n  ', '  \n\n']) {
      const text = `spec: ${header}\n${blanks}\n  !\n  \n  ?\n`;
      expect(readBlockYaml(text, false)).toEqual(parse(text));
    }
  },
);

describe('any text', () => {
  const agrees = (text: string): void => {
    const quick = readBlockYaml(text, false);
    if (quick !== notPlain && !isDeepStrictEqual(quick, fully(text)))
      expect({ text, value: quick }).toEqual({ text, value: fully(text) });
  };

  test('is read as the full parser reads it, or left to it', () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom({}, { indentSeq: false }, { lineWidth: 20 }, { singleQuote: true }),
        (value, style) => {
          agrees(stringify(value, style));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('as people write it, is read as the full parser reads it, or left to it', () => {
    let quick = 0;
    fc.assert(
      fc.property(drawn, draws => {
        const text = configMap('x', draws);
        agrees(text);
        if (readBlockYaml(text, false) !== notPlain) quick++;
      }),
      { numRuns: 3_000 },
    );
    expect(quick).toBeGreaterThan(300);
  });

  test('broken or unusual, is never read otherwise', () => {
    const lines = [
      ...fixture('all.yaml').split('\n').slice(0, 60),
      'a: "x',
      "b: 'y",
      'c: |',
      '  - d',
      '? e',
      '<<: f',
      '  g',
      'h: >',
      '__proto__: 1',
      '\ti: j',
      'k: &l m',
      'n: *l',
      '- - - o',
      '-',
      'p:',
      '"q": r',
      "'s t': u",
      ': v',
      'w:x',
      '# y',
      'z: # a',
      '"b"c: d',
      'e : f',
      "g: ''",
      "h: 'i''j'",
      'k: [l, m]',
      '   n',
      '',
      '    ',
      'o: |2',
      '!!p q',
      'r: @s',
      'a: b: c',
      '- t: u',
      '  v: w',
      'x: - y',
      '...',
      'a: \u0085b',
      'a: b\r',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(0, 0, 0, 2, 4), fc.constantFrom(...lines)), { maxLength: 12 }),
        parts => {
          agrees(parts.map(([indent, line]) => ' '.repeat(indent) + line).join('\n'));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

test('what no fact is read from is left out, wherever in a literal block its name may stand again', () => {
  const read = readBlockYaml(
    `apiVersion: v1
data:
  a: |
    # comment
    metadata:
    - kind: x
kind: Secret
metadata:
  annotations:
    managedFields: no
  managedFields:
  - manager: kubectl
    fieldsV1:
      f:data: {}
  name: db
spec: {}
`,
    true,
  );
  expect(read).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { annotations: { managedFields: false }, name: 'db' },
  });
  const pod = 'apiVersion: v1\nkind: Pod\nspec:\n  nodeName: node-1\n  annotations: 1\n';
  expect(readBlockYaml(pod, true)).toEqual(parse(pod));
});

test.each(['|', '|-', '|+', '>', '>-'])(
  'text with brackets and quotes in a block (%s) that is left out is passed over',
  header => {
    const text = `- apiVersion: v1
  kind: Pod
  metadata:
    managedFields:
      networks: ${header}
        [{
          "name": "openshift-sdn",
        "default": true
        }]

        # no comment
      note: it's
    name: web
  data:
    - ${header}
     {"
    - a: ${header}
        ["
  spec: {}
`;
    expect(readBlockYaml(text, true)).toEqual([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: {} },
    ]);
  },
);

test.each(['"a: |', "'a: |", '- # a: |', 'b: |2', '[a: |', '- "a: |'])(
  'what only looks like the beginning of a block is left to the full parser where a bracket follows: %s',
  line => {
    const text = `metadata:\n  annotations:\n    ${line}\n      b: ["\n  name: web\n`;
    expect(readBlockYaml(text, true)).toBe(notPlain);
  },
);

describe('what is left out', () => {
  const object = (data: string): string =>
    `apiVersion: v1\ndata:\n${data}kind: ConfigMap\nmetadata:\n  name: a\n`;

  // kubectl reads quotes and brackets to their end, wherever the lines behind stand, and what looks like fields in them.
  test.each([
    '  a: "x\nmetadata: {name: b}\n  "\n',
    "  a: 'x\nmetadata: {name: b}\n  '\n",
    '  a: {x: y,\nmetadata: {name: b}\n  }\n',
    '  - [x,\nmetadata: {name: b}\n  ]\n',
    '  - - "x\nmetadata: {name: b}\n  "\n',
    '  "a: x\nmetadata": 1\n',
    '  &a "x\nkind: y"\n',
    '  a: !!str "x\nkind: y"\n',
    '  "a": "x\nkind: y"\n',
    "  'it''s': 'x''\nkind: y'\n",
    '  ? "x\nkind: y"\n',
    '  a: "b" # c\n',
  ])('is read in whole where it may go on: %j', data => {
    expect(readBlockYaml(object(data), true)).toBe(notPlain);
  });

  test.each([
    '  a: "x"\n',
    "  a: 'it''s'\n  b: x\n",
    '  "a": b"c\n  d: e{\n',
    '  a: {}\n  b: []\n  - {}\n',
    '  a: |\n    x: "y"\n    {{ z }\n',
    '  a: "\\"x\\\\"\n',
    '  f:x: {}\n  ".": {}\n',
  ])('is passed over where it ends on its line: %j', data => {
    expect(readBlockYaml(object(data), true)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
  });
});

/** Files as people and dumps have them: cut into pieces and read, against a reader that takes the whole text at once. */
import { isDeepStrictEqual } from 'node:util';
import { JsonCutter } from '../../../src/source/files/json-cutter.ts';
import { parsePiece } from '../../../src/source/files/parse-piece.ts';
import { type Cutter, ParseError, type Piece } from '../../../src/source/files/piece.ts';
import { readYamlDocument, YamlError } from '../../../src/source/files/yaml/yaml-document.ts';
import { YamlCutter } from '../../../src/source/files/yaml-cutter.ts';
import { chunksOf, demandBrief, fail, type Target } from '../target.ts';

interface Cut {
  readonly pieces: readonly {
    readonly value: unknown;
    readonly part: Piece['part'];
    readonly line: number;
  }[];
  readonly refused: string | undefined;
}

function cut(make: (hand: (piece: Piece) => void) => Cutter, chunks: Iterable<Buffer>): Cut {
  const pieces: { value: unknown; part: Piece['part']; line: number }[] = [];
  try {
    const cutter = make(piece => {
      const { part, line } = piece;
      pieces.push({ value: parsePiece(piece), part, line });
    });
    for (const chunk of chunks) cutter.push(chunk);
    cutter.end();
    return { pieces, refused: undefined };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    demandBrief(error);
    if (!(error.line >= 1)) fail(`an error in line ${error.line}`);
    return { pieces, refused: `${error.line}:${error.column} ${error.message}` };
  }
}

function sameInChunks(make: (hand: (piece: Piece) => void) => Cutter, input: Buffer): Cut {
  const all = cut(make, [Buffer.from(input)]);
  const parts = cut(make, chunksOf(input));
  if (!isDeepStrictEqual(all, parts))
    fail(
      `other pieces in other chunks: ${JSON.stringify(all).slice(0, 400)} and ${JSON.stringify(parts).slice(0, 400)}`,
    );
  return all;
}

const jsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', labels: { 'x/y': '"z\\' } },
};
const jsonList = {
  kind: 'List',
  apiVersion: 'v1',
  items: [jsonObject, { kind: 'Pod', spec: { a: [1, -2.5e3, null, true] } }],
  metadata: {},
};

const json: Target = {
  name: 'json',
  words: [
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
    '"items":',
    'null',
    '\\u00e9',
    '{"kind":"List","items":[',
    ']}',
    '\n',
    '==== START logs for container ',
  ],
  seeds: () => [
    Buffer.from(JSON.stringify(jsonList)),
    Buffer.from(`${JSON.stringify(jsonList, null, 2)}\n${JSON.stringify(jsonObject)}\n`),
    Buffer.from(`[${JSON.stringify(jsonObject)}]`),
  ],
  check: input => {
    const { pieces, refused } = sameInChunks(hand => new JsonCutter(hand), input);
    const text = input.toString('utf8');
    let whole: unknown;
    try {
      whole = JSON.parse(text);
    } catch {
      return;
    }
    // Text that isn't UTF-8 is refused, and so is what is nested without end.
    if (!Buffer.from(text).equals(input)) return;
    if (refused !== undefined) {
      if (!/nested|levels|deep|larger/u.test(refused) && typeof whole === 'object' && whole !== null)
        fail(`valid JSON was refused: ${refused}`);
      return;
    }
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return;
    const items = pieces.filter(({ part }) => part === 'item').map(({ value }) => value);
    const expected = (whole as { items?: unknown }).items;
    // A key that comes twice is another question.
    if (
      items.length > 0 &&
      !isDeepStrictEqual(items, expected) &&
      (text.match(/"items"/gu)?.length ?? 0) === 1
    )
      fail(`other items: ${JSON.stringify(items).slice(0, 300)}`);
    const [only] = pieces;
    if (
      items.length === 0 &&
      pieces.length === 1 &&
      only?.part === 'document' &&
      !isDeepStrictEqual(only.value, whole)
    )
      fail(`another document: ${JSON.stringify(only.value).slice(0, 300)}`);
  },
};

const yamlList = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: a
    annotations: {x/y: "z"}
  data:
    text: |
      one
      two
- {apiVersion: v1, kind: Secret, metadata: {name: b}}
metadata: {}
---
# a comment
apiVersion: v1
kind: Pod
metadata: &m
  name: 'it''s'
spec:
  list: [1, 2.5, ~, no, "\\u00e9"]
  folded: >-
    a
    b
`;

const yaml: Target = {
  name: 'yaml',
  words: [
    '\n',
    '- ',
    ': ',
    '---\n',
    '...\n',
    '|',
    '>',
    "'",
    '"',
    '#',
    '&a ',
    '*a',
    '!!str ',
    '? ',
    'items:\n',
    '  ',
    '\t',
    '{',
    '}',
    '[',
    ']',
    '<<: ',
    '%YAML 1.2\n',
    '\u00e9',
    '\r\n',
  ],
  seeds: () => [Buffer.from(yamlList), ...yamlList.split('---\n').map(text => Buffer.from(text))],
  check: input => {
    sameInChunks(hand => new YamlCutter(hand), input);
    const text = input.toString('utf8');
    try {
      readYamlDocument(text, { maxDepth: 500, maxAliasCharacters: 1_000_000, maxNodes: 1_000_000 });
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
    }
  },
};

export const fileTargets: readonly Target[] = [json, yaml];

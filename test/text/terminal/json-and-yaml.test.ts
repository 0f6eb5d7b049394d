import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readYamlDocument } from '../../../src/source/files/yaml/yaml-document.ts';
import { documentText } from '../../../src/text/terminal/json-and-yaml.ts';

const options = { maxDepth: 500, maxAliasCharacters: 1_000_000, maxNodes: 1_000_000 };
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc
    .array(
      fc.constantFrom(
        'a',
        '',
        ' b',
        'c ',
        '# d',
        '- e',
        'f: g',
        '---',
        '\t',
        '|',
        '"x',
        'on',
        '(y)',
        '/ = +',
      ),
      {
        maxLength: 6,
      },
    )
    .map(lines => lines.join('\n')),
);
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test('any text is read back as it was, by YAML 1.2 and as kubectl reads it', () => {
  fc.assert(
    fc.property(values, value => {
      const text = documentText.yaml({ value }, '').trimStart();
      expect(parse(text)).toEqual({ value });
      expect(readYamlDocument(text, options)).toEqual({ value });
    }),
    { numRuns: 2_000 },
  );
});

test('text of several lines is written as a literal block', () => {
  const data = { plain: 'a: 1\n\nb: 2\n', open: 'x\ny', blank: 'ends \nin a space' };
  expect(documentText.yaml({ data }, '').trimStart()).toBe(
    'data:\n  plain: |\n    a: 1\n\n    b: 2\n  open: |-\n    x\n    y\n  blank: "ends \\nin a space"',
  );
});

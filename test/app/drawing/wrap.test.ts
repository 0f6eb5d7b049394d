import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapLine } from '../../../src/app/drawing/wrap.ts';
import { displayWidth } from '../../../src/text/terminal/width.ts';

const joined = (lines: readonly (readonly { readonly text: string }[])[]) =>
  lines.map(line => line.map(span => span.text).join(''));

test('lines break at words and are indented below their first one', () => {
  const line = [{ text: '  the quick brown fox jumps', style: 'plain' as const }];
  expect(joined(wrapLine(line, 14)).map(text => text.trimEnd())).toEqual([
    '  the quick',
    '    brown fox',
    '    jumps',
  ]);
});

test('JSON breaks between its fields', () => {
  const patch = '{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","controller":true}';
  expect(joined(wrapLine([{ text: patch, style: 'plain' }], 34, 2))).toEqual([
    '{"apiVersion":"apps/v1",',
    '  "kind":"StatefulSet",',
    '  "name":"web","controller":true}',
  ]);
});

test('a path breaks between its parts', () => {
  const words = 'by remove-finalizer-from-all/configmap/example.com/drain: 60';
  expect(joined(wrapLine([{ text: words, style: 'plain' }], 45, 2))).toEqual([
    'by ',
    '  remove-finalizer-from-all/configmap/',
    '  example.com/drain: 60',
  ]);
});

test('no wrapped line is wider than asked, and no character is lost', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', ',', '/', '"', '字', 'é'), maxLength: 30 }),
        {
          maxLength: 4,
        },
      ),
      fc.integer({ min: 8, max: 40 }),
      (texts, width) => {
        const spans = texts.map(text => ({ text, style: 'plain' as const }));
        const lines = joined(wrapLine(spans, width));
        for (const text of lines) expect(displayWidth(text)).toBeLessThanOrEqual(width);
        const letters = (text: string) => text.replaceAll(' ', '');
        expect(letters(lines.join(''))).toBe(letters(texts.join('')));
      },
    ),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlippedWord } from '../../../src/app/search/slips.ts';

/** Optimal string alignment, by the book: the least number of slips between the word and a beginning of the text. */
function slipsToBeginning(word: string, text: string): number {
  const rows = Array.from({ length: word.length + 1 }, (_, i) =>
    Array.from({ length: text.length + 1 }, (_, j) => (i === 0 ? j : i)),
  );
  const cell = (i: number, j: number): number => (j === 0 ? i : (rows[i]?.[j] ?? 0));
  for (let i = 1; i <= word.length; i++) {
    for (let j = 1; j <= text.length; j++) {
      const same = word[i - 1] === text[j - 1] ? 0 : 1;
      let least = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1])
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      const row = rows[i];
      if (row !== undefined) row[j] = least;
    }
  }
  return Math.min(...(rows[word.length] ?? []));
}

test('counts as many slips as the definition does, from the beginning of a text', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, (word, text) => {
      const allowed = word.length < 8 ? 1 : 2;
      const expected = slipsToBeginning(word, text);
      const begins = Array.from(word.slice(0, 2)).some(letter => text.slice(0, 2).includes(letter));
      const found = new SlippedWord(word).in(text);
      expect(found?.slips).toBe(expected <= allowed && begins ? expected : undefined);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['stokc', 'pod po shop/stock-import', 1, 'stock'],
  ['deploymnet', 'deployment deploy shop/api', 1, 'deployment'],
  ['imprt', 'pod po shop/stock-import', 1, 'import'],
  ['stck-imprt', 'pod po shop/stock-import', 2, 'stock-import'],
  ['apiserverr', 'pod po kube-system/kube-apiserver-a', 1, 'apiserver'],
  ['confgimap', 'configmap cm shop/x', 1, 'configmap'],
])('%s is found in "%s"', (word, line, slips, part) => {
  const found = new SlippedWord(word).in(line);
  expect(found?.slips).toBe(slips);
  expect(line.slice(found?.at, (found?.at ?? 0) + (found?.length ?? 0))).toContain(part.slice(0, -1));
});

test.each([
  ['xyz', 'pod po shop/xya'],
  ['webs', 'service svc shop/api'],
  ['stock', 'pod po shop/restoked'],
])('%s is not found in "%s"', (word, line) => {
  expect(new SlippedWord(word).in(line)).toBeUndefined();
});

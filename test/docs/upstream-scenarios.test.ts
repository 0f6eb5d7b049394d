import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { scenarioFiles } from '../conformance/scenario-files.ts';
import { readPage } from './checked-page.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** Numbers that open a string in a test file, alone or before a colon: `'G5: …'`, `'G17, G19: …'`, `['S1', …]`. */
function numbersIn(text: string): string[] {
  const numbers: string[] = [];
  for (const [, list = ''] of text.matchAll(/['"`]([A-Z]\d+(?:, [A-Z]\d+)*)(?=: |['"`],)/gu))
    numbers.push(...list.split(', '));
  return numbers;
}

test('every upstream scenario has a test that is named with its number', () => {
  const numbers = [...readPage('upstream-scenarios.md').matchAll(/^\| ([A-Z]\d+) \|/gmu)].map(
    ([, number = '']) => number,
  );
  expect(numbers.length).toBeGreaterThan(100);
  const named = new Set<string>();
  for (const file of globSync('test/**/*.test.{ts,tsx}', { cwd: root })) {
    if (file.endsWith('upstream-scenarios.test.ts')) continue;
    for (const number of numbersIn(readFileSync(path.join(root, file), 'utf8'))) named.add(number);
  }
  for (const { scenarios } of scenarioFiles()) {
    for (const { title } of scenarios) for (const number of numbersIn(`'${title}'`)) named.add(number);
  }
  expect(numbers.filter(number => !named.has(number))).toEqual([]);
});

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { scenarioFiles } from './scenario-files.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** Numbers that open a string in a test file, alone or before a colon: `'G5: …'`, `'G17, G19: …'`, `['S1', …]`. */
function numbersIn(text: string): string[] {
  const numbers: string[] = [];
  for (const [, list = ''] of text.matchAll(/['"`]([A-Z]\d+(?:, [A-Z]\d+)*)(?=: |['"`],)/gu))
    numbers.push(...list.split(', '));
  return numbers;
}

test('every upstream scenario has a test that is named with its number', () => {
  const listed = parse(
    readFileSync(path.join(import.meta.dirname, 'upstream-scenarios.yaml'), 'utf8'),
  ) as readonly { scenarios: Readonly<Record<string, string>> }[];
  const numbers = listed.flatMap(({ scenarios }) => Object.keys(scenarios));
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

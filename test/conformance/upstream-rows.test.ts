import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { scenarioFiles } from './scenario-files.ts';
import { upstreamRows } from './upstream-rows.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** Numbers that open a string in a test file, alone or before a colon: `'G5: …'`, `'G17, G19: …'`, `['S1', …]`. */
function numbersIn(text: string): string[] {
  const numbers: string[] = [];
  for (const [, list = ''] of text.matchAll(/['"`]([A-Z]\d+(?:, [A-Z]\d+)*)(?=: |['"`],)/gu))
    numbers.push(...list.split(', '));
  return numbers;
}

test('every upstream scenario has a test that is named with its number', () => {
  const named = new Set<string>();
  for (const file of globSync('test/**/*.test.{ts,tsx}', { cwd: root })) {
    if (file.endsWith('upstream-rows.test.ts')) continue;
    for (const number of numbersIn(readFileSync(path.join(root, file), 'utf8'))) named.add(number);
  }
  for (const { scenarios } of scenarioFiles()) {
    for (const { title } of scenarios) for (const number of numbersIn(`'${title}'`)) named.add(number);
  }
  expect(upstreamRows.filter(row => !named.has(row))).toEqual([]);
});

// The scenarios' own list lies beside the checkout where there is one.
const scenarios = path.join(root, '..', 'shared', 'scenarios.md');

test.skipIf(!existsSync(scenarios))('the list of numbers is the one of the scenarios', () => {
  const rows: string[] = [];
  let counting = false;
  for (const line of readFileSync(scenarios, 'utf8').split('\n')) {
    // Only tables of scenarios begin with a number; others describe fixtures.
    if (line.startsWith('| # |')) counting = true;
    else if (!line.startsWith('|')) counting = false;
    else if (counting) rows.push(...(/^\| ([A-Z]\d+) \|/u.exec(line)?.slice(1) ?? []));
  }
  expect(rows.length).toBeGreaterThan(100);
  expect([...upstreamRows].sort()).toEqual(rows.sort());
});

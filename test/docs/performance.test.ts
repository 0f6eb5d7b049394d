import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pageTable } from '../bench/figures.ts';
import { order } from '../bench/sections/all.ts';

test('the table in docs/performance.md is made of what was measured (else: npm run bench -- --write)', async () => {
  const page = await readFile(new URL('../../docs/performance.md', import.meta.url), 'utf8');
  expect(page).toContain(await pageTable(order));
});

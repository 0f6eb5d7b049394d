import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../scripts/reference.ts';

describe('the pages made from the code', () => {
  it.each([...referencePages()])('docs/%s is current (else: npm run docs)', async (name, text) => {
    expect(await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')).toBe(text);
  });
});

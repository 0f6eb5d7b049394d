import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../scripts/reference.ts';

describe('the pages made from the code', () => {
  it.each([...referencePages()])('docs/%s is current (else: npm run docs)', async (name, text) => {
    expect(await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')).toBe(text);
  });

  it('docs/documents.md leads only to headings that it has', () => {
    const page = referencePages().get('documents.md') ?? '';
    const headings = new Set(
      [...page.matchAll(/^#+ (\w+)$/gmu)].map(([, title = '']) => title.toLowerCase()),
    );
    const targets = [...page.matchAll(/\]\(#([^)]*)\)/gu)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(50);
    expect(targets.filter(target => !headings.has(target))).toEqual([]);
  });
});

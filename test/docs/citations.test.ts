import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commentsOf, targetsOf, unresolvedCitations, unresolvedSections } from '../../scripts/citations.ts';
import { findingCodes } from '../../src/diagnosis/engine/codes.ts';
import { readPage } from './checked-page.ts';

const root = path.join(import.meta.dirname, '..', '..');
const page = '## 1. Graph\n### 1.1 State\n## 10. States\n| 1 | a |\n| 2 | b |\n| 3 | c |\n';

function unresolved(comment: string): string[] {
  return unresolvedSections(commentsOf(comment, 'x.ts'), targetsOf(page));
}

test('every citation leads somewhere', () => {
  expect(unresolvedCitations(root)).toEqual([]);
});

describe('a citation of docs/kubernetes.md', () => {
  test('can name sections and rows, and go over the end of a line', () => {
    expect(
      unresolved('/** As is (docs/kubernetes.md §1.1, §10\n * rows 1 to 2 and\n * 3; x.go). */'),
    ).toEqual([]);
    expect(unresolved('// Of docs/kubernetes.md §1 to §1.1, and §10 row\n// 3.')).toEqual([]);
  });

  test('is unresolved where the section or a row is missing', () => {
    expect(unresolved('/** See docs/kubernetes.md §1.2, §10 rows 3 and 4. */')).toEqual([
      'docs/kubernetes.md §1.2',
      'docs/kubernetes.md §10 row 4',
    ]);
  });

  test.each([
    ['/** As specified (spec §1). */', '§1).'],
    ['// A mark (contract, section 3).', 'contract, section 3'],
    ['/** Row 2. */', 'Row 2'],
    ['/** It stays (row 2). */', '(row 2)'],
  ])('is missed in %s', (comment, nowhere) => {
    expect(unresolved(comment)).toEqual([nowhere]);
  });

  test('is not needed for a section of what is published elsewhere', () => {
    expect(unresolved('/** Further right (YAML 1.2 §8.2). */')).toEqual([]);
  });
});

describe('docs/kubernetes.md', () => {
  const kubernetes = readPage('kubernetes.md');

  test('refers to sections that it has', () => {
    const targets = targetsOf(kubernetes);
    const sections = [...kubernetes.matchAll(/\((?:see )?(\d+(?:\.\d+)?)\)/gu)].map(
      ([, section]) => `§${section}`,
    );
    expect(sections.filter(section => !targets.has(section))).toEqual([]);
  });

  test('has every finding in its table of states', () => {
    const named = new Set(
      [...kubernetes.matchAll(/^\| \d+ \| ([^|]+) \|/gmu)].flatMap(([, codes = '']) => codes.split(', ')),
    );
    expect([...named].sort()).toEqual([...findingCodes].sort());
  });
});

import { describe, expect, test } from 'vitest';
import { findingCodes, usualSeverity } from '../../src/diagnosis/codes.ts';
import { meaningOf } from '../../src/text/code-words.ts';
import { holdPage, readPage } from './checked-page.ts';

describe('docs/diagnosis.md', () => {
  test('has a row for each code, in order, with its severity and meaning', () => {
    const rows = readPage('diagnosis.md')
      .split('\n')
      .filter(line => /^\| `[A-Za-z]+` \|/u.test(line));
    expect(rows).toEqual(
      findingCodes.map(code => `| \`${code}\` | ${usualSeverity(code)} | ${meaningOf(code)} |`),
    );
  });

  holdPage('diagnosis.md');
});

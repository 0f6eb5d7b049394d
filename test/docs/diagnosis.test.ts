import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findingCodes, meaningOf, usualSeverity } from '../../src/diagnosis/engine/codes.ts';
import { helpUriOf } from '../../src/text/diagnosis/help-links.ts';
import { holdPage, readPage } from './checked-page.ts';

describe('docs/diagnosis.md', () => {
  test('has a row for each code, in order, with its severity and meaning', () => {
    const rows = readPage('diagnosis.md')
      .split('\n')
      .filter(line => /^\| <a id="[a-z]+"><\/a>`[A-Za-z]+` \|/u.test(line));
    expect(rows).toEqual(
      findingCodes.map(
        code =>
          `| <a id="${new URL(helpUriOf(code)).hash.slice(1)}"></a>\`${code}\` | ${usualSeverity(code)} | ${meaningOf(code)} |`,
      ),
    );
  });

  test('is where the help of each code is, in the home that the plugin names', () => {
    const home = /^ *homepage: (.*)$/mu.exec(readFileSync('plugin.yaml', 'utf8'))?.[1];
    for (const code of findingCodes)
      expect(helpUriOf(code)).toBe(`${home}/blob/main/docs/diagnosis.md#${code.toLowerCase()}`);
  });

  test.each([
    ['0.1.0', 'v0.1.0'],
    ['12.3.45', 'v12.3.45'],
    // None of these is a release.
    ['0.2.0-dev', 'main'],
    ['0.2.0+local', 'main'],
    ['', 'main'],
  ])('is in the pages of the version that runs, where it is a release: %j', (version, pages) => {
    expect(new URL(helpUriOf('OwnerCycle', version)).pathname).toMatch(
      new RegExp(`/blob/${pages}/docs/`, 'u'),
    );
  });

  holdPage('diagnosis.md');
});

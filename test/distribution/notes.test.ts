import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { releaseNotes } from '../../scripts/distribution/notes.ts';
import { platforms } from '../../scripts/release/platforms.ts';

const root = path.join(import.meta.dirname, '../..');
const home = 'https://example.com/tool';

const changelog = `# Changes

Of all.

## Unreleased

### Reading

- Not yet ([how](docs/a.md#b)).

## 1.2.0 (2027-01-31)

- New: [it](docs/c.md), [elsewhere](https://example.org/x), ![seen](docs/p.svg).

## 1.1.0

- Old.
`;

describe('the notes of a release', () => {
  it('are what its version changes, and lead to the pages of that version', () => {
    const notes = releaseNotes(changelog, '1.2.0', home);
    expect(notes.split('\n')[0]).toBe(
      `- New: [it](${home}/blob/v1.2.0/docs/c.md), [elsewhere](https://example.org/x), ![seen](${home}/blob/v1.2.0/docs/p.svg).`,
    );
    expect(notes).not.toMatch(/Not yet|Old/u);
    expect(releaseNotes(changelog, '1.1.0', home)).toMatch(/^- Old\.\n/u);
  });

  it('are what is not released yet where the version has no section, and are not made of nothing', () => {
    expect(releaseNotes(changelog, '1.3.0', home)).toContain(`[how](${home}/blob/v1.3.0/docs/a.md#b)`);
    expect(() => releaseNotes('# Changes\n', '1.3.0', home)).toThrow('says nothing of 1.3.0');
  });

  it('name no file that is not there', () => {
    const text = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
    const targets = [...releaseNotes(text, '0.0.0', home).matchAll(/\/blob\/v0\.0\.0\/([^)#]+)/gu)];
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.map(([, file = '']) => file).filter(file => !existsSync(path.join(root, file)))).toEqual(
      [],
    );
  });
});

it('the workflow of a release tries each archive on a machine of its platform', () => {
  const { jobs } = parse(readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8')) as {
    jobs: { try: { strategy: { matrix: { include: { os: string; arch: string }[] } } } };
  };
  expect(jobs.try.strategy.matrix.include.map(({ os, arch }) => `${os}/${arch}`)).toEqual(
    platforms.map(({ os, arch }) => `${os}/${arch}`),
  );
});

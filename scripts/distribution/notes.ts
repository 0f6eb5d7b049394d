/** The notes of a release: what its version changes, with links to the pages of that version. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Of the section of this version in `changelog`, or of what is not released yet, where there is none. Links to files of the
 * repository become links to them under the version's tag.
 */
export function releaseNotes(changelog: string, version: string, homepage: string): string {
  const sections = changelog.split(/^## /mu).slice(1);
  const named = (name: string): string | undefined =>
    sections.find(section => section.split(/\s/u, 1)[0] === name);
  const section = named(version) ?? named('Unreleased');
  if (section === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  const tag = `${homepage}/blob/v${version}`;
  const body = section
    .slice(section.indexOf('\n'))
    .trim()
    .replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/gu, (_, target: string) => `](${tag}/${target})`);
  return `${body}

## Installing and upgrading

[How to install it](${tag}/docs/install.md), and [what to know when upgrading](${tag}/docs/install.md#upgrading). \`SHA256SUMS\` has the checksum of every file; \`*.cdx.json\` says what is in each.
`;
}

/** Writes them into the folder, and returns the name of the file. */
export async function writeNotes(root: string, folder: string): Promise<string> {
  const { version, homepage } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
    homepage: string;
  };
  const changelog = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  await writeFile(path.join(folder, 'NOTES.md'), releaseNotes(changelog, version, homepage));
  return 'NOTES.md';
}

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { packRelease } from '../../scripts/distribution/pack.ts';

test('a release has the archive for npm, and what is in the bundle, with the licences in the archive', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-release-'));
  try {
    for (const name of ['package.json', 'LICENSE', 'README.md', 'bin'])
      cpSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), path.join(folder, name), {
        recursive: true,
      });
    mkdirSync(path.join(folder, 'dist'));
    for (const name of ['main.js', 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'])
      writeFileSync(path.join(folder, 'dist', name), `${name}\n`);
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    const release = path.join(folder, 'release');
    mkdirSync(release);
    const archive = `kubectl-gc-tree-${version}.tgz`;
    const sbom = `kubectl-gc-tree-${version}.cdx.json`;
    expect(await packRelease(folder, release)).toEqual([archive, sbom]);
    expect(readFileSync(path.join(release, sbom), 'utf8')).toBe('sbom.cdx.json\n');
    const files = execFileSync('tar', ['-tzf', path.join(release, archive)], { encoding: 'utf8' }).split(
      '\n',
    );
    for (const name of [
      'LICENSE',
      'bin/boot.mjs',
      'dist/main.js',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/sbom.cdx.json',
    ])
      expect(files).toContain(`package/${name}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What a release hands to package managers, held against the files that it names. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeManifests } from '../../scripts/distribution/manifests.ts';
import { architectures, systems } from '../../scripts/distribution/release.ts';

const root = path.join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-manifests-'));
const home = 'https://github.com/kubectl-gc-tree/kubectl-gc-tree';

const nameOf = (os: string, arch: string): string =>
  `kubectl-gc_tree_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
const address = (os: string, arch: string): string =>
  `${home}/releases/download/v${version}/${nameOf(os, arch)}`;
const digest = (os: string, arch: string): string =>
  createHash('sha256')
    .update(readFileSync(path.join(folder, nameOf(os, arch))))
    .digest('hex');
const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

beforeAll(async () => {
  for (const os of systems)
    for (const arch of architectures) writeFileSync(path.join(folder, nameOf(os, arch)), `${os} ${arch}`);
  // Of another release.
  writeFileSync(path.join(folder, 'kubectl-gc_tree_0.0.1_linux_amd64.tar.gz'), 'old');
  expect(await writeManifests(root, folder)).toEqual([
    'gc-tree.yaml',
    'kubectl-gc-tree.rb',
    'kubectl-gc-tree.json',
    'Dockerfile',
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('for krew', () => {
  it('each system and architecture has its archive, with its checksum', () => {
    const { metadata, spec } = parse(read('gc-tree.yaml')) as {
      metadata: { name: string };
      spec: { version: string; platforms: readonly unknown[] };
    };
    expect(read('gc-tree.yaml')).toMatch(/^apiVersion:/u);
    expect(metadata.name).toBe('gc-tree');
    expect(spec.version).toBe(`v${version}`);
    expect(spec.platforms).toEqual(
      systems.flatMap(os =>
        architectures.map(arch => ({
          selector: { matchLabels: { os, arch } },
          uri: address(os, arch),
          sha256: digest(os, arch),
          bin: os === 'windows' ? 'kubectl-gc_tree.exe' : 'kubectl-gc_tree',
        })),
      ),
    );
  });
});

describe('for Homebrew', () => {
  it('each processor of macOS and Linux has its archive', () => {
    const formula = read('kubectl-gc-tree.rb');
    const found = [
      ...formula.matchAll(/on_(macos|linux) do|on_(arm|intel) do\n\s+url "(.*)"\n\s+sha256 "(.*)"/gu),
    ];
    let system = '';
    const archives = found.flatMap(([, os, processor, url, sha256]) => {
      if (os !== undefined) system = os;
      return os === undefined ? [[system, processor, url, sha256]] : [];
    });
    expect(archives).toEqual(
      (['darwin', 'linux'] as const).flatMap(os =>
        (['arm64', 'amd64'] as const).map(arch => [
          os === 'darwin' ? 'macos' : 'linux',
          arch === 'arm64' ? 'arm' : 'intel',
          address(os, arch),
          digest(os, arch),
        ]),
      ),
    );
    // Homebrew refuses longer ones.
    expect(/desc "(.*)"/u.exec(formula)?.[1]?.length).toBeLessThanOrEqual(80);
  });
});

describe('for Scoop', () => {
  it('each processor has its archive, and later versions are found by the same names', () => {
    const manifest = JSON.parse(read('kubectl-gc-tree.json')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      version,
      bin: 'kubectl-gc_tree.exe',
      architecture: {
        '64bit': { url: address('windows', 'amd64'), hash: digest('windows', 'amd64') },
        arm64: { url: address('windows', 'arm64'), hash: digest('windows', 'arm64') },
      },
      autoupdate: {
        architecture: {
          '64bit': { url: `${home}/releases/download/v$version/kubectl-gc_tree_$version_windows_amd64.zip` },
        },
      },
    });
  });
});

describe('for an image', () => {
  it('the archives of Linux are held against their checksums', () => {
    const recipe = read('Dockerfile');
    for (const arch of architectures)
      expect(recipe).toContain(`${digest('linux', arch)} /${nameOf('linux', arch)}`);
  });
});

it('a release without one of its archives has no manifests', async () => {
  rmSync(path.join(folder, nameOf('windows', 'arm64')));
  await expect(writeManifests(root, folder)).rejects.toThrow('0 archives for windows/arm64');
});

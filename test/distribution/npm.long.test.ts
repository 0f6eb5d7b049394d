/** The package as npm makes it: what is in it, and that it runs where nothing else is. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-npm-'));
const npm = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(
    'npm',
    ['--cache', path.join(folder, 'cache'), '--offline', '--no-audit', '--no-fund', ...args],
    {
      cwd,
      encoding: 'utf8',
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );

let archive: string;
beforeAll(() => {
  npm(root, 'pack', '--pack-destination', folder);
  archive = readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has what it runs and its licences, and nothing else', () => {
  const names = execFileSync('tar', ['-tzf', archive], { cwd: folder, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(name => name.replace(/^package\//u, ''));
  const tops = new Set(names.map(name => name.split('/')[0]));
  expect(tops).toEqual(new Set(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']));
  for (const name of [
    'dist/main.js',
    'dist/complete.js',
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/sbom.cdx.json',
  ])
    expect(names).toContain(name);
  expect(names.filter(name => /(?<!\.d)\.(?:ts|tsx|map)$/u.test(name))).toEqual([]);
});

it('is installed without anything else, runs nothing while it is, and starts by each of its names', () => {
  const { version, ...rest } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
    scripts: Record<string, string>;
    dependencies?: object;
  };
  expect(rest.dependencies).toBeUndefined();
  for (const step of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(rest.scripts[step]).toBeUndefined();
  const empty = mkdtempSync(path.join(folder, 'empty-'));
  npm(empty, 'install', '--prefix', empty, path.join(folder, archive));
  expect(readdirSync(path.join(empty, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    'kubectl-gc-tree',
  ]);
  for (const name of ['kubectl-gc-tree', 'kubectl-gc_tree'])
    expect(npm(empty, 'exec', '--prefix', empty, '--', name, 'version', '--client')).toContain(
      `kubectl gc-tree ${version}`,
    );
});

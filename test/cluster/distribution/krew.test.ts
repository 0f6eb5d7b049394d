/**
 * The manifest with the validator of krew's index, and what krew makes of it: an index in a repository of its own, and
 * archives from a server on this machine. The one for this machine is as a release packs it; with `GC_TREE_RELEASE` all are.
 */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { krewManifest } from '../../../scripts/distribution/krew.ts';
import {
  type Archive,
  architectures,
  archivesIn,
  programOf,
  type Release,
  systems,
} from '../../../scripts/distribution/release.ts';
import { tarGz, zip } from '../../../scripts/release/archive.ts';
import { contentsOf } from '../../../scripts/release/contents.ts';
import { archiveFile, type Platform, platforms } from '../../../scripts/release/platforms.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { otherPrograms } from '../../harness/processes/other-programs.ts';
import { type Packed, packedArchives, thisArch, whyNotPacked } from './packed.ts';

const root = path.join(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-krew-'));
const bin = path.join(folder, 'bin');
const store = path.join(folder, 'krew');
const index = path.join(folder, 'index');
const served = path.join(folder, 'archives');
const template = readFileSync(path.join(root, 'plugin.yaml'), 'utf8');
let server: Server;
let homepage: string;
let validator: string;
let packed: Packed | undefined;

const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  HOME: folder,
  PATH: [path.join(store, 'bin'), bin, '/usr/bin', '/bin'].join(':'),
  KREW_ROOT: store,
  KREW_NO_UPGRADE_CHECK: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  ...more,
});

/** Standard output and error together, and whether it ended well. */
async function run(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { env: env(more) });
    return { ok: true, said: stdout + stderr, stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { ok: false, said: stdout + stderr, stdout };
  }
}

/** As a release packs it, but for the Node, in whose place is what starts the one that runs the tests. */
async function standIn(platform: Platform): Promise<Buffer | Uint8Array> {
  const node = { name: 'none', version: '0.0.0', integrity: `sha512-${Buffer.alloc(64).toString('base64')}` };
  const program = Buffer.from(`#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  const none = { libraries: new Map(), librariesNotice: '', components: [] };
  const entries = await contentsOf(root, platform, { node, program, licence: '', ...none }, () => '{}');
  return platform.os === 'windows' ? zip(entries) : tarGz(entries);
}

/** Under another version, the archives of a release that lie in a folder; of other platforms stand-ins. */
async function pack(version: string): Promise<readonly Archive[]> {
  for (const platform of platforms) {
    const to = path.join(served, archiveFile(version, platform));
    const real = packed?.archives.find(({ os, arch }) => os === platform.os && arch === platform.arch);
    if (packed !== undefined && real !== undefined) copyFileSync(path.join(packed.folder, real.file), to);
    else writeFileSync(to, await standIn(platform));
  }
  return archivesIn(served, version);
}

function manifest(version: string, archives: readonly Archive[]): string {
  const release: Release = { version, homepage, description: 'test', archives };
  return krewManifest(release, template);
}

async function publish(version: string): Promise<void> {
  mkdirSync(path.join(index, 'plugins'), { recursive: true });
  writeFileSync(path.join(index, 'plugins/gc-tree.yaml'), manifest(version, await pack(version)));
  const git = (...args: readonly string[]) =>
    run('git', ['-C', index, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args]);
  if (!existsSync(path.join(index, '.git'))) await git('init', '--quiet', '--initial-branch=master');
  await git('add', '.');
  const { ok, said } = await git('commit', '--quiet', '-m', version);
  if (!ok) throw new Error(said);
}

beforeAll(async () => {
  const programs = await otherPrograms('krew');
  validator = programs['validate-krew-manifest'];
  const { kubectl } = await controlPlaneBinaries();
  mkdirSync(bin);
  mkdirSync(served);
  if (whyNotPacked() === undefined) packed = await packedArchives();
  symlinkSync(programs.krew, path.join(bin, 'kubectl-krew'));
  symlinkSync(kubectl, path.join(bin, 'kubectl'));
  server = createServer((request, response) => {
    const file = path.join(served, path.basename(request.url ?? ''));
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  homepage = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise(resolve => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

describe('the manifest', () => {
  it('passes the validator of the index, with every platform that a release has', async () => {
    const archives = systems.flatMap(os =>
      architectures.map(arch => ({ os, arch, file: `${os}-${arch}`, sha256: 'a'.repeat(64) })),
    );
    const file = path.join(folder, 'gc-tree.yaml');
    writeFileSync(file, manifest('1.2.3', archives));
    const { ok, said } = await run(validator, ['--manifest', file, '--skip-install']);
    expect(said).toContain('no overlapping spec.platform[].selector');
    expect(ok).toBe(true);
    expect(archives.map(({ os }) => programOf(os)).filter(name => name.endsWith('.exe'))).toHaveLength(2);
    // What the validator is worth here.
    writeFileSync(file, manifest('1.2', archives));
    expect((await run(validator, ['--manifest', file, '--skip-install'])).said).toContain(
      'failed to parse plugin version',
    );
    writeFileSync(file, manifest('1.2.3', [...archives, ...archives.slice(0, 1)]));
    expect((await run(validator, ['--manifest', file, '--skip-install'])).said).toContain(
      'overlapping selectors',
    );
  });

  it('is installed by the validator for each system, with the licence in the archive', async () => {
    const file = path.join(folder, 'gc-tree.yaml');
    writeFileSync(file, manifest('1.2.3', await pack('1.2.3')));
    const { ok, said } = await run(validator, ['--manifest', file]);
    expect(said).toContain('all 6 spec.platforms installed fine');
    expect(ok).toBe(true);
  });

  it('has a description that a list of plugins shows whole', () => {
    const said = /^ *shortDescription: (.*)$/mu.exec(template)?.[1] ?? '';
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThanOrEqual(50);
  });
});

describe('krew', () => {
  const stored = (): readonly string[] => readdirSync(path.join(store, 'store/gc-tree'));

  it('installs, runs, completes, upgrades and uninstalls it', async () => {
    await publish('1.2.3');
    expect(await run('kubectl', ['krew', 'index', 'add', 'default', index])).toMatchObject({ ok: true });
    const install = await run('kubectl', ['krew', 'install', 'gc-tree']);
    expect(install.said).toContain('Installed plugin: gc-tree');
    expect(install.said).toContain('kubectl gc-tree completion bash');
    expect(stored()).toEqual(['v1.2.3']);

    const version = await run('kubectl', ['gc-tree', 'version', '--client']);
    expect(version.stdout).toMatch(/^kubectl gc-tree \d/u);
    // Alone on the PATH, as krew links it.
    expect(existsSync(path.join(store, 'bin/kubectl_complete-gc_tree'))).toBe(false);
    const answer = await run('kubectl-gc_tree', ['__complete', 'kubectl gc-tree chec', 'chec', '2'], {
      GC_TREE_COMPLETE: 'bash',
    });
    expect(answer.stdout).toContain('check');
    const script = await run('kubectl', ['gc-tree', 'completion', 'bash']);
    expect(script.stdout).toContain('complete -F _kubectl_gc_tree kubectl-gc_tree');

    await publish('1.3.0');
    const upgrade = await run('kubectl', ['krew', 'upgrade', 'gc-tree']);
    expect(upgrade.said).toContain('Upgraded plugin: gc-tree');
    expect(stored()).toEqual(['v1.3.0']);
    expect((await run('kubectl', ['gc-tree', 'version', '--client'])).stdout).toMatch(/^kubectl gc-tree \d/u);

    expect(await run('kubectl', ['krew', 'uninstall', 'gc-tree'])).toMatchObject({ ok: true });
    expect((await run('kubectl', ['gc-tree', 'version', '--client'])).ok).toBe(false);
    expect(existsSync(path.join(store, 'store/gc-tree'))).toBe(false);
  });

  it('refuses an archive that is not the one of the manifest', async () => {
    const archives = await pack('1.4.0');
    const file = path.join(folder, 'gc-tree.yaml');
    writeFileSync(
      file,
      manifest(
        '1.4.0',
        archives.map(each => ({ ...each, sha256: 'b'.repeat(64) })),
      ),
    );
    const { ok, said } = await run('kubectl', ['krew', 'install', '--manifest', file]);
    expect(ok).toBe(false);
    expect(said).toContain('checksum does not match');
    const local = path.join(
      served,
      archives.find(each => each.os === 'linux' && each.arch === thisArch)?.file ?? '',
    );
    writeFileSync(file, manifest('1.4.0', archives));
    const install = await run('kubectl', ['krew', 'install', '--manifest', file, '--archive', local]);
    expect(install).toMatchObject({ ok: true });
  });
});

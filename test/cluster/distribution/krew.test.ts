/**
 * The manifest with the validator of krew's index, and what krew makes of it: an index in a repository of its own, and
 * archives from a server on this machine.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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
  programOf,
  type Release,
  systems,
} from '../../../scripts/distribution/release.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { krewPrograms } from '../../harness/processes/krew.ts';

const root = path.join(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-krew-'));
const bin = path.join(folder, 'bin');
const store = path.join(folder, 'krew');
const index = path.join(folder, 'index');
const template = readFileSync(path.join(root, 'plugin.yaml'), 'utf8');
let server: Server;
let homepage: string;
let validator: string;

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

/** With the product of this checkout, started as an archive starts it: by a script that finds itself through links. */
function pack(version: string): readonly Archive[] {
  const staged = path.join(folder, 'staged');
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged);
  cpSync(path.join(root, 'dist'), path.join(staged, 'dist'), { recursive: true });
  cpSync(path.join(root, 'LICENSE'), path.join(staged, 'LICENSE'));
  const script = (module: string): string =>
    `#!/bin/sh\nexec '${process.execPath}' "$(dirname "$(readlink -f "$0")")/dist/${module}" "$@"\n`;
  for (const [name, module] of [
    ['kubectl-gc_tree', 'main.js'],
    ['kubectl_complete-gc_tree', 'complete.js'],
  ] as const) {
    writeFileSync(path.join(staged, name), script(module));
    chmodSync(path.join(staged, name), 0o755);
  }
  writeFileSync(path.join(staged, 'VERSION'), version);
  return systems
    .filter(os => os !== 'windows')
    .flatMap(os =>
      architectures.map(arch => {
        const file = `kubectl-gc_tree_${version}_${os}_${arch}.tar.gz`;
        execFileSync('tar', ['-czf', path.join(folder, 'archives', file), '-C', staged, '.']);
        const sha256 = createHash('sha256')
          .update(readFileSync(path.join(folder, 'archives', file)))
          .digest('hex');
        return { os, arch, file, sha256 };
      }),
    );
}

function manifest(version: string, archives: readonly Archive[]): string {
  const release: Release = { version, homepage, description: 'test', archives };
  return krewManifest(release, template);
}

async function publish(version: string): Promise<void> {
  mkdirSync(path.join(index, 'plugins'), { recursive: true });
  writeFileSync(path.join(index, 'plugins/gc-tree.yaml'), manifest(version, pack(version)));
  const git = (...args: readonly string[]) =>
    run('git', ['-C', index, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args]);
  if (!existsSync(path.join(index, '.git'))) await git('init', '--quiet', '--initial-branch=master');
  await git('add', '.');
  const { ok, said } = await git('commit', '--quiet', '-m', version);
  if (!ok) throw new Error(said);
}

beforeAll(async () => {
  const programs = await krewPrograms();
  validator = programs['validate-krew-manifest'];
  const { kubectl } = await controlPlaneBinaries();
  mkdirSync(bin);
  mkdirSync(path.join(folder, 'archives'));
  symlinkSync(programs.krew, path.join(bin, 'kubectl-krew'));
  symlinkSync(kubectl, path.join(bin, 'kubectl'));
  server = createServer((request, response) => {
    const file = path.join(folder, 'archives', path.basename(request.url ?? ''));
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
    writeFileSync(file, manifest('1.2.3', pack('1.2.3')));
    const { ok, said } = await run(validator, ['--manifest', file]);
    expect(said).toContain('all 4 spec.platforms installed fine');
    expect(ok).toBe(true);
  });

  it('has a description that a list of plugins shows whole', () => {
    const said = /^ *shortDescription: (.*)$/mu.exec(template)?.[1] ?? '';
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThanOrEqual(50);
  });
});

describe('krew', () => {
  const stored = (version: string): string =>
    readFileSync(path.join(store, `store/gc-tree/v${version}/VERSION`), 'utf8');

  it('installs, runs, completes, upgrades and uninstalls it', async () => {
    await publish('1.2.3');
    expect(await run('kubectl', ['krew', 'index', 'add', 'default', index])).toMatchObject({ ok: true });
    const install = await run('kubectl', ['krew', 'install', 'gc-tree']);
    expect(install.said).toContain('Installed plugin: gc-tree');
    expect(install.said).toContain('kubectl gc-tree completion bash');
    expect(stored('1.2.3')).toBe('1.2.3');

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
    expect(stored('1.3.0')).toBe('1.3.0');
    expect((await run('kubectl', ['gc-tree', 'version', '--client'])).stdout).toMatch(/^kubectl gc-tree \d/u);

    expect(await run('kubectl', ['krew', 'uninstall', 'gc-tree'])).toMatchObject({ ok: true });
    expect((await run('kubectl', ['gc-tree', 'version', '--client'])).ok).toBe(false);
    expect(existsSync(path.join(store, 'store/gc-tree'))).toBe(false);
  });

  it('refuses an archive that is not the one of the manifest', async () => {
    const archives = pack('1.4.0');
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
    const local = path.join(folder, 'archives', archives.find(({ os }) => os === 'linux')?.file ?? '');
    writeFileSync(file, manifest('1.4.0', archives));
    const install = await run('kubectl', ['krew', 'install', '--manifest', file, '--archive', local]);
    expect(install).toMatchObject({ ok: process.arch === 'x64' });
  });
});

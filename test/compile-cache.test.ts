/** Compiled code that is kept between runs is code: nobody but the user may put any there. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const honest = "process.stdout.write('honest'); // .\n";
const planted = "process.stdout.write('planted'); //.\n";

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-compiled-'));
const main = path.join(folder, 'app/dist/main.js');
let home: string;

function run(env: Readonly<Record<string, string>>): string {
  const args = [path.join(folder, 'app/bin/kubectl-gc_tree')];
  return execFileSync(process.execPath, args, { encoding: 'utf8', env });
}

function filesIn(where: string): string[] {
  const entries = readdirSync(where, { recursive: true, withFileTypes: true });
  return entries.filter(each => each.isFile()).map(each => path.join(each.parentPath, each.name));
}

/** Puts compiled code into a folder that passes for the honest program's. Node checks length and checksum of the source. */
function plant(where: string, env: Readonly<Record<string, string>>): void {
  writeFileSync(main, planted);
  run(env);
  writeFileSync(main, honest);
  let patched = 0;
  for (const file of filesIn(where)) {
    const bytes = readFileSync(file);
    for (let at = 0; at < 32; at += 4) {
      if (bytes.readUInt32LE(at) !== crc32(planted)) continue;
      bytes.writeUInt32LE(crc32(honest), at);
      patched++;
    }
    writeFileSync(file, bytes);
  }
  expect(patched).toBeGreaterThan(0);
}

describe.skipIf(process.platform === 'win32')('compiled code that is kept', () => {
  beforeAll(async () => {
    cpSync(path.join(root, 'bin'), path.join(folder, 'app/bin'), { recursive: true });
    await build({
      absWorkingDir: root,
      entryPoints: ['src/compile-cache.ts'],
      outfile: path.join(folder, 'app/dist/compile-cache.js'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      define: { __BUILD__: '"build"' },
    });
    writeFileSync(main, honest);
  });

  beforeEach(() => {
    home = mkdtempSync(path.join(folder, 'home-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is used in the next run, from a folder of the user alone', () => {
    const cache = path.join(home, '.cache/kubectl-gc-tree/compile/build');
    plant(cache, { HOME: home });
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    // Who can write there is the user: this shows that what lies there is what runs.
    expect(run({ HOME: home })).toBe('planted');
  });

  it('does not run from the temporary folder, where anybody can have put it', () => {
    const temporary = path.join(home, 'tmp');
    mkdirSync(temporary);
    chmodSync(temporary, 0o1777);
    // On a computer of the attacker's own.
    const elsewhere = path.join(home, 'elsewhere');
    mkdirSync(elsewhere);
    plant(elsewhere, { HOME: elsewhere, TMPDIR: elsewhere });
    const [file = ''] = filesIn(elsewhere);
    const version = path.dirname(file);
    cpSync(version, path.join(temporary, 'node-compile-cache', path.basename(version)), { recursive: true });
    expect(run({ HOME: path.join(home, 'victim'), TMPDIR: temporary })).toBe('honest');
  });

  it('does not run, and nothing is kept, where others can write', () => {
    plant(path.join(home, '.cache'), { HOME: home });
    for (const each of [
      '.cache/kubectl-gc-tree/compile/build',
      '.cache/kubectl-gc-tree/compile',
      '.cache/kubectl-gc-tree',
      '.cache',
      '.',
    ]) {
      chmodSync(path.join(home, each), 0o777);
      expect(run({ HOME: home })).toBe('honest');
      chmodSync(path.join(home, each), 0o700);
    }
    expect(run({ HOME: home })).toBe('planted');
  });

  it('lies below $XDG_CACHE_HOME, which must be absolute', () => {
    const xdg = path.join(home, 'xdg');
    expect(run({ HOME: home, XDG_CACHE_HOME: xdg })).toBe('honest');
    expect(filesIn(path.join(xdg, 'kubectl-gc-tree/compile'))).not.toEqual([]);
    expect(existsSync(path.join(home, '.cache'))).toBe(false);
    expect(run({ HOME: home, XDG_CACHE_HOME: 'xdg' })).toBe('honest');
    expect(existsSync(path.join(home, '.cache'))).toBe(true);
  });

  it('is not kept, and the product runs, where there is no home or a file in the way', () => {
    expect(run({ HOME: '/dev/null/nowhere' })).toBe('honest');
    writeFileSync(path.join(home, '.cache'), '');
    expect(run({ HOME: home })).toBe('honest');
    const circle = path.join(home, 'circle');
    symlinkSync(circle, circle);
    expect(run({ HOME: circle })).toBe('honest');
  });

  it('lies where NODE_COMPILE_CACHE says, and nowhere with NODE_DISABLE_COMPILE_CACHE', () => {
    const own = path.join(home, 'own');
    run({ HOME: home, NODE_COMPILE_CACHE: own });
    expect(filesIn(own)).not.toEqual([]);
    run({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(filesIn(home)).toEqual(filesIn(own));
  });

  it('is that of a few builds at most', () => {
    const cache = path.join(home, '.cache/kubectl-gc-tree/compile');
    for (const [age, name] of ['b', 'd', 'a', 'c', 'e'].entries()) {
      mkdirSync(path.join(cache, name), { recursive: true, mode: 0o700 });
      const moment = new Date(Date.parse('2026-11-21T12:00:00Z') - age * 60_000);
      utimesSync(path.join(cache, name), moment, moment);
    }
    expect(run({ HOME: home })).toBe('honest');
    expect(readdirSync(cache).sort()).toEqual(['a', 'b', 'build', 'd']);
  });
});

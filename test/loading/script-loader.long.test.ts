/** Compiled code that is kept between runs is code: nobody but the user may put any there. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeScripts } from '../../scripts/loading/make-scripts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** As the build makes them. Of `write`, only what has run is kept. */
const starter = 'import { run } from "./script-loader.js"; await run(import.meta.url, "main");\n';
const honest = scriptOf("'honest' ");
const planted = scriptOf("'planted'");

function scriptOf(text: string): string {
  return `(function(load,loadLater,url,require){"use strict";
    const write = () => process.stdout.write(${text});
    const shout = () => process.stdout.write(${text}.toUpperCase());
    const expected = process.env.EXPECT;
    const { enableTuning, v8Memory } = expected === undefined ? {} : load("chunks/v8-flags.js");
    const begin = () => {
      if (expected !== undefined) {
        v8Memory["expect" + expected]();
        v8Memory.countReceived(1);
      }
      return process.env.SHOUT === undefined ? write() : shout();
    };
    return { enableTuning, ended: Promise.resolve().then(begin) };
  })`;
}

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-compiled-'));
const main = path.join(folder, 'app/dist/chunks/main.js');
let home: string;

function run(env: Readonly<Record<string, string>>): string {
  const args = [path.join(folder, 'app/bin/kubectl-gc_tree')];
  return execFileSync(process.execPath, args, { encoding: 'utf8', env });
}

function filesIn(where: string): string[] {
  const entries = readdirSync(where, { recursive: true, withFileTypes: true });
  return entries.filter(each => each.isFile()).map(each => path.join(each.parentPath, each.name));
}

/** Puts compiled code there that passes for the honest program's: V8 compares lengths of sources. */
function plant(env: Readonly<Record<string, string>>): void {
  writeFileSync(main, planted);
  run(env);
  writeFileSync(main, honest);
}

describe.skipIf(process.platform === 'win32')('compiled code that is kept', () => {
  beforeAll(async () => {
    cpSync(path.join(root, 'bin'), path.join(folder, 'app/bin'), { recursive: true });
    await build({
      absWorkingDir: root,
      entryPoints: ['scripts/loading/script-loader.ts'],
      outfile: path.join(folder, 'app/dist/script-loader.js'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      define: { __BUILD__: '"build"', __COMMANDS__: '["why"]' },
    });
    mkdirSync(path.dirname(main));
    writeFileSync(path.join(folder, 'app/dist/main.js'), starter);
    writeFileSync(path.join(folder, 'app/package.json'), '{"type":"module"}');
    const flags = path.join(folder, 'app/dist/chunks/v8-flags.js');
    await build({
      entryPoints: [path.join(root, 'src/platform/v8-flags.ts')],
      outfile: flags,
      format: 'esm',
    });
    await makeScripts([flags], path.join(folder, 'app/dist'), []);
    writeFileSync(main, honest);
  });

  beforeEach(() => {
    home = mkdtempSync(path.join(folder, 'home-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is used in the next run, from a folder of the user alone', () => {
    const cache = path.join(home, '.cache/kubectl-gc-tree/compile/build');
    plant({ HOME: home });
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    for (const file of filesIn(cache)) expect(statSync(file).mode & 0o777).toBe(0o600);
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
    plant({ HOME: elsewhere });
    cpSync(path.join(elsewhere, '.cache'), temporary, { recursive: true });
    expect(run({ HOME: '/dev/null/nowhere', TMPDIR: temporary })).toBe('honest');
    expect(run({ HOME: path.join(home, 'victim'), TMPDIR: temporary })).toBe('honest');
  });

  it('does not run, and nothing is kept, where others can write', () => {
    plant({ HOME: home });
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

  it('tells whoever runs it that what it wants to load was replaced meanwhile', () => {
    writeFileSync(
      main,
      `(function(load,loadLater,url,require){"use strict";
        const tell = ({ name, message }) => process.stdout.write(name + ": " + message);
        return { ended: loadLater("chunks/gone.js").catch(tell) };
      })`,
    );
    expect(run({ HOME: home })).toBe(
      'Replaced: its files were replaced while it ran, perhaps by an upgrade. Start it again.',
    );
    writeFileSync(main, honest);
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
    const cycle = path.join(home, 'cycle');
    symlinkSync(cycle, cycle);
    expect(run({ HOME: cycle })).toBe('honest');
  });

  it('lies where NODE_COMPILE_CACHE says, and nowhere with NODE_DISABLE_COMPILE_CACHE', () => {
    const own = path.join(home, 'own');
    run({ HOME: home, NODE_COMPILE_CACHE: own });
    expect(filesIn(own)).not.toEqual([]);
    run({ HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(filesIn(home)).toEqual(filesIn(own));
  });

  it('grows by what the next two runs compile, and stays as it is then', () => {
    run({ HOME: home });
    const cache = path.join(home, '.cache/kubectl-gc-tree/compile/build');
    const [file = ''] = filesIn(cache);
    const sizes = [statSync(file).size];
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(main, planted);
      expect(run({ HOME: home, SHOUT: '1' })).toBe('PLANTED');
      sizes.push(statSync(file).size);
    }
    writeFileSync(main, honest);
    expect(sizes[1]).toBeGreaterThan(sizes[0] ?? 0);
    expect(sizes.slice(2)).toEqual([sizes[1], sizes[1]]);
    const { ino } = statSync(file);
    // What is kept was compiled of the other source.
    expect(run({ HOME: home, SHOUT: '1' })).toBe('PLANTED');
    expect(run({ HOME: home })).toBe('honest');
    expect(statSync(file).ino).toBe(ino);
    expect(filesIn(cache)).toEqual([file]);
  });

  it('keeps what a run does not load, though it adds something else', () => {
    const later = path.join(folder, 'app/dist/chunks/later.js');
    const loading = (text: string): string =>
      `(function(load){if(process.env.LATER!==undefined)load("chunks/later.js");const f=()=>process.stdout.write(${text});f();return{}})`;
    const own = '(function(){const f=()=>process.stdout.write("later");f();return{}})';
    writeFileSync(main, loading("'one'"));
    writeFileSync(later, own);
    expect(run({ HOME: home, LATER: '1' })).toBe('laterone');
    expect(run({ HOME: home })).toBe('one');
    writeFileSync(later, own.replace('later', 'LATER'));
    expect(run({ HOME: home, LATER: '1' })).toBe('laterone');
    writeFileSync(main, honest);
  });

  it('is made anew where it is cut off or of other flags', () => {
    plant({ HOME: home });
    const [file = ''] = filesIn(path.join(home, '.cache/kubectl-gc-tree/compile/build'));
    truncateSync(file, statSync(file).size - 1);
    expect(run({ HOME: home })).toBe('honest');
    plant({ HOME: home });
    expect(run({ HOME: home, NODE_OPTIONS: '--max-semi-space-size=2' })).toBe('honest');
    expect(run({ HOME: home })).toBe('honest');
  });

  it.each(['Much', 'Little'])(
    'is used after a run that had %s to read, for which V8 has other flags',
    what => {
      plant({ HOME: home, EXPECT: what });
      expect(run({ HOME: home, EXPECT: what })).toBe('planted');
      expect(run({ HOME: home })).toBe('planted');
    },
  );

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

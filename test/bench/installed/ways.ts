/**
 * The ways in which the product may lie on a machine: from the clone, from the archive that a release packed, as Windows has
 * it, and two that no release has, to know what they would cost.
 */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tarGz } from '../../../scripts/release/archive.ts';
import { windowsExecutable } from '../../../scripts/release/windows-executable.ts';
import { main, node } from '../sections/section.ts';
import { bunExecutable } from './bun-executable.ts';
import { wholeExecutable } from './whole-executable.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const dist = path.join(root, 'dist');

export interface Way {
  readonly what: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** What has to be there, in MB; undefined of the clone, which needs more than can be counted here. */
  readonly installed?: number;
  /** Packed, in MB; undefined of what is packed otherwise than for this system. */
  readonly packed?: number;
  /** It need not be able to do everything. */
  readonly isTrial?: true;
}

export interface WaysOptions {
  /** For all that is made. */
  readonly folder: string;
  /** Runs each command that is measured once, in this environment. */
  readonly train: (way: Way, env: NodeJS.ProcessEnv) => Promise<void>;
  readonly say: (line: string) => void;
}

export async function waysToInstall({ folder, train, say }: WaysOptions): Promise<readonly Way[]> {
  const ways: Way[] = [{ what: 'from a clone', command: [node, main] }];
  for (const [name, make] of [
    ['archive', (to: string) => fromArchive(to, say)],
    ['windows', asOnWindows],
    ['whole', (to: string) => asOneExecutable(to, train)],
    ['bun', (to: string) => onBun(to, say)],
  ] as const) {
    const to = path.join(folder, name);
    await mkdir(to);
    const way = await make(to);
    if (way !== undefined) ways.push(way);
  }
  return ways;
}

/** Of the release in the folder that `GC_TREE_RELEASE` names, else in `release/`. */
async function fromArchive(to: string, say: WaysOptions['say']): Promise<Way | undefined> {
  const release = path.resolve(root, process.env['GC_TREE_RELEASE'] ?? 'release');
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const names = await readdir(release).catch(() => []);
  const name = names.find(each => each.endsWith(`_linux_${arch}.tar.gz`));
  if (name === undefined) {
    say(`no archive in ${release}: its rows are left out (npm run release makes one)`);
    return undefined;
  }
  const archive = path.join(release, name);
  await promisify(execFile)('tar', ['-xzf', archive, '-C', to]);
  return {
    what: 'from the archive',
    command: [path.join(to, 'kubectl-gc_tree')],
    installed: await megabytes(to),
    packed: await megabytes(archive),
  };
}

async function asOnWindows(to: string): Promise<Way> {
  await cp(dist, path.join(to, 'dist'), { recursive: true });
  await writeFile(path.join(to, 'package.json'), '{"type":"module"}\n');
  const file = path.join(to, 'kubectl-gc_tree');
  await writeFile(file, await windowsExecutable(node, node));
  await chmod(file, 0o755);
  return { what: 'as on Windows', command: [file], installed: await megabytes(to) };
}

async function asOneExecutable(to: string, train: WaysOptions['train']): Promise<Way> {
  const file = path.join(to, 'kubectl-gc_tree');
  const way: Way = { what: 'as one executable with everything in it', command: [file] };
  await wholeExecutable({ dist, node, file }, env => train(way, env));
  return { ...way, installed: await megabytes(to), packed: await packed(to) };
}

/** `BUN` names the program. */
async function onBun(to: string, say: WaysOptions['say']): Promise<Way | undefined> {
  const bun = process.env['BUN'];
  if (bun === undefined) {
    say('no Bun: its rows are left out (BUN may name the program)');
    return undefined;
  }
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const file = path.join(to, 'kubectl-gc_tree');
  await cp(path.join(dist, 'scenarios'), path.join(to, 'scenarios'), { recursive: true });
  await bunExecutable(bun, { entry: path.join(root, 'src/main.ts'), file, beside: to, version });
  return {
    what: 'on Bun',
    command: [file],
    installed: await megabytes(to),
    packed: await packed(to),
    isTrial: true,
  };
}

async function megabytes(place: string): Promise<number> {
  const found = await stat(place);
  if (found.isFile()) return found.size / 1e6;
  const names = await readdir(place);
  const sizes = await Promise.all(names.map(name => megabytes(path.join(place, name))));
  return sizes.reduce((sum, each) => sum + each, 0);
}

/** As a release would pack it. */
async function packed(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = found
    .filter(each => each.isFile())
    .map(async each => {
      const file = path.join(each.parentPath, each.name);
      return { name: path.relative(folder, file), content: await readFile(file) };
    });
  return (await tarGz(await Promise.all(entries))).length / 1e6;
}

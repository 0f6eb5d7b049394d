/**
 * Builds the programs that a Go module pins as its tools, once per machine and pin. Apart from starting them, because
 * a first build takes minutes and has to say so.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { ControlPlaneUnavailable, goEnvironment, requireGo } from './go-module.ts';

export interface GoPrograms<Name extends string> {
  /** The folder of go.mod, go.sum and the module's own code where it has some, after which the cache is called. */
  readonly module: string;
  /** For a person who waits: `control plane`. */
  readonly what: string;
  readonly names: readonly Name[];
  readonly linkerFlags: string;
  /** Build tags, separated by commas. */
  readonly tags?: string;
  /** The first time, on two cores. */
  readonly takes: string;
  /** Puts what belongs to the programs beside them. */
  readonly complete?: (folder: string) => Promise<unknown>;
}

type Paths<Name extends string> = Readonly<Record<Name, string>>;

export function inFolder<Name extends string>(folder: string, names: readonly Name[]): Paths<Name> {
  return Object.fromEntries(names.map(name => [name, join(folder, name)])) as Record<Name, string>;
}

export function missingIn<Name extends string>(folder: string, names: readonly Name[]): Name[] {
  return names.filter(name => !existsSync(join(folder, name)));
}

/** The absolute path of each, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or where it fails. */
export async function goPrograms<Name extends string>(
  programs: GoPrograms<Name>,
  say: (line: string) => void,
): Promise<Paths<Name>> {
  const { names } = programs;
  const folder = await cacheFolder(programs);
  if (missingIn(folder, names).length === 0) return inFolder(folder, names);
  await requireGo();
  const release = await lock(`${folder}.lock`, programs.what, say);
  try {
    if (missingIn(folder, names).length > 0) await build(folder, programs, say);
  } finally {
    await release();
  }
  return inFolder(folder, names);
}

/** Whether they are there, so that nobody has to wait for them. */
export async function areBuilt(programs: GoPrograms<string>): Promise<boolean> {
  return missingIn(await cacheFolder(programs), programs.names).length === 0;
}

async function cacheFolder({ module, linkerFlags, tags = '' }: GoPrograms<string>): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(module)).filter(name => /^go\.(mod|sum)$|\.go$/u.test(name));
  for (const file of files.sort()) hash.update(await readFile(join(module, file)));
  hash.update(linkerFlags).update(tags).update(`${process.platform}/${process.arch}`);
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'kubectl-gc-tree', basename(module), hash.digest('hex').slice(0, 16));
}

async function build(
  folder: string,
  { module, what, takes, linkerFlags, tags = '', complete }: GoPrograms<string>,
  say: (line: string) => void,
): Promise<void> {
  say(`Building the ${what}: ${takes} the first time on two cores, under a minute from the Go build cache.`);
  const parent = join(folder, '..');
  await mkdir(parent, { recursive: true });
  const target = await mkdtemp(join(parent, 'building-'));
  const started = Date.now();
  const go = spawn('go', ['install', '-v', '-trimpath', '-tags', tags, '-ldflags', linkerFlags, 'tool'], {
    cwd: module,
    env: { ...process.env, ...goEnvironment, GOBIN: target },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let packages = 0;
  let tail = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    packages += text.split('\n').length - 1;
    tail = (tail + text).slice(-2000);
  });
  const progress = setInterval(() => {
    say(`  ${packages} packages compiled in ${Math.round((Date.now() - started) / 1000)} s`);
  }, 30_000);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      go.once('error', reject).once('close', resolve);
    });
    if (code !== 0) throw new ControlPlaneUnavailable(`building the ${what} failed:\n${tail}`);
    await complete?.(target);
    await rename(target, folder);
  } finally {
    clearInterval(progress);
    await rm(target, { recursive: true, force: true });
  }
}

/**
 * Holds a lock folder against other processes, waiting for it if need be; resolves with the release.
 * A lock whose holder no longer runs is taken over.
 */
async function lock(path: string, what: string, say: (line: string) => void): Promise<() => Promise<void>> {
  await mkdir(join(path, '..'), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      await mkdir(path);
      await writeFile(join(path, 'pid'), String(process.pid));
      return () => rm(path, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (!waited) say(`Waiting for another process that builds the ${what}.`);
    if (await isAbandoned(path)) await rm(path, { recursive: true, force: true });
    else await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const pid = Number(await readFile(join(path, 'pid'), 'utf8').catch(() => '0'));
  if (pid === 0) {
    // Between mkdir and writeFile the holder has no pid file yet.
    const made = await stat(path).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * The Nodes of a release, and where they are kept: npm installs them by a lock of their own into the user's cache, for
 * they are seven times 150 MB that nothing else needs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pins = path.join(import.meta.dirname, 'nodes');

export interface NodePackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** Of the package's archive, as in the lock file. */
  readonly integrity: string;
}

/** Of releases, below the user's cache. */
function releaseCache(env: NodeJS.ProcessEnv): string {
  return path.join(env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'kubectl-gc-tree', 'release');
}

/** What `make` puts into a folder, made once for each `key`: it is whole, or not there. */
export async function keptFolder(
  env: NodeJS.ProcessEnv,
  name: string,
  key: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const cache = releaseCache(env);
  const kept = path.join(cache, `${name}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`);
  if (await exists(kept)) return kept;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(path.join(cache, 'making-'));
  try {
    await make(made);
    // Another release may have been quicker.
    await rename(made, kept).catch(async (error: unknown) => {
      if (!(await exists(kept))) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return kept;
}

async function exists(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => undefined)) !== undefined;
}

/**
 * By the name that they have in `nodes/package.json`. npm checks each against the digest in the lock. With `all` false only
 * the one of linux-amd64 is installed, which alone is no devDependency there.
 */
export async function nodePackages(
  env: NodeJS.ProcessEnv,
  all: boolean,
): Promise<ReadonlyMap<string, NodePackage>> {
  const text = await readFile(path.join(pins, 'package-lock.json'), 'utf8');
  const folder = await keptFolder(env, all ? 'nodes' : 'node', text, async made => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(path.join(pins, file), path.join(made, file));
    // By force, for most are for other machines; and they are programs of the same name.
    const which = all ? '--include=dev' : '--omit=dev';
    const quiet = ['--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund'];
    await run('npm', ['ci', which, '--force', ...quiet], { cwd: made });
  });
  const { packages } = JSON.parse(text) as {
    readonly packages: Readonly<
      Record<string, { readonly name?: string; readonly version: string; readonly integrity: string }>
    >;
  };
  return new Map(
    Object.entries(packages)
      .filter(([place]) => place !== '')
      .map(([place, { name, version, integrity }]) => {
        const alias = place.replace('node_modules/', '');
        return [alias, { folder: path.join(folder, place), name: name ?? alias, version, integrity }];
      }),
  );
}

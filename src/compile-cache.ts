/**
 * Entry point of what runs before the product itself: keeps compiled code between runs, which halves the time to
 * the first frame. What is kept is code that runs as the user, so it lies where nobody else can put anything.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { findPrivateFolder, makePrivateFolder } from './disk/private-folder.ts';
import { cacheFolder } from './disk/user-folders.ts';

declare const __BUILD__: string;

/** Each build has a folder of its own, and what is kept of older ones goes when a new one is run. */
const MOST_BUILDS = 4;

/**
 * Without a place that is the user's alone there is no cache, and nothing else changes. Where `NODE_COMPILE_CACHE`
 * names a folder, Node uses that since before the first line of ours.
 */
export function keepCompiled(): void {
  const { env } = process;
  if (getCompileCacheDir() !== undefined || env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return;
  try {
    const builds = path.join(cacheFolder(env), 'compile');
    const folder = path.join(builds, __BUILD__);
    enableCompileCache(findPrivateFolder(folder) ?? begin(builds, folder));
  } catch {
    // Not private, full, or read-only: the product runs without.
  }
}

function begin(builds: string, folder: string): string {
  const made = makePrivateFolder(folder);
  const others = readdirSync(builds)
    .map(name => path.join(builds, name))
    .filter(each => each !== folder)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of others.slice(MOST_BUILDS - 1)) rmSync(old, { recursive: true, force: true });
  return made;
}

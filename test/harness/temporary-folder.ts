/** One folder for everything that a run of tests leaves in the temporary folder, so that it goes when they end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let folder: string | undefined;

/**
 * Vitest calls it by this name, once for each project, before it starts the processes of the tests. Returns what removes
 * the folder. Its name is short, because messages that name a file have their length limited.
 */
export function setup(): (() => void) | undefined {
  if (folder !== undefined) return undefined;
  const before = process.env['TMPDIR'];
  const made = mkdtempSync(path.join(tmpdir(), 'gct-'));
  folder = made;
  process.env['TMPDIR'] = made;
  return () => {
    folder = undefined;
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    // Programs that are being killed may still write into it.
    rmSync(made, { recursive: true, force: true, maxRetries: 20 });
  };
}

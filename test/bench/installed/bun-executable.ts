/** A trial that no release has: the product's source made into an executable by Bun. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('build-with-bun.ts', import.meta.url));

export interface BunBuild {
  readonly entry: string;
  /** That is made. */
  readonly file: string;
  /** The folder in which `scenarios` lies. */
  readonly beside: string;
  readonly version: string;
}

/** Rejects with what Bun says where it makes none. */
export async function bunExecutable(bun: string, build: BunBuild): Promise<void> {
  await promisify(execFile)(bun, ['run', script, JSON.stringify(build)]);
}

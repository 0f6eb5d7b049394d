/**
 * Archives as a release packs them: those in the folder that `GC_TREE_RELEASE` names, else the one for this machine, packed
 * once for all tests of a run. Apart from what is tested with them, because packing takes half a minute.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Archive, archivesIn } from '../../../scripts/distribution/release.ts';
import { keptFolder } from '../../../scripts/release/nodes.ts';

const root = path.join(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

/** Packed archives with the folder that they lie in. */
export interface Packed {
  readonly folder: string;
  readonly archives: readonly Archive[];
}

export const thisArch: Archive['arch'] = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** Why none can be packed here; undefined where one can. */
export function whyNotPacked(): string | undefined {
  if (process.env['GC_TREE_RELEASE'] !== undefined) return undefined;
  if (process.platform !== 'linux') return 'they run on Linux';
  const apt = spawnSync('apt-get', ['--version'], { stdio: 'ignore' });
  return apt.error === undefined ? undefined : 'they are packed on Debian, with apt-get';
}

export async function packedArchives(): Promise<Packed> {
  const released = process.env['GC_TREE_RELEASE'];
  const folder = released === undefined ? await pack() : path.resolve(root, released);
  return { folder, archives: await archivesIn(folder, version) };
}

/** In the temporary folder of this run of tests, whose processes share it. */
function pack(): Promise<string> {
  return keptFolder({ XDG_CACHE_HOME: tmpdir() }, 'archive', version, async folder => {
    const args = ['scripts/release.ts', '--only', `linux-${thisArch}`, '--folder', folder];
    await promisify(execFile)(process.execPath, args, { cwd: root });
  });
}

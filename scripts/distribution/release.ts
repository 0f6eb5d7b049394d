/** What a release consists of, as far as those who install it have to know. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export const systems = ['linux', 'darwin', 'windows'] as const;
export const architectures = ['amd64', 'arm64'] as const;

export interface Archive {
  readonly os: (typeof systems)[number];
  readonly arch: (typeof architectures)[number];
  readonly file: string;
  /** In lower case. */
  readonly sha256: string;
}

export interface Release {
  /** Without a `v`. */
  readonly version: string;
  readonly homepage: string;
  readonly description: string;
  readonly archives: readonly Archive[];
}

/** Where a release offers its files. */
export function addressOf({ homepage, version }: Omit<Release, 'archives'>, file: string): string {
  return `${homepage}/releases/download/v${version}/${file}`;
}

/** The archive of each system and architecture; throws where there is none, or two. */
export function archiveFor({ archives }: Release, os: Archive['os'], arch: Archive['arch']): Archive {
  const found = archives.filter(each => each.os === os && each.arch === arch);
  const [first] = found;
  if (first === undefined || found.length > 1)
    throw new Error(`${found.length} archives for ${os}/${arch}, in place of one`);
  return first;
}

/** What is started in an archive, at its root. */
export function programOf(os: Archive['os']): string {
  return os === 'windows' ? 'kubectl-gc_tree.exe' : 'kubectl-gc_tree';
}

/** The archives of a version that lie in a folder, by their names. */
export async function archivesIn(folder: string, version: string): Promise<Archive[]> {
  const archives: Archive[] = [];
  const files = new Set(await readdir(folder));
  for (const os of systems) {
    for (const arch of architectures) {
      const file = `kubectl-gc_tree_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
      if (!files.has(file)) continue;
      const sha256 = createHash('sha256')
        .update(await readFile(path.join(folder, file)))
        .digest('hex');
      archives.push({ os, arch, file, sha256 });
    }
  }
  return archives;
}

/** The files of a release that npm makes: the archive as it would be published, and what is in the bundle. */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Packs `root`, which has been built, into a folder that is there: the archive and the bill of materials. Returns the names
 * of the files.
 */
export async function packRelease(root: string, folder: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  const packed = JSON.parse(stdout) as unknown;
  const [first] = Array.isArray(packed) ? packed : Object.values(packed as object);
  const { filename } = first as { filename: string };
  const sbom = filename.replace(/\.tgz$/u, '.cdx.json');
  await copyFile(path.join(root, 'dist/sbom.cdx.json'), path.join(folder, sbom));
  return [filename, sbom];
}

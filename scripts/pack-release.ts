/** The files of a release: the archive as npm would publish it, the krew manifest, and what is in the bundle. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseDocument } from 'yaml';

/**
 * Packs `root`, which has been built, into a folder: the archive, the krew manifest with its version, address and
 * checksum, and the bill of materials. Returns the names of the files.
 */
export async function packRelease(root: string, folder: string): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  const packed = JSON.parse(stdout) as unknown;
  const [first] = Array.isArray(packed) ? packed : Object.values(packed as object);
  const { filename, version } = first as { filename: string; version: string };
  const archive = await readFile(path.join(folder, filename));

  const manifest = parseDocument(await readFile(path.join(root, 'plugin.yaml'), 'utf8'));
  manifest.commentBefore = null;
  manifest.setIn(['spec', 'version'], `v${version}`);
  const home = String(manifest.getIn(['spec', 'homepage']));
  manifest.setIn(['spec', 'platforms', 0, 'uri'], `${home}/releases/download/v${version}/${filename}`);
  manifest.setIn(['spec', 'platforms', 0, 'sha256'], createHash('sha256').update(archive).digest('hex'));
  await writeFile(path.join(folder, 'gc-tree.yaml'), manifest.toString());

  const sbom = filename.replace(/\.tgz$/u, '.cdx.json');
  await copyFile(path.join(root, 'dist/sbom.cdx.json'), path.join(folder, sbom));
  return [filename, 'gc-tree.yaml', sbom];
}

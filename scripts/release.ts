/**
 * `npm run release`: packs what is in `dist/` and beside it as npm would publish it, and writes the krew
 * manifest with the archive's version, address and checksum beside it, in `release/`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseDocument } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'release');
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
process.stdout.write(`${path.join('release', filename)}\n${path.join('release', 'gc-tree.yaml')}\n`);

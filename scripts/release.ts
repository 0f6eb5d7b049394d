/** `npm run release`: makes all files of a release of what is in `dist/` and beside it, in `release/`. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { writeManifests } from './distribution/manifests.ts';
import { packRelease } from './distribution/pack.ts';
import { packArchives } from './release/pack-archives.ts';
import { bundledPackages } from './supply-chain/bundled-packages.ts';
import { billOfMaterials, type Product } from './supply-chain/sbom.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'release');
const names: string[] = [];
const done = (name: string): void => {
  names.push(name);
  process.stdout.write(`${path.join('release', name)}\n`);
};

for (const name of await packRelease(root, folder)) done(name);
const product = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Product;
const packages = await bundledPackages(root, (await bundle(root, undefined)).metafile);
const sbom = (components: Parameters<typeof billOfMaterials>[2]): string =>
  billOfMaterials(product, packages, components);
for await (const name of packArchives(root, folder, sbom, process.env)) done(name);
// They name the archives by their checksums.
for (const name of await writeManifests(root, folder)) done(name);

const sums = await Promise.all(
  names.sort().map(async name => {
    const digest = createHash('sha256').update(await readFile(path.join(folder, name)));
    return `${digest.digest('hex')}  ${name}\n`;
  }),
);
await writeFile(path.join(folder, 'SHA256SUMS'), sums.join(''));
done('SHA256SUMS');

/** `npm run release`: packs what is in `dist/` and beside it into `release/`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeManifests } from './distribution/manifests.ts';
import { archivesIn } from './distribution/release.ts';
import { packRelease } from './pack-release.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'release');
const names = [...(await packRelease(root, folder))];
const { default: product } = (await import('../package.json', { with: { type: 'json' } })) as {
  default: { version: string };
};
// They name the archives by their checksums.
if ((await archivesIn(folder, product.version)).length > 0)
  names.push(...(await writeManifests(root, folder)));
else process.stderr.write('No archives were packed, so there are no manifests for package managers.\n');
for (const name of names) process.stdout.write(`${path.join('release', name)}\n`);

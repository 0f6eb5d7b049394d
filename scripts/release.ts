/** `npm run release`: packs what is in `dist/` and beside it into `release/`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packRelease } from './pack-release.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const name of await packRelease(root, path.join(root, 'release')))
  process.stdout.write(`${path.join('release', name)}\n`);

/** `npm run docs`: writes the pages that are made from the code. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withPicture } from './architecture/picture.ts';
import { referencePages } from './reference.ts';

for (const [name, text] of referencePages())
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);

const architecture = new URL('../ARCHITECTURE.md', import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
await writeFile(architecture, withPicture(await readFile(architecture, 'utf8'), root));

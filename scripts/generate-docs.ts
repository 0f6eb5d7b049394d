/** `npm run docs`: writes the pages of docs/ that are made from the code. */
import { writeFile } from 'node:fs/promises';
import { referencePages } from './reference.ts';

for (const [name, text] of referencePages())
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);

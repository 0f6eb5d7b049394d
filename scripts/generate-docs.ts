/** `npm run docs`: writes what is made from something else: pages from the code, and JSON from the finalizer catalogue. */
import { readFile, writeFile } from 'node:fs/promises';
import { CatalogueError } from '../src/diagnosis/finalizers/catalogue-text.ts';
import { catalogueJson, readCatalogue } from './finalizer-catalogue.ts';
import { partsOfPages, referencePages } from './reference.ts';

try {
  await writeFile(
    new URL('../src/diagnosis/finalizers/catalogue.json', import.meta.url),
    catalogueJson(readCatalogue()),
  );
} catch (error) {
  if (!(error instanceof CatalogueError)) throw error;
  process.stderr.write(`src/diagnosis/finalizers/catalogue.yaml:\n${error.message}\n`);
  process.exit(1);
}

for (const [name, text] of referencePages())
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);

for (const [name, withPart] of Object.entries(partsOfPages)) {
  const file = new URL(`../${name}`, import.meta.url);
  await writeFile(file, withPart(await readFile(file, 'utf8')));
}

/** `npm run docs`: writes what is made from something else: pages from the code, and JSON from the finalizer catalogue. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CatalogueError } from '../src/diagnosis/finalizers/catalogue-text.ts';
import { withMatrix } from '../test/conformance/matrix/table.ts';
import { withPicture } from './architecture/picture.ts';
import { documentTypes } from './document-types.ts';
import { catalogueJson, readCatalogue } from './finalizer-catalogue.ts';
import { referencePages } from './reference.ts';
import { withVersions } from './versions-table.ts';

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

await writeFile(new URL('../src/library/documents.d.ts', import.meta.url), await documentTypes());

const kubernetes = new URL('../docs/kubernetes.md', import.meta.url);
await writeFile(kubernetes, withVersions(await readFile(kubernetes, 'utf8')));

const conformance = new URL('../docs/conformance.md', import.meta.url);
await writeFile(conformance, withMatrix(await readFile(conformance, 'utf8')));

const architecture = new URL('../ARCHITECTURE.md', import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
await writeFile(architecture, withPicture(await readFile(architecture, 'utf8'), root));

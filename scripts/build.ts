/** `npm run build`: makes `dist/`: the bundle, what it reads at runtime, and what says whose code is in it. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSchemas } from './document-schemas.ts';
import { bundle } from './loading/bundle.ts';
import { bundledPackages } from './supply-chain/bundled-packages.ts';
import { thirdPartyNotice } from './supply-chain/licences.ts';
import { billOfMaterials } from './supply-chain/sbom.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'dist');
// Put in place at the end, so that what runs meanwhile finds the old build or the new one.
const outdir = path.join(root, 'dist.new');

await rm(outdir, { recursive: true, force: true });
const { metafile } = await bundle(root, outdir);
await mkdir(outdir, { recursive: true });
await writeSchemas(path.join(outdir, 'schema'));
// Read at runtime beside the folder of chunks (src/source/demo/scenarios.ts).
await cp(path.join(root, 'src/source/demo/scenarios'), path.join(outdir, 'scenarios'), { recursive: true });
// Types for other programs: of documents, and of the functions that return them.
const definitions = await readFile(path.join(root, 'src/cli/documents/definitions.ts'), 'utf8');
await writeFile(path.join(outdir, 'documents.d.ts'), definitions.replaceAll('readonly ', ''));
const library = await readFile(path.join(root, 'src/library/exports.d.ts'), 'utf8');
await writeFile(
  path.join(outdir, 'library.d.ts'),
  library.replaceAll('../cli/documents/definitions.ts', './documents.js'),
);
const packages = await bundledPackages(root, metafile);
await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), thirdPartyNotice(packages));
const product = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Parameters<
  typeof billOfMaterials
>[0];
await writeFile(path.join(outdir, 'sbom.cdx.json'), billOfMaterials(product, packages));
await rm(target, { recursive: true, force: true });
await rename(outdir, target);
if (process.env['BUILD_META']) await writeFile(process.env['BUILD_META'], JSON.stringify(metafile));

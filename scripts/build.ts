/** `npm run build`: makes `dist/`: the bundle, what it reads at runtime, and what says whose code is in it. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
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
await cp(path.join(root, 'src/documents/schema'), path.join(outdir, 'schema'), { recursive: true });
// Read at runtime beside the folder of chunks (src/source/demo/scenarios.ts).
await cp(path.join(root, 'src/source/demo/scenarios'), path.join(outdir, 'scenarios'), { recursive: true });
// The types of what other programs import.
for (const name of ['documents', 'exports'])
  await cp(
    path.join(root, 'src/library', `${name}.d.ts`),
    path.join(outdir, name === 'exports' ? 'library.d.ts' : `${name}.d.ts`),
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

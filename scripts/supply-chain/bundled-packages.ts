/** The packages of which code is in the bundle: what the bundler says went into it, not what is installed. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** Below the repository, as the lock file has it: `node_modules/a/node_modules/b`. */
  readonly folder: string;
  /** As its package.json says; `''` where that says nothing. */
  readonly licence: string;
  /** Licence and notice, as the package has them, or as this repository keeps them for it. */
  readonly texts: readonly string[];
  /** Of its archive, as in the lock file: `sha512-…`. */
  readonly integrity: string;
  /** Folders of the bundled packages that it asks for. */
  readonly uses: readonly string[];
}

interface Locked {
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Texts for packages that come without one, by name and version: another version has to be looked at anew. */
const KEPT = path.join(import.meta.dirname, 'licences');

/** In order of their folders. */
export async function bundledPackages(root: string, metafile: Metafile): Promise<readonly BundledPackage[]> {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const folders = foldersOf(metafile);
  return Promise.all(
    [...folders].sort().map(async folder => {
      const { name, version, license } = JSON.parse(
        await readFile(path.join(root, folder, 'package.json'), 'utf8'),
      ) as { readonly name: string; readonly version: string; readonly license?: unknown };
      const locked = lock.packages[folder] ?? {};
      const wanted = Object.keys({
        ...locked.dependencies,
        ...locked.peerDependencies,
        ...locked.optionalDependencies,
      });
      return {
        name,
        version,
        folder,
        licence: typeof license === 'string' ? license : '',
        texts: await textsOf(path.join(root, folder), name, version),
        integrity: locked.integrity ?? '',
        uses: wanted.flatMap(each => resolved(folder, each, folders) ?? []),
      };
    }),
  );
}

function foldersOf(metafile: Metafile): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(input)?.[1];
      if (bytesInOutput > 0 && folder !== undefined) folders.add(folder);
    }
  }
  return folders;
}

/** Where Node finds a package from within another one, if that is in the bundle. */
function resolved(from: string, name: string, folders: ReadonlySet<string>): string | undefined {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    const candidate = `${at}/node_modules/${name}`;
    if (folders.has(candidate)) return candidate;
    if (!at.includes('/node_modules/')) break;
  }
  return folders.has(`node_modules/${name}`) ? `node_modules/${name}` : undefined;
}

async function textsOf(folder: string, name: string, version: string): Promise<readonly string[]> {
  const found = (await readdir(folder)).filter(file => /^(?:licen[cs]e|copying|notice)/iu.test(file)).sort();
  const kept = path.join(KEPT, `${name.replace('/', '__')}-${version}.txt`);
  const files = found.some(file => !/^notice/iu.test(file))
    ? found.map(file => path.join(folder, file))
    : [kept, ...found.map(file => path.join(folder, file))];
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8').catch(() => '')));
  return texts.map(text => text.trim()).filter(text => text !== '');
}

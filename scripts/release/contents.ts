/** What is in the archive of a platform: the product, the Node that runs it, and what has to be said of both. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Component, sha512Of } from '../supply-chain/sbom.ts';
import type { Entry } from './archive.ts';
import { LIBRARIES, launcher, windowsCompletion } from './launchers.ts';
import type { Platform } from './platforms.ts';

/** A Node for a platform, with what it needs beside itself. */
export interface Runtime {
  /** Of Windows, the whole program; else Node. */
  readonly program: Uint8Array;
  readonly node: { readonly name: string; readonly version: string; readonly integrity: string };
  readonly licence: string;
  /** By their names. */
  readonly libraries: ReadonlyMap<string, Uint8Array>;
  /** Of the libraries; `''` without any. */
  readonly librariesNotice: string;
  readonly components: readonly Component[];
}

/** Files of the repository that go along as they are, the pages of this version among them. */
const documents = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs'];
/** Of `dist/`: what only programs import, of which npm's package is for; and what has a place of its own in the archive. */
const notPacked = /^library(?:\.js$|\/)|\.d\.ts$|^(?:THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/u;

/** `root` has been built. `sbom` makes the bill of materials of what is there beside the bundle. */
export async function contentsOf(
  root: string,
  platform: Platform,
  runtime: Runtime,
  sbom: (components: readonly Component[]) => string,
): Promise<readonly Entry[]> {
  const dist = path.join(root, 'dist');
  const entries: Entry[] = [];
  const add = (name: string, content: string | Uint8Array, executable = false): void => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    entries.push({ name, content: bytes, executable });
  };
  for (const name of documents)
    for (const file of await filesIn(path.join(root, name))) {
      const below = path.relative(root, file).replaceAll(path.sep, '/');
      add(below, await readFile(file));
    }
  // dist/main.js is a module wherever it lies.
  add('package.json', `${JSON.stringify({ type: 'module', private: true })}\n`);
  const notices = await readFile(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  add('THIRD-PARTY-LICENSES.txt', noticeOf(notices, runtime));
  add('sbom.cdx.json', sbom([nodeComponent(runtime), ...runtime.components]));
  for (const file of await filesIn(dist)) {
    const name = path.relative(dist, file).replaceAll(path.sep, '/');
    if (!notPacked.test(name)) add(`dist/${name}`, await readFile(file));
  }
  if (platform.os === 'windows') {
    add('kubectl-gc_tree.exe', runtime.program, true);
    add('kubectl_complete-gc_tree.cmd', windowsCompletion, true);
    return entries;
  }
  const hasLibraries = runtime.libraries.size > 0;
  add('kubectl-gc_tree', launcher('main.js', hasLibraries), true);
  add('kubectl_complete-gc_tree', launcher('complete.js', hasLibraries), true);
  add('lib/node', runtime.program, true);
  for (const [name, content] of runtime.libraries) add(`${LIBRARIES}/${name}`, content);
  return entries;
}

/** The file itself, or all that are anywhere in the folder. */
async function filesIn(place: string): Promise<readonly string[]> {
  if ((await stat(place)).isFile()) return [place];
  const found = await readdir(place, { recursive: true, withFileTypes: true });
  return found.filter(each => each.isFile()).map(each => path.join(each.parentPath, each.name));
}

function noticeOf(bundled: string, { node, licence, librariesNotice }: Runtime): string {
  const parts = [`Node.js ${node.version}\nLicence: MIT, and those of what is in it\n\n${licence.trim()}\n`];
  if (librariesNotice !== '') parts.push(librariesNotice);
  return [...parts, bundled].join(`\n${'-'.repeat(72)}\n\n`);
}

function nodeComponent({ node: { name, version, integrity } }: Runtime): Component {
  return {
    name: 'node',
    version,
    purl: `pkg:npm/${name}@${version}`,
    licence: 'MIT',
    hash: ['SHA-512', sha512Of(integrity, `${name} ${version}`)],
  };
}

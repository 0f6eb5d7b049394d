/**
 * `npm run release`: makes all files of a release of what is in `dist/` and beside it, in `release/`. With `--only
 * linux-amd64`, which can be repeated, it makes only the archives of these platforms; with `--folder` in another folder,
 * which is to be empty.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeManifests } from './distribution/manifests.ts';
import { writeNotes } from './distribution/notes.ts';
import { packRelease } from './distribution/pack.ts';
import { packArchives } from './release/pack-archives.ts';
import { platforms } from './release/platforms.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { only = [], folder: given } = parseArgs({
  options: { only: { type: 'string', multiple: true }, folder: { type: 'string' } },
}).values;
const folder = path.resolve(root, given ?? 'release');
const byName = new Map(platforms.map(each => [`${each.os}-${each.arch}`, each]));
const names: string[] = [];
const done = (name: string): void => {
  names.push(name);
  process.stdout.write(`${path.join(given ?? 'release', name)}\n`);
};

const unknown = only.find(name => !byName.has(name));
if (unknown !== undefined) {
  process.stderr.write(`${unknown} is none of ${[...byName.keys()].join(', ')}.\n`);
  process.exit(2);
}
if (only.length > 0) {
  await mkdir(folder, { recursive: true });
  const which = [...new Set(only)].flatMap(name => byName.get(name) ?? []);
  for await (const name of packArchives(root, folder, which, process.env)) done(name);
} else {
  // What an earlier release left would be taken for a part of this one.
  if (given === undefined) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    process.stderr.write(`${folder} is not empty.\n`);
    process.exit(2);
  }
  for (const name of await packRelease(root, folder)) done(name);
  for await (const name of packArchives(root, folder, platforms, process.env)) done(name);
  // They name the archives by their checksums.
  for (const name of await writeManifests(root, folder)) done(name);
  done(await writeNotes(root, folder));
  const sums = await Promise.all(
    names.sort().map(async name => {
      const digest = createHash('sha256').update(await readFile(path.join(folder, name)));
      return `${digest.digest('hex')}  ${name}\n`;
    }),
  );
  await writeFile(path.join(folder, 'SHA256SUMS'), sums.join(''));
  done('SHA256SUMS');
}

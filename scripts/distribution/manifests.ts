/** What each way of installing a release needs beside the archives, made of the archives that lie in its folder. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { homebrewFormula } from './homebrew.ts';
import { imageRecipe } from './image.ts';
import { krewManifest } from './krew.ts';
import { archivesIn, type Release } from './release.ts';
import { scoopManifest } from './scoop.ts';

/** Writes them into the folder, and returns their names. Throws where an archive is missing that one of them names. */
export async function writeManifests(root: string, folder: string): Promise<readonly string[]> {
  const { release, template } = await releaseIn(root, folder);
  const files: readonly (readonly [string, string])[] = [
    // krew takes the plugin's name from that of the file.
    ['gc-tree.yaml', krewManifest(release, template)],
    ['kubectl-gc-tree.rb', homebrewFormula(release)],
    ['kubectl-gc-tree.json', scoopManifest(release)],
    ['Dockerfile', imageRecipe(release)],
  ];
  for (const [name, text] of files) await writeFile(path.join(folder, name), text);
  return files.map(([name]) => name);
}

async function releaseIn(root: string, folder: string): Promise<{ release: Release; template: string }> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const template = await readFile(path.join(root, 'plugin.yaml'), 'utf8');
  const { spec } = parse(template) as { spec: { homepage: string; shortDescription: string } };
  const { homepage, shortDescription: description } = spec;
  return {
    release: { version, homepage, description, archives: await archivesIn(folder, version) },
    template,
  };
}

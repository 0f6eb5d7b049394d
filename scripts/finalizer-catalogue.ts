/** The finalizer catalogue that is built in. `npm run docs` makes the JSON of its YAML that the product loads. */

import { readFileSync } from 'node:fs';
import { parseCatalogue } from '../src/diagnosis/finalizers/catalogue-text.ts';
import type { CatalogueEntry } from '../src/model/finalizer-catalogue.ts';

/** Throws a `CatalogueError` where something is wrong with it. */
export function readCatalogue(): readonly CatalogueEntry[] {
  const file = new URL('../src/diagnosis/finalizers/catalogue.yaml', import.meta.url);
  return parseCatalogue(readFileSync(file, 'utf8'));
}

/** A line for each controller. */
export function catalogueJson(catalogue: readonly CatalogueEntry[]): string {
  return `[\n${catalogue.map(each => JSON.stringify(each)).join(',\n')}\n]\n`;
}

/** Loads users' own finalizer catalogues. */

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Person, userFolders } from '../../disk/index.ts';
import {
  type CatalogueEntry,
  type FinalizerCatalogue,
  keptAnnotations,
  ManagingMarks,
} from '../../model/index.ts';
import { UsageError } from '../runtime/errors.ts';
import type { Flags } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';

/** A larger file, such as a dump, was named by mistake. */
const MOST_BYTES = 2_000_000;

/**
 * Loads `--catalogue` files and the user's `catalogue.yaml`; undefined if there are none. Rejects with a `UsageError`
 * that names file and line of a fault.
 */
export async function ownCatalogue(
  { catalogue: named = [] }: Flags,
  { env }: Io,
): Promise<FinalizerCatalogue | undefined> {
  const usual = path.join(userFolders.config(env), 'catalogue.yaml');
  const files = [...named, ...(existsSync(usual) ? [usual] : [])];
  // Most users have none, and start without the parser.
  if (files.length === 0) return undefined;
  if (existsSync(usual)) await assertOwn(usual);
  const [{ catalogueWith }, ...entries] = await Promise.all([
    import('../../diagnosis/finalizers/catalogue.ts'),
    ...files.map(entriesOf),
  ]);
  const catalogue = catalogueWith(entries.flat());
  // Annotations are kept only if a mark is known when they are read.
  keptAnnotations.add(catalogue.managingMarks.flatMap(ManagingMarks.annotations));
  return catalogue;
}

/** Checks the file that is loaded without being named, since it decides what counts as safe. */
async function assertOwn(file: string): Promise<void> {
  const found = await stat(file);
  if (!found.isFile()) throw new UsageError(`the catalogue ${file} is no file.`);
  const odd = Person.distrust(file, found);
  if (odd !== undefined) throw new UsageError(`${odd.why}, so it is not trusted: ${odd.mend}`);
}

async function entriesOf(file: string): Promise<readonly CatalogueEntry[]> {
  const [text, { CatalogueError, parseCatalogue }] = await Promise.all([
    textOf(file),
    import('../../diagnosis/finalizers/catalogue-text.ts'),
  ]);
  try {
    return parseCatalogue(text);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    const [first, ...more] = error.faults;
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    throw new UsageError(
      `${file}: ${first?.replace(/\.$/u, '')}${others}.\ndocs/finalizers.md describes a catalogue.`,
    );
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const found = await stat(file);
    // A device may never end.
    if (!found.isFile() && !found.isFIFO()) throw new UsageError(`the catalogue ${file} is no file.`);
    if (found.size > MOST_BYTES) throw new UsageError(`${file} is too large for a catalogue.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const why = error.code === 'ENOENT' ? 'there is no such file' : String(error.code);
    throw new UsageError(`the catalogue ${file} cannot be read: ${why}.`);
  }
}

/** The backup of an entry as taking it back needs it, read from the disk. */
import type { Journal } from '../journal/journal.ts';
import type { Entry } from '../journal/record.ts';
import type { KeptObject } from './makers.ts';

/** In the order of the backup. Rejects with the file system's error. */
export async function readKept(journal: Journal, entry: Entry): Promise<KeptObject[]> {
  const kept: KeptObject[] = [];
  for (const note of entry.intended.backup) {
    const { file: _, ...known } = note;
    kept.push({ ...known, json: await journal.backup(entry, note) });
  }
  return kept;
}

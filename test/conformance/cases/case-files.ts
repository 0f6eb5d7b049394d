/**
 * Situations that users reported, as files: the objects as they were posted, what was asked about, and what a true answer
 * has to say first, to offer first, and not to say anywhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** What is checked of an answer, each in a test of its own. */
export const aspects = ['first', 'remedy', 'never', 'end'] as const;

export type Aspect = (typeof aspects)[number];

interface CaseFile {
  readonly number: number;
  readonly told: string;
  /** What stands after `why`; the same is asked of each. */
  readonly ask: readonly string[];
  /** Patterns that the first sentence fits, all of them. */
  readonly first: readonly string[];
  /** Of the first remedy: its risk, id, title and commands. */
  readonly remedy: string;
  /** Patterns that some sentence of `why` fits. */
  readonly says?: readonly string[];
  /** Patterns that no sentence fits, of any command about it. */
  readonly never: readonly string[];
  /** What becomes of it if nobody acts. */
  readonly end?: 'stays' | 'deleted';
  /** What isn't right yet, and why. A test of it fails as soon as it is. */
  readonly fails?: Partial<Record<Aspect, string>>;
  readonly objects: readonly unknown[];
}

export interface Case extends Omit<CaseFile, 'objects'> {
  readonly file: string;
  /** A manifest for `-f -`. */
  readonly manifest: string;
}

export function cases(): readonly Case[] {
  const folder = import.meta.dirname;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.yaml'))
    .map(file => {
      const parsed = parse(readFileSync(join(folder, file), 'utf8'), { merge: true }) as CaseFile;
      const { objects, ...rest } = parsed;
      const documents = objects.map(each => stringify(each, { aliasDuplicateObjects: false }));
      return { ...rest, file, manifest: documents.join('---\n') };
    })
    .sort((a, b) => a.number - b.number);
}

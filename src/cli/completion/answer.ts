/**
 * What is offered at the cursor, in cobra's terms, and how it is put on the command line: which words each shell takes as
 * they are, which it quotes itself, and which aren't offered because it would run what is in them.
 */
import { isShown } from '../../model/text/shown.ts';
import type { Services } from '../runtime/command.ts';
import type { Io } from '../runtime/io.ts';
import type { BashWord } from './bash-line.ts';

/** Directives of cobra that are in use (completions.go); they add up. */
export const NO_SPACE = 2;
export const NO_FILES = 4;
export const FILES = 0;

export interface CompletionContext {
  readonly io: Io;
  readonly services: Services;
}

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export interface CompletionAnswer {
  /** Not yet narrowed to what begins as the typed word does. */
  readonly candidates: readonly Candidate[];
  readonly directive: number;
  /** What each word begins with where it holds a flag's value: `--output=`. */
  readonly flag?: string;
}

export const none: CompletionAnswer = { candidates: [], directive: NO_FILES };

export function offer(candidates: readonly Candidate[]): CompletionAnswer {
  return { candidates, directive: NO_FILES };
}

export function words(list: readonly string[]): Candidate[] {
  return list.map(word => ({ word }));
}

/** For the last word of a list with commas, `pods,dep`: behind those before it, and none of them twice. */
export function listed(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  if (before === '') return candidates;
  const taken = before.split(',');
  return candidates
    .filter(({ word }) => !taken.includes(word))
    .map(each => ({ ...each, word: before + each.word }));
}

/**
 * Who asks. `kubectl`'s own scripts cannot be told apart; the others are the scripts of `completion`: that of fish cannot
 * keep kubectl's from reading a line that begins with `kubectl`.
 */
export type CompletionClient = 'kubectl' | 'zsh' | 'fish' | 'fish-kubectl' | 'powershell' | BashWord;

// kubectl's scripts (of cobra) put words on the line raw where several begin alike, and read them back with `eval` at
// the next Tab; those of old versions run what is in them at once (`compgen -W`). So: what no shell reads anything into.
// A word with `=` or `@` is taken apart by bash. A list with commas is one word in each of them, in PowerShell as far as
// nothing in it reads as a number.
const harmless = /^[A-Za-z0-9_-][A-Za-z0-9_./:+-]*$/u;
const harmlessList = /^[A-Za-z][A-Za-z0-9.-]*(?:,[A-Za-z][A-Za-z0-9.-]*)+$/u;
const harmlessFlag = /^--[a-z-]+=[A-Za-z0-9_./:+-]*$/u;

/**
 * The text to insert for a word; undefined where it isn't offered. So many of its first characters are `--output=`, which
 * kubectl's scripts keep for themselves.
 */
export function insertion(word: string, asker: CompletionClient, flag: number): string | undefined {
  if (!isShown(word)) return undefined;
  switch (asker) {
    case 'kubectl':
    case 'fish-kubectl': {
      const value = word.slice(flag);
      if (!harmless.test(value) && !harmlessList.test(value)) return undefined;
      return asker === 'kubectl' ? value : word;
    }
    case 'zsh':
    case 'fish':
      return word;
    case 'powershell':
      return forPowerShell(word);
    default:
      return asker.insertion(word);
  }
}

/** PowerShell inserts a completion as it is. Its old versions lose double quotes and backslashes on the way to a program. */
function forPowerShell(word: string): string | undefined {
  if (harmless.test(word) || harmlessFlag.test(word)) return word;
  // It takes the typographic ones for quotes as well.
  return /["\\\u201c-\u201e\u2018-\u201b]/u.test(word) ? undefined : `'${word.replaceAll("'", "''")}'`;
}

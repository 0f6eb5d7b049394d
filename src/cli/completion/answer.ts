/** Candidates in cobra's terms, quoted for each shell or left out if the shell would execute part of them. */
import { textEscapes } from '../../model/index.ts';
import type { Services } from '../runtime/command.ts';
import type { Io } from '../runtime/io.ts';
import type { BashWord } from './bash-line.ts';

/** Cobra's directives in use (completions.go); they add up. */
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
  /** Not yet filtered by the typed prefix. */
  readonly candidates: readonly Candidate[];
  readonly directive: number;
  /** The part before a flag's value: `--output=`. */
  readonly flag?: string;
}

export const none: CompletionAnswer = { candidates: [], directive: NO_FILES };

export function offer(candidates: readonly Candidate[]): CompletionAnswer {
  return { candidates, directive: NO_FILES };
}

export function words(list: readonly string[]): Candidate[] {
  return list.map(word => ({ word }));
}

/** Completes the last word of a comma list, `pods,dep`, without repeating earlier ones. */
export function listed(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  if (before === '') return candidates;
  const taken = before.split(',');
  return candidates
    .filter(({ word }) => !taken.includes(word))
    .map(each => ({ ...each, word: before + each.word }));
}

/**
 * `kubectl` stands for its scripts in all shells; the others are the scripts of `completion`. Fish can't keep kubectl's
 * script from reading lines that begin with `kubectl`.
 */
export type CompletionClient = 'kubectl' | 'zsh' | 'fish' | 'fish-kubectl' | 'powershell' | BashWord;

// kubectl's (cobra's) scripts put a common prefix on the line unquoted and `eval` it at the next Tab; old ones even
// execute it at once (`compgen -W`). So only words that no shell interprets are safe. Bash splits words at `=` and `@`.
// A comma list is one word in every shell, in PowerShell unless part of it reads as a number.
const harmless = /^[A-Za-z0-9_-][A-Za-z0-9_./:+-]*$/u;
const harmlessList = /^[A-Za-z][A-Za-z0-9.-]*(?:,[A-Za-z][A-Za-z0-9.-]*)+$/u;
const harmlessFlag = /^--[a-z-]+=[A-Za-z0-9_./:+-]*$/u;

/** Returns undefined to leave a word out. `flag`: length of a prefix such as `--output=`, which kubectl keeps. */
export function insertion(word: string, asker: CompletionClient, flag: number): string | undefined {
  if (!textEscapes.isShown(word)) return undefined;
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

/** Quotes for PowerShell, whose old versions lose double quotes and backslashes in arguments. */
function forPowerShell(word: string): string | undefined {
  if (harmless.test(word) || harmlessFlag.test(word)) return word;
  // PowerShell also accepts typographic quotes.
  return /["\\\u201c-\u201e\u2018-\u201b]/u.test(word) ? undefined : `'${word.replaceAll("'", "''")}'`;
}

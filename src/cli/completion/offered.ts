/**
 * How a candidate is put on the command line: which words each shell takes as they are, which it quotes itself, and
 * which aren't offered because it would run what is in them.
 */
import { isShown } from '../../model/text/shown.ts';
import type { BashWord } from './bash-line.ts';

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

/**
 * A command line as bash's completion has it, taken apart by bash's rules for quotes: `COMP_WORDS` is broken at colons
 * and equals signs, and nothing in a line may be run to read it.
 */

/** The word that is being completed. */
export interface BashWord {
  /** What to replace the end of the line with, so that the word becomes this one; undefined where it cannot. */
  insertion(word: string): string | undefined;
}

export interface BashLine {
  /** Behind the program's name, without quotes; the last one is being completed. */
  readonly words: readonly string[];
  readonly current: BashWord;
}

interface Word {
  /** As it stands on the line. */
  readonly raw: string;
  readonly text: string;
  /** It ends with a backslash whose character is still to come. */
  readonly isOpen: boolean;
  /** Nothing in it is quoted but single characters, and nothing would be expanded. */
  readonly isPlain: boolean;
}

/**
 * `line` ends at the cursor; `replaced` is the part of the last word that readline replaces; `named` is how many words
 * name the program: two are `kubectl gc-tree`. Undefined where the word cannot be completed: inside of quotes, behind an
 * expansion, in a redirection.
 */
export function readBashLine(line: string, replaced: string, named = 1): BashLine | undefined {
  const words = split(line);
  const last = words?.at(-1);
  if (words === undefined || last === undefined || !last.isPlain || !last.raw.endsWith(replaced))
    return undefined;
  const program = words.findIndex(({ raw }) => !/^[A-Za-z_]\w*=/u.test(raw));
  if (program < 0 || program + named >= words.length) return undefined;
  return {
    words: words.slice(program + named).map(({ text }) => text),
    current: {
      insertion: word => {
        if (!word.startsWith(last.text)) return undefined;
        // Where candidates differ behind a backslash, that is what bash leaves on the line.
        const typed = last.isOpen ? replaced.slice(0, -1) : replaced;
        return typed + quoted(word.slice(last.text.length));
      },
    },
  };
}

const parts = /(\s+)|('[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\<>;|&()]+|\\$)/suy;

/** Undefined where a quote is open, and where the line is more than words. */
function split(line: string): Word[] | undefined {
  const words: Word[] = [];
  let pieces: string[] = [];
  parts.lastIndex = 0;
  while (parts.lastIndex < line.length) {
    const [, blank, piece] = parts.exec(line) ?? [];
    if (piece !== undefined) pieces.push(piece);
    else if (blank === undefined) return undefined;
    else if (pieces.length > 0) {
      words.push(wordOf(pieces));
      pieces = [];
    }
  }
  return [...words, wordOf(pieces)];
}

function wordOf(pieces: readonly string[]): Word {
  return {
    raw: pieces.join(''),
    text: pieces.map(unquoted).join(''),
    isOpen: pieces.at(-1) === '\\',
    isPlain: pieces.every(piece => piece.startsWith('\\') || !/['"$`]/u.test(piece)),
  };
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\])/gu, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}

/** With a backslash before everything that bash could read something into. */
function quoted(text: string): string {
  return text.replace(/[^A-Za-z0-9_./:=@,+%\u0080-\u{10ffff}-]/gu, '\\$&');
}

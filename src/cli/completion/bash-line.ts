/** Splits bash's line by its quoting rules, as `COMP_WORDS` is broken at colons and equals signs. Nothing is run. */

export interface BashWord {
  /** Returns the text to insert for this word; undefined if it can't be inserted. */
  insertion(word: string): string | undefined;
}

export interface BashLine {
  readonly words: readonly string[];
  readonly current: BashWord;
}

interface Word {
  readonly raw: string;
  readonly text: string;
  /** True if the word ends with an unfinished backslash escape. */
  readonly isOpen: boolean;
  /** True if only single characters are quoted, and nothing would be expanded. */
  readonly isPlain: boolean;
}

/**
 * Reads `line` up to the cursor. `replaced`: the part that readline replaces; `named`: words that name the program.
 * Returns undefined inside quotes, after an expansion, and in a redirection.
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
        // Bash leaves the common text of candidates that differ after a backslash.
        const typed = last.isOpen ? replaced.slice(0, -1) : replaced;
        return typed + quoted(word.slice(last.text.length));
      },
    },
  };
}

const parts = /(\s+)|('[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\<>;|&()]+|\\$)/suy;

/** Returns undefined if a quote is open, or if the line is more than words. */
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

function quoted(text: string): string {
  return text.replace(/[^A-Za-z0-9_./:=@,+%\u0080-\u{10ffff}-]/gu, '\\$&');
}

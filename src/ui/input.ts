/** Turns Ink's input events into keys, wheel and clicks. Ink drops mouse reports, so they are read separately. */
import type { Key as InkKey } from 'ink';
import type { Key, Message, NamedKey } from '../app/index.ts';

const named: readonly (readonly [keyof InkKey, NamedKey])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

export function parseKeys(input: string, key: InkKey): Key[] {
  if (key.meta && key.leftArrow) return [{ name: 'alt-left' }];
  if (key.meta && key.rightArrow) return [{ name: 'alt-right' }];
  if (key.shift && key.upArrow) return [{ name: 'shift-up' }];
  if (key.shift && key.downArrow) return [{ name: 'shift-down' }];
  for (const [flag, name] of named) if (key[flag] === true) return [{ name }];
  if (key.ctrl) return Array.from(input, letter => ({ name: `ctrl-${letter}` }));
  // Alt with a letter is never bound; typing the letter would surprise the user.
  if (key.meta) return [];
  return Array.from(input, characterKey);
}

const characterNames: Readonly<Record<string, NamedKey>> = {
  ' ': 'space',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001B': 'escape',
  '\u007F': 'backspace',
  '\b': 'backspace',
};

function characterKey(character: string): Key {
  const name = characterNames[character];
  if (name !== undefined) return { name };
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 ? { name: `ctrl-${String.fromCodePoint(code + 0x60)}` } : { text: character };
}

/** Characters of the longest answer: `]11;rgba:ffff/ffff/ffff/ffff`. */
const LONGEST_ANSWER = 32;

/** Drops a slow terminal's late answer to OSC 11, which Ink would pass on as typed text. */
export class AnswerFilter {
  /** Characters that may still belong to an answer; 0 outside one. */
  #left = 0;

  drops(input: string, { meta }: Pick<InkKey, 'meta'>): boolean {
    if (meta && input === ']') this.#left = LONGEST_ANSWER;
    else if (this.#left === 0) return false;
    else if ((meta && input === '\\') || input.includes('\u0007')) this.#left = 0;
    else this.#left = Math.max(0, this.#left - input.length);
    return true;
  }
}

// Reports presses, and moves while a button is held.
const ON = '\u001B[?1002h\u001B[?1006h';
const OFF = '\u001B[?1006l\u001B[?1002l';

const NOTCH = 3;

// oxlint-disable-next-line no-control-regex -- mouse reports are control sequences
const report = /\u001B\[<(\d+);(\d+);(\d+)([Mm])/gu;
// oxlint-disable-next-line no-control-regex
const beginning = /\u001B(?:\[(?:<[\d;]*)?)?$/u;

export class MouseReader {
  #rest = '';

  push(chunk: string): Message[] {
    const text = this.#rest + chunk;
    const messages: Message[] = [];
    let end = 0;
    for (const match of text.matchAll(report)) {
      end = match.index + match[0].length;
      const button = Number(match[1]);
      const column = Number(match[2]) - 1;
      const row = Number(match[3]) - 1;
      // Bits 2 to 4 are Shift, Alt and Ctrl. Only presses count; a release ends in a lowercase m.
      const plain = button & ~28;
      if (match[4] !== 'M') continue;
      if (plain === 64 || plain === 65) {
        messages.push({ type: 'wheel', lines: plain === 64 ? -NOTCH : NOTCH, column, row });
      } else if (plain === 0) messages.push({ type: 'click', column, row });
      else if (plain === 32) messages.push({ type: 'drag', column, row });
    }
    this.#rest = beginning.exec(text.slice(end))?.[0] ?? '';
    return messages;
  }
}

/** Enables mouse reports and dispatches them; returns a function that disables them. */
export function followMouse(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  dispatch: (message: Message) => void,
): () => void {
  const reader = new MouseReader();
  const listen = (chunk: string | Uint8Array): void => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1');
    for (const message of reader.push(text)) dispatch(message);
  };
  stdin.on('data', listen);
  stdout.write(ON);
  return () => {
    stdin.off('data', listen);
    if (stdout.writable) stdout.write(OFF);
  };
}

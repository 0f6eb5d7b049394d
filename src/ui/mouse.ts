/**
 * Wheel and clicks. Ink drops mouse reports from the input that it reads, so they are picked up beside it: a
 * stream tells its `data` listeners whatever its reader takes out.
 */
import type { Message } from '../app/state/messages.ts';

const ON = '\u001B[?1000h\u001B[?1006h';
const OFF = '\u001B[?1006l\u001B[?1000l';

/** Rows that one notch of the wheel scrolls. */
const NOTCH = 3;

// oxlint-disable-next-line no-control-regex -- mouse reports are control sequences
const report = /\u001B\[<(\d+);(\d+);(\d+)([Mm])/gu;
// oxlint-disable-next-line no-control-regex
const beginning = /\u001B(?:\[(?:<[\d;]*)?)?$/u;

/** Finds mouse reports in what is read, also where one is cut in two by the end of a read. */
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
      // Shift, alt and ctrl are bits 2 to 4; presses alone count, releases end in a small m.
      const plain = button & ~28;
      if (match[4] !== 'M') continue;
      if (plain === 64 || plain === 65) {
        messages.push({ type: 'wheel', lines: plain === 64 ? -NOTCH : NOTCH, column, row });
      } else if (plain === 0) messages.push({ type: 'click', column, row });
    }
    this.#rest = beginning.exec(text.slice(end))?.[0] ?? '';
    return messages;
  }
}

/** Switches mouse reports on and hands them on; returns what switches them off again. */
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

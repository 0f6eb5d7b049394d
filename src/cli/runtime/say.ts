/** Sentences on standard error: what went wrong, and what has to be known about an answer beside it. */
import { Writable } from 'node:stream';
import { printLine } from '../../documents/print/lines.ts';
import { withoutCredentials } from '../../model/text/credentials.ts';
import { showHidden } from '../../model/text/shown.ts';
import { asciiLines } from '../../text/terminal/ascii.ts';
import { asciiGlyphs } from '../../text/terminal/glyphs.ts';
import { truncate } from '../../text/terminal/width.ts';
import type { Io } from './io.ts';
import { Terminal } from './terminal.ts';

type Out = Pick<Io, 'stderr' | 'errorColumns' | 'ascii'>;

/** Lines with their line breaks, each folded into the terminal that standard error is, if it is one. Sanitised before. */
export function say(io: Out, lines: string): void {
  if (lines !== '') io.stderr.write(folded(io, lines));
}

/** A warning, sanitised and without credentials, as errors are. */
export function warn(io: Out, text: string): void {
  say(io, `Warning: ${showHidden(withoutCredentials(text))}\n`);
}

/** The lines of `say`, for somebody else to write. */
export function folded({ errorColumns, ascii }: Omit<Out, 'stderr'>, lines: string): string {
  const look = { colour: false, ascii: ascii === true, width: errorColumns() };
  return lines
    .replace(/\n$/u, '')
    .split('\n')
    .map(line => printLine({ spans: [{ text: line, style: 'plain' }], indent: 2 }, look))
    .join('');
}

/** The words of a line that is drawn over and over, cut to the terminal. */
export function statusWords({ errorColumns, ascii }: Omit<Out, 'stderr'>, words: string): string {
  const [shown, ellipsis] = ascii === true ? [asciiLines(words), asciiGlyphs.ellipsis] : [words, undefined];
  return truncate(shown, (errorColumns() ?? 80) - 1, ellipsis);
}

/** With nothing but ASCII on standard error, whoever writes there. */
export function withAsciiErrors(io: Io): Io {
  const stderr = new AsciiStream(io.stderr);
  return { ...io, stderr, terminal: new Terminal(stderr, io.stderrIsTerminal), ascii: true };
}

/** Keeps nothing back: what it was given is with the other stream at once, which whoever ends the process waits for. */
class AsciiStream extends Writable {
  readonly #to: Writable;

  constructor(to: Writable) {
    super({ decodeStrings: false });
    this.#to = to;
    to.on('error', () => {});
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.#to.write(asciiLines(String(chunk)));
    done();
  }
}

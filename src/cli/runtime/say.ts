import { Writable } from 'node:stream';
import { credentials, showHidden } from '../../model/index.ts';
import { Glyphs, inAscii, truncate } from '../../text/index.ts';
import { printLine } from '../documents/print/print-lines.ts';
import type { Io } from './io.ts';
import { Terminal } from './terminal.ts';

type Out = Pick<Io, 'stderr' | 'errorColumns' | 'ascii'>;

/** Requires sanitised lines, and folds them to standard error's terminal. */
export function say(io: Out, lines: string): void {
  if (lines !== '') io.stderr.write(folded(io, lines));
}

/** Writes a warning, sanitised and without credentials. */
export function warn(io: Out, text: string): void {
  say(io, `Warning: ${showHidden(credentials.removed(text))}\n`);
}

export function folded({ errorColumns, ascii }: Omit<Out, 'stderr'>, lines: string): string {
  const look = { colour: false, ascii: ascii === true, width: errorColumns() };
  return lines
    .replace(/\n$/u, '')
    .split('\n')
    .map(line => printLine({ spans: [{ text: line, style: 'plain' }], indent: 2 }, look))
    .join('');
}

export function statusWords({ errorColumns, ascii }: Omit<Out, 'stderr'>, words: string): string {
  const [shown, ellipsis] =
    ascii === true ? [inAscii.lines(words), Glyphs.ascii.ellipsis] : [words, undefined];
  return truncate(shown, (errorColumns() ?? 80) - 1, ellipsis);
}

export function withAsciiErrors(io: Io): Io {
  const stderr = new AsciiStream(io.stderr);
  return { ...io, stderr, terminal: new Terminal(stderr, io.stderrIsTerminal), ascii: true };
}

/** Buffers nothing: the process waits for the underlying stream when it ends. */
class AsciiStream extends Writable {
  readonly #to: Writable;

  constructor(to: Writable) {
    super({ decodeStrings: false });
    this.#to = to;
    to.on('error', () => {});
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.#to.write(inAscii.lines(String(chunk)));
    done();
  }
}

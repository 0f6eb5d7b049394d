/** A substitute for the process that keeps a command's output. */
import { Readable, Writable } from 'node:stream';
import type { EndSignal } from '../../platform/index.ts';
import type { Io } from '../runtime/io.ts';
import { Terminal } from '../runtime/terminal.ts';

export interface Capture {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Ends the command, as a signal ends the process. */
  readonly gone: AbortSignal;
  readonly env?: Io['env'];
}

export function capturedIo(io: Pick<Io, 'now' | 'pause'>, { stdout, stderr, gone, env = {} }: Capture): Io {
  return {
    stdout,
    stderr,
    stdin: () => Readable.from([]),
    env,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    terminal: new Terminal(stderr, false),
    columns: () => undefined,
    errorColumns: () => undefined,
    now: () => io.now(),
    pause: (milliseconds, signal) => io.pause(milliseconds, signal),
    onInterrupt: (callback: (signal: EndSignal) => void) => {
      const end = (): void => callback('SIGTERM');
      if (gone.aborted) queueMicrotask(end);
      gone.addEventListener('abort', end);
      return () => gone.removeEventListener('abort', end);
    },
  };
}

export class Gathered extends Writable {
  text = '';
  isFull = false;
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.isFull ||= this.text.length + chunk.length > this.#most;
    if (!this.isFull) this.text += chunk.toString();
    done();
  }
}

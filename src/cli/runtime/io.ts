/** The parts of the process that a command may touch; tests pass their own. */
import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { EndSignal } from '../../platform/index.ts';
import type { Kustomization } from '../../source/index.ts';
import { Interrupted } from './errors.ts';
import { Terminal } from './terminal.ts';

export interface Io {
  readonly stdout: Writable;
  readonly stderr: Writable;
  stdin(): Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly terminal: Terminal;
  /** Columns of standard output's terminal; undefined without one. */
  columns(): number | undefined;
  errorColumns(): number | undefined;
  readonly ascii?: true;
  now(): number;
  /** Resolves after this time, or at once if the signal aborts; never rejects. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls back at Ctrl-C or a request to end, until the result is called. Without a listener, signals end the process.
   */
  onInterrupt(callback: (signal: EndSignal) => void): () => void;
}

/** Rejects with `Interrupted` at Ctrl-C. */
export async function unlessInterrupted<T>(
  { onInterrupt }: Pick<Io, 'onInterrupt'>,
  promise: Promise<T>,
): Promise<T> {
  const interrupted = Promise.withResolvers<never>();
  const stopListening = onInterrupt(signal => interrupted.reject(new Interrupted(signal)));
  try {
    const result = await Promise.race([promise, interrupted.promise]);
    // Signals arrive in the event loop's next turn and need a listener then; two immediates span a whole turn.
    await Promise.race([setImmediate().then(() => setImmediate()), interrupted.promise]);
    return result;
  } finally {
    stopListening();
  }
}

/** The terminal and the parent process (bin/boot.mjs) may each deliver the same Ctrl-C. */
const ONE_PRESS_MILLISECONDS = 50;

/** Shares one listener for each signal, however many callbacks wait: Node warns about more than ten. */
function interruptions(): Io['onInterrupt'] {
  const callbacks = new Set<(signal: EndSignal) => void>();
  let last = Number.NEGATIVE_INFINITY;
  const listener = (signal: EndSignal): void => {
    const now = performance.now();
    if (now - last > ONE_PRESS_MILLISECONDS) for (const callback of new Set(callbacks)) callback(signal);
    last = now;
  };
  return callback => {
    const own = (signal: EndSignal): void => callback(signal);
    if (callbacks.size === 0) for (const signal of EndSignal.all) process.on(signal, listener);
    callbacks.add(own);
    return () => {
      callbacks.delete(own);
      if (callbacks.size === 0) for (const signal of EndSignal.all) process.off(signal, listener);
    };
  };
}

export function processIo(): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: () => process.stdin,
    env: process.env,
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    terminal: new Terminal(process.stderr, process.stderr.isTTY === true),
    columns: () => (process.stdout.isTTY === true ? process.stdout.columns : undefined),
    errorColumns: () => (process.stderr.isTTY === true ? process.stderr.columns : undefined),
    now: () => Date.now(),
    pause: (milliseconds, signal) => sleep(milliseconds, undefined, signal && { signal }).catch(() => {}),
    onInterrupt: interruptions(),
  };
}

const PATIENCE_MS = 300;

/** Ends the process once all is written, even if work such as an unanswered connection can't be aborted. */
export function leaveWith(exitCode: number): void {
  process.exitCode = exitCode;
  const leave = (): void => {
    const unwritten = process.stdout.writableLength + process.stderr.writableLength;
    if (unwritten > 0) wait();
    else process.exit();
  };
  const wait = (): void => {
    setTimeout(leave, PATIENCE_MS).unref();
  };
  wait();
}

export function kustomizationOf(folder: string, io: Io): Kustomization {
  const { env } = io;
  return { folder, env, onInterrupt: end => io.onInterrupt(signal => end(new Interrupted(signal))) };
}

/** Everything that a command may touch of the process it runs in; tests hand in their own. */
import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type EndSignal, endSignals } from '../../platform/signals.ts';
import type { Kustomization } from '../../source/files/kustomize.ts';
import { Interrupted } from './errors.ts';
import { Terminal } from './terminal.ts';

export interface Io {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Standard input, for whoever reads it. */
  stdin(): Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Who draws on the terminal, and reads there. */
  readonly terminal: Terminal;
  /** Columns of the terminal that standard output is, undefined where it is none. */
  columns(): number | undefined;
  /** The same of standard error. */
  errorColumns(): number | undefined;
  /** Nothing but ASCII is shown. */
  readonly ascii?: true;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal aborts; never rejects. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls back at Ctrl-C or a request to end; the returned function stops listening. While nobody listens, a signal
   * ends the process at once, in the middle of whatever it computes.
   */
  onInterrupt(callback: (signal: EndSignal) => void): () => void;
}

/** Waits for a promise; rejects with `Interrupted` at Ctrl-C. */
export async function unlessInterrupted<T>(
  { onInterrupt }: Pick<Io, 'onInterrupt'>,
  promise: Promise<T>,
): Promise<T> {
  const interrupted = Promise.withResolvers<never>();
  const stopListening = onInterrupt(signal => interrupted.reject(new Interrupted(signal)));
  try {
    const result = await Promise.race([promise, interrupted.promise]);
    // The event loop tells of a signal in its next turn, and to nobody once nobody listens. Two immediates have a whole turn
    // between them.
    await Promise.race([setImmediate().then(() => setImmediate()), interrupted.promise]);
    return result;
  } finally {
    stopListening();
  }
}

/** Ctrl-C may come twice, from the terminal and from the process that started this one (bin/boot.mjs). */
const ONE_PRESS_MILLISECONDS = 50;

/** The running process. */
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
    onInterrupt: callback => {
      let last = Number.NEGATIVE_INFINITY;
      const listener = (signal: EndSignal): void => {
        const now = performance.now();
        if (now - last > ONE_PRESS_MILLISECONDS) callback(signal);
        last = now;
      };
      for (const signal of endSignals) process.on(signal, listener);
      return () => {
        for (const signal of endSignals) process.off(signal, listener);
      };
    },
  };
}

/** Milliseconds for what ends by itself. */
const PATIENCE_MS = 300;

/**
 * Ends the process with this code once everything is written: at once where nothing else is under way, and soon where
 * something is that cannot be broken off, such as a connection that a proxy never makes.
 */
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

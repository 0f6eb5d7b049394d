/** One run of an exec plugin as a process: what it prints, how it ends, and that it ends when it has to. */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { lastWords } from '../../../model/text/credentials.ts';
import { endFamily, guard } from '../../../platform/family.ts';
import { thisPlatform } from '../../../platform/platform.ts';
import { invocationOf } from '../../../platform/programs.ts';

export interface PluginRun {
  readonly program: string;
  /** The program's `argv[0]`. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** It gets the terminal's input and writes its own words there by itself. */
  readonly onTerminal: boolean;
  /** It cannot reach the terminal at all, not even by name, because a screen is drawn there. */
  readonly apart: boolean;
  /** Receives what it writes to standard error while it runs, as it comes; never with `onTerminal`. */
  readonly talk: (text: string) => void;
  /** Ends it, and all that it started. */
  readonly signal: AbortSignal;
}

export interface PluginEnd {
  /** Holds credentials: never to be shown. */
  readonly stdout: string;
  /** The last of what it wrote to standard error. */
  readonly stderr: string;
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A chatty plugin must not fill memory: bytes of its words that are kept, and of its answer that are read. */
const MOST_WORDS = 4096;
const MOST_ANSWER = 4 * 1024 * 1024;
/** Milliseconds for its last words after it has ended, which another process may hold open. */
const LAST_WORDS_MS = 100;

/** Rejects with the error of node:child_process where it cannot start, and with the signal's reason once it has ended. */
export function runPlugin(run: PluginRun): Promise<PluginEnd> {
  const { program, name, args, env, onTerminal, apart, talk, signal } = run;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const started = invocationOf(program, args, process.env);
    const child = spawn(started.file, started.args, {
      ...started.options,
      ...(started.file === program && { argv0: name }),
      env,
      stdio: [onTerminal ? 'inherit' : 'ignore', 'pipe', onTerminal ? 'inherit' : 'pipe'],
      // A session of its own, which has no terminal.
      detached: apart && !thisPlatform.isWindows,
      windowsHide: true,
    });
    guard(child);
    const stop = (): void => {
      void endFamily(child).then(() => {
        child.stdout?.destroy();
        reject(signal.reason as Error);
      });
    };
    signal.addEventListener('abort', stop, { once: true });
    let stdout = '';
    let stderr = '';
    const answered = streamEnd(child.stdout, chunk => {
      if (stdout.length < MOST_ANSWER) stdout += chunk;
    });
    const said = streamEnd(child.stderr, chunk => {
      stderr = lastWords(stderr + chunk, MOST_WORDS);
      talk(chunk);
    });
    child.on('error', error => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.on('exit', (code, ending) => {
      // Whoever it started may go on holding its standard error, which is no reason for this process to go on.
      (child.stderr as Socket | null)?.unref();
      const words = Promise.race([said, new Promise(done => setTimeout(done, LAST_WORDS_MS))]);
      void Promise.all([answered, words]).then(() => {
        signal.removeEventListener('abort', stop);
        if (signal.aborted) return;
        resolve({ stdout, stderr, code, signal: ending });
      });
    });
  });
}

function streamEnd(stream: NodeJS.ReadableStream | null, take: (chunk: string) => void): Promise<void> {
  if (stream === null) return Promise.resolve();
  stream.setEncoding('utf8');
  return new Promise(resolve => {
    stream
      .on('data', take)
      .on('end', resolve)
      .on('error', () => resolve());
  });
}

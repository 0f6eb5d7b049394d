import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { credentials } from '../../../model/index.ts';
import { childFamily, Platform, programs } from '../../../platform/index.ts';

export interface PluginRun {
  readonly program: string;
  /** The program's `argv[0]`. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onTerminal: boolean;
  /** The plugin can't reach the terminal, even by name, because a screen is drawn there. */
  readonly apart: boolean;
  /** Receives standard error while the plugin runs; never with `onTerminal`. */
  readonly talk: (text: string) => void;
  /** Ends the plugin and every process it started. */
  readonly signal: AbortSignal;
}

export interface PluginEnd {
  /** Holds credentials: never show it. */
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A chatty plugin must not fill memory: limits in bytes for standard error and the answer. */
const MOST_WORDS = 4096;
const MOST_ANSWER = 4 * 1024 * 1024;
/** Milliseconds to wait for the end of standard error, which another process may hold open. */
const LAST_WORDS_MS = 100;

/** Rejects with the error of node:child_process if it can't start, and with the signal's reason once it has ended. */
export function runPlugin(run: PluginRun): Promise<PluginEnd> {
  const { program, name, args, env, onTerminal, apart, talk, signal } = run;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const started = programs.invocation(program, args, process.env);
    const child = spawn(started.file, started.args, {
      ...started.options,
      ...(started.file === program && { argv0: name }),
      env,
      stdio: [onTerminal ? 'inherit' : 'ignore', 'pipe', onTerminal ? 'inherit' : 'pipe'],
      // A session of its own has no terminal.
      detached: apart && !Platform.current.isWindows,
      windowsHide: true,
    });
    childFamily.guard(child);
    const stop = (): void => {
      void childFamily.end(child).then(() => {
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
      stderr = credentials.lastWords(stderr + chunk, MOST_WORDS);
      talk(chunk);
    });
    child.on('error', error => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.on('exit', (code, ending) => {
      // A child of the plugin may hold its standard error open; that must not keep this process alive.
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

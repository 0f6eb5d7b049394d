/** Reads the output of `kubectl kustomize` for `-k`. kubectl ends when reading does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { credentials, prose } from '../../model/index.ts';
import { childFamily, Platform, programs } from '../../platform/index.ts';
import { SourceError } from '../source.ts';
import { findInputs, type Input, type Inputs, STANDARD_INPUT } from './inputs.ts';

export interface Kustomization {
  /** Argument of `-k`: a folder, or an address that kubectl accepts. */
  readonly folder: string;
  /** kubectl's environment; its PATH finds kubectl. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Registers a callback for ending kubectl, whose session doesn't get the terminal's Ctrl-C. */
  readonly onInterrupt: (callback: (reason: Error) => void) => () => void;
}

const MOST_WORDS = 4096;

export function kustomizeName(folder: string): string {
  return `kustomize ${folder}`;
}

/** Lists the arguments of `-f`, or the output for `-k`. */
export async function inputsOf(
  names: readonly string[],
  kustomization: Kustomization | undefined,
  recursive = true,
): Promise<Inputs> {
  if (kustomization === undefined) return findInputs(names, recursive);
  const name = kustomizeName(kustomization.folder);
  const input: Input = { ...STANDARD_INPUT, name, open: () => kustomize(kustomization) };
  return { inputs: [input], skipped: [], closed: [], folders: 0 };
}

/** Returns kubectl's output. Fails with a `SourceError` if it can't run, fails or prints nothing. */
function kustomize({ folder, env, onInterrupt }: Kustomization): Readable {
  const found = programs.lookUp('kubectl', env);
  if (!('file' in found))
    return failed(new SourceError(`${kustomizeName(folder)}: ${notFound(found.missing)}`));
  const { file, args, options } = programs.invocation(found.file, ['kustomize', '--', folder], env);
  const child = spawn(file, args, {
    ...options,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without a terminal, child processes (git) can't prompt for a password on the screen.
    detached: !Platform.current.isWindows,
    windowsHide: true,
  });
  childFamily.guard(child);
  const printed = new PassThrough({
    async destroy(error, done) {
      await childFamily.end(child);
      stopListening();
      done(error);
    },
  });
  const stopListening = onInterrupt(reason => printed.destroy(reason));
  let empty = true;
  let words = '';
  child.stdout.on('data', () => {
    empty = false;
  });
  child.stdout.pipe(printed, { end: false });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = credentials.lastWords(words + text, MOST_WORDS);
  });
  const fail = (what: string): void => {
    printed.destroy(new SourceError(`${kustomizeName(folder)}: ${what}`));
  };
  child.on('error', (error: NodeJS.ErrnoException) => fail(notRun(error)));
  child.on('close', () => {
    const failure = failureOf(child, words);
    if (failure !== undefined) fail(failure);
    else if (empty) fail('kubectl printed no objects. Is the kustomization empty?');
    else printed.end();
  });
  return printed;
}

function notRun({ code }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' ? notFound('everywhere') : `cannot run kubectl (${code ?? 'unknown error'}).`;
}

function notFound(missing: 'everywhere' | 'relative'): string {
  return missing === 'everywhere'
    ? 'there is no kubectl on the PATH to build it. Install it, or pipe what builds it into kubectl gc-tree -f -.'
    : "kubectl is only in a folder of the PATH that is relative, and isn't run from there. Give that folder's whole path.";
}

function failed(error: Error): Readable {
  return new Readable({
    read() {
      this.destroy(error);
    },
  });
}

function failureOf({ exitCode, signalCode }: ChildProcess, words: string): string | undefined {
  if (exitCode === 0) return undefined;
  const lines = credentials
    .removed(words)
    .split('\n')
    .map(line => line.trim());
  const last = lines.findLast(line => line !== '')?.replace(/^error: /u, '');
  if (last !== undefined) return prose(last);
  return exitCode === null
    ? `kubectl was ended by ${signalCode}.`
    : `kubectl failed with exit code ${exitCode}.`;
}

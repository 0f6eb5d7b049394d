/** Shows kubectl's output through $PAGER or less. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { childFamily, Platform, programs } from '../../platform/index.ts';
import type { Borrowed, Ran } from './loan.ts';

interface Pager {
  readonly file: string;
  readonly args: readonly string[];
  /** Stays open until the user leaves it, even after a short text. */
  readonly stays: boolean;
}

/** Options that keep less open if all fits on one screen, and at the end. */
const STAY = ['-+F', '-+E'];

/** Returns the user's pager, by custom a command line without cluster data; undefined if `cat` or empty. */
export function pagerOf(env: Borrowed['env'], platform = Platform.current): Pager | undefined {
  const given = env['PAGER'] ?? (platform.isWindows ? 'less' : undefined);
  if (given === undefined) return { file: 'less', args: STAY, stays: true };
  const [program = '', ...words] = given.trim().split(/\s+/u);
  if (program === '' || program === 'cat') return undefined;
  const stays = /^less(?:\.exe)?$/iu.test(platform.path.basename(program));
  if (platform.isWindows) {
    // Windows has no shell for the line, and would start a program in the current folder first.
    const found = programs.lookUp(program, env, platform);
    return 'file' in found
      ? { file: found.file, args: stays ? [...words, ...STAY] : words, stays }
      : undefined;
  }
  return { file: '/bin/sh', args: ['-c', stays ? `${given} ${STAY.join(' ')}` : given], stays };
}

/** Exit code of a shell that doesn't find the program. */
const NOT_FOUND = 127;

/**
 * Runs the program in a pager, which starts at the first output: until then standard error goes to the terminal, for
 * example from a login plugin. Resolves to undefined, with nothing read, if the pager doesn't exist.
 */
export async function page(
  program: string,
  args: readonly string[],
  { env, left, stdout }: Borrowed,
): Promise<Ran | undefined> {
  const started = programs.invocation(program, args, env);
  const child = spawn(started.file, started.args, { ...started.options, stdio: ['inherit', 'pipe', 'pipe'] });
  childFamily.guard(child);
  const stop = (): void => void childFamily.end(child);
  left.addEventListener('abort', stop, { once: true });
  let into: Writable = stdout;
  child.stderr.on('data', (chunk: Buffer) => {
    if (into.writable) into.write(chunk);
  });
  const ended = endOf(child).finally(() => left.removeEventListener('abort', stop));
  const first = await firstOf(child);
  const wanted = first === undefined ? undefined : pagerOf(env);
  const pager = wanted === undefined ? undefined : await startPager(wanted);
  into = pager?.stdin ?? stdout;
  if (first !== undefined) into.write(first);
  child.stdout.pipe(into, { end: false });
  if (wanted === undefined || pager === undefined) return { end: await ended, isRead: false };
  const isOver = ended.then(end => {
    pager.stdin.end();
    return end;
  });
  const code = await new Promise<number | null>(resolve => pager.once('exit', resolve));
  // The user may leave long before the end; the rest is then dropped.
  const wasLeft = child.exitCode === null && child.signalCode === null;
  child.stdout.unpipe(into).resume();
  if (wasLeft) await childFamily.end(child);
  const end = await isOver;
  if (code === NOT_FOUND) return undefined;
  return { end: wasLeft ? { code: 0, signal: null } : end, isRead: wanted.stays && code === 0 };
}

function firstOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Buffer | undefined> {
  return new Promise(resolve => {
    child.stdout.once('data', (chunk: Buffer) => {
      child.stdout.pause();
      resolve(chunk);
    });
    child.stdout.once('end', () => resolve(undefined));
    child.once('error', () => resolve(undefined));
  });
}

/** Resolves to undefined if the pager doesn't exist. */
function startPager({ file, args }: Pager): Promise<ChildProcessByStdio<Writable, null, null> | undefined> {
  return new Promise(resolve => {
    const pager = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'] });
    childFamily.guard(pager);
    pager.stdin.on('error', () => {});
    pager.once('spawn', () => resolve(pager));
    pager.once('error', () => resolve(undefined));
  });
}

function endOf(child: ChildProcess): Promise<Ran['end']> {
  return new Promise(resolve => {
    child.once('error', error => resolve({ failure: error.message }));
    // 'close' comes after all output has been read.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

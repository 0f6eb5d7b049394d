/** What kubectl prints, page by page: through $PAGER or less. Whoever leaves that has read it. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { endFamily, guard } from '../../platform/family.ts';
import { thisPlatform } from '../../platform/platform.ts';
import { invocationOf, lookUp } from '../../platform/programs.ts';
import type { Borrowed, Ran } from './loan.ts';

interface Pager {
  readonly file: string;
  readonly args: readonly string[];
  /** It stays until somebody leaves it, also at the end of a short text. */
  readonly stays: boolean;
}

/** Neither ends by itself where all fits on one screen, or at the end. */
const STAY = ['-+F', '-+E'];

/** The user's own, which is a command line by custom, and holds nothing of the cluster; none where it is `cat` or empty. */
export function pagerOf(env: Borrowed['env'], platform = thisPlatform): Pager | undefined {
  const given = env['PAGER'] ?? (platform.isWindows ? 'less' : undefined);
  if (given === undefined) return { file: 'less', args: STAY, stays: true };
  const [program = '', ...words] = given.trim().split(/\s+/u);
  if (program === '' || program === 'cat') return undefined;
  const stays = /^less(?:\.exe)?$/iu.test(platform.path.basename(program));
  if (platform.isWindows) {
    // There is no shell for the line, and what lies in the current folder would be started first.
    const found = lookUp(program, env, platform);
    return 'file' in found
      ? { file: found.file, args: stays ? [...words, ...STAY] : words, stays }
      : undefined;
  }
  return { file: '/bin/sh', args: ['-c', stays ? `${given} ${STAY.join(' ')}` : given], stays };
}

/** A shell's word for a program that it doesn't find. */
const NOT_FOUND = 127;

/**
 * Runs the program with its output in a pager, which begins with the first of it: until then what is said on standard
 * error is written to the terminal, as a plugin that somebody logs in with does.
 * Undefined where the pager isn't there: then nobody has read anything.
 */
export async function page(
  program: string,
  args: readonly string[],
  { env, left, stdout }: Borrowed,
): Promise<Ran | undefined> {
  const started = invocationOf(program, args, env);
  const child = spawn(started.file, started.args, { ...started.options, stdio: ['inherit', 'pipe', 'pipe'] });
  guard(child);
  const stop = (): void => void endFamily(child);
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
  // It may be left long before the end, and then nobody wants the rest.
  const wasLeft = child.exitCode === null && child.signalCode === null;
  child.stdout.unpipe(into).resume();
  if (wasLeft) await endFamily(child);
  const end = await isOver;
  if (code === NOT_FOUND) return undefined;
  return { end: wasLeft ? { code: 0, signal: null } : end, isRead: wanted.stays && code === 0 };
}

/** The first of what it prints, and no more before somebody has room for it; undefined where there is nothing. */
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

/** Undefined where it isn't there. */
function startPager({ file, args }: Pager): Promise<ChildProcessByStdio<Writable, null, null> | undefined> {
  return new Promise(resolve => {
    const pager = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'] });
    guard(pager);
    // It is left long before the end of what is written there.
    pager.stdin.on('error', () => {});
    pager.once('spawn', () => resolve(pager));
    pager.once('error', () => resolve(undefined));
  });
}

function endOf(child: ChildProcess): Promise<Ran['end']> {
  return new Promise(resolve => {
    child.once('error', error => resolve({ failure: error.message }));
    // Once everything that it said was read.
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

/** What kubectl prints, page by page: through $PAGER or less. Whoever leaves that has read it. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { endFamily, guard } from '../../source/family.ts';
import type { Borrowed, Ran } from './kubectl.ts';

interface Pager {
  readonly file: string;
  readonly args: readonly string[];
  /** It stays until somebody leaves it, also at the end of a short text. */
  readonly stays: boolean;
}

/** Neither ends by itself where all fits on one screen, or at the end. */
const STAY = ['-+F', '-+E'];

/** The user's own, which is a command line by custom, and holds nothing of the cluster; none where it is `cat` or empty. */
export function pagerOf(env: Borrowed['env']): Pager | undefined {
  const given = env['PAGER'];
  if (given === undefined) return { file: 'less', args: STAY, stays: true };
  const [program = ''] = given.trim().split(/\s+/u);
  if (program === '' || program === 'cat') return undefined;
  const stays = path.basename(program) === 'less';
  return { file: '/bin/sh', args: ['-c', stays ? `${given} ${STAY.join(' ')}` : given], stays };
}

/**
 * Runs the program with its output in a pager, which begins with the first of it: until then what is said on standard
 * error is written to the terminal, as a plugin that somebody logs in with does.
 */
export async function page(program: string, args: readonly string[], borrowed: Borrowed): Promise<Ran> {
  const { env, left, stdout } = borrowed;
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  guard(child);
  const ended = endOf(child);
  const stop = (): void => void endFamily(child);
  left.addEventListener('abort', stop, { once: true });
  let pager: ChildProcess | undefined;
  const first = await new Promise<Buffer | undefined>(resolve => {
    child.stdout.once('data', (chunk: Buffer) => {
      // What follows is read once somebody has room for it.
      child.stdout.pause();
      resolve(chunk);
    });
    child.stdout.once('end', () => resolve(undefined));
    child.once('error', () => resolve(undefined));
    child.stderr.on('data', (chunk: Buffer) => {
      if (pager?.stdin?.writable === true) pager.stdin.write(chunk);
      else if (pager === undefined) stdout.write(chunk);
    });
  });
  let isRead = false;
  const wanted = first === undefined ? undefined : pagerOf(env);
  if (first !== undefined) {
    const started = wanted === undefined ? undefined : await startPager(wanted);
    const into = started?.stdin ?? stdout;
    pager = started;
    into.write(first);
    child.stdout.pipe(into, { end: started !== undefined });
    if (started !== undefined) {
      // It may be left long before the end.
      started.stdin?.on('error', () => {});
      const code = await new Promise<number | null>(resolve => started.once('exit', resolve));
      isRead = wanted?.stays === true && code === 0;
      if (child.exitCode === null && child.signalCode === null) {
        child.stdout.unpipe(into).resume();
        await endFamily(child);
        left.removeEventListener('abort', stop);
        return { end: { code: 0, signal: null }, isRead };
      }
    }
  }
  const end = await ended;
  left.removeEventListener('abort', stop);
  return { end, isRead };
}

/** Undefined where it isn't there. */
function startPager({ file, args }: Pager): Promise<ChildProcess | undefined> {
  return new Promise(resolve => {
    const pager = spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'] });
    guard(pager);
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

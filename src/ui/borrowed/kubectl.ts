/**
 * kubectl on the terminal that the screen has stepped aside from: with the keys, as a stream that Ctrl-C ends, or through
 * a pager. The terminal is given back as it was, whatever became of kubectl.
 */
import { spawn } from 'node:child_process';
import type { KubectlCall, KubectlEnd } from '../../app/kubectl/calls.ts';
import { shellLine } from '../../model/text/shell-line.ts';
import { showHidden } from '../../model/text/shown.ts';
import { endFamily, guard } from '../../source/family.ts';
import type { KubectlAccess } from '../../source/kubectl-access.ts';
import { page } from './pager.ts';
import { keepTerminal, waitForKey } from './terminal.ts';

export interface Borrowed {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts where the screen is left meanwhile: then whatever runs is ended. */
  readonly left: AbortSignal;
}

/** Runs it, and resolves once the terminal is as it was. Doesn't reject. */
export async function runKubectl(
  call: KubectlCall,
  { program, words }: Pick<KubectlAccess, 'program' | 'words'>,
  borrowed: Borrowed,
): Promise<KubectlEnd> {
  const restore = keepTerminal(borrowed.stdout);
  // They are for kubectl, which is in the foreground with this process.
  const interrupts = catchInterrupts();
  const args = [...words, ...call.words];
  try {
    if (call.terminal !== 'pages') announce(call, args, borrowed);
    const start =
      call.terminal === 'pages' ? page : (what: string, how: readonly string[]) => inherit(what, how, borrowed);
    const { end, isRead } = await start(program, args, borrowed);
    const stays = !isRead && staysToRead(call, end, interrupts.count);
    // An editor or a shell that failed may have been killed in the middle of drawing.
    restore({ isLost: stays && call.terminal === 'keys' });
    if (!borrowed.left.aborted && stays)
      await waitForKey(borrowed, `\n${endWords(call, end)}Press Enter to return to gc-tree. `);
    return told(call, end, interrupts.count);
  } finally {
    interrupts.stop();
    restore({ isLost: false });
  }
}

export interface Ran {
  readonly end: KubectlEnd;
  /** Somebody has read it: in a pager, which they left. */
  readonly isRead: boolean;
}

function announce({ terminal }: KubectlCall, args: readonly string[], { stdout }: Borrowed): void {
  const words = ['kubectl', ...args];
  const line = shellLine([{ words }]) ?? showHidden(words.join(' '));
  stdout.write(`$ ${line}\n${terminal === 'stream' ? '(Ctrl-C returns to gc-tree)\n' : ''}`);
}

async function inherit(program: string, args: readonly string[], { left }: Borrowed): Promise<Ran> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: 'inherit' });
    guard(child);
    const stop = (): void => void endFamily(child);
    left.addEventListener('abort', stop, { once: true });
    if (left.aborted) stop();
    const done = (end: KubectlEnd): void => {
      left.removeEventListener('abort', stop);
      resolve({ end, isRead: false });
    };
    child.once('error', error => done({ failure: error.message }));
    child.once('exit', (code, signal) => done({ code, signal }));
  });
}

/** Whether what it printed, or why it failed, would be gone before anybody has read it. */
function staysToRead({ terminal, verb }: KubectlCall, end: KubectlEnd, interrupts: number): boolean {
  if ('failure' in end) return false;
  if (terminal === 'pages') return true;
  if (terminal === 'stream') return interrupts === 0;
  // A shell ends with the code of its last command, at Ctrl-C and Ctrl-D, too.
  const usual = verb === 'exec' ? [0, 130] : [0];
  return end.code === null || !usual.includes(end.code);
}

function endWords({ verb }: KubectlCall, end: KubectlEnd): string {
  if ('failure' in end || end.code === 0) return '';
  return end.signal === null
    ? `kubectl ${verb} ended with exit code ${end.code}.\n`
    : `kubectl ${verb} was ended by ${end.signal}.\n`;
}

/** What the person ended has ended well. */
function told({ terminal, verb }: KubectlCall, end: KubectlEnd, interrupts: number): KubectlEnd {
  if ('failure' in end) return end;
  const wasEnded = (terminal === 'stream' && interrupts > 0) || (verb === 'exec' && end.code === 130);
  return wasEnded ? { code: 0, signal: null } : end;
}

const INTERRUPTS = ['SIGINT', 'SIGQUIT'] as const;

function catchInterrupts(): { readonly count: number; stop(): void } {
  const caught = { count: 0, stop: () => {} };
  const listener = (): void => {
    caught.count += 1;
  };
  for (const signal of INTERRUPTS) process.on(signal, listener);
  caught.stop = () => {
    for (const signal of INTERRUPTS) process.off(signal, listener);
  };
  return caught;
}

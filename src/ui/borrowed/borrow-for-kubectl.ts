/** Runs kubectl on the terminal while the screen steps aside, and restores the terminal however it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { KubectlCall, KubectlEnd } from '../../app/index.ts';
import { shellLine, showHidden } from '../../model/index.ts';
import { childFamily, programs } from '../../platform/index.ts';
import type { KubectlAccess } from '../../source/index.ts';
import { type Borrowed, keepTerminal, waitForKey } from './terminal.ts';

/** Resolves once the terminal is restored; never rejects. */
export async function runKubectl(
  call: KubectlCall,
  { program, words }: Pick<KubectlAccess, 'program' | 'words'>,
  borrowed: Borrowed,
): Promise<KubectlEnd> {
  const restore = keepTerminal(borrowed.stdout);
  // Ctrl-C is meant for kubectl, which shares the foreground with this process.
  const stopIgnoring = ignoreInterrupts();
  const args = [...words, ...call.words];
  try {
    announce(args, borrowed);
    const started = programs.invocation(program, args, borrowed.env);
    const child = spawn(started.file, started.args, { ...started.options, stdio: 'inherit' });
    const end = await endOf(child, 'exit', borrowed.left);
    const stays = staysToRead(call, end);
    restore({ isLost: stays && wasKilled(end) });
    if (!borrowed.left.aborted && stays)
      await waitForKey(borrowed, `${endWords(call, end)}Press Enter to return to gc-tree. `);
    return told(call, end);
  } finally {
    stopIgnoring();
    restore({ isLost: false });
  }
}

function announce(args: readonly string[], { stdout }: Borrowed): void {
  const words = ['kubectl', ...args];
  const line = shellLine([{ words }]) ?? showHidden(words.join(' '));
  stdout.write(`$ ${line}\n`);
}

/** Resolves once `event` reports the end, which leaving the screen brings about; never rejects. */
export async function endOf(
  child: ChildProcess,
  event: 'exit' | 'close',
  left: AbortSignal,
): Promise<KubectlEnd> {
  childFamily.guard(child);
  const stop = (): void => void childFamily.end(child);
  left.addEventListener('abort', stop, { once: true });
  if (left.aborted) stop();
  const ended = new Promise<KubectlEnd>(resolve => {
    child.once('error', error => resolve({ failure: error.message }));
    child.once(event, (code, signal) => resolve({ code, signal }));
  });
  return ended.finally(() => left.removeEventListener('abort', stop));
}

/** Reports whether an error would disappear before the user has read it. */
function staysToRead({ verb }: KubectlCall, end: KubectlEnd): boolean {
  if ('failure' in end) return false;
  // A shell exits with its last command's code, even after Ctrl-C and Ctrl-D.
  const usual = verb === 'exec' ? [0, INTERRUPTED] : [0];
  return end.code === null || !usual.includes(end.code);
}

/** Reports whether a signal ended it, perhaps while drawing. A failed program has printed why at the cursor. */
function wasKilled(end: KubectlEnd): boolean {
  return 'code' in end && (end.signal !== null || (end.code ?? 0) > FIRST_SIGNAL);
}

/** Base of a shell's exit code for a program that a signal ended. */
const FIRST_SIGNAL = 128;

function endWords({ verb }: KubectlCall, end: KubectlEnd): string {
  if ('failure' in end || end.code === 0) return '';
  return end.signal === null
    ? `kubectl ${verb} ended with exit code ${end.code}.\n`
    : `kubectl ${verb} was ended by ${end.signal}.\n`;
}

/** Counts a shell that the user interrupted as a success. */
function told({ verb }: KubectlCall, end: KubectlEnd): KubectlEnd {
  const wasEnded = 'code' in end && verb === 'exec' && end.code === INTERRUPTED;
  return wasEnded ? { code: 0, signal: null } : end;
}

const INTERRUPTED = 130;
const INTERRUPTS = ['SIGINT', 'SIGQUIT'] as const;

function ignoreInterrupts(): () => void {
  const listener = (): void => {};
  for (const signal of INTERRUPTS) process.on(signal, listener);
  return () => {
    for (const signal of INTERRUPTS) process.off(signal, listener);
  };
}

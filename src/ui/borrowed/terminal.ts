/** Keeps and restores the terminal around a borrowing program, and reads one key from it. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Platform } from '../../platform/index.ts';

/** The terminal as lent to a program. */
export interface Borrowed {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly left: AbortSignal;
}

/**
 * Resets what a killed program may leave: the alternate screen (without moving the cursor), mouse and focus reports,
 * bracketed paste, application keys, a scroll region (it homes the cursor, so the place is kept), charset, colours, no
 * wrapping, a hidden cursor.
 */
const USUAL =
  '\u001B[?1047l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1004l\u001B[?1006l\u001B[?2004l\u001B[?1l\u001B>' +
  '\u001B7\u001B[r\u001B8\u001B(B\u000F\u001B[0m\u001B[?7h\u001B[?25h';

/** Moves below all output: the cursor's place before the alternate screen is lost. */
const BELOW = '\u001B[999;1H\r\n';

/** Starts a new line after the last output, such as a key's ^C, and erases everything below. */
const NEXT = '\r\n\u001B[J';

/** Returns a function that restores the current line modes, echo included, once. */
export function keepTerminal(stdout: NodeJS.WriteStream): (how: { readonly isLost: boolean }) => void {
  const modes = stty('-g').trim();
  let isDone = false;
  return ({ isLost }) => {
    if (isDone) return;
    isDone = true;
    if (modes !== '') stty(modes);
    if (stdout.writable) stdout.write(`${USUAL}${isLost ? BELOW : NEXT}`);
  };
}

function stty(argument: string): string {
  if (Platform.current.isWindows) return '';
  const { stdout } = spawnSync('stty', [argument], {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return stdout ?? '';
}

/** Milliseconds to read and drop keys typed for the previous program. */
const LATE_MS = 60;

const returning: ReadonlySet<string> = new Set('\r\n\u001B q\u0003\u0004');

/** Shows the words; resolves at a returning key, or when the screen is left. */
export async function waitForKey({ stdin, stdout, left }: Borrowed, words: string): Promise<void> {
  stdin.setRawMode(true);
  stdin.on('data', ignore);
  stdin.resume();
  await sleep(LATE_MS);
  stdout.write(words);
  await new Promise<void>(resolve => {
    const done = (): void => {
      stdin.off('data', listen).off('end', done);
      left.removeEventListener('abort', done);
      resolve();
    };
    const listen = (chunk: string | Uint8Array): void => {
      if (Array.from(String(chunk)).some(key => returning.has(key))) done();
    };
    stdin.on('data', listen).on('end', done);
    left.addEventListener('abort', done);
    if (left.aborted) done();
  });
  stdin.off('data', ignore);
  stdin.pause();
  if (!stdin.destroyed) stdin.setRawMode(false);
  stdout.write('\n');
}

function ignore(): void {}

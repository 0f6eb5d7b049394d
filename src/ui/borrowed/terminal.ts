/** The terminal as it is between the screen and somebody else's program: kept, set right again, and one key read of it. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisPlatform } from '../../platform/platform.ts';
import type { Borrowed } from './loan.ts';

/**
 * What a program may leave behind that was killed, or a log that holds escape sequences: the alternate screen (without
 * moving the cursor), mouse and focus reports, bracketed paste, the application's cursor keys and keypad, a scroll region
 * (which homes the cursor, so that its place is kept), another character set, colours, no wrapping, a hidden cursor.
 */
const USUAL =
  '\u001B[?1047l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1004l\u001B[?1006l\u001B[?2004l\u001B[?1l\u001B>' +
  '\u001B7\u001B[r\u001B8\u001B(B\u000F\u001B[0m\u001B[?7h\u001B[?25h';

/** Where the cursor was before the alternate screen nobody knows any more: below everything nothing is drawn over. */
const BELOW = '\u001B[999;1H\r\n';

/** Not behind what was written last, such as the ^C of a key, nor among what a program left below it. */
const NEXT = '\r\n\u001B[J';

/** Returns what sets it right, once: modes of the line, echo included, as they are now. */
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

/** `''` where there is no such program, as on Windows. */
function stty(argument: string): string {
  if (thisPlatform.isWindows) return '';
  const { stdout } = spawnSync('stty', [argument], {
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return stdout ?? '';
}

/** What was typed for whoever had the terminal before isn't the answer: it is read first, and dropped. */
const LATE_MS = 60;

/** Enter, Escape, a blank, q, Ctrl-C and Ctrl-D. */
const returning: ReadonlySet<string> = new Set('\r\n\u001B q\u0003\u0004');

/** Shows the words, and resolves at a key that returns, or when the screen is left. */
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

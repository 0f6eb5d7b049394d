/** How a text gets into the clipboard of whoever sits at the terminal, over ssh and through multiplexers, and what is said of it. */
import { spawn } from 'node:child_process';
import type { Copied } from '../app/session/ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Clipboard {
  readonly env: Environment;
  readonly write: (text: string) => void;
  /** Loads it into tmux's buffer; false where that fails. */
  readonly tmux?: (text: string) => Promise<boolean>;
}

/** Doesn't reject. */
export async function copyText(text: string, { env, write, tmux = loadBuffer }: Clipboard): Promise<Copied> {
  const sequence = osc52(text);
  if ((env['TMUX'] ?? '') !== '') {
    if (await tmux(text))
      return { how: 'Copied through tmux (if it does not arrive: set -g set-clipboard on)' };
    write(sequence);
    return { how: 'Sent to tmux by OSC 52 (if it does not arrive: set -g set-clipboard on)' };
  }
  const term = env['TERM'] ?? '';
  if ((env['STY'] ?? '') !== '' || term.startsWith('screen')) {
    for (const part of partsOf(sequence)) write(`\u001BP${part}\u001B\\`);
    return { how: "Sent through screen to the terminal's clipboard by OSC 52" };
  }
  if (!mayTakeIt(env)) return { how: undefined };
  write(sequence);
  return { how: "Sent to the terminal's clipboard by OSC 52" };
}

/** The terminal puts it into the clipboard (xterm's Operating System Command 52), and answers nothing. */
function osc52(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}

/** screen passes on no longer strings (its MAXSTR); what is passed on in parts comes out as one. */
const LONGEST = 240;

function partsOf(sequence: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < sequence.length; at += LONGEST) parts.push(sequence.slice(at, at + LONGEST));
  return parts;
}

/** The console of Linux and hardware terminals have no clipboard; these programs don't take one from others. */
function mayTakeIt({
  TERM: term = '',
  TERM_PROGRAM: program,
  VTE_VERSION: vte,
  WT_SESSION: windowsTerminal = '',
}: Environment): boolean {
  // It has no TERM.
  if (windowsTerminal !== '' && term === '') return true;
  if (term === '' || /^(?:linux|vt\d|dumb|cons|ansi)/u.test(term)) return false;
  return program !== 'Apple_Terminal' && (vte ?? '') === '';
}

/** `-w` is for the clipboard of the terminal as well (tmux 3.2). */
function loadBuffer(text: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn('tmux', ['load-buffer', '-w', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', () => resolve(false));
    child.once('exit', code => resolve(code === 0));
    child.stdin.on('error', () => {}).end(text);
  });
}

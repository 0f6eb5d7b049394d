/** Copies text to the clipboard of the user's terminal, over ssh and through multiplexers. */
import { spawn } from 'node:child_process';
import type { Copied } from '../app/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Clipboard {
  readonly env: Environment;
  readonly write: (text: string) => void;
  readonly tmux?: (text: string) => Promise<boolean>;
}

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

/** Returns xterm's Operating System Command 52, which sets the clipboard. The terminal doesn't answer. */
function osc52(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}

/** Longest string that screen passes on (its MAXSTR); it joins the parts of longer ones. */
const LONGEST = 240;

function partsOf(sequence: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < sequence.length; at += LONGEST) parts.push(sequence.slice(at, at + LONGEST));
  return parts;
}

/** Rules out terminals without a clipboard and programs that refuse to set it. */
function mayTakeIt({
  TERM: term = '',
  TERM_PROGRAM: program,
  VTE_VERSION: vte,
  WT_SESSION: windowsTerminal = '',
}: Environment): boolean {
  // Windows Terminal sets no TERM.
  if (windowsTerminal !== '' && term === '') return true;
  if (term === '' || /^(?:linux|vt\d|dumb|cons|ansi)/u.test(term)) return false;
  return program !== 'Apple_Terminal' && (vte ?? '') === '';
}

/** Loads tmux's buffer; `-w` also sets the terminal's clipboard (tmux 3.2). Resolves to false on failure. */
function loadBuffer(text: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn('tmux', ['load-buffer', '-w', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', () => resolve(false));
    child.once('exit', code => resolve(code === 0));
    child.stdin.on('error', () => {}).end(text);
  });
}

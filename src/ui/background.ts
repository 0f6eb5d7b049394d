/** Whether the terminal's background is light, as far as it says. */
import { thisPlatform } from '../platform/platform.ts';
import type { Background, ColourDepth } from '../text/terminal/themes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** OSC 11 asks for the colour of the background; every terminal answers DA1, which ends the wait where it knows no OSC 11. */
const QUERY = '\u001B]11;?\u001B\\\u001B[c';
// oxlint-disable-next-line no-control-regex -- answers are control sequences
const COLOUR = /\u001B\]11;rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)[^\u0007\u001B]*(?:\u0007|\u001B\\)/iu;
// oxlint-disable-next-line no-control-regex
const ATTRIBUTES = /\u001B\[\?[\d;]*c/u;
/** A terminal at the other end of a slow line is taken to be dark, rather than waited for. */
const WAIT_MS = 150;

/** Relative luminance above which black text is what can be read (WCAG 2.2: equal contrast to black and white). */
const LIGHT = 0.179;

/** Those that answer. Others would show the question, or keep whoever starts the program waiting. */
export function answersQueries({ TERM: term = '' }: Environment): boolean {
  return /^(?:xterm|tmux|screen|alacritty|foot|contour|rxvt|wezterm|ghostty|st-|konsole|vte|gnome|putty)/u.test(
    term,
  );
}

export function colourDepth(
  { TERM: term = '', COLORTERM: more = '' }: Environment,
  { isWindows } = thisPlatform,
): ColourDepth {
  // Every console of a Windows that Node runs on has them, and says so nowhere.
  if (isWindows && term === '') return 256;
  return more !== '' || /256|direct|kitty|ghostty|alacritty|foot|wezterm|contour/u.test(term) ? 256 : 16;
}

/** What rxvt and Konsole tell: `15;0` is white on black. Undefined where nobody does. */
export function toldBackground({ COLORFGBG: told = '' }: Environment): Background | undefined {
  const index = /(?:^|;)(\d+)$/u.exec(told)?.[1];
  if (index === undefined) return undefined;
  return index === '7' || Number(index) > 8 ? 'light' : 'dark';
}

/** Of an answer to OSC 11, whose parts have one to four hexadecimal digits; undefined where it is none. */
export function answeredBackground(answer: string): Background | undefined {
  const parts = COLOUR.exec(answer)?.slice(1);
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(part =>
    linear(Number.parseInt(part, 16) / (16 ** part.length - 1)),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LIGHT ? 'light' : 'dark';
}

/** Of one channel of sRGB, from 0 to 1. */
function linear(channel: number): number {
  return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

export interface AskedTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Environment;
}

/**
 * Asks the terminal, and leaves its input as it was, with what was typed meanwhile. Undefined where it doesn't say. Begun
 * before the screen is loaded, so that the answer is there when it is.
 */
export async function askBackground({ stdin, stdout, env }: AskedTerminal): Promise<Background | undefined> {
  const told = toldBackground(env);
  if (told !== undefined || !stdin.isTTY || !stdout.isTTY || !answersQueries(env)) return told;
  const { promise, resolve } = Promise.withResolvers<void>();
  let read = '';
  // As Ink reads: a listener of 'data' would leave a stream that nobody reads from any more.
  const listen = (): void => {
    // Byte by byte: what is typed may be cut within a character.
    for (let chunk = chunkOf(stdin); chunk !== null; chunk = chunkOf(stdin)) read += chunk.toString('latin1');
    if (ATTRIBUTES.test(read)) resolve();
  };
  const wasRaw = stdin.isRaw;
  stdin.setRawMode(true);
  stdin.on('readable', listen);
  const timer = setTimeout(resolve, WAIT_MS);
  stdout.write(QUERY);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stdin.off('readable', listen);
    stdin.setRawMode(wasRaw);
  }
  const typed = read.replace(COLOUR, '').replace(ATTRIBUTES, '');
  if (typed !== '') stdin.unshift(Buffer.from(typed, 'latin1'));
  return answeredBackground(read);
}

function chunkOf(stdin: NodeJS.ReadStream): Buffer | null {
  return stdin.read() as Buffer | null;
}

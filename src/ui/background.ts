/** Detects whether the terminal has a light background. */
import { Platform } from '../platform/index.ts';
import type { Background, ColourDepth } from '../text/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Asks for the background (OSC 11), then for DA1. Terminals that ignore OSC 11 answer DA1, which ends the wait. */
const QUERY = '\u001B]11;?\u001B\\\u001B[c';
// oxlint-disable-next-line no-control-regex -- answers are control sequences
const COLOUR = /\u001B\]11;rgba?:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)[^\u0007\u001B]*(?:\u0007|\u001B\\)/iu;
// oxlint-disable-next-line no-control-regex
const ATTRIBUTES = /\u001B\[\?[\d;]*c/u;
/** Time limit for the answer; over a slow line the background is assumed to be dark. */
const WAIT_MS = 150;

/** Relative luminance of equal contrast to black and white text (WCAG 2.2). */
const LIGHT = 0.179;

/** Reports if the terminal is known to answer queries. Others would print the query, or delay the start. */
export function answersQueries({ TERM: term = '' }: Environment): boolean {
  return /^(?:xterm|tmux|screen|alacritty|foot|contour|rxvt|wezterm|ghostty|st-|konsole|vte|gnome|putty)/u.test(
    term,
  );
}

export function colourDepth(
  { TERM: term = '', COLORTERM: more = '' }: Environment,
  { isWindows } = Platform.current,
): ColourDepth {
  // Node's Windows consoles all have 256 colours, but report none.
  if (isWindows && term === '') return 256;
  return more !== '' || /256|direct|kitty|ghostty|alacritty|foot|wezterm|contour/u.test(term) ? 256 : 16;
}

/** Reads COLORFGBG of rxvt and Konsole: `15;0` is white on black. Returns undefined if unset. */
export function toldBackground({ COLORFGBG: told = '' }: Environment): Background | undefined {
  const index = /(?:^|;)(\d+)$/u.exec(told)?.[1];
  if (index === undefined) return undefined;
  return index === '7' || Number(index) > 8 ? 'light' : 'dark';
}

/** Parses an answer to OSC 11: parts of one to four hexadecimal digits. Returns undefined if it is none. */
export function answeredBackground(answer: string): Background | undefined {
  const parts = COLOUR.exec(answer)?.slice(1);
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(part =>
    linear(Number.parseInt(part, 16) / (16 ** part.length - 1)),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LIGHT ? 'light' : 'dark';
}

function linear(channel: number): number {
  return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

export interface AskedTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Environment;
}

/** Asks the terminal while the screen is being loaded, and puts typed input back. Undefined without an answer. */
export async function askBackground({ stdin, stdout, env }: AskedTerminal): Promise<Background | undefined> {
  const told = toldBackground(env);
  if (told !== undefined || !stdin.isTTY || !stdout.isTTY || !answersQueries(env)) return told;
  const { promise, resolve } = Promise.withResolvers<void>();
  let read = '';
  // Ink reads the same way; a 'data' listener would leave the stream without a reader.
  const listen = (): void => {
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

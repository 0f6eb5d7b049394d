/**
 * A program in a real pseudo-terminal with a terminal emulator reading it, so that tests see what a person
 * would see and press what a person would press. Used by the screen's tests and by the cluster tests.
 */
import nodePty from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TerminalOptions {
  /** The program; `process.execPath` runs a script on the Node of the tests. */
  readonly file: string;
  readonly args?: readonly string[];
  /** Added to the environment of the tests; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
}

/** How one cell looks: the character and what colour or attribute the terminal gives it. */
export interface Cell {
  /** `''` for the second column of a wide character. */
  readonly text: string;
  /** Columns; 0 for the second one of a wide character. */
  readonly width: number;
  readonly inverse: boolean;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underlined: boolean;
  readonly struck: boolean;
  /** -1 for the terminal's own colour, else one of 256, or `rgb` of 24 bits. */
  readonly foreground: number;
  readonly background: number;
  readonly foregroundIsRgb: boolean;
  readonly backgroundIsRgb: boolean;
}

export interface Terminal {
  readonly pid: number;
  /** Types keys, as raw bytes: see `keys`. */
  send(keys: string): void;
  /** The visible rows, without trailing blanks. */
  screen(): string[];
  /** The visible rows as one string. */
  text(): string;
  cell(row: number, column: number): Cell;
  readonly size: { readonly cols: number; readonly rows: number };
  /** Everything the program wrote so far, escape sequences included. */
  raw(): string;
  /** True while the program is on the alternate screen. */
  alternate(): boolean;
  cursorVisible(): boolean;
  mouse(): boolean;
  /** Resolves once the text is on the screen, or the predicate holds; fails with the screen after `ms`. */
  waitFor(expected: string | RegExp | ((screen: string[]) => boolean), ms?: number): Promise<void>;
  /** Resolves once nothing was written for `ms`. */
  settle(ms?: number): Promise<void>;
  resize(cols: number, rows: number): void;
  signal(name: string): void;
  /** The exit code, or 128 plus the signal that ended the program. */
  readonly exit: Promise<number>;
  /** Ends the program if it still runs, and frees the terminal. */
  close(): Promise<void>;
}

export const keys = {
  up: '\u001B[A',
  down: '\u001B[B',
  right: '\u001B[C',
  left: '\u001B[D',
  home: '\u001B[H',
  end: '\u001B[F',
  pageUp: '\u001B[5~',
  pageDown: '\u001B[6~',
  enter: '\r',
  escape: '\u001B',
  tab: '\t',
  backspace: '\u007F',
  ctrlB: '\u0002',
  ctrlC: '\u0003',
  ctrlF: '\u0006',
  ctrlZ: '\u001A',
  wheelDown: (column: number, row: number) => `\u001B[<65;${column};${row}M`,
  wheelUp: (column: number, row: number) => `\u001B[<64;${column};${row}M`,
  click: (column: number, row: number) => `\u001B[<0;${column};${row}M\u001B[<0;${column};${row}m`,
} as const;

/** Characters of the longest of the sequences below. */
const LONGEST_SEQUENCE = 8;

export function openTerminal(options: TerminalOptions): Terminal {
  const cols = options.cols ?? 120;
  const rows = options.rows ?? 40;
  const env: Record<string, string> = {};
  // Nor are the settings of whoever runs the tests.
  const merged = { ...process.env, TERM: 'xterm-256color', XDG_CONFIG_HOME: '/nowhere', ...options.env };
  // A terminal is a person's, not a test's: without these a screen would take itself for a CI log.
  const hidden = new Set([
    'CI',
    'CONTINUOUS_INTEGRATION',
    'NO_COLOR',
    'FORCE_COLOR',
    'VITEST',
    'NODE_ENV',
    'TMUX',
    'STY',
  ]);
  for (const [name, value] of Object.entries(merged)) {
    if (value !== undefined && (!hidden.has(name) || options.env?.[name] !== undefined)) env[name] = value;
  }
  const pty = nodePty.spawn(options.file, [...(options.args ?? [])], {
    // It sets TERM.
    name: env['TERM'] ?? 'xterm-256color',
    cols,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env,
  });
  const emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  let raw = '';
  let exited = false;
  let cursorVisible = true;
  // Between these the program says that its frame isn't whole yet (synchronized output).
  let drawing = false;
  // What was read, and is on the screen later: parsing lags behind.
  let unparsed = 0;
  const listeners = new Set<() => void>();
  const notify = () => {
    // A listener that is satisfied takes itself off the set; the iteration bears that.
    for (const listener of listeners) listener();
  };
  emulator.onData(reply => {
    if (!exited) pty.write(reply);
  });
  pty.onData(data => {
    // A sequence may be cut in two by the end of a read.
    const read = raw.slice(-LONGEST_SEQUENCE) + data;
    raw += data;
    const shown = read.lastIndexOf('\u001B[?25h');
    const gone = read.lastIndexOf('\u001B[?25l');
    if (shown !== gone) cursorVisible = shown > gone;
    const begun = read.lastIndexOf('\u001B[?2026h');
    const ended = read.lastIndexOf('\u001B[?2026l');
    unparsed += 1;
    emulator.write(data, () => {
      unparsed -= 1;
      if (begun !== ended) drawing = begun > ended;
      notify();
    });
  });
  const exit = new Promise<number>(resolve => {
    pty.onExit(({ exitCode, signal }) => {
      exited = true;
      // What was written last is parsed before the exit is told.
      emulator.write('', () => {
        resolve(signal ? 128 + signal : exitCode);
        notify();
      });
    });
  });

  const screen = (): string[] => {
    const buffer = emulator.buffer.active;
    return Array.from(
      { length: emulator.rows },
      (_, row) => buffer.getLine(buffer.viewportY + row)?.translateToString(true) ?? '',
    );
  };
  const describe = () =>
    `${exited ? '(the program has ended)\n' : ''}${screen()
      .map(line => `|${line}`)
      .join('\n')}`;

  return {
    pid: pty.pid,
    get size() {
      return { cols: emulator.cols, rows: emulator.rows };
    },
    exit,
    send: data => pty.write(data),
    screen,
    text: () => screen().join('\n'),
    cell(row, column) {
      const buffer = emulator.buffer.active;
      const cell = buffer.getLine(buffer.viewportY + row)?.getCell(column);
      return {
        text: cell?.getChars() ?? '',
        width: cell?.getWidth() ?? 1,
        inverse: cell !== undefined && cell.isInverse() !== 0,
        bold: cell !== undefined && cell.isBold() !== 0,
        dim: cell !== undefined && cell.isDim() !== 0,
        italic: cell !== undefined && cell.isItalic() !== 0,
        underlined: cell !== undefined && cell.isUnderline() !== 0,
        struck: cell !== undefined && cell.isStrikethrough() !== 0,
        foregroundIsRgb: cell?.isFgRGB() === true,
        backgroundIsRgb: cell?.isBgRGB() === true,
        foreground: cell === undefined || cell.isFgDefault() ? -1 : cell.getFgColor(),
        background: cell === undefined || cell.isBgDefault() ? -1 : cell.getBgColor(),
      };
    },
    raw: () => raw,
    alternate: () => emulator.buffer.active.type === 'alternate',
    cursorVisible: () => cursorVisible,
    mouse: () => emulator.modes.mouseTrackingMode !== 'none',
    waitFor(expected, ms = 30_000) {
      const holds = () => {
        if ((drawing || unparsed > 0) && !exited) return false;
        if (typeof expected === 'function') return expected(screen());
        const text = screen().join('\n');
        return typeof expected === 'string' ? text.includes(expected) : expected.test(text);
      };
      return new Promise<void>((resolve, reject) => {
        const check = () => {
          if (!holds()) return;
          finish();
          resolve();
        };
        const finish = () => {
          clearTimeout(timer);
          clearInterval(poll);
          listeners.delete(check);
        };
        const timer = setTimeout(() => {
          finish();
          const what = typeof expected === 'function' ? 'what was expected' : `"${String(expected)}"`;
          reject(new Error(`${what} did not appear within ${ms} ms:\n${describe()}`));
        }, ms);
        const poll = setInterval(check, 200);
        listeners.add(check);
        check();
      });
    },
    settle(ms = 150) {
      return new Promise<void>(resolve => {
        const done = () => {
          listeners.delete(restart);
          resolve();
        };
        let timer = setTimeout(done, ms);
        const restart = () => {
          clearTimeout(timer);
          timer = setTimeout(done, ms);
        };
        listeners.add(restart);
      });
    },
    resize(nextCols, nextRows) {
      emulator.resize(nextCols, nextRows);
      pty.resize(nextCols, nextRows);
    },
    signal: name => process.kill(pty.pid, name),
    async close() {
      if (!exited) {
        pty.kill('SIGKILL');
        await exit;
      }
      emulator.dispose();
    },
  };
}

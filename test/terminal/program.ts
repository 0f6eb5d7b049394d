/**
 * A program for the tests of one file: bundled before the first of them, run in as many terminals as they open, and
 * each of those closed after its test.
 */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Bundle, bundleScreen } from './bundle.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

export interface Program {
  /** Runs it with these arguments. */
  start(args?: readonly string[], options?: Partial<TerminalOptions>): Terminal;
  /** Opens a terminal on something else, which may run it: see `file`. */
  open(options: TerminalOptions): Terminal;
  /** Of the bundle, which Node runs. Known once the tests have begun. */
  readonly file: string;
}

/** Call it at the top of a file. `entry` is the program's path in the repository: see `bundleScreen`. */
export function programOf(entry?: string): Program {
  const open: Terminal[] = [];
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    bundle = await bundleScreen(entry);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map(terminal => terminal.close()));
  });
  afterAll(() => bundle?.remove());
  return {
    get file() {
      if (bundle === undefined) throw new Error('the program is bundled before the first test');
      return bundle.file;
    },
    open(options) {
      const terminal = openTerminal(options);
      open.push(terminal);
      return terminal;
    },
    start(args = [], options = {}) {
      return this.open({ file: process.execPath, args: [this.file, ...args], ...options });
    },
  };
}

/** The row of a list that the cursor is on; `''` where there is none. */
export function cursorRow(terminal: Terminal): string {
  return terminal.screen().find(line => line.startsWith('>')) ?? '';
}

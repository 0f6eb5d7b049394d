/** A program for the tests of one file: run in as many terminals as they open, each of which is closed after its test. */
import path from 'node:path';
import { afterEach, inject } from 'vitest';
import type { ProgramName } from './programs.ts';
import { keys, openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

export interface Program {
  /** Runs it with these arguments. */
  start(args?: readonly string[], options?: Partial<TerminalOptions>): Terminal;
  /** Opens a terminal on something else, which may run it: see `file`. */
  open(options: TerminalOptions): Terminal;
  /** Which Node runs. */
  readonly file: string;
}

/** Call it at the top of a file. */
export function programOf(name: ProgramName): Program {
  const folder = inject('programs');
  const file = path.join(folder, `${name}.js`);
  const open: Terminal[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(terminal => terminal.close()));
  });
  return {
    file,
    open(options) {
      const terminal = openTerminal(options);
      open.push(terminal);
      return terminal;
    },
    start(args = [], options = {}) {
      // Compiled once for all of them, as for whoever uses the product.
      const env = { NODE_COMPILE_CACHE: path.join(folder, 'compiled'), ...options.env };
      return this.open({ file: process.execPath, args: [file, ...args], ...options, env });
    },
  };
}

/** Columns and rows on which everything has to work. */
export const sizes = [
  [200, 50],
  [140, 40],
  [100, 30],
  [80, 24],
  [60, 15],
] as const;

/** The row of a list that the cursor is on; `''` where there is none. */
export function cursorRow(terminal: Terminal): string {
  return terminal.screen().find(line => line.startsWith('>')) ?? '';
}

/** What the panel of an action says, beside the tree or below it, as one line. */
export function panelText(terminal: Terminal): string {
  const lines = terminal.screen();
  const rule = lines.findIndex(line => /^[─━=-]{20,}(?: [\d-]+ of \d+ [─━=-])?$/u.test(line.trim()));
  const beside = lines.filter(line => /[┃│|]/u.test(line)).map(line => line.split(/[┃│|]/u).at(-1) ?? '');
  const shown = rule < 0 ? beside : lines.slice(rule + 1, -1);
  return shown
    .map(line => line.trim())
    .join(' ')
    .replaceAll(/ +/gu, ' ')
    .trim();
}

/** Waits until the panel says this, and returns all that it says. */
export async function panelSays(terminal: Terminal, words: string | RegExp, ms?: number): Promise<string> {
  await terminal.waitFor(() => {
    const text = panelText(terminal);
    return typeof words === 'string' ? text.includes(words) : words.test(text);
  }, ms);
  return panelText(terminal);
}

/** Pages through the panel until it says this, and returns what it says there. */
export async function panelHas(terminal: Terminal, words: string): Promise<string> {
  for (let page = 0; page < 60 && !panelText(terminal).includes(words); page++) {
    // On a busy machine a page may go by before it is drawn.
    terminal.send(page % 40 < 20 ? keys.ctrlF : keys.ctrlB);
    await terminal.settle(60);
  }
  return panelSays(terminal, words, 1_000);
}

/** Until everything in scope was looked at: the tab of the Problems view then has its count. */
export async function untilJudged(terminal: Terminal): Promise<void> {
  await terminal.waitFor(/2 Problems \d/u);
}

/** Clicks on the first place of the screen that shows the text, from a row on. */
export function clickOn(terminal: Terminal, text: string, from = 0): void {
  const row = terminal.screen().findIndex((line, at) => at >= from && line.includes(text));
  const column = terminal.screen()[row]?.indexOf(text) ?? -1;
  if (column < 0) throw new Error(`no "${text}" on the screen:\n${terminal.text()}`);
  terminal.send(keys.click(column + 2, row + 1));
}

/** Puts the cursor of the tree on an object by searching for it, where it is the first hit. */
export async function searchFor(terminal: Terminal, words: string, hit: string): Promise<void> {
  terminal.send(`/${words}`);
  await terminal.waitFor(`> ${hit}`);
  terminal.send(keys.enter);
  await terminal.waitFor(() => cursorRow(terminal).includes(hit.replace(/\w+\//u, '')));
}

/** Presses a key, or scrolls, until this holds, and what the last press did is on the screen. */
export async function pressUntil(terminal: Terminal, key: string, holds: () => boolean): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    if (holds()) {
      await terminal.settle();
      if (holds()) return;
    }
    const before = terminal.text();
    terminal.send(key);
    // On a busy machine a press shows late; where nothing moves any more, none does.
    await terminal.waitFor(() => terminal.text() !== before, 500).catch(() => undefined);
  }
  throw new Error(`what was looked for did not come:\n${terminal.text()}`);
}

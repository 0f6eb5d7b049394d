/** The demo in terminals, to act on: what a person presses, and what is kept of it in a folder of its own. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { cursorRow, type Program, panelSays, untilJudged } from '../program.ts';
import type { STILL } from '../programs.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

export interface DemoOptions extends Partial<TerminalOptions> {
  readonly scenario?: string;
}

export interface ActingDemo {
  /** State of the tool, thrown away after each test. */
  readonly home: () => string;
  readonly demo: (args?: readonly string[], options?: DemoOptions) => Promise<Terminal>;
  /** Entries of the journal. */
  readonly journalled: () => Promise<string[]>;
}

/** Call it at the top of a file. */
export function actingDemo(program: Program): ActingDemo {
  let home = '';
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'gc-tree-actions-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });
  return {
    home: () => home,
    async demo(args = [], { scenario = 'still' satisfies typeof STILL, ...size } = {}) {
      const terminal = program.start(['demo', scenario, ...args], {
        cols: 160,
        rows: 45,
        ...size,
        env: { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined, ...size.env },
      });
      await untilJudged(terminal);
      return terminal;
    },
    journalled: () => readdir(path.join(home, 'kubectl-gc-tree', 'demo', 'journal')).catch(() => []),
  };
}

/** Puts the cursor of the tree on an object by searching for it. */
export async function goTo(terminal: Terminal, words: string, row: string): Promise<void> {
  terminal.send('/');
  await terminal.waitFor('Search kinds');
  terminal.send(words);
  await terminal.waitFor(/\d+ hits? [─-]/u);
  terminal.send(keys.enter);
  // The cursor may have been there before.
  await terminal.waitFor(() => !terminal.text().includes('Search kinds'));
  await terminal.waitFor(() => cursorRow(terminal).includes(row));
}

export async function closeDialog(terminal: Terminal): Promise<void> {
  terminal.send(keys.escape);
  await terminal.waitFor(() => (terminal.screen().at(-1) ?? '').includes('q quit'));
}

/** Opens the list of what can be undone, takes the latest, and confirms however it is asked. */
export async function undoLatest(terminal: Terminal, word: string): Promise<void> {
  terminal.send('z');
  await panelSays(terminal, 'Which action is undone?');
  terminal.send(keys.enter);
  const asked = await panelSays(terminal, /y confirms|to confirm/u);
  terminal.send(asked.includes('y confirms') ? 'y' : `${word}\r`);
  await panelSays(terminal, 'As forecast');
}

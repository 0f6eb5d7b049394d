/** Acting on the screen, by keys alone, on the demo's simulated clusters: what a person sees and presses. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bundle, bundleScreen } from './bundle.ts';
import { keys, openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

const open: Terminal[] = [];
let bundle: Bundle;
/** State of the tool, thrown away after each test. */
let home: string;

beforeAll(async () => {
  bundle = await bundleScreen('src/main.ts');
});
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'gc-tree-actions-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(terminal => terminal.close()));
  await rm(home, { recursive: true, force: true });
});
afterAll(() => bundle.remove());

async function demo(args: readonly string[] = [], size: Partial<TerminalOptions> = {}): Promise<Terminal> {
  const terminal = openTerminal({
    file: process.execPath,
    args: [bundle.file, 'demo', 'shop', ...args],
    cols: 160,
    rows: 45,
    ...size,
    env: { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined, ...size.env },
  });
  open.push(terminal);
  await terminal.waitFor(/\d problems/u);
  return terminal;
}

function cursorRow(terminal: Terminal): string {
  return terminal.screen().find(line => line.startsWith('>')) ?? '';
}

/** Puts the cursor of the tree on an object by searching for it. */
async function goTo(terminal: Terminal, words: string, row: string): Promise<void> {
  terminal.send('/');
  await terminal.waitFor('Search in every kind');
  terminal.send(words);
  await terminal.waitFor(/\d+ hits?$/mu);
  terminal.send(keys.enter);
  await terminal.waitFor(() => cursorRow(terminal).includes(row));
}

function journalled(): Promise<string[]> {
  return readdir(path.join(home, 'kubectl-gc-tree', 'demo', 'journal')).catch(() => []);
}

describe('acting by keys alone', () => {
  test('u unblocks the stuck foreground deletion with one key and a confirmation', async () => {
    const terminal = await demo();
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('u');
    await terminal.waitFor('y goes ahead');
    expect(terminal.text()).toContain('PATCH /api/v1/namespaces/shop/pods/web-2');
    expect(await journalled()).toEqual([]);
    terminal.send('y');
    await terminal.waitFor('As forecast');
    expect(await journalled()).toHaveLength(1);
    terminal.send(keys.escape);
    await terminal.waitFor('NAME');
    expect(terminal.text()).toMatch(/StatefulSet web +\? only in references/u);
  });
});

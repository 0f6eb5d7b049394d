/** One key frees all objects that a cause holds, or adopts the survivors of a StatefulSet, at five sizes. */
import { describe, expect, test } from 'vitest';
import { cursorRow, panelSays, programOf, sizes } from '../program.ts';
import type { FORTY } from '../programs.ts';
import type { Terminal } from '../terminal.ts';
import { actingDemo, closeDialog, undoLatest } from './acting-demo.ts';

const { demo } = actingDemo(programOf('main'));

/** Returns matching rows of the tree, without the panel beside or below it. */
function rowsOf(terminal: Terminal, words: RegExp): readonly string[] {
  const lines = terminal.screen().map(line => line.split('│')[0] ?? '');
  const rule = lines.findIndex(line => /^─{20,}(?: [\d-]+ of \d+ ─)?$/u.test(line.trim()));
  return lines.slice(2, rule < 0 ? -1 : rule).filter(line => words.test(line));
}

describe.each(sizes)('at %i by %i', (cols, rows) => {
  test('u on a cause frees forty objects in twenty namespaces after one question', async () => {
    const terminal = await demo(['-A'], { scenario: 'forty-stuck' satisfies typeof FORTY, cols, rows });
    terminal.send('2');
    await terminal.waitFor(() => cursorRow(terminal).startsWith('>▸ ✗ example.com/drain holds'));
    terminal.send('u');
    await panelSays(terminal, 'Type 40 and press enter to confirm');
    terminal.send('40\r');
    await panelSays(terminal, 'As forecast');
    await terminal.waitFor('2 Problems 0');
    await terminal.waitFor(() => rowsOf(terminal, /stuck-\d\d .*✗/u).length === 0);
    await closeDialog(terminal);
    expect(rowsOf(terminal, /stuck-\d\d/u)).toEqual([]);
  });

  test('U creates a StatefulSet for its survivors; an undo leaves no row of it, and the cursor stays', async () => {
    const terminal = await demo([], { scenario: 'statefulset-survivors', cols, rows });
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod orders-0'));
    const before = rowsOf(terminal, /orders-/u).length;
    terminal.send('U');
    await panelSays(terminal, 'Which remedy?');
    terminal.send('1\r');
    await panelSays(terminal, 'y confirms');
    expect(rowsOf(terminal, /1 new StatefulSet/u)).toHaveLength(1);
    terminal.send('y');
    await panelSays(terminal, 'As forecast');
    await closeDialog(terminal);
    await terminal.waitFor(() => rowsOf(terminal, /▾ StatefulSet orders/u).length === 1);
    expect(cursorRow(terminal)).toMatch(/^>[ ├] {3}Pod orders-0/u);
    expect(rowsOf(terminal, /1 new/u)).toEqual([]);

    await undoLatest(terminal, 'orders');
    await closeDialog(terminal);
    await terminal.waitFor(() => /^> {2}Pod orders-0 .*⚠/u.test(cursorRow(terminal)));
    expect(rowsOf(terminal, /orders-/u)).toHaveLength(before);
    expect(rowsOf(terminal, /^[-+~!]/u)).toEqual([]);
  });
});

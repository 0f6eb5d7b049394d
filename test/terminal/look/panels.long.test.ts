/** Boxes over the view, links in the details, and the mouse: at every size, by keys alone and by the mouse alone. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clickOn, cursorRow, pressUntil, searchFor, sizes } from '../program.ts';
import { screenProgram } from '../screen-program.ts';
import { keys, type Terminal } from '../terminal.ts';

const { demo } = screenProgram();

/** The rows of the box that is open, borders included; none where none is. */
function box(terminal: Terminal): string[] {
  const screen = terminal.screen();
  const first = screen.findIndex(line => line.includes('╭─'));
  const last = screen.findIndex(line => line.includes('╰─'));
  return first < 0 ? [] : screen.slice(first, last + 1);
}

const closed = (screen: readonly string[]): boolean => !screen.some(line => line.includes('╭─'));

describe.each(sizes)('at %i columns and %i rows', (cols, rows) => {
  test('a list is a box over the view, as wide as the screen where that is narrow; keys choose', async () => {
    const terminal = await demo({ cols, rows });
    const before = terminal.screen();
    terminal.send('n');
    await terminal.waitFor('╭─ Namespace ─');
    const lines = box(terminal);
    expect(lines.length).toBeLessThanOrEqual(12);
    if (cols < 100) expect(lines[0]).toHaveLength(cols);
    else expect(lines[0]?.length).toBeLessThan(cols);
    // What is beside and above it stays where it was.
    const top = terminal.screen().findIndex(line => line.includes('╭─'));
    for (let row = 2; row < top; row += 1)
      expect(terminal.screen()[row]?.slice(0, 34)).toBe(before[row]?.slice(0, 34));
    terminal.send('infra\r');
    await terminal.waitFor('▸ infra');
    expect(closed(terminal.screen())).toBe(true);
  });

  test('a click on the last line opens help, the wheel scrolls it, a click on Esc closes it', async () => {
    const terminal = await demo({ cols, rows });
    clickOn(terminal, '? help', rows - 1);
    await terminal.waitFor('╭─ Help ─');
    await terminal.waitFor(/lines 1 to \d+ of \d+/u);
    terminal.send(keys.wheelDown(Math.floor(cols / 2), Math.floor(rows / 2)));
    await terminal.waitFor(/lines 4 to \d+ of \d+/u);
    clickOn(terminal, 'Esc', rows - 1);
    await terminal.waitFor(closed);
  });

  test('rows of a box can be clicked', async () => {
    const terminal = await demo({ cols, rows });
    terminal.send('n');
    await terminal.waitFor('╭─ Namespace ─');
    clickOn(terminal, 'infra ');
    await terminal.waitFor('▸ infra');
    await terminal.waitFor(closed);
  });

  test('Tab goes to the details, arrows to a link, Enter follows it, and the row is in sight', async () => {
    const terminal = await demo({ cols, rows });
    await searchFor(terminal, 'web-2', 'Pod shop/web-2');
    terminal.send(keys.tab);
    await terminal.waitFor('enter follow');
    const isOnOwner = (): boolean =>
      terminal.screen().some((line, row) => {
        const column = line.lastIndexOf('StatefulSet web');
        return column >= 0 && !line.startsWith('>') && terminal.cell(row, column).inverse;
      });
    await pressUntil(terminal, keys.down, isOnOwner);
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
  });

  test('Esc and i leave the details, however they were entered', async () => {
    const terminal = await demo({ cols, rows });
    terminal.send(keys.tab);
    await terminal.waitFor('Esc back');
    terminal.send(keys.escape);
    await terminal.waitFor(screen => screen.at(-1)?.includes('Esc back') === false);
    expect(cursorRow(terminal)).not.toBe('');
  });

  test('a click on the code of a finding says what it means', async () => {
    const terminal = await demo({ cols, rows });
    await searchFor(terminal, 'web-2', 'Pod shop/web-2');
    terminal.send(keys.tab);
    await terminal.waitFor('enter follow');
    await pressUntil(terminal, 'J', () => terminal.text().includes('PodHeldByFinalizer'));
    clickOn(terminal, 'PodHeldByFinalizer');
    await terminal.waitFor('╭─ PodHeldByFinalizer ─');
    // The address may go on in the next line.
    await terminal.waitFor('https://github.com/kubectl-gc-tree');
  });

  test('w says in the box of a text where it wrote', async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'w-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const terminal = await demo({ cols, rows, cwd });
    terminal.send('?');
    await terminal.waitFor('╭─ Help ─');
    terminal.send('w');
    await terminal.waitFor(/╰─ Wrote \d+ lines? to .*\.txt ─/u);
    expect(readdirSync(cwd)).toHaveLength(1);
  });
});

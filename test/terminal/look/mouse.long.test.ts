/** The screen by the mouse, at every size: everything that it names can be clicked, and everything that is longer scrolls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clickOn, cursorRow, panelSays, pressUntil, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');

async function demo(cols: number, rows: number): Promise<Terminal> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-mouse-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined };
  const terminal = program.start(['demo', 'shop'], { cols, rows, env });
  await untilJudged(terminal);
  return terminal;
}

/** Until the cursor is on a row that begins so. */
async function cursorIsOn(terminal: Terminal, title: string): Promise<void> {
  await terminal.waitFor(() =>
    cursorRow(terminal)
      .replace(/^[> ▾▸│├└]+/u, '')
      .startsWith(title),
  );
}

describe.each(sizes)('at %i by %i', (cols, rows) => {
  const last = rows - 1;

  test('tabs, rows, folds, and the parts of the first line', async () => {
    const terminal = await demo(cols, rows);
    for (const key of ['2', '3', '4', '5', 'T', '2']) {
      const column = terminal.screen()[1]?.search(new RegExp(`(?<=^|[ \\]] ?)${key}(?= )`, 'u')) ?? -1;
      terminal.send(keys.click(column + 1, 2));
      await terminal.waitFor(`[${key} `);
    }
    clickOn(terminal, '▾ ✗ example.com/drain');
    await terminal.waitFor('▸ ✗ example.com/drain');
    clickOn(terminal, '▸ ✗ example.com/drain');
    await terminal.waitFor('▾ ✗ example.com/drain');
    clickOn(terminal, 'StatefulSet web  ');
    await cursorIsOn(terminal, 'StatefulSet web');
    clickOn(terminal, 'enter show in tree', last);
    await terminal.waitFor('[1 Tree]');
    clickOn(terminal, '▾ Deployment api');
    await terminal.waitFor('▸ Deployment api (3)');
    clickOn(terminal, 'Deployment api (3)');
    await terminal.waitFor('▾ Deployment api');
    clickOn(terminal, 'Pod api-');
    await cursorIsOn(terminal, 'Pod api-');
    // The line names the owners as far as there is room for them.
    await terminal.waitFor(screen => screen[0]?.includes('ReplicaSet api-') === true);
    clickOn(terminal, 'ReplicaSet api-');
    await cursorIsOn(terminal, 'ReplicaSet api-');
    const named = terminal.screen()[0] ?? '';
    terminal.send(keys.click(named.lastIndexOf('shop') + 2, 1));
    await terminal.waitFor('╭─ Namespace ─');
    // Beside the box is out of it.
    terminal.send(keys.click(Math.floor(cols / 2), 1));
    await terminal.waitFor(() => !terminal.text().includes('╭─'));
    terminal.send(keys.click(named.indexOf('shop') + 2, 1));
    await terminal.waitFor('Contexts are those of a kubeconfig');
  });

  test('the wheel scrolls what it is over, and links of the details are followed', async () => {
    const terminal = await demo(cols, rows);
    const more = cols >= 80;
    terminal.send(keys.wheelDown(5, Math.floor(rows / 3)));
    if (rows <= 24) {
      await terminal.waitFor(() => !terminal.text().includes('▾ StatefulSet web '));
      // The row under the cursor stays in sight.
      expect(cursorRow(terminal)).not.toBe('');
    }
    terminal.send(keys.wheelUp(5, Math.floor(rows / 3)).repeat(4));
    await terminal.waitFor('Pod web-2 ');
    clickOn(terminal, 'Pod web-2 ');
    await cursorIsOn(terminal, 'Pod web-2');
    if (!more) {
      clickOn(terminal, 'enter details', last);
      await terminal.waitFor('Esc back');
    }
    const isBeside = cols >= 110;
    const over = keys.wheelDown(cols - 5, isBeside ? Math.floor(rows / 2) : rows - 3);
    const owner = 'StatefulSet web  being deleted';
    await pressUntil(terminal, over, () => terminal.text().includes(owner));
    if (more) await cursorIsOn(terminal, 'Pod web-2');
    clickOn(terminal, owner);
    await cursorIsOn(terminal, 'StatefulSet web');
  });

  test('what the last line names: marks, help, a deletion that is given up, and one that is unblocked', async () => {
    const terminal = await demo(cols, rows);
    clickOn(terminal, 'Deployment api', 3);
    await cursorIsOn(terminal, 'Deployment api');
    clickOn(terminal, 'space mark', last);
    await terminal.waitFor('1 object marked');
    // It went on to the next row.
    clickOn(terminal, 'Deployment api', 3);
    await terminal.waitFor(() => cursorRow(terminal).startsWith('>▾*Deployment api'));
    clickOn(terminal, 'space mark', last);
    await terminal.waitFor(() => !terminal.text().includes('marked'));
    clickOn(terminal, '▾ Deployment api');
    await terminal.waitFor('▸ Deployment api (3)');
    clickOn(terminal, 'd delete', last);
    await panelSays(terminal, '[1 background]');
    clickOn(terminal, '3 orphan');
    await panelSays(terminal, '[3 orphan]');
    clickOn(terminal, '2 foreground');
    await panelSays(terminal, '[2 foreground]');
    // The one that is chosen is taken.
    clickOn(terminal, '[2 foreground]');
    await panelSays(terminal, 'to confirm:');
    // The wheel over the tree scrolls it behind the panel, without a cursor.
    terminal.send(keys.wheelDown(5, 6).repeat(2));
    clickOn(terminal, 'Esc cancel', last);
    await terminal.waitFor(screen => screen.at(-1)?.includes('q quit') === true);
    terminal.send(keys.wheelUp(5, 6).repeat(4));
    await terminal.waitFor('▾ StatefulSet web');
    clickOn(terminal, '▾ StatefulSet web');
    await terminal.waitFor('▸ StatefulSet web (1)');
    clickOn(terminal, 'u unblock', last);
    await panelSays(terminal, 'y confirms');
    clickOn(terminal, 'y confirm', last);
    await panelSays(terminal, 'As forecast');
    clickOn(terminal, 'Esc close', last);
    await terminal.waitFor(screen => screen.at(-1)?.includes('q quit') === true);
    clickOn(terminal, 'q quit', last);
    expect(await terminal.exit).toBe(0);
  });
});

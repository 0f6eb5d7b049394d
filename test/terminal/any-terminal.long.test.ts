/** The screen on terminals of any size and ability: every line is whole, and everything can be told apart. */
import { describe, expect, test } from 'vitest';
import { cursorRow, programOf, sizes, untilJudged } from './program.ts';
import { screenProgram } from './screen-program.ts';
import { keys, type Terminal } from './terminal.ts';

const { demo, synthetic } = screenProgram();
const product = programOf('main');

describe('the screen', () => {
  test('every size shows whole lines after a resize', async () => {
    const terminal = await demo({ cols: 200, rows: 50 });
    const sizes = [
      [80, 24],
      [200, 50],
      [60, 15],
      [120, 20],
      [300, 80],
      [61, 40],
      [110, 16],
      [160, 45],
      [59, 14],
      [100, 30],
    ] as const;
    for (const [cols, rows] of sizes) {
      terminal.resize(cols, rows);
      await terminal.waitFor(shown =>
        cols < 60 || rows < 15
          ? shown[0]?.includes('Too small') === true
          : shown[0]?.startsWith(' gc-tree') === true && shown.at(-1)?.includes('q quit') === true,
      );
      await terminal.settle(100);
      const screen = terminal.screen();
      if (cols < 60 || rows < 15) {
        expect(screen[0]).toContain('Too small');
        continue;
      }
      expect(screen[0]).toMatch(/^ gc-tree {2}shop ▸ shop/);
      expect(screen.filter(line => line.includes('NAME '))).toHaveLength(1);
      expect(screen.at(-1)).toMatch(/help {2}q quit/);
      expect(screen.filter(line => line.startsWith('>'))).toHaveLength(1);
    }
  });

  test('60 columns and 15 rows are enough to browse and read the details', async () => {
    const terminal = await demo({ cols: 60, rows: 15 });
    expect(terminal.text()).toContain('NAME');
    expect(cursorRow(terminal)).toContain('StatefulSet web');
    terminal.send('i');
    await terminal.waitFor('StatefulSet shop/web is stuck');
    terminal.send('i');
    await terminal.waitFor('NAME');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await demo({ env: { SCREEN_ASCII: '1' } });
    expect(terminal.text()).toMatch(/^[ -~\n]*$/);
    expect(terminal.text()).toMatch(/x example\.com\/drain/);
  });

  test('without colour the cursor and the warnings still stand out', async () => {
    const terminal = await demo({ env: { NO_COLOR: '1' } });
    // oxlint-disable-next-line no-control-regex
    expect(terminal.raw()).not.toMatch(/\u001B\[(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;\dm]/);
    const row = terminal.screen().findIndex(line => line.startsWith('>'));
    expect(terminal.cell(row, 5).inverse).toBe(true);
  });

  describe.each(sizes)('at %i by %i', (cols, rows) => {
    const shownWith = async (env: Readonly<Record<string, string>>): Promise<Terminal> => {
      const terminal = product.start(['demo'], { cols, rows, env });
      await untilJudged(terminal);
      // The lists of panels and the boxes around them as well as the tree.
      terminal.send('?');
      await terminal.waitFor('- Help -');
      expect(terminal.text()).toMatch(/^[ -~\n]*$/);
      terminal.send(keys.escape);
      await terminal.waitFor(screen => screen.at(-1)?.includes('q quit') === true);
      expect(terminal.text()).toMatch(/^[ -~\n]*$/);
      return terminal;
    };

    test.each([
      ['linux', true],
      ['vt100', false],
    ])('TERM=%s gets what it can show without a flag', async (TERM, isColoured) => {
      const terminal = await shownWith({ TERM, LC_ALL: 'C.UTF-8' });
      // oxlint-disable-next-line no-control-regex
      expect(/\u001B\[3[0-7]m/.test(terminal.raw())).toBe(isColoured);
      // oxlint-disable-next-line no-control-regex
      expect(terminal.raw()).not.toMatch(/\u001B\[[34]8;/);
    });

    test.each(['C', 'de_DE.ISO-8859-1'])(
      'a locale without UTF-8 gets ASCII without a flag (%s)',
      async LC_ALL => {
        await shownWith({ LC_ALL });
      },
    );
  });

  test('without TERM it shows what a terminal of today can', async () => {
    const terminal = product.start(['demo'], { env: { TERM: '', LC_ALL: 'C.UTF-8' } });
    await terminal.waitFor(/live demo/u);
    expect(terminal.text()).toContain('▾');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });

  test('a dumb terminal gets the tree, and what to do for the screen', async () => {
    const terminal = product.start(['demo'], { env: { TERM: 'dumb' } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toMatch(/StatefulSet/u);
    expect(terminal.raw().replace(/\s+/gu, ' ')).toContain('Set TERM to what it is');
    expect(terminal.alternate()).toBe(false);
  });

  test('names from the cluster cannot act on the terminal', async () => {
    const terminal = synthetic({ objects: 20, namespaces: 1, hostile: true });
    await terminal.waitFor('live');
    await terminal.waitFor('Pod evil');
    expect(terminal.raw()).not.toContain('\u001B]0;');
    expect(terminal.raw()).not.toContain('\u202E');
    expect(terminal.screen()[0]).toContain('gc-tree');
    expect(terminal.text()).toContain('Pod evil%1B[2J%1B]');
  });

  test('whole frames instead of differences show the same', async () => {
    const shown = async (env: Readonly<Record<string, string>>): Promise<string[]> => {
      const terminal = await demo({ env });
      terminal.send('jj');
      // Below the title, the tabs and the heading.
      await terminal.waitFor(/3 PodGC \d/u);
      await terminal.waitFor(screen => screen.findIndex(line => line.startsWith('>')) === 5);
      const lines = terminal.screen().slice(1, 9);
      return lines.map(line => line.replaceAll(/\d+[smhd]/gu, '#'));
    };
    expect(await shown({ SCREEN_WHOLE_FRAMES: '1' })).toEqual(await shown({}));
  });

  test('for screen readers it speaks of the row under the cursor', async () => {
    const terminal = await demo({ env: { SCREEN_READER: '1' } });
    expect(terminal.alternate()).toBe(false);
    await terminal.waitFor(/row 1 of \d+, level 1/);
    terminal.send('j');
    await terminal.waitFor('row 2 of');
    // The row is what is read first, without its details.
    expect(terminal.screen()[0]).toMatch(/^Pod web-2/u);
    expect(terminal.text()).not.toContain('Labels');
    terminal.send('i');
    await terminal.waitFor(/^Labels$/mu);
    expect(terminal.screen()[0]).toMatch(/^Pod web-2/u);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });
});

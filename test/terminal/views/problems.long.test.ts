import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cursorRow, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

const fixture = fileURLToPath(new URL('../../source/files/fixtures/all.yaml', import.meta.url));
const program = programOf('main');

function start(args: readonly string[], size: Partial<TerminalOptions> = {}): Terminal {
  return program.start(args, { cols: 160, rows: 45, ...size });
}

/** The shop of the demo, with everything looked at and the problems shown. */
async function problems(
  args: readonly string[] = [],
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  const terminal = start(['demo', 'shop', ...args], size);
  await untilJudged(terminal);
  terminal.send('2j');
  await terminal.waitFor('[2 Problems');
  await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
  return terminal;
}

describe('problems, by keys alone', () => {
  test('from what is wrong to why, to what can be done, and to the object in the tree', async () => {
    const terminal = await problems();
    expect(cursorRow(terminal)).toMatch(/StatefulSet web +waits for web-2: example\.com\/drain/u);
    expect(terminal.text()).toContain('StatefulSet shop/web is stuck');
    expect(terminal.text()).toContain('└─ blocked by Pod web-2');
    expect(terminal.text()).toContain('clear-block/pod/web-2');
    terminal.send(keys.enter);
    await terminal.waitFor('[1 Tree]');
    expect(cursorRow(terminal)).toContain('StatefulSet web');
    terminal.send('2');
    await terminal.waitFor('[2 Problems');
    expect(cursorRow(terminal)).toContain('StatefulSet web');
  });

  test('filtering, folding, and the way back', async () => {
    const terminal = await problems();
    terminal.send('/');
    await terminal.waitFor('> _');
    terminal.send(`egg${keys.tab}`);
    await terminal.waitFor('Only problems that contain "egg"');
    terminal.send(keys.escape);
    await terminal.waitFor('StatefulSet web  ');
    terminal.send('-');
    await terminal.waitFor(() => !terminal.text().includes('StatefulSet web  '));
    expect(terminal.text()).toContain('▸ ✗ example.com/drain holds StatefulSet web and Pod web-2');
    terminal.send('*');
    await terminal.waitFor('StatefulSet web  ');
  });

  test('a key lists by code, and by cause again', async () => {
    const terminal = await problems();
    terminal.send('s');
    await terminal.waitFor('▾ ✗ ForegroundBlockedByFinalizer (1)');
    await terminal.waitFor('s by cause');
    expect(cursorRow(terminal)).toContain('StatefulSet web');
    terminal.send('s');
    await terminal.waitFor('✗ example.com/drain holds StatefulSet web and Pod web-2');
    expect(cursorRow(terminal)).toContain('StatefulSet web');
  });

  test('the heading of a cause says what it is, and frees all that it holds', async () => {
    const terminal = await problems();
    terminal.send('g');
    await terminal.waitFor('u looks for one remedy for all 2');
    terminal.send('u');
    await terminal.waitFor('Unblock 2 objects');
    await terminal.waitFor(/deleted +2 +StatefulSet web/u);
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('Unblock 2 objects'));
  });

  test.each(sizes)('names the cause first and whole at %i by %i', async (cols, rows) => {
    const terminal = start(['demo', 'operator-gone', '-A'], { cols, rows });
    await untilJudged(terminal);
    terminal.send('2');
    await terminal.waitFor(/▾ ✗ dbs\.example\.com\/backup holds (?:3 objects|2 Databases|Namespace)/u);
    terminal.send('g');
    await terminal.waitFor(() => cursorRow(terminal).includes('dbs.example.com/backup'));
    terminal.send('-');
    await terminal.waitFor(/>▸ ✗ dbs\.example\.com\/backup holds/u);
    expect(terminal.screen()[4]?.slice(0, 60).trim()).toBe('');
  });

  test('a click on a tab shows its view', async () => {
    const terminal = await problems();
    terminal.send(keys.click(3, 2));
    await terminal.waitFor('[1 Tree]');
    terminal.send(keys.click(14, 2));
    await terminal.waitFor('[2 Problems');
  });

  test('f narrows the tree to what has problems', async () => {
    const terminal = start(['demo', 'shop']);
    await untilJudged(terminal);
    terminal.send('f');
    await terminal.waitFor('Only objects with problems');
    expect(terminal.text()).toContain('✗ waits for web-2');
    expect(terminal.text()).not.toContain('Service api');
    terminal.send('f');
    await terminal.waitFor('Service api');
  });

  test('m says who set a finalizer', async () => {
    const terminal = await problems();
    terminal.send('/web-2 held\t');
    await terminal.waitFor('Only problems that contain "web-2 held"');
    terminal.send('G');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod web-2'));
    terminal.send('m');
    await terminal.waitFor('Who set what on Pod shop/web-2');
    await terminal.waitFor('set by kubectl-patch');
  });

  test.each(sizes)('fits %i by %i', async (cols, rows) => {
    const terminal = await problems([], { cols, rows });
    expect(terminal.screen()[0]).toMatch(/✗ 2 ⚠ 7$/u);
    expect(terminal.screen().at(-1)).toMatch(/enter show in tree .*q quit/u);
    expect(cursorRow(terminal)).toContain('example.com/drain');
    terminal.send(cols === 60 ? 'i' : '');
    await terminal.waitFor('StatefulSet shop/web is stuck');
  });

  test('--ascii draws with nothing else, in the help as well', async () => {
    const terminal = await problems(['--ascii']);
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
    terminal.send('?');
    await terminal.waitFor('Help');
    terminal.send(keys.end);
    await terminal.settle();
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
  });

  test('for screen readers it speaks the finding and its answer', async () => {
    const terminal = start(['demo', 'shop', '--screen-reader']);
    await untilJudged(terminal);
    terminal.send('2j');
    await terminal.waitFor('row 2 of');
    terminal.send('i');
    await terminal.waitFor('StatefulSet shop/web is stuck');
  });
});

describe('files on the screen', () => {
  test('it says that they are files, and of when', async () => {
    const terminal = start(['-f', fixture]);
    await terminal.waitFor(/files as of \d{4}-\d\d-\d\dT/u);
    expect(terminal.screen()[0]).not.toContain('live');
  });

  test('a bare type narrows the tree, escape widens it', async () => {
    const terminal = start(['-f', fixture, 'statefulsets']);
    await terminal.waitFor('Only statefulsets and their owners.');
    expect(terminal.text()).toContain('StatefulSet web');
    expect(terminal.text()).not.toContain('Secret db');
    terminal.send(keys.escape);
    await terminal.waitFor('Secret db');
  });
});

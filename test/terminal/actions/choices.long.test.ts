/** The lists of `U` and `z` paint the tree for what the cursor is on, before it is chosen. */
import { expect, test } from 'vitest';
import { cursorRow, panelSays, programOf, sizes } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';
import { actingDemo, closeDialog, goTo } from './acting-demo.ts';

const { demo, journalled } = actingDemo(programOf('main'));

/** Finds a row of the tree, with the panel beside it, below it or closed. */
function row(terminal: Terminal, words: string): string {
  const lines = terminal.screen().map(line => line.replace(/┃.*$/u, ''));
  const rule = lines.findIndex(line => /^━{20,}$/u.test(line.trim()));
  return lines.slice(0, rule < 0 ? undefined : rule).find(line => line.includes(words)) ?? '';
}

function topRow(terminal: Terminal): string {
  const lines = terminal.screen();
  return lines[lines.findIndex(line => /^ *NAME /u.test(line)) + 1] ?? '';
}

/** Waits for a row that has this sign and these words. */
async function painted(terminal: Terminal, words: string, sign: string): Promise<string> {
  await terminal.waitFor(() => row(terminal, words).startsWith(sign));
  return row(terminal, words);
}

test.each(sizes)('U paints each remedy while the cursor is on it, at %i by %i', async (cols, rows) => {
  const terminal = await demo([], { cols, rows });
  await goTo(terminal, 'statefulset web', 'StatefulSet web');
  terminal.send('U');
  await panelSays(terminal, 'Which remedy?');
  // The first is safe, and chosen: web goes, and web-2 stays.
  expect(await painted(terminal, 'StatefulSet web', '-')).toContain('deleted');
  expect(await painted(terminal, 'Pod web-2', '!')).toContain('held by');
  terminal.send('2');
  await terminal.waitFor(/(?:^|[┃|]) ?> *2 +dangerous/mu);
  expect(await painted(terminal, 'Pod web-2', '-')).toContain('deleted');
  terminal.send(keys.up);
  await painted(terminal, 'Pod web-2', '!');
  // Advice has nothing to send.
  terminal.send(keys.up);
  await terminal.waitFor(/(?:^|[┃|]) ?> +advice/mu);
  await painted(terminal, 'Pod web-2', ' ');
  expect(terminal.screen().at(-1)).not.toContain('step by step');
  await closeDialog(terminal);
  expect(cursorRow(terminal)).toContain('StatefulSet web');
  expect(terminal.text()).not.toMatch(/^[-!~][ │├└]*Pod web-2/mu);
  expect(await journalled()).toEqual([]);
});

test.each(sizes)('z paints what an undo brings back, wherever it stands, at %i by %i', async (cols, rows) => {
  const terminal = await demo([], { cols, rows });
  await goTo(terminal, 'cronjob report', 'CronJob report');
  terminal.send('o');
  await panelSays(terminal, /y confirms|to confirm/u);
  terminal.send('report\r');
  await panelSays(terminal, 'As forecast');
  await closeDialog(terminal);
  await goTo(terminal, 'statefulset web', 'StatefulSet web');
  terminal.send('u');
  await panelSays(terminal, 'y confirms');
  terminal.send('y');
  await panelSays(terminal, 'As forecast');
  await closeDialog(terminal);
  terminal.send('z');
  await panelSays(terminal, 'Which action is undone?');
  terminal.send('2');
  await terminal.waitFor(/(?:^|[┃|]) ?> *2 /mu);
  expect(await painted(terminal, '1 new CronJob', '+')).toContain('created');
  terminal.send(keys.home);
  await terminal.waitFor(() => topRow(terminal).includes('Deployment api'));
  while (row(terminal, 'Job report-') === '') {
    const before = topRow(terminal);
    terminal.send(keys.pageDown);
    await terminal.waitFor(() => topRow(terminal) !== before);
  }
  expect(await painted(terminal, 'Job report-', '~')).toMatch(/owner reference/u);
  terminal.send('1');
  await terminal.waitFor(() => row(terminal, '1 new CronJob') === '');
  await closeDialog(terminal);
  expect(row(terminal, 'new CronJob')).toBe('');
});

test('keys move the cursor while the forecasts of the rows before are made', async () => {
  const terminal = await demo(['-A'], { scenario: 'fleet', cols: 120, rows: 35 });
  terminal.send('U');
  await panelSays(terminal, /Which remedy\?|Nothing/u);
  terminal.send(keys.down.repeat(6) + keys.up.repeat(6));
  await terminal.waitFor(/(?:^|[┃|]) ?> +\S/mu);
  await panelSays(terminal, /Which remedy\?(?: None is recommended\.)? (?!forecasting)/u);
});

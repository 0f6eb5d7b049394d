/** A forecast played on the tree with the keys of a recording's time line. */
import { expect, test } from 'vitest';
import { panelSays, programOf, sizes } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';
import { actingDemo, closeDialog, goTo } from './acting-demo.ts';

const { demo, journalled } = actingDemo(programOf('main'));

function strip(terminal: Terminal): string {
  return terminal.screen().at(-2) ?? '';
}

function row(terminal: Terminal, words: string): string {
  const lines = terminal.screen().map(line => line.replace(/┃.*$/u, ''));
  return lines.find(line => line.includes(words)) ?? '';
}

async function stepTo(terminal: Terminal, key: string, words: string): Promise<void> {
  terminal.send(key);
  await terminal.waitFor(() => strip(terminal).includes(words));
}

test.each(sizes)('. and , play an orphaning request by request, at %i by %i', async (cols, rows) => {
  const terminal = await demo([], { cols, rows });
  await goTo(terminal, 'cronjob report', 'CronJob report');
  terminal.send('p');
  await panelSays(terminal, 'Forecast only');
  terminal.send('3');
  await panelSays(terminal, '[3 orphan]');
  expect(row(terminal, 'CronJob report')).toContain('would be deleted');
  await stepTo(terminal, '.', 'step 1 of 3: the user deletes CronJob');
  await terminal.waitFor(() => row(terminal, 'CronJob report').includes('deleting'));
  await stepTo(terminal, '.', 'step 2 of 3: the garbage collector changes Job');
  expect(row(terminal, 'Job report-')).toContain('done');
  await stepTo(terminal, '.', 'step 3 of 3: the garbage collector changes CronJob');
  await terminal.waitFor(() => row(terminal, 'CronJob report').includes('gone'));
  await stepTo(terminal, '(', 'step 1 of 3');
  expect(row(terminal, 'Job report-')).not.toContain('done');
  terminal.send(keys.escape);
  await terminal.waitFor(() => !strip(terminal).includes('step 1'));
  await panelSays(terminal, '[3 orphan]');
  expect(row(terminal, 'CronJob report')).toContain('would be deleted');
  await closeDialog(terminal);
  expect(await journalled()).toEqual([]);
});

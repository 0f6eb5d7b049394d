/** A question that stands while somebody else changes the cluster: it holds still, and is asked again where more happens. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { panelHas, panelSays, panelText, sizes, untilJudged } from '../program.ts';
import { screenProgram } from '../screen-program.ts';
import { keys, type Terminal } from '../terminal.ts';
import { goTo } from './acting-demo.ts';

const { start } = screenProgram();
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-standing-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const REPORT = '/apis/batch/v1/namespaces/shop/cronjobs/report';

/** A JSON Patch of its metadata: undefined removes the field. */
function patch(field: string, value?: unknown): object {
  const operation = { op: value === undefined ? 'remove' : 'add', path: `/metadata/${field}`, value };
  return { method: 'PATCH', path: REPORT, contentType: 'application/json-patch+json', body: [operation] };
}

const hold = patch('finalizers', ['example.com/hold']);

/** The question of `o` on the CronJob, which somebody changes so at each signal. */
async function asked(cols: number, rows: number, changes: readonly object[]): Promise<Terminal> {
  const env = {
    SCREEN_DEMO: 'shop',
    SCREEN_NAMESPACE: 'shop',
    SCREEN_JOURNAL: folder,
    SCREEN_CHANGES: JSON.stringify(changes),
  };
  const terminal = start({ cols, rows, env });
  await untilJudged(terminal);
  await goTo(terminal, 'cronjob report', 'CronJob report');
  terminal.send('o');
  await panelSays(terminal, 'Type report and press enter to confirm: >');
  return terminal;
}

function somebodyElse(terminal: Terminal): void {
  terminal.signal('SIGUSR2');
}

/** Of the CronJob in the tree. */
function rowOf(terminal: Terminal): string {
  return terminal.screen().find(line => /^[-!~] ?.*CronJob report/u.test(line)) ?? '';
}

test.each(sizes)('it holds still where as much or less happens, at %i by %i', async (cols, rows) => {
  const terminal = await asked(cols, rows, [hold, patch('labels', { seen: 'yes' }), patch('finalizers')]);
  expect(rowOf(terminal)).toMatch(/^-.*deleted/u);
  // It gets stuck now: that is worse.
  somebodyElse(terminal);
  await terminal.waitFor(() => rowOf(terminal).startsWith('!'));
  expect(await panelSays(terminal, 'to confirm: > _')).toContain('Type report');
  await panelHas(terminal, 'CronJob shop/report waits for');
  terminal.send('repo');
  await panelSays(terminal, '> repo_');
  const before = panelText(terminal);
  // A label says nothing about what happens.
  somebodyElse(terminal);
  await terminal.settle(1_500);
  expect(panelText(terminal)).toBe(before);
  // What held it is gone: less happens, and what was typed stays.
  somebodyElse(terminal);
  await terminal.waitFor(() => rowOf(terminal).startsWith('-'));
  expect(panelText(terminal)).toContain('> repo_');
  expect(panelText(terminal)).not.toContain('while its deletion lasts');
  // From the beginning of the text.
  for (let page = 0; page < 30; page++) terminal.send(keys.ctrlB);
  await terminal.settle();
  await panelHas(terminal, 'less happens now than when this was asked');
  terminal.send('rt\r');
  await panelSays(terminal, /As forecast.*1 object is gone, 1 is altered/u);
});

test.each(sizes)(
  'it is asked again with the difference where it gets worse, at %i by %i',
  async (cols, rows) => {
    const terminal = await asked(cols, rows, [hold]);
    terminal.send('repor');
    await panelSays(terminal, '> repor_');
    somebodyElse(terminal);
    await panelSays(terminal, 'to confirm: > _');
    expect(await panelHas(terminal, 'The cluster has changed since you were asked')).toContain('now more');
    await panelHas(terminal, 'CronJob shop/report waits for');
    // What was typed before is no answer.
    terminal.send('t\r');
    await terminal.settle(500);
    expect(panelText(terminal)).toContain('> t_');
  },
);

test.each(sizes)(
  'what happens in any case is one grey line, named at the end, at %i by %i',
  async (cols, rows) => {
    const terminal = start({ cols, rows, env: { SCREEN_NAMESPACE: 'shop', SCREEN_JOURNAL: folder } });
    await untilJudged(terminal);
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    terminal.send('o');
    await panelSays(terminal, /y confirms|to confirm/u);
    await panelHas(terminal, 'Either way, 1 Pod keeps terminating.');
    const at = terminal.screen().findIndex(line => line.includes('Either way'));
    const column = terminal.screen()[at]?.indexOf('Either way') ?? -1;
    const { dim, foreground } = terminal.cell(at, column);
    expect(dim || foreground !== -1).toBe(true);
    await panelHas(terminal, 'Pod web-2: not affected, still terminating');
  },
);

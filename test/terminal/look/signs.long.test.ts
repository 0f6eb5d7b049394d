/** What signs, colours and remarks say: no more than is so, at every size. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cursorRow, panelSays, pressUntil, programOf, searchFor, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');
/** As terminals number their own sixteen. */
const GREEN = new Set([2, 10]);

async function demo(cols: number, rows: number): Promise<Terminal> {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-signs-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined };
  const terminal = program.start(['demo', 'shop'], { cols, rows, env });
  await untilJudged(terminal);
  return terminal;
}

test.each(sizes)('a jump to another scope says so, and { takes it back, at %i by %i', async (cols, rows) => {
  const terminal = await demo(cols, rows);
  await searchFor(terminal, 'cert-tmp', 'Secret infra/cert-tmp');
  await terminal.waitFor('Switched to namespace infra. { goes back.');
  terminal.send('{');
  await terminal.waitFor(screen => screen[0]?.includes('shop ▸ shop') === true);
  await searchFor(terminal, 'clusterrole read-all', 'ClusterRole read-all');
  await terminal.waitFor('All namespaces: the object is cluster-scoped. { goes back.');
  terminal.send('{');
  await terminal.waitFor(screen => screen[0]?.includes('shop ▸ shop') === true);
});

test.each(sizes)('the order of the tree is told of the tree alone, at %i by %i', async (cols, rows) => {
  const terminal = await demo(cols, rows);
  terminal.send('s');
  await terminal.waitFor('Sorted: ');
  if (cols >= 120) expect(terminal.screen()[1]).toContain('sorted by name');
  for (const view of ['2', '3', '4', '5', '6', 'T']) {
    terminal.send(view);
    await terminal.waitFor(`[${view} `);
    expect(terminal.screen()[1]).not.toContain('sorted');
  }
});

test.each(sizes)('a pod that merely terminates has no sign of trouble, at %i by %i', async (cols, rows) => {
  const terminal = await demo(cols, rows);
  await searchFor(terminal, 'pod shop api-', 'Pod shop/api-');
  const before = terminal.screen()[0]?.split('  ').at(-1);
  terminal.send('d');
  await panelSays(terminal, 'y confirms');
  terminal.send('y');
  await panelSays(terminal, /\] \d of \d/u);
  terminal.send(keys.escape);
  await terminal.waitFor(() => /Pod api-\S+ +terminating/u.test(cursorRow(terminal)));
  await terminal.settle(300);
  expect(cursorRow(terminal)).not.toMatch(/[✗⚠]/u);
  expect(terminal.screen()[0]?.split('  ').at(-1)).toBe(before);
});

test.each(sizes)('beside the policies nothing that is held is green, at %i by %i', async (cols, rows) => {
  const terminal = await demo(cols, rows);
  terminal.send('d');
  await panelSays(terminal, '[1 background]');
  if (rows >= 24) await panelSays(terminal, /3 orphan -1 !1 -1 ~1/u);
  terminal.send('w');
  const held = (): readonly (readonly [number, number])[] =>
    terminal
      .screen()
      .flatMap((line, row) =>
        [...line.matchAll(/\bheld\b(?! by)/gu)].map(({ index }) => [row, index] as const),
      );
  await pressUntil(terminal, keys.ctrlF, () => held().length > 0);
  const [first] = held();
  expect(first).toBeDefined();
  for (const [row, column] of held()) expect(GREEN.has(terminal.cell(row, column).foreground)).toBe(false);
  expect(terminal.screen().find(line => /Pod web-2 /u.test(line) && / stays/u.test(line))).toBeUndefined();
});

/** A deletion that its controllers answer with new objects, on the painted tree: from the ghost to forecast against actual. */
import { expect, test } from 'vitest';
import { panelSays, pressUntil, programOf, sizes } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';
import { actingDemo, goTo } from './acting-demo.ts';

const { demo } = actingDemo(programOf('main'));

/** The row, once the tree behind the panel was scrolled to it. */
async function rowOf(terminal: Terminal, row: RegExp): Promise<string> {
  const found = (): string | undefined => terminal.screen().find(line => row.test(line));
  // Up to its beginning, then down.
  terminal.send(keys.home);
  await terminal.settle();
  await pressUntil(terminal, keys.down, () => found() !== undefined);
  return found() ?? '';
}

test.each(sizes)(
  'a new pod takes the place of its ghost, and following ends, at %i by %i',
  async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'pod shop api-', 'Pod api-');
    terminal.send('d');
    await panelSays(terminal, 'y confirms');
    expect(await rowOf(terminal, /^\+[ │├└]+1 new Pod/u)).toMatch(/created by/u);
    // A grace period of a second.
    terminal.send('g');
    await panelSays(terminal, 'Grace period of the pods: 1s');
    terminal.send('y');
    await panelSays(terminal, /As forecast after \d+s: 1 object is gone, 1 is recreated/u);
    expect(await rowOf(terminal, /^\+[ │├└]+Pod api-/u)).toMatch(/Running|Pending/u);
    expect(terminal.text()).not.toMatch(/^\+[ │├└]+1 new Pod/mu);
    expect(await rowOf(terminal, /^-[ │├└]+Pod api-/u)).toMatch(/gone/u);
    await pressUntil(terminal, 'J', () => /recreated +1 of 1 as/u.test(terminal.text()));
  },
);

test.each(sizes)('while a grace period runs, it says how long, at %i by %i', async (cols, rows) => {
  const terminal = await demo([], { cols, rows });
  await goTo(terminal, 'pod shop api-', 'Pod api-');
  terminal.send('d');
  await panelSays(terminal, 'y confirms');
  terminal.send('y');
  await panelSays(
    terminal,
    /1 of 2 · waits for Pod .*, which is being deleted \(\d+s of its grace period left\)/u,
  );
  await panelSays(terminal, /\(2[0-7]s of its grace period left\)/u);
  expect(await rowOf(terminal, /^\+[ │├└]+Pod api-/u)).toMatch(/Running|Pending/u);
  expect(terminal.text()).not.toMatch(/^\+[ │├└]+1 new Pod/mu);
});

test.each(sizes)(
  'of a ReplicaSet, the pods of the new one stand below it, before and after, at %i by %i',
  async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'replicaset shop api-', 'ReplicaSet api-');
    terminal.send('d');
    await panelSays(terminal, /\[1 background\]|to confirm/u);
    expect(await rowOf(terminal, /^\+.*1 new ReplicaSet/u)).toMatch(/created by/u);
    const column = (row: string, words: string): number => row.indexOf(words);
    const set = await rowOf(terminal, /^\+.*1 new ReplicaSet/u);
    const pods = await rowOf(terminal, /^\+.*3 new Pods/u);
    expect(column(pods, '3 new')).toBeGreaterThan(column(set, '1 new'));
    terminal.send(keys.enter);
    await panelSays(terminal, /Type api-\S+ and press enter to confirm/u);
    const [, word = ''] = /Type (\S+) and press/u.exec(await panelSays(terminal, 'to confirm')) ?? [];
    terminal.send(`${word}\r`);
    // Those of before take their grace period.
    await panelSays(terminal, /waits for Pod .*which is being deleted/u);
    await terminal.waitFor(() => !/^\+.*\d new /mu.test(terminal.text()));
    expect(await rowOf(terminal, /^\+.*ReplicaSet api-/u)).toMatch(/3\/3|\d\/3/u);
    expect(await rowOf(terminal, /^\+.*Pod api-/u)).toMatch(/Running|Pending/u);
    expect(terminal.text()).not.toMatch(/^\+.*\d new /mu);
    if (rows !== 40) return;
    await panelSays(terminal, /As forecast after \d+s: 4 objects are gone, 4 are recreated/u, 60_000);
  },
  90_000,
);

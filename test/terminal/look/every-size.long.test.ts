/**
 * What the screen promises at each size, by keys alone, where no other file tests it. The others: causes, namespaces and
 * their picker in views/opening; freeing and adopting many in actions/many-at-once; causes in full in views/problems;
 * words behind `:` in keys; kubectl's output in kubectl/hand-over; steps in actions/forecast-steps; replay in views/replay.
 */
import { describe, expect, test } from 'vitest';
import { actingDemo } from '../actions/acting-demo.ts';
import { cursorRow, panelHas, panelSays, programOf, sizes } from '../program.ts';
import { screenProgram } from '../screen-program.ts';
import { keys } from '../terminal.ts';

const { demo } = actingDemo(programOf('main'));
const { synthetic } = screenProgram();

describe.each(sizes)('at %i by %i', (cols, rows) => {
  test('a quiet cluster opens on the pulse, which leads to a namespace and back', async () => {
    const terminal = synthetic({ objects: 700, namespaces: 5 }, {}, { cols, rows });
    await terminal.waitFor(/\[6(?: Pulse)?\]/u);
    await terminal.waitFor(/▾ Namespaces \(\d+\)/u);
    expect(terminal.text()).toMatch(/team-0 +\d+/u);
    terminal.send(keys.enter);
    await terminal.waitFor('[1 Tree]');
    terminal.send('{');
    await terminal.waitFor(/\[6(?: Pulse)?\]/u);
  });

  test('rows have guide lines, the heading marks their order, and a key changes it', async () => {
    const terminal = await demo([], { cols, rows });
    await terminal.waitFor(/^ NAME +STATE↑/mu);
    expect(terminal.text()).toMatch(/^.[├└] +Pod web-2/mu);
    terminal.send('s');
    await terminal.waitFor(/^ NAME↑/mu);
  });

  test('survivors are marked in the tree, and their details name their controller', async () => {
    const terminal = await demo([], { scenario: 'statefulset-survivors', cols, rows });
    await terminal.waitFor(() => /Pod orders-0 +⚠ StatefulSet orders is/u.test(cursorRow(terminal)));
    terminal.send(keys.enter);
    await terminal.waitFor(/survived its StatefulSet: orders/u);
  });

  test('words of users lead to unblock, and a word that names nothing runs nothing', async () => {
    const terminal = await demo([], { cols, rows });
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send(':foo\r');
    await terminal.waitFor(/foo/u);
    terminal.send(keys.escape);
    await terminal.waitFor(/q quit *$/u);
    terminal.send(':free\r');
    await panelSays(terminal, 'Unblock web');
  });

  test('the YAML of an object scrolls and is searched in a panel', async () => {
    const terminal = await demo([], { cols, rows });
    terminal.send('y');
    await terminal.waitFor('kind: StatefulSet');
    terminal.send('/foreground\r');
    await terminal.waitFor(/- foregroundDeletion/u);
    await terminal.waitFor('n next');
    terminal.send(keys.escape);
    await terminal.waitFor('/ find');
    terminal.send(keys.escape);
    await terminal.waitFor(/q quit *$/u);
  });

  test('a forecast says what would be, and then what is', async () => {
    const terminal = await demo([], { scenario: 'statefulset-survivors', cols, rows });
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod orders-0'));
    terminal.send('d');
    await panelSays(terminal, 'Type orders-0');
    await terminal.waitFor(/^-.*Pod orders-0 +would be deleted/mu);
    terminal.send('orders-0\r');
    await terminal.waitFor(/^-.*Pod orders-0 +(?:deleting|gone)/mu);
    expect(terminal.text()).not.toContain('would be deleted');
  });

  test('a forecast names the finalizer on the row that it holds', async () => {
    const terminal = await demo([], { cols, rows });
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    const finalizer =
      cols < 80 ? /^!.*Pod web-2 +held by \S+…\S+\/drain /mu : /^!.*Pod web-2 .*example\.com\/drain/mu;
    await terminal.waitFor(finalizer);
  });

  test('stepping says what the collector does in sentences without sections of documents', async () => {
    const terminal = await demo([], { scenario: 'how-the-collector-works', cols, rows });
    terminal.send('5');
    await terminal.waitFor('[5');
    terminal.send('E');
    await terminal.waitFor('0 steps taken');
    terminal.send(' ');
    await terminal.waitFor('garbage-collector');
    await terminal.waitFor(/\. +│?$/mu);
    expect(terminal.text()).not.toContain('§');
    expect(terminal.screen().at(-1)).toMatch(/^ space item {2}e event/u);
  });

  test('what happens without the action too is said in words of the review', async () => {
    const terminal = await demo([], { cols, rows });
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    const row = cursorRow(terminal);
    terminal.send(keys.escape);
    await terminal.settle();
    // There is nothing to leave, and no message about that.
    expect(terminal.screen()[2]).toMatch(/^ NAME/u);
    expect(cursorRow(terminal)).toBe(row);
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    const said = await panelHas(terminal, 'Either way');
    expect(said).not.toMatch(/[Ii]n any case/u);
  });
});

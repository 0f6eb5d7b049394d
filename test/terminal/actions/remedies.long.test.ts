/** One number for one remedy, wherever it stands; z where it is offered; marks that end with their objects; who set what. */
import { expect, test } from 'vitest';
import { cursorRow, panelSays, panelText, pressUntil, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';
import { actingDemo, closeDialog, goTo } from './acting-demo.ts';

const { demo } = actingDemo(programOf('main'));

/** `1 safe`, `2 dangerous`, as they stand on the screen. */
function numbers(terminal: Terminal): readonly string[] {
  const found = terminal.text().matchAll(/(?:^|[ ┃│>])(\d) +(safe|caution|dangerous)\b/gmu);
  return [...found].map(([, number, safety]) => `${number} ${safety}`);
}

test.each(sizes)(
  'remedies have one number, and z is named where it works, at %i by %i',
  async (cols, rows) => {
    const terminal = await demo([], { cols, rows });
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    // On small screens the details are a screen of their own.
    terminal.send(keys.tab);
    const seen = new Set<string>();
    await pressUntil(terminal, keys.down, () => {
      for (const each of numbers(terminal)) seen.add(each);
      return seen.size >= 2;
    });
    expect([...seen]).toEqual(['1 safe', '2 dangerous']);
    terminal.send(keys.tab);
    terminal.send('U');
    await panelSays(terminal, 'Which remedy?');
    // The list goes on where there is room for more.
    const listed = numbers(terminal);
    expect(listed[0]).toBe('1 safe');
    expect(listed.slice(1, 2)).toEqual(listed.length > 1 ? ['2 dangerous'] : []);
    terminal.send(keys.enter);
    await panelSays(terminal, 'Unblock web: stop waiting for web-2');
    await panelSays(terminal, 'y confirms');
    terminal.send('y');
    await panelSays(terminal, 'As forecast');
    const isOffered = panelText(terminal).includes('Undo: z');
    await closeDialog(terminal);
    terminal.send('z');
    await panelSays(terminal, 'Which action is undone?');
    expect(isOffered).toBe(!panelText(terminal).includes('cannot be undone'));
    await closeDialog(terminal);
  },
);

test.each(sizes)('marks end with their objects, and m says who set what, at %i by %i', async (cols, rows) => {
  const terminal = await demo([], { cols, rows });
  await goTo(terminal, 'service api', 'Service api');
  terminal.send(' ');
  await terminal.waitFor('1 object marked');
  terminal.send('d');
  await panelSays(terminal, 'Type api and press enter');
  terminal.send('api\r');
  await panelSays(terminal, 'As forecast');
  await closeDialog(terminal);
  await terminal.waitFor(() => !terminal.text().includes('marked'));
  await goTo(terminal, 'deployment api', 'Deployment api');
  terminal.send('m');
  await terminal.waitFor('Who set what on Deployment shop/api');
  await terminal.waitFor(/kubectl-create|kube-controller-manager/u);
});

/** By columns: the words that fit beside the counts of problems. */
const headings: ReadonlyMap<number, string> = new Map([
  [200, '2 objects, ✗ terminating'],
  [140, '2, ✗ terminating'],
  [100, '2 objects, ✗ terminating'],
  [80, '2, ✗ terminating'],
  [60, '2 objects'],
]);

test.each(sizes)('the heading of a namespace acts on the Namespace, at %i by %i', async (cols, rows) => {
  const terminal = programOf('main').start(['demo', 'namespace-stuck', '-A'], { cols, rows });
  await untilJudged(terminal);
  await pressUntil(terminal, keys.up, () => cursorRow(terminal).includes('▾ legacy'));
  expect(cursorRow(terminal)).toContain(`legacy (${headings.get(cols)})`);
  terminal.send('y');
  await terminal.waitFor('kind: Namespace');
  terminal.send(keys.escape);
  await terminal.waitFor(() => !terminal.text().includes('kind: Namespace'));
  terminal.send('d');
  await panelSays(terminal, 'Delete Namespace legacy');
});

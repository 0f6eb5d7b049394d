/** The keys that mean the same in every view, by keys alone, at four sizes. */
import { describe, expect, test } from 'vitest';
import { cursorRow, programOf, sizes, untilJudged } from './program.ts';
import { screenProgram } from './screen-program.ts';
import { keys, type Terminal } from './terminal.ts';

const program = programOf('main');
const { start } = screenProgram();

const SHIFT_DOWN = '\u001B[1;2B';
const ALT_LEFT = '\u001B[1;3D';

async function demo(cols: number, rows: number): Promise<Terminal> {
  const terminal = program.start(['demo', 'shop'], { cols, rows });
  await untilJudged(terminal);
  return terminal;
}

describe.each(sizes)('at %i by %i', (cols, rows) => {
  test('] goes from problem to problem, in Problems too, and { and Alt-← go back', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('g]');
    await terminal.waitFor(/Problem \d+ of \d+: /u);
    const first = cursorRow(terminal);
    terminal.send(']');
    await terminal.waitFor(() => cursorRow(terminal) !== first);
    terminal.send('{');
    await terminal.waitFor(() => cursorRow(terminal).slice(0, 30) === first.slice(0, 30));
    terminal.send('2');
    await terminal.waitFor('[2 Problems');
    terminal.send(']');
    await terminal.waitFor(/Problem \d+ of \d+: /u);
    terminal.send(ALT_LEFT);
    await terminal.settle();
    terminal.send(ALT_LEFT);
    await terminal.waitFor('[1 Tree]');
    expect(cursorRow(terminal).slice(0, 30)).toBe(first.slice(0, 30));
  });

  test('0 shows all namespaces, and the one before again', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('0');
    await terminal.waitFor('▸ all namespaces');
    terminal.send('0');
    await terminal.waitFor('▸ shop  ');
  });

  test('space and Shift with an arrow mark in Problems, and a heading marks all of its group', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('2');
    await terminal.waitFor('[2 Problems');
    terminal.send('g ');
    await terminal.waitFor(/\d objects? marked/u);
    terminal.send('M');
    await terminal.waitFor(() => !terminal.text().includes('marked'));
    terminal.send(`j${SHIFT_DOWN}`);
    await terminal.waitFor(/\d objects? marked/u);
    terminal.send('v');
    await terminal.waitFor('v ends it');
    terminal.send(keys.escape);
    await terminal.waitFor('M clears.');
  });

  test('/ finds a misspelt name from any view, with its state, and Tab narrows the view in front', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('2');
    await terminal.waitFor('[2 Problems');
    terminal.send('/stokc imprt');
    await terminal.waitFor(/> Pod shop\/stock-import +⚠/u);
    terminal.send(keys.enter);
    await terminal.waitFor('[1 Tree]');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod stock-import'));
    terminal.send('/deploymnet');
    await terminal.waitFor(/> Deployment shop\/\w+/u);
    terminal.send(keys.tab);
    await terminal.waitFor('Only what is like "deploymnet"');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('Only what'));
    terminal.send('2/egg\u0006');
    await terminal.waitFor('Only problems that contain "egg"');
  });

  test('/ finds finalizers and labels, and says which', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('/example.com/drain');
    await terminal.waitFor(/> Pod shop\/web-2 .*held by/u);
    if (cols >= 80) expect(terminal.text()).toContain('finalizer example.com');
  });

  test(': takes namespaces, kinds and commands, completes them, and remembers them', async () => {
    const terminal = await demo(cols, rows);
    terminal.send(':ns inf');
    await terminal.waitFor(/> infra +\d+ objects?/u);
    terminal.send(keys.enter);
    await terminal.waitFor('▸ infra');
    terminal.send(':all\r');
    await terminal.waitFor('▸ all namespaces');
    terminal.send(':deploymen');
    await terminal.waitFor('only deployments');
    terminal.send(`${keys.tab}${keys.enter}`);
    await terminal.waitFor('Only Deployments');
    terminal.send(`:${keys.up}${keys.up}`);
    await terminal.waitFor('> all_');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('> all_'));
    terminal.send(':xyzzy');
    await terminal.waitFor('No command or kind "xyzzy"');
    terminal.send(`${keys.escape}`);
    await terminal.waitFor(() => !terminal.text().includes('xyzzy'));
    terminal.send(':q\r');
    expect(await terminal.exit).toBe(0);
  });

  test('three survivors are marked in Problems, and deleted together', async () => {
    const terminal = program.start(['demo', 'statefulset-survivors'], { cols, rows });
    await untilJudged(terminal);
    terminal.send('2');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod orders-0'));
    terminal.send('   ');
    await terminal.waitFor('3 objects marked');
    terminal.send('d');
    await terminal.waitFor(/Type 3/u);
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('Type 3'));
    // What was given up is told for a moment where marks are.
    await terminal.waitFor('3 objects marked', 8_000);
    terminal.send('M:survivors\r');
    await terminal.waitFor('4 survivors marked.');
  });

  test('enter goes to the details of what has nothing below it, and a key without use says why', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('/service api');
    await terminal.waitFor('Service shop/api');
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('Service api'));
    terminal.send(keys.right);
    await terminal.waitFor('Nothing to unfold: Service shop/api');
    terminal.send('Q');
    await terminal.waitFor('No key Q; ? lists them.');
    terminal.send(keys.enter);
    await terminal.waitFor('Service shop/api');
    terminal.send(keys.escape);
    await terminal.waitFor(() => cursorRow(terminal).includes('Service api'));
  });

  test('[ and } go the other way, and at either end they say that there is nothing further', async () => {
    const terminal = await demo(cols, rows);
    terminal.send('}');
    await terminal.waitFor('There is nothing to go forward to.');
    terminal.send('g]');
    await terminal.waitFor(/Problem \d+ of \d+: /u);
    const first = cursorRow(terminal).slice(0, 30);
    terminal.send(']');
    await terminal.waitFor(() => cursorRow(terminal).slice(0, 30) !== first);
    terminal.send('[');
    await terminal.waitFor(() => cursorRow(terminal).slice(0, 30) === first);
    terminal.send('{');
    await terminal.waitFor(() => cursorRow(terminal).slice(0, 30) !== first);
    terminal.send('}');
    await terminal.waitFor(() => cursorRow(terminal).slice(0, 30) === first);
  });

  test('in the tree v marks a range that Esc takes back, and d and u are about all of it', async () => {
    const terminal = program.start(['demo', 'statefulset-survivors'], { cols, rows });
    await untilJudged(terminal);
    terminal.send('gvjj');
    await terminal.waitFor('3 objects marked');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('marked'));
    terminal.send('gvjjv');
    await terminal.waitFor('3 objects marked: d, o, u, p act on them.');
    terminal.send('u');
    await terminal.waitFor('Unblock 3 objects');
    terminal.send(keys.escape);
    await terminal.waitFor(screen => screen.at(-1)?.includes('q quit') === true);
    terminal.send('d');
    await terminal.waitFor(/Type 3/u);
    terminal.send(keys.escape);
    await terminal.waitFor(screen => screen.at(-1)?.includes('q quit') === true);
    terminal.send('M');
    await terminal.waitFor(() => !/^.\*|marked/mu.test(terminal.text()));
    terminal.send('M');
    await terminal.waitFor('Nothing is marked');
  });

  test('in every view a key that has nothing to do there says why', async () => {
    const terminal = await demo(cols, rows);
    for (const view of ['2', '3', '4', '5', 'T']) {
      terminal.send(view);
      await terminal.waitFor(`[${view} `);
      terminal.send('t');
      await terminal.waitFor('t is a key of Tree (1) alone');
      terminal.send(',');
      await terminal.waitFor('Time can be moved in a recording alone');
      terminal.send('x');
      await terminal.waitFor('Contexts are those of a kubeconfig');
      terminal.send('}');
      await terminal.waitFor('There is nothing to go forward to.');
      terminal.send('%');
      await terminal.waitFor('No key %; ? lists them.');
      terminal.send(view);
      await terminal.waitFor('is what is shown.');
    }
  });

  test(': completes contexts, kinds and names, sorts, and says why of an object', async () => {
    const terminal = start({ cols, rows, env: { SCREEN_SOURCE: '{"objects":100,"namespaces":1}' } });
    await terminal.waitFor('2 Problems 0');
    terminal.send(':ctx br');
    await terminal.waitFor('> broken');
    terminal.send(keys.enter);
    await terminal.waitFor('Could not open broken');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('Could not open'));
    terminal.send(':why pod');
    await terminal.waitFor('> pod/');
    terminal.send(`${keys.enter}app-3-6`);
    await terminal.waitFor(/ pod\/app-3-658b5b55dd-/u);
    terminal.send(keys.down + keys.enter);
    await terminal.waitFor(/Esc back/u);
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('Esc back'));
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod app-3-65'));
    terminal.send(':sort a');
    await terminal.waitFor('> age');
    terminal.send(keys.enter);
    await terminal.waitFor('Sorted: ');
    terminal.send(`:${keys.up}${keys.up}`);
    await terminal.waitFor(/> why pod\/app-3-658b5b55dd-\w+_/u);
  });
});

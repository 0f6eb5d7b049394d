/** What `config.yaml` and the terminal's background make of the screen. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sortTitles } from '../../../src/app/settings/sort.ts';
import { cursorRow, panelSays, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

const program = programOf('main');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function demoWith(yaml: string, options: Partial<TerminalOptions> = {}): Promise<Terminal> {
  await mkdir(path.join(folder, 'kubectl-gc-tree'), { recursive: true });
  await writeFile(path.join(folder, 'kubectl-gc-tree', 'config.yaml'), yaml, { mode: 0o600 });
  return program.start(['demo'], { ...options, env: { XDG_CONFIG_HOME: folder, ...options.env } });
}

describe.each(sizes)('at %i×%i', (cols, rows) => {
  test('a key of the user’s own does what it was given, and its old one no longer', async () => {
    const terminal = await demoWith('keys: { help: H, namespace: "?" }', { cols, rows });
    await terminal.waitFor(/ (?:ConfigMap|Deployment|StatefulSet) /u);
    terminal.send('?');
    await terminal.waitFor(/Namespace/u);
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('─ Namespace'));
    terminal.send('H');
    await terminal.waitFor(/Help/u);
  });

  test('columns of the user’s own, as far as they fit, the name always', async () => {
    const terminal = await demoWith(
      'columns: [state, "label:app", owner, dependents, { column: uid, wide: true }]',
      { cols, rows },
    );
    await terminal.waitFor(/ NAME +STATE↑ +APP/u);
    await terminal.waitFor(/Deployment api +3\/3 +api/u);
    const [head = ''] = terminal.text().match(/ NAME .*/u) ?? [];
    expect(head.includes('OWNER')).toBe(cols > 60);
    expect(head.includes('DEPENDENTS')).toBe(cols > 80);
    expect(head.includes('UID')).toBe(false);
    expect(head).not.toContain('AGE');
  });

  test('the forecast is painted beside whatever columns there are', async () => {
    const terminal = await demoWith('columns: ["label:app", age]', { cols, rows });
    await terminal.waitFor(/ NAME +APP +AGE/u);
    await terminal.waitFor('>▾ StatefulSet web');
    terminal.send('d');
    await terminal.waitFor(/-▾ StatefulSet web +would be deleted +web/u);
    await terminal.waitFor(/![ │├└]+Pod web-2 +held by ex/u);
    expect(terminal.text()).toMatch(cols > 60 ? / NAME +STATE↑ +APP +AGE/u : / NAME +STATE↑ +APP/u);
    terminal.send(keys.escape);
    await terminal.waitFor(/ NAME +APP +AGE/u);
  });

  test('a view with columns, columns that are typed, and those of the settings again', async () => {
    const terminal = await demoWith('columns: [age]\nviews: { kinds: { columns: [kind, finalizers] } }', {
      cols,
      rows,
    });
    await terminal.waitFor(/ NAME +AGE/u);
    terminal.send(':view kinds');
    terminal.send(keys.enter);
    await terminal.waitFor(/>▾ web +StatefulSet +foregroundD/u);
    terminal.send(':columns label:app dependents');
    terminal.send(keys.enter);
    await terminal.waitFor(/>▾ StatefulSet web +web +1 /u);
    terminal.send(':columns');
    terminal.send(keys.enter);
    await terminal.waitFor(/>▾ StatefulSet web +\d+d/u);
  });

  test('the view to open with, and ASCII', async () => {
    const terminal = await demoWith('view: problems\nascii: true', { cols, rows });
    await terminal.waitFor(/\[2 Problems/u);
    expect(terminal.text()).not.toMatch(/[▸│✗⚠]/u);
  });

  test('an order, a theme, saved views and a command of the user’s own, by their words', async () => {
    const restart = '{ name: restart, key: R, kubectl: [rollout, restart, "{target}"], kinds: [Deployment] }';
    const views = 'views: { broken: { problems: true }, far: { namespace: infra, view: problems } }';
    const yaml = `sort: age\ntheme: light\ncommands: [${restart}]\n${views}`;
    const terminal = await demoWith(yaml, { cols, rows });
    await untilJudged(terminal);
    await terminal.waitFor(() => colours(terminal, cols).has(160));
    terminal.send(':theme colour');
    await terminal.waitFor('> colour-blind');
    terminal.send(keys.enter);
    await terminal.waitFor(() => !colours(terminal, cols).has(160) && colours(terminal, cols).has(202));
    terminal.send(':view bro');
    await terminal.waitFor('> broken');
    terminal.send(keys.enter);
    await terminal.waitFor(() => !terminal.text().includes('╭─'));
    await terminal.waitFor('View broken.');
    expect(terminal.text()).not.toContain('Service api');
    terminal.send(':view far\r');
    await terminal.waitFor('▸ infra');
    await terminal.waitFor('[2 Problems');
    terminal.send('1:ns shop\r');
    await terminal.waitFor('▸ shop');
    // What comes after age.
    terminal.send('s');
    await terminal.waitFor(`Sorted: ${sortTitles.trouble}`);
    terminal.send('/deployment api');
    await terminal.waitFor('> Deployment shop/api');
    terminal.send(keys.enter);
    await terminal.waitFor(() => /▾ Deployment api/u.test(cursorRow(terminal)));
    terminal.send('R');
    await terminal.waitFor('restart needs a cluster, and this one is simulated');
  });

  test('a console and a screen reader get what they can show, without a flag or with one', async () => {
    const console = await demoWith('{}', { cols, rows, env: { TERM: 'linux' } });
    await untilJudged(console);
    expect(console.text()).toMatch(/^[ -~\n]*$/u);
    expect(console.screen().at(-1)).toContain('q quit');
    console.send('u');
    await panelSays(console, 'y confirms');
    expect(console.text()).toMatch(/^[ -~\n]*$/u);
    const spoken = program.start(['demo', '--screen-reader'], { cols, rows });
    // The row first.
    await spoken.waitFor(screen => screen[0]?.startsWith('StatefulSet web') === true);
    expect(spoken.alternate()).toBe(false);
    expect(spoken.text()).toMatch(/row \d+ of \d+, level 1/u);
    spoken.send('i');
    // More than fits on the smallest screen.
    await spoken.waitFor(() => spoken.raw().includes('StatefulSet shop/web is stuck'));
  });
});

/** Foreground colours of all that is drawn. */
function colours(terminal: Terminal, cols: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [row, line] of terminal.screen().entries())
    for (let column = 0; column < Math.min(cols, line.length); column += 1)
      found.add(terminal.cell(row, column).foreground);
  return found;
}

test.each([
  ['theme: colour-blind', {}, 202],
  ['theme: light', {}, 160],
  // Red as the terminal has it.
  ['theme: dark', {}, 1],
  ['theme: auto', { COLORFGBG: '0;15' }, 160],
  ['{}', { COLORFGBG: '15;0' }, 1],
])('%s', async (yaml, env, danger) => {
  const terminal = await demoWith(yaml, { env });
  await terminal.waitFor(/✗ example\.com\/drain/u);
  await terminal.waitFor(() => colours(terminal, 120).has(danger));
});

test('the terminal is asked for its background, and what is typed meanwhile is not lost', async () => {
  const terminal = await demoWith('{}');
  terminal.send('2');
  await terminal.waitFor(/\[2 Problems/u);
  expect(terminal.raw()).toContain('\u001B]11;?');
  expect(terminal.text()).not.toContain('rgb:');
});

test('a terminal without colours to tell is not asked', async () => {
  const terminal = await demoWith('{}', { env: { TERM: 'vt100', NO_COLOR: '1' } });
  await terminal.waitFor('NAME');
  expect(terminal.raw()).not.toContain('\u001B]11;?');
});

test('with all columns a wide list has those for wide ones', async () => {
  const terminal = await demoWith('columns: [state, age, { column: uid, wide: true }]', {
    cols: 200,
    rows: 50,
  });
  await terminal.waitFor(/ NAME +STATE↑ +AGE +UID/u);
  await terminal.waitFor(/└ {3}Pod web-2 .* \d+d [0-9a-f]{8}-[0-9a-f-]{27} /u);
});

test.each([
  ['columns: [state, size]', 'line 1: columns: "size" is no column; those are name, state, age, kind,'],
  ['columns: ["label:"]', 'line 1: columns: "label:" names no label; write label:app.kubernetes.io/name'],
  ['sort: name\ncolumns: age', 'line 2: columns must be a list: [one, another]'],
])('wrong columns end the start with 2, in three lines at most: %s', async (yaml, message) => {
  const terminal = await demoWith(yaml, { cols: 400 });
  expect(await terminal.exit).toBe(2);
  const lines = terminal.text().trim().split('\n');
  expect(lines[0]).toContain(message);
  expect(lines.length).toBeLessThanOrEqual(2);
});

test('wrong settings are told before the screen opens', async () => {
  const terminal = await demoWith('sort: size', { cols: 200 });
  expect(await terminal.exit).toBe(2);
  expect(terminal.text()).toMatch(/\.yaml: line 1: sort is "size"; it must be one of name, age, trouble/u);
  expect(terminal.raw()).not.toContain('\u001B[?1049h');
});

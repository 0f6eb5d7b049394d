import { describe, expect, test } from 'vitest';
import { cursorRow, programOf } from './program.ts';
import { keys, type Terminal, type TerminalOptions } from './terminal.ts';

const program = programOf();

function start(options: Partial<TerminalOptions> = {}): Terminal {
  return program.start([], { cols: 120, rows: 40, ...options });
}

/** The demo, with everything listed and looked at. */
async function demo(options: Partial<TerminalOptions> = {}): Promise<Terminal> {
  const terminal = start(options);
  await terminal.waitFor(/\d problems/u);
  return terminal;
}

function synthetic(
  source: object,
  env: Record<string, string> = {},
  size: Partial<TerminalOptions> = {},
): Terminal {
  return start({ env: { SCREEN_SOURCE: JSON.stringify(source), ...env }, ...size });
}

/** What stands left of the details. */
function tree(terminal: Terminal): string {
  return terminal
    .screen()
    .map(line => line.split('│')[0])
    .join('\n');
}

describe('browsing', () => {
  test('a small namespace is unfolded, with states and the details of the row under the cursor', async () => {
    const terminal = await demo();
    const text = terminal.text();
    expect(text).toMatch(/▾ Deployment api\s+3\/3/);
    expect(text).toMatch(/StatefulSet web\s+✗ waits for web-2: example/);
    expect(text).toMatch(/Pod web-2\s+⚠ held by example\.com\/drain/);
    expect(text).toMatch(/Deployment legacy\s+\? only in references/);
    expect(text).toContain('(owner cycle)');
    expect(text).toMatch(/ConfigMap report-result \(\+1\)/);
    expect(cursorRow(terminal)).toContain(terminal.screen()[2]?.split('│')[1]?.trim().split('/')[1] ?? '?');
  });

  test('a key that is typed before the screen is there does not shift its first row', async () => {
    const terminal = start();
    terminal.send('l');
    await terminal.waitFor(/\d problems/u);
    expect(terminal.screen()[0]).toMatch(/^ gc-tree  shop ▸ shop/u);
  });

  test('keys move, fold and unfold, also several in one read', async () => {
    const terminal = await demo();
    terminal.send('/statefulset web\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send('h');
    await terminal.waitFor(() => cursorRow(terminal).includes('▸ StatefulSet web (1)'));
    expect(tree(terminal)).not.toContain('Pod web-2');
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('▾ StatefulSet web'));
    terminal.send('j');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod web-2'));
    terminal.send('b');
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send('-');
    await terminal.waitFor(() => !terminal.text().includes('ReplicaSet'));
    terminal.send('*');
    await terminal.waitFor(/Pod api-\w+-\w+/u);
    expect(cursorRow(terminal)).toContain('StatefulSet web');
  });

  test('an object with two owners offers both to jump to', async () => {
    const terminal = await demo();
    terminal.send('/report-lease\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('report-lease'));
    terminal.send('jb');
    await terminal.waitFor('Owners of ConfigMap');
    expect(terminal.text()).toContain('Job shop/report');
    terminal.send(keys.escape);
    await terminal.waitFor(() => cursorRow(terminal).includes('ConfigMap report-result'));
  });

  test('the wheel scrolls, a click selects, a second one folds', async () => {
    const terminal = synthetic({ objects: 2000, namespaces: 1 });
    await terminal.waitFor('live');
    terminal.send(keys.wheelDown(10, 10).repeat(4));
    await terminal.waitFor(() => !terminal.text().includes('app-0 '));
    const line = terminal.screen()[9] ?? '';
    const name = /Deployment (\S+)/.exec(line)?.[1] ?? '?';
    terminal.send(keys.click(20, 10));
    await terminal.waitFor(() => cursorRow(terminal).includes(name));
    terminal.send(keys.click(20, 10));
    await terminal.waitFor(`ReplicaSet ${name}-658b5b55dd`);
  });

  test('the cursor and its line stay while objects come and go above it', async () => {
    const terminal = synthetic({ objects: 700, namespaces: 1, eventsPerSecond: 500 });
    await terminal.waitFor('live');
    terminal.send('*');
    await terminal.waitFor('▾ Deployment app-0');
    terminal.send('/deployment app-50\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('app-50'));
    const line = terminal.screen().findIndex(row => row.startsWith('>'));
    for (let i = 0; i < 10; i++) {
      await new Promise(resolve => setTimeout(resolve, 100));
      expect(terminal.screen()[line]).toMatch(/^>. ?Deployment app-50 /);
    }
  });
});

describe('finding', () => {
  test('search jumps into another namespace and shows it', async () => {
    const terminal = synthetic({ objects: 700, namespaces: 5 });
    await terminal.waitFor('live');
    terminal.send('/');
    terminal.send('deployment app-42');
    await terminal.waitFor('> Deployment team-2/app-42');
    terminal.send(keys.enter);
    await terminal.waitFor('▸ team-2');
    expect(cursorRow(terminal)).toContain('Deployment app-42');
  });

  test('search finds letters in order and says when nothing fits', async () => {
    const terminal = await demo();
    terminal.send('/');
    terminal.send('stckmprt');
    await terminal.waitFor('> Pod shop/stock-import');
    terminal.send(keys.backspace.repeat(8));
    await terminal.waitFor('type words');
    terminal.send('qqqqzz');
    await terminal.waitFor('nothing found');
  });

  test('tab narrows the tree to the hits and their owners, escape widens it', async () => {
    const terminal = await demo();
    terminal.send('/');
    terminal.send('web-2');
    await terminal.waitFor('> Pod shop/web-2');
    terminal.send(keys.tab);
    await terminal.waitFor('Only what contains "web-2"');
    expect(terminal.text()).toContain('StatefulSet web');
    expect(terminal.text()).not.toContain('web-0');
    terminal.send(keys.escape);
    await terminal.waitFor('web-0');
  });

  test('the namespace picker counts, narrows and switches', async () => {
    const terminal = await demo();
    terminal.send('n');
    await terminal.waitFor('(all namespaces)');
    terminal.send('infra');
    await terminal.waitFor(screen => screen.some(line => line.startsWith('>') && line.includes('infra')));
    terminal.send(keys.enter);
    await terminal.waitFor('▸ infra');
    terminal.send('n');
    await terminal.waitFor('(all namespaces)');
    terminal.send('all nam\r');
    await terminal.waitFor('▸ all namespaces');
    await terminal.waitFor('Deployment shop/api');
  });

  test('the palette runs a command, help lists the keys, unknown keys do nothing', async () => {
    const terminal = await demo();
    terminal.send(':');
    await terminal.waitFor('Fold everything');
    terminal.send('fold everyth');
    terminal.send(keys.enter);
    await terminal.waitFor(() => !terminal.text().includes('ReplicaSet'));
    terminal.send('?');
    await terminal.waitFor('Move between list and details');
    terminal.send('q');
    await terminal.waitFor('NAME');
    await terminal.settle();
    const before = terminal.text();
    terminal.send('Q%\u001B[24~');
    await terminal.settle();
    expect(terminal.text().replaceAll(/\d+[smhd]/gu, '')).toBe(before.replaceAll(/\d+[smhd]/gu, ''));
  });

  test('a target is selected, in its own namespace', async () => {
    const terminal = synthetic({ objects: 7000, namespaces: 5 }, { SCREEN_TARGET: 'app-123' });
    await terminal.waitFor('live');
    await terminal.waitFor(() => cursorRow(terminal).includes('▾ Deployment app-123'));
    expect(terminal.text()).toContain('▸ team-3');
  });
});

describe('one object', () => {
  test('y shows the live object as YAML', async () => {
    const terminal = await demo();
    terminal.send('/deployment api\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('Deployment api'));
    terminal.send('y');
    await terminal.waitFor('kind: Deployment');
    terminal.send(keys.escape);
    await terminal.waitFor('NAME');
  });

  test('c sends a kubectl command to the clipboard of the terminal', async () => {
    const terminal = await demo();
    terminal.send('/statefulset web\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send('c');
    await terminal.waitFor('kubectl gc-tree tree');
    terminal.send(keys.enter);
    await terminal.waitFor("Sent to the terminal's clipboard");
    // oxlint-disable-next-line no-control-regex -- OSC 52 is a control sequence
    const sent = /\u001B\]52;c;([^\u0007]*)\u0007/.exec(terminal.raw())?.[1] ?? '';
    expect(Buffer.from(sent, 'base64').toString()).toBe(
      'kubectl gc-tree why statefulsets.v1.apps/web -n shop',
    );
  });
});

describe('the terminal', () => {
  test.each([
    ['q', 0],
    [keys.ctrlC, 130],
  ])('%j leaves the screen and restores it', async (key, code) => {
    const terminal = await demo();
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([true, false, true]);
    terminal.send(key);
    expect(await terminal.exit).toBe(code);
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ])('%s restores it too', async (signal, code) => {
    const terminal = await demo();
    terminal.signal(signal);
    expect(await terminal.exit).toBe(code);
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
  });

  test('a fault restores it, and is told in one line', async () => {
    const terminal = await demo({ env: { SCREEN_FAULT: 'timer' } });
    terminal.send('B');
    expect(await terminal.exit).toBe(2);
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
    expect(terminal.text()).toContain('kubectl gc-tree: internal error: a fault on purpose.');
    expect(terminal.text()).not.toContain('    at ');
  });

  test('the shell gets its line mode back, and suspending hands the terminal over and takes it again', async () => {
    const terminal = program.open({
      file: '/bin/bash',
      args: ['--norc', '-i'],
      env: { PS1: 'shell$ ' },
      cols: 120,
      rows: 40,
    });
    await terminal.waitFor('shell$');
    terminal.send(`${process.execPath} ${program.file}\r`);
    await terminal.waitFor('live');
    terminal.send(keys.ctrlZ);
    await terminal.waitFor('Stopped');
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
    terminal.send('stty -a | tr ";" "\\n" | grep -o " -\\?icanon\\| -\\?echo "\r');
    await terminal.waitFor(screen => screen.some(line => line.trim() === 'icanon'));
    terminal.resize(100, 30);
    terminal.send('fg\r');
    await terminal.waitFor('live');
    expect(terminal.alternate()).toBe(true);
    terminal.send('jj');
    await terminal.waitFor('NAME');
    terminal.send('q');
    await terminal.waitFor('shell$');
    await terminal.settle();
    terminal.send('echo left with $?\r');
    await terminal.waitFor('left with 0');
    expect([terminal.alternate(), terminal.cursorVisible(), terminal.mouse()]).toEqual([false, true, false]);
  });

  test('every size shows whole lines after a resize', async () => {
    const terminal = await demo({ cols: 200, rows: 50 });
    const sizes = [
      [80, 24],
      [200, 50],
      [60, 15],
      [120, 20],
      [300, 80],
      [61, 40],
      [110, 16],
      [160, 45],
      [59, 14],
      [100, 30],
    ] as const;
    for (const [cols, rows] of sizes) {
      terminal.resize(cols, rows);
      await terminal.waitFor(shown =>
        cols < 60 || rows < 15
          ? shown[0]?.includes('Too small') === true
          : shown[0]?.startsWith(' gc-tree') === true && shown.at(-1)?.includes('q quit') === true,
      );
      await terminal.settle(100);
      const screen = terminal.screen();
      if (cols < 60 || rows < 15) {
        expect(screen[0]).toContain('Too small');
        continue;
      }
      expect(screen[0]).toMatch(/^ gc-tree {2}shop ▸ shop/);
      expect(screen.filter(line => line.includes('NAME '))).toHaveLength(1);
      expect(screen.at(-1)).toMatch(/help {2}q quit/);
      expect(screen.filter(line => line.startsWith('>'))).toHaveLength(1);
    }
  });

  test('60 columns and 15 rows are enough to browse and read the details', async () => {
    const terminal = await demo({ cols: 60, rows: 15 });
    expect(terminal.text()).toContain('NAME');
    terminal.send('/statefulset web\r');
    await terminal.waitFor(() => cursorRow(terminal).includes('StatefulSet web'));
    terminal.send('i');
    await terminal.waitFor('StatefulSet shop/web is stuck');
    terminal.send('i');
    await terminal.waitFor('NAME');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await demo({ env: { SCREEN_ASCII: '1' } });
    expect(terminal.text()).toMatch(/^[ -~\n]*$/);
    expect(terminal.text()).toMatch(/x waits for web-2/);
  });

  test('without colour the cursor and the warnings still stand out', async () => {
    const terminal = await demo({ env: { NO_COLOR: '1' } });
    // oxlint-disable-next-line no-control-regex
    expect(terminal.raw()).not.toMatch(/\u001B\[(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;\dm]/);
    const row = terminal.screen().findIndex(line => line.startsWith('>'));
    expect(terminal.cell(row, 5).inverse).toBe(true);
  });

  test('names from the cluster can not act on the terminal', async () => {
    const terminal = synthetic({ objects: 20, namespaces: 1, hostile: true });
    await terminal.waitFor('live');
    await terminal.waitFor('Pod evil');
    expect(terminal.raw()).not.toContain('\u001B]0;');
    expect(terminal.raw()).not.toContain('\u202E');
    expect(terminal.screen()[0]).toContain('gc-tree');
    expect(terminal.text()).toContain('Pod eviltxt line');
  });

  test('whole frames instead of differences show the same', async () => {
    const terminal = await demo({ env: { SCREEN_WHOLE_FRAMES: '1' } });
    terminal.send('jj');
    await terminal.settle(300);
    const whole = terminal.screen().slice(1);
    const other = await demo();
    other.send('jj');
    await other.settle(300);
    const sameAges = (lines: string[]) => lines.map(line => line.replaceAll(/\d+[smhd]/gu, '#'));
    expect(sameAges(whole).slice(0, 8)).toEqual(sameAges(other.screen().slice(1)).slice(0, 8));
  });

  test('for screen readers it speaks of the row under the cursor', async () => {
    const terminal = await demo({ env: { SCREEN_READER: '1' } });
    expect(terminal.alternate()).toBe(false);
    await terminal.waitFor(/row 1 of \d+, level 1/);
    terminal.send('j');
    await terminal.waitFor('row 2 of');
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });
});

describe('the connection', () => {
  test('a cluster that can not be opened is told on standard error, with exit code 2', async () => {
    const terminal = start({ env: { SCREEN_FAIL: 'always' } });
    expect(await terminal.exit).toBe(2);
    expect(terminal.alternate()).toBe(false);
    expect(terminal.text().trim()).toBe('kubectl gc-tree: no context "" in the kubeconfig.');
  });

  test('a target that is not there ends the screen with exit code 2', async () => {
    const terminal = synthetic({ objects: 100, namespaces: 1 }, { SCREEN_TARGET: 'nobody' });
    expect(await terminal.exit).toBe(2);
    expect(terminal.text().trim()).toBe('kubectl gc-tree: "nobody" not found.');
  });

  test('another context that can not be opened leaves the old one on the screen', async () => {
    const terminal = synthetic({ objects: 100, namespaces: 1 });
    await terminal.waitFor('live');
    terminal.send('x');
    await terminal.waitFor('broken');
    terminal.send('broken\r');
    await terminal.waitFor('Could not open broken');
    expect(terminal.text()).toContain('no context "broken"');
    terminal.send(keys.escape);
    await terminal.waitFor('Deployment app-0');
    expect(terminal.screen()[0]).toContain('live');
  });

  test('a lost connection is told with its reason, and what was seen stays', async () => {
    const terminal = synthetic({ objects: 100, namespaces: 1, lostAfter: 300, backAfter: 2500 });
    await terminal.waitFor('Connection lost');
    expect(terminal.text()).toContain('connection refused');
    expect(terminal.text()).toContain('not connected');
    expect(terminal.text()).toContain('Deployment app-0');
    await terminal.waitFor(screen => screen[0]?.includes('live') === true);
    expect(terminal.text()).not.toContain('Connection lost');
  });

  test('the screen can be left while the cluster is still being listed', async () => {
    const terminal = synthetic({ objects: 100_000 });
    await terminal.waitFor(/listing \d+ of \d+ kinds/);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });
});

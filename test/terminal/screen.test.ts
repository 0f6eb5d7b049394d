/** The screen by keys alone, on the demo and on made clusters: browsing, finding, one object, and the connection. */
import { describe, expect, test } from 'vitest';
import { cursorRow, untilJudged } from './program.ts';
import { screenProgram } from './screen-program.ts';
import { keys, type Terminal } from './terminal.ts';

const { demo, synthetic, start } = screenProgram();

/** What stands left of the details. */
function tree(terminal: Terminal): string {
  return terminal
    .screen()
    .map(line => line.replace(/[│┃][^│┃]*$/u, ''))
    .join('\n');
}

/** Shows the tree: a quiet cluster opens on the pulse once everything is judged. */
async function showTree(terminal: ReturnType<typeof synthetic>): Promise<void> {
  await terminal.waitFor('live');
  terminal.send('1');
  await terminal.waitFor('Deployment app-0');
}

describe('browsing', () => {
  test('a small namespace is unfolded, with states and the details of the row under the cursor', async () => {
    const terminal = await demo();
    const text = terminal.text();
    expect(text).toMatch(/▾ Deployment api\s+3\/3/);
    expect(text).toMatch(/StatefulSet web\s+✗ example\.com\/drain/);
    expect(text).toMatch(/Pod web-2\s+⚠ held by example\.com\/drain/);
    expect(text).toMatch(/Deployment legacy\s+\? only in references/);
    expect(text).toContain('(owner cycle)');
    expect(text).toMatch(/ConfigMap report-result \(\+1\)/);
    expect(cursorRow(terminal)).toContain(
      terminal.screen()[2]?.split('│').at(-1)?.trim().split(/ {2,}/u)[0]?.split('/')[1] ?? '?',
    );
  });

  test('a key that is typed before the screen is there does not shift its first row', async () => {
    const terminal = start();
    terminal.send('l');
    await untilJudged(terminal);
    expect(terminal.screen()[0]).toMatch(/^ gc-tree  shop ▸ shop/u);
  });

  test('keys move, fold and unfold, also several in one read', async () => {
    const terminal = await demo();
    expect(cursorRow(terminal)).toContain('StatefulSet web');
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
    await showTree(terminal);
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
    await showTree(terminal);
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

  test('search finds names with missing letters and says when nothing fits', async () => {
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
    await terminal.waitFor(/│ > infra /u);
    terminal.send(keys.enter);
    await terminal.waitFor('▸ infra');
    terminal.send('n');
    await terminal.waitFor('(all namespaces)');
    terminal.send('all nam\r');
    await terminal.waitFor('▸ all namespaces');
    await terminal.waitFor('Deployment shop/api');
  });

  test('the palette runs a command, help lists the keys, a key that is none is named', async () => {
    const terminal = await demo();
    terminal.send(':');
    await terminal.waitFor('Fold everything');
    terminal.send('fold everyth');
    terminal.send(keys.down + keys.enter);
    await terminal.waitFor('▸ Deployment api (3)');
    terminal.send('?');
    await terminal.waitFor('Unfold everything');
    terminal.send('q');
    await terminal.waitFor('NAME');
    terminal.send('Q%\u001B[24~');
    await terminal.waitFor('No key %; ? lists them.');
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
    expect(cursorRow(terminal)).toContain('StatefulSet web');
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

describe('the connection', () => {
  test('a cluster that cannot be opened is told on standard error, with exit code 2', async () => {
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

  test('another context that cannot be opened leaves the old one on the screen', async () => {
    const terminal = synthetic({ objects: 100, namespaces: 1 });
    await showTree(terminal);
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
    terminal.send('1');
    await terminal.waitFor('Deployment app-0');
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

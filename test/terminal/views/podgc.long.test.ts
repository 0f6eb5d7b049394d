import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cursorRow, sizes } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';
import { openView } from './open-view.ts';

const fixture = fileURLToPath(new URL('../../source/files/fixtures/all.yaml', import.meta.url));

/** The PodGC view of a source. */
function podgc(
  args: readonly string[] = ['demo', 'podgc'],
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  return openView('3 PodGC', args, size);
}

describe('PodGC, by keys alone', () => {
  test('from what it takes to why and when, to the pod in the tree, and back', async () => {
    const terminal = await podgc();
    expect(terminal.screen()[0]).toMatch(/⏱ 2 PodGC$/u);
    expect(terminal.text()).toContain('Terminated (0)');
    expect(cursorRow(terminal)).toMatch(/on-tainted-node +in <\d+s +node-4 not ready, tainted/u);
    expect(terminal.text()).toContain('What PodGC does');
    terminal.send('jj');
    await terminal.waitFor('DeletionByPodGC');
    expect(cursorRow(terminal)).toMatch(/on-deleted-node +in ~?\d+s +node-2 gone/u);
    terminal.send(keys.enter);
    await terminal.waitFor('[1 Tree]');
    expect(cursorRow(terminal)).toContain('Pod on-deleted-node');
    terminal.send('3');
    await terminal.waitFor('[3 PodGC');
    expect(cursorRow(terminal)).toContain('on-deleted-node');
  });

  test('what it does counts down by itself', async () => {
    const terminal = await podgc();
    const seconds = (): number => Number(/in <(\d+)s/u.exec(cursorRow(terminal))?.[1]);
    const before = seconds();
    await terminal.waitFor(() => seconds() < before);
    expect(cursorRow(terminal)).toContain('on-tainted-node');
  });

  test('a pod that only looks like a candidate has its remedies at U', async () => {
    const terminal = await podgc();
    terminal.send('G');
    await terminal.waitFor('PodGC does not delete it.');
    expect(cursorRow(terminal)).toMatch(/db-0 +no +node-3 not ready, but not tainted out-of-service/u);
    expect(terminal.text()).toContain('If it were tainted out-of-service');
    terminal.send('U');
    await terminal.waitFor('Remedies for Pod shop/db-0');
    // None of it is safe, so none is chosen until somebody does.
    await terminal.waitFor('None is recommended');
    terminal.send('jj');
    await terminal.waitFor('taint-out-of-service/node-3');
    terminal.send(keys.escape);
    await terminal.waitFor('[3 PodGC');
  });

  test('a pod can be deleted from here', async () => {
    const terminal = await podgc();
    terminal.send('d');
    await terminal.waitFor('Delete Pod shop/on-tainted-node');
    terminal.send(keys.escape);
    await terminal.waitFor('What PodGC does');
  });

  test('filtering, folding, and the way back', async () => {
    const terminal = await podgc();
    terminal.send('/');
    await terminal.waitFor('> _');
    terminal.send(`orphaned${keys.tab}`);
    await terminal.waitFor('Only pods that contain "orphaned"');
    terminal.send(keys.escape);
    await terminal.waitFor('OutOfService (1)');
    terminal.send('-');
    await terminal.waitFor('▸ OutOfService (1)');
    terminal.send('*');
    await terminal.waitFor('▾ OutOfService (1)');
  });

  test('a click on the tab shows the view, one on a heading folds it', async () => {
    const terminal = await podgc();
    terminal.send(keys.click(3, 2));
    await terminal.waitFor('[1 Tree]');
    const tab = (terminal.screen()[1] ?? '').indexOf('3 PodGC') + 2;
    terminal.send(keys.click(tab, 2));
    await terminal.waitFor('[3 PodGC');
    const line = terminal.screen().findIndex(row => row.includes('▾ Orphaned')) + 1;
    terminal.send(keys.click(4, line));
    await terminal.waitFor('▸ Orphaned (1)');
  });

  test('a limit that is given decides which finished pods go', async () => {
    const terminal = await podgc(['demo', 'podgc', '--terminated-pod-gc-threshold=3']);
    expect(cursorRow(terminal)).toMatch(/number 1 of \d finished pods beyond the threshold/u);
    expect(terminal.text()).toMatch(/Terminated \(\d\) {2}6 finished pods cluster-wide where 3 are kept/u);
  });

  test.each(sizes)('fits %i by %i', async (cols, rows) => {
    const terminal = await podgc(['demo', 'podgc'], { cols, rows });
    expect(terminal.screen()[0]).toMatch(/⏱ 2 PodGC$/u);
    expect(terminal.screen()[1]).toMatch(/\? help/u);
    expect(terminal.screen().at(-1)).toMatch(/enter show in tree .*q quit/u);
    expect(cursorRow(terminal)).toMatch(/on-tainted-node +(?:node-4 +)?in <\d+s +node-4 not ready/u);
    terminal.send(cols === 60 ? 'i' : '');
    await terminal.waitFor(/OutOfService: PodGC deletes it within \d+s/u);
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await podgc(['demo', 'podgc', '--ascii']);
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
    expect(terminal.screen()[0]).toMatch(/ {2}2 PodGC$/u);
  });

  test.each([
    [undefined, 'one of the sixteen colours', [6]],
    ['1', 'no colour', [-1]],
  ])('with NO_COLOR=%s a time has %s', async (NO_COLOR, _, colours) => {
    const terminal = await podgc(['demo', 'podgc'], { env: { NO_COLOR } });
    const row = terminal.screen().findIndex(line => line.includes(' on-deleted-node '));
    const column = (terminal.screen()[row] ?? '').search(/in ~?\d+s/u);
    expect(colours).toContain(terminal.cell(row, column).foreground);
  });

  test('for screen readers it speaks the pod, its rule and its time', async () => {
    const terminal = await podgc(['demo', 'podgc', '--screen-reader']);
    await terminal.waitFor(/row 3 of \d+\./u);
    terminal.send('i');
    await terminal.waitFor(/OutOfService: PodGC deletes it within \d+s/u);
  });

  test('without candidates it says how far the threshold is, and that nodes are not in the files', async () => {
    const terminal = await podgc(['-f', fixture]);
    expect(terminal.text()).toContain('PodGC deletes no pod as far as can be seen');
    expect(terminal.text()).toContain('Not all nodes can be seen');
    expect(terminal.text()).toMatch(
      /Terminated: at least \d+ of 12,500 finished pods \(default threshold assumed\)/u,
    );
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cursorRow } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';
import { openView } from './open-view.ts';

function activity(
  args: readonly string[] = ['demo', 'how-the-collector-works'],
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  return openView('4 Activity', args, size);
}

describe('Activity, by keys alone', () => {
  test('what comes is told below its action, and followed', async () => {
    const terminal = await activity();
    expect(cursorRow(terminal)).toMatch(/Z followed from here on/u);
    // The first lesson of this demo: a deletion in the foreground, and what follows from it.
    await terminal.waitFor(/marked +ConfigMap teacher: by a request with the policy foreground/u, 30_000);
    await terminal.waitFor(/collected {3}ConfigMap pupil-b: its owner ConfigMap teacher/u);
    terminal.send('g');
    await terminal.waitFor('What is shown here');
    await terminal.waitFor('G follows what is new');
    terminal.send('G');
    await terminal.waitFor(() => !terminal.text().includes('G follows what is new'));
  }, 60_000);

  test('an action of the screen is told, and what is gone says what is known of it', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'gc-tree-activity-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const terminal = await activity(['demo', 'how-the-collector-works'], { env: { XDG_STATE_HOME: home } });
    terminal.send('1/');
    await terminal.waitFor('Search kinds');
    terminal.send('lesson-0');
    await terminal.waitFor(/\d+ hits? [─-]/u);
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('ConfigMap lesson-0'));
    terminal.send('d');
    await terminal.waitFor('y confirms');
    terminal.send('y');
    await terminal.waitFor('As forecast');
    terminal.send(keys.escape);
    await terminal.waitFor(() => !terminal.text().includes('As forecast'));
    terminal.send('4');
    await terminal.waitFor(/deleted +ConfigMap lesson-0: by a request: its owner ConfigMap timetable/u);
    terminal.send('/');
    await terminal.waitFor('> _');
    terminal.send(`lesson-0${keys.tab}`);
    await terminal.waitFor('enter what is known');
    terminal.send(keys.enter);
    await terminal.waitFor('ConfigMap course/lesson-0 is gone');
    expect(terminal.text()).toContain('no longer exists, as far as can be seen.');
  });

  test('kinds and words narrow it, escape shows all', async () => {
    const terminal = await activity(['demo', 'foreground-stuck']);
    expect(terminal.text()).toMatch(/held +StatefulSet web: by a request with the policy foreground/u);
    terminal.send('f');
    await terminal.waitFor('Which entries');
    terminal.send('adopted');
    await terminal.waitFor('1 entry');
    terminal.send(keys.enter);
    await terminal.waitFor('Only entries of these kinds: adopted.');
    await terminal.waitFor('No entry so far');
    terminal.send(keys.escape);
    await terminal.waitFor(/held +StatefulSet web/u);
    terminal.send('/');
    await terminal.waitFor('> _');
    terminal.send(`scratch${keys.tab}`);
    await terminal.waitFor('Only entries that contain "scratch".');
    // Below the action that it follows from.
    await terminal.waitFor(/▾ .* held +Pod import: .*\n.* {2}PersistentVolumeClaim import-scratch/u);
    terminal.send(keys.enter);
    await terminal.waitFor('[1 Tree]');
    expect(cursorRow(terminal)).toContain('import-scratch');
  });

  test.each([
    [60, 15],
    [80, 24],
    [120, 35],
    [200, 50],
  ])('fits %i by %i', async (cols, rows) => {
    const terminal = await activity(['demo', 'foreground-stuck'], { cols, rows });
    expect(terminal.screen()[1]).toMatch(/\[4 Activity\].*\? help/u);
    terminal.send('k');
    await terminal.waitFor(() => / held +Pod web-1/u.test(cursorRow(terminal)));
    expect(terminal.screen().at(-1)).toMatch(/enter show in tree .*q quit/u);
    if (cols === 60) terminal.send('i');
    await terminal.waitFor(/its deletion should be over/u);
    if (cols > 60) terminal.send(keys.click((terminal.screen()[1] ?? '').indexOf('1 Tree') + 2, 2));
    else terminal.send('1');
    await terminal.waitFor('[1 Tree]');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await activity(['demo', 'foreground-stuck', '--ascii']);
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
  });

  test('for screen readers it speaks the entry and why', async () => {
    const terminal = await activity(['demo', 'foreground-stuck', '--screen-reader']);
    terminal.send('k');
    terminal.send('i');
    await terminal.waitFor(/held: its deletion should be over, and waits\./u);
    expect(terminal.text()).toMatch(/Why: its owner StatefulSet web is being deleted in the foreground/u);
    expect(terminal.text()).toMatch(/row \d+ of \d+\./u);
  });
});

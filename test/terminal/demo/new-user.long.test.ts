/**
 * What somebody who has read nothing presses to get where they want: as many keys as `docs/compared.md` says, letters of
 * names not counted. Each key follows from what stands on the screen: the footer, the tabs, the panel.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cursorRow, panelText, programOf, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');

interface Task {
  readonly what: string;
  readonly scenario: string;
  /** Pressed one after the other; `see` holds once the last was. */
  readonly press: readonly string[];
  readonly see: (terminal: Terminal) => boolean;
}

const tasks: readonly Task[] = [
  {
    what: 'the stuck StatefulSet is freed',
    scenario: 'shop',
    press: ['u', 'y'],
    see: terminal =>
      /as forecast/iu.test(panelText(terminal)) && !/StatefulSet web +✗/u.test(terminal.text()),
  },
  {
    what: 'the forecast of its deletion',
    scenario: 'shop',
    press: ['p'],
    see: terminal => /1 object is deleted\./u.test(panelText(terminal)),
  },
  {
    what: 'an object whose name is misspelt',
    scenario: 'shop',
    press: ['/', 'deploymnet api', keys.enter],
    see: terminal => cursorRow(terminal).includes('Deployment api'),
  },
  {
    what: 'the next problem',
    scenario: 'shop',
    press: [']'],
    see: terminal => /[⚠✗]/u.test(cursorRow(terminal)) && !cursorRow(terminal).includes('StatefulSet web'),
  },
  {
    what: 'back to the previous row',
    scenario: 'shop',
    press: [']', '{'],
    see: terminal => cursorRow(terminal).includes('StatefulSet web'),
  },
  {
    what: 'all namespaces',
    scenario: 'shop',
    press: ['0'],
    see: terminal => !terminal.screen()[0]?.includes('shop ▸ shop'),
  },
  {
    what: 'three pods that survived their StatefulSet are deleted together',
    scenario: 'statefulset-survivors',
    press: ['2', ' ', ' ', ' ', 'd', '3', keys.enter],
    // Pods take their grace period, half a minute, until they are gone.
    see: terminal => /\[[#.]+\] \d of 3/u.test(panelText(terminal)),
  },
  {
    what: 'the equivalent kubectl command',
    scenario: 'shop',
    press: ['c', keys.enter],
    see: terminal => terminal.text().includes('clipboard by OSC 52: kubectl gc-tree why'),
  },
  {
    what: 'who set a finalizer',
    scenario: 'shop',
    press: ['m'],
    see: terminal => /Finalizers.*\n.*foregroundDeletion/u.test(terminal.text()),
  },
  {
    what: 'the release of the StatefulSet is undone',
    scenario: 'shop',
    press: ['u', 'y', 'z', keys.enter, 'web', keys.enter],
    see: terminal => /^Undo: unblock web: stop waiting for web-2 .*as forecast/iu.test(panelText(terminal)),
  },
  {
    what: 'its finalizers in its YAML',
    scenario: 'shop',
    press: ['y', 'f'],
    see: terminal => /finalizers:\s.*\n.*- foregroundDeletion/u.test(terminal.text()),
  },
];

/** What stands on the screen before the second of two keys means something, on however busy a machine. */
const offers: Readonly<Record<string, RegExp>> = {
  'u y': /y confirms/u,
  'y z': /Undo: z/u,
  [`z ${keys.enter}`]: /Which action is undone/u,
  [`${keys.enter} web`]: /Type web/u,
  'd 3': /Type 3/u,
  'y f': /f finalizers/u,
};

const page = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'compared.md'), 'utf8');
/** Of the page's table: what, and with how many keys. */
const told = new Map(
  [...page.matchAll(/^\| ([^|]+?) \| [^|]+ \| (\d+) \|$/gmu)].map(([, what = '', count]) => [
    what,
    Number(count),
  ]),
);

test('the page tells these tasks and no others', () => {
  expect([...told.keys()]).toEqual(tasks.map(({ what }) => what));
});

test.each(tasks)('$what', async ({ what, scenario, press, see }) => {
  const home = mkdtempSync(path.join(tmpdir(), 'gc-tree-new-user-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined };
  const terminal = program.start(['demo', scenario], { cols: 80, rows: 24, env });
  await untilJudged(terminal);
  await terminal.settle();
  for (const [index, key] of press.entries()) {
    const offer = offers[`${press[index - 1] ?? ''} ${key}`];
    if (offer !== undefined) await terminal.waitFor(offer);
    terminal.send(key);
    await terminal.settle();
  }
  await terminal.waitFor(() => see(terminal));
  expect(press.filter(key => key.length === 1 || key.startsWith('\u001B')).length).toBe(told.get(what));
});

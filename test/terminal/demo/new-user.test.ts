/**
 * What somebody who has read nothing presses to get where they want: no more keys than these, letters of what is searched
 * for not counted. Each key follows from what stands on the screen: the footer, the tabs, the panel.
 */
import { expect, test } from 'vitest';
import { cursorRow, panelText, programOf, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');

interface Task {
  readonly what: string;
  readonly scenario: string;
  /** Pressed one after the other; `see` holds once the last was. */
  readonly press: readonly string[];
  readonly most: number;
  readonly see: (terminal: Terminal) => boolean;
}

const tasks: readonly Task[] = [
  {
    what: 'the stuck StatefulSet is freed',
    scenario: 'shop',
    press: ['u', 'y'],
    most: 4,
    see: terminal =>
      /as forecast/iu.test(panelText(terminal)) && !/StatefulSet web +✗/u.test(terminal.text()),
  },
  {
    what: 'what would deleting this do',
    scenario: 'shop',
    press: ['p'],
    most: 3,
    see: terminal => /1 object is deleted\./u.test(panelText(terminal)),
  },
  {
    what: 'an object whose name is misspelt',
    scenario: 'shop',
    press: ['/', 'deploymnet api', keys.enter],
    most: 2,
    see: terminal => cursorRow(terminal).includes('Deployment api'),
  },
  {
    what: 'the next problem',
    scenario: 'shop',
    press: [']'],
    most: 1,
    see: terminal => /[⚠✗]/u.test(cursorRow(terminal)) && !cursorRow(terminal).includes('StatefulSet web'),
  },
  {
    what: 'back to where one was',
    scenario: 'shop',
    press: [']', '{'],
    most: 2,
    see: terminal => cursorRow(terminal).includes('StatefulSet web'),
  },
  {
    what: 'all namespaces',
    scenario: 'shop',
    press: ['0'],
    most: 1,
    see: terminal => !terminal.screen()[0]?.includes('shop ▸ shop'),
  },
  {
    what: 'three pods that survived their StatefulSet are deleted together',
    scenario: 'statefulset-survivors',
    press: ['2', ' ', ' ', ' ', 'd', '3', keys.enter],
    most: 7,
    // Pods take their grace period, half a minute, until they are gone.
    see: terminal => /\[[#.]+\] \d of 3/u.test(panelText(terminal)),
  },
  {
    what: 'its command of kubectl',
    scenario: 'shop',
    press: ['c', keys.enter],
    most: 2,
    see: terminal => terminal.text().includes('clipboard by OSC 52: kubectl gc-tree why'),
  },
  {
    what: 'who set a finalizer',
    scenario: 'shop',
    press: ['m'],
    most: 1,
    see: terminal => /Finalizers.*\n.*foregroundDeletion/u.test(terminal.text()),
  },
];

test.each(tasks)('$what', async ({ scenario, press, most, see }) => {
  const terminal = program.start(['demo', scenario], { cols: 80, rows: 24 });
  await untilJudged(terminal);
  await terminal.settle();
  for (const key of press) {
    terminal.send(key);
    await terminal.settle();
  }
  await terminal.waitFor(() => see(terminal));
  expect(press.filter(key => key.length === 1 || key.startsWith('\u001B')).length).toBeLessThanOrEqual(most);
});

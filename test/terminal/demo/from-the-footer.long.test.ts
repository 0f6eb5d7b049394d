/**
 * Three tasks of a user who has read nothing: each key that is pressed stands in the footer, in the line of tabs or in the
 * panel at that moment, or else in the help, which then costs two keys. Letters of names don't count.
 */
import { describe, expect, test } from 'vitest';
import { actingDemo } from '../actions/acting-demo.ts';
import { cursorRow, panelText, programOf, sizes } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const { demo } = actingDemo(programOf('main'));

interface Step {
  /** As the screen names it: `u`, `enter`. */
  readonly key: string;
  /** The word beside the key that leads the user to it. */
  readonly word: string;
  /** Letters of a name, typed next. */
  readonly typed?: string;
  /** Holds once the key has done its work. */
  readonly see: (terminal: Terminal) => boolean;
}

interface Task {
  readonly what: string;
  readonly scenario: string;
  readonly steps: readonly Step[];
}

const asForecast = (terminal: Terminal): boolean => panelText(terminal).includes('As forecast');
const confirms = (terminal: Terminal): boolean => panelText(terminal).includes('y confirms');

const tasks: readonly Task[] = [
  {
    what: 'browse: find a Deployment, and see what it owns',
    scenario: 'shop',
    steps: [
      { key: '/', word: 'search', typed: 'deployment api', see: screen => /\d+ hits?/u.test(screen.text()) },
      {
        key: 'enter',
        word: 'jump',
        see: screen => /Deployment api/u.test(cursorRow(screen)) && screen.text().includes('ReplicaSet api-'),
      },
    ],
  },
  {
    what: 'survivors: recreate the StatefulSet of pods that outlived it',
    scenario: 'statefulset-survivors',
    steps: [
      { key: 'u', word: 'unblock', see: screen => panelText(screen).includes('Which remedy?') },
      { key: '1', word: 'select', see: screen => /> 1 +caution/u.test(panelText(screen)) },
      { key: 'enter', word: 'choose', see: confirms },
      { key: 'y', word: 'confirm', see: asForecast },
    ],
  },
  {
    what: 'stuck foreground: free the StatefulSet',
    scenario: 'shop',
    steps: [
      { key: 'u', word: 'unblock', see: confirms },
      { key: 'y', word: 'confirm', see: asForecast },
    ],
  },
];

const bytes: Readonly<Record<string, string>> = { enter: keys.enter };

/** Checks the footer, the tabs and the panel for `u unblock`, `1-3 select` or `y confirms`. */
function isOffered(terminal: Terminal, { key, word }: Step): boolean {
  const lines = [terminal.screen()[1] ?? '', terminal.screen().at(-1) ?? '', panelText(terminal)];
  const isRange = /^\d$/u.test(key) && lines.some(line => new RegExp(`\\b1-\\d+ ${word}`, 'u').test(line));
  return isRange || lines.some(line => ` ${line}`.includes(` ${key} ${word}`));
}

/** Opens the help and scrolls to the key; its text says the word. */
async function looksUp(terminal: Terminal, { key, word }: Step): Promise<void> {
  expect(terminal.text()).toContain('? help');
  const before = cursorRow(terminal);
  terminal.send('?');
  const line = new RegExp(`^\\W*${key.replace('/', '\\/')} .*${word}`, 'imu');
  await terminal.waitFor(/lines 1 to \d+ of \d+/u);
  for (let page = 0; page < 40 && !line.test(terminal.text()); page += 1) {
    terminal.send(keys.pageDown);
    await terminal.settle(60);
  }
  expect(terminal.text()).toMatch(line);
  terminal.send(keys.escape);
  await terminal.waitFor(() => cursorRow(terminal) === before);
}

describe.each(sizes)('at %i by %i', (cols, rows) => {
  test.each(tasks)('$what', async ({ scenario, steps }) => {
    const terminal = await demo([], { scenario, cols, rows });
    await terminal.waitFor(/q quit *$/u);
    let pressed = 0;
    for (const step of steps) {
      if (!isOffered(terminal, step)) {
        await looksUp(terminal, step);
        pressed += 2;
      }
      terminal.send((bytes[step.key] ?? step.key) + (step.typed ?? ''));
      pressed += 1;
      await terminal.waitFor(() => step.see(terminal));
    }
    expect(pressed).toBeLessThanOrEqual(4);
  });
});

/**
 * The real screen on a scenario of the demo, in a pseudo-terminal, with a clock that moves only when it is told to: the
 * same at each run, whatever the machine does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keys, openTerminal, type Terminal } from '../../test/terminal/terminal.ts';

const clock = fileURLToPath(new URL('clock.ts', import.meta.url));

export interface Stage {
  readonly terminal: Terminal;
  /** Presses a key, and waits until the screen shows something else, is at rest, and shows what is expected. */
  readonly press: (pressed: string, expected?: RegExp) => Promise<void>;
  /** Puts the cursor on an object by searching for it. */
  readonly goTo: (words: string, row: RegExp) => Promise<void>;
  /** Types words into a search, and waits for what is found. */
  readonly type: (words: string) => Promise<void>;
  /** Lets seconds pass, one by one, until it shows. */
  readonly until: (expected: RegExp) => Promise<void>;
  /** Lets so many seconds pass: a notice is gone after four. */
  readonly pass: (seconds: number) => Promise<void>;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Milliseconds without output that count as rest. */
const REST = 150;
const MOST_SECONDS = 20;
/** Something is still being made or looked for. */
const UNDER_WAY = /(?:forecasting|checking permissions|searching|fetching|working)(?:…|\.\.\.|$)/mu;

/** Opens it, has it played, and closes it. `main`: the program, bundled. */
export async function onStage<T>(
  main: string,
  words: readonly string[],
  size: Size,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(path.join(tmpdir(), 'gc-tree-pictures-'));
  const terminal = openTerminal({
    file: process.execPath,
    args: ['--import', clock, main, ...words],
    ...size,
    env: {
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      LC_ALL: undefined,
      COLORTERM: undefined,
      COLORFGBG: undefined,
      GC_TREE_READ_ONLY: undefined,
      XDG_STATE_HOME: home,
      XDG_CONFIG_HOME: home,
    },
  });
  const rest = async (expected: RegExp): Promise<void> => {
    const isThere = (): boolean => expected.test(terminal.text()) && !UNDER_WAY.test(terminal.text());
    await terminal.waitFor(isThere);
    await terminal.settle(REST);
    await terminal.waitFor(isThere);
  };
  const stage: Stage = {
    terminal,
    async press(pressed, expected = /./u) {
      const before = terminal.text();
      terminal.send(pressed);
      await terminal.waitFor(() => terminal.text() !== before);
      await rest(expected);
    },
    async goTo(searched, row) {
      await stage.press('/');
      await stage.type(searched);
      await stage.press(keys.enter, row);
    },
    async type(words) {
      terminal.send(words);
      await rest(/\d+ hits?/u);
    },
    async pass(seconds) {
      for (let passed = 0; passed < seconds; passed += 1) {
        terminal.signal('SIGUSR2');
        // Signals that come together are one.
        await sleep(20);
      }
      // The screen looks at its clock each second.
      await sleep(1_100);
      await terminal.settle(REST);
    },
    async until(expected) {
      for (let passed = 0; passed < MOST_SECONDS && !expected.test(terminal.text()); passed += 1) {
        terminal.signal('SIGUSR2');
        // Longer than between two looks of the demo at its clock.
        await terminal.settle(600);
      }
      await rest(expected);
    },
  };
  try {
    // What was found is counted once all was looked at, and moves the cursor.
    await rest(/2 Problems \d/u);
    return await play(stage);
  } finally {
    await terminal.close();
    await rm(home, { recursive: true, force: true });
  }
}

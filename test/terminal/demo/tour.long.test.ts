/** The guided tour in a pseudo-terminal, by somebody who knows nothing but what it says: each key is read from its line. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cursorRow, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

const program = programOf('main');
/** State of the tool, thrown away after each test. */
let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'gc-tree-tour-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

async function tour(size: Partial<TerminalOptions>, args: readonly string[] = []): Promise<Terminal> {
  const env = { XDG_STATE_HOME: home, GC_TREE_READ_ONLY: undefined, ...size.env };
  const terminal = program.start(['demo', '--tour', ...args], { ...size, env });
  await untilJudged(terminal);
  await terminal.waitFor(/Tour \d of \d/u);
  return terminal;
}

interface Said {
  readonly step: number;
  /** What to do. */
  readonly next: string;
}

/** What the tour says now; undefined where it says nothing. */
function said(terminal: Terminal): Said | undefined {
  const text = terminal.text();
  const [, step] = /Tour (\d) of \d/u.exec(text) ?? [];
  const [, next] =
    /^ Tour \d of \d.*\n Next: (.+?)(?: {2}\(.*)?$/mu.exec(text) ?? /^Next: (.+?)$/mu.exec(text) ?? [];
  return step === undefined || next === undefined ? undefined : { step: Number(step), next };
}

const named: Readonly<Record<string, string>> = {
  '↓': keys.down,
  '↑': keys.up,
  down: keys.down,
  up: keys.up,
  Esc: keys.escape,
  enter: keys.enter,
};

/** The first key that a sentence names, or the word that it has one type. */
function keysOf(next: string): string {
  const [, word] = /^Type (\S+), then enter/u.exec(next) ?? [];
  if (word !== undefined) return word;
  const [key = ''] = /(?<![\w-])(?:Esc|enter|[↓↑]|up|down|[/puyz](?![\w-]))/u.exec(next) ?? [];
  return named[key] ?? key;
}

/** Does what it says until it has ended, and returns what it said. */
async function followed(terminal: Terminal): Promise<string[]> {
  const heard: string[] = [];
  for (let count = 0; count < 40; count += 1) {
    await terminal.settle(120);
    const now = said(terminal);
    if (now === undefined) return heard;
    heard.push(`${now.step} ${now.next}`);
    if (now.next.startsWith('Wait')) {
      await terminal.waitFor(() => said(terminal)?.next !== now.next);
      continue;
    }
    const pressed = keysOf(now.next);
    expect(pressed, now.next).not.toBe('');
    const before = terminal.text();
    terminal.send(pressed);
    if (now.next.startsWith('Type')) {
      await terminal.waitFor(() => terminal.text() !== before);
      await terminal.settle(200);
      if (said(terminal)?.next === now.next) terminal.send(keys.enter);
    }
    await terminal.waitFor(() => terminal.text() !== before);
  }
  throw new Error(`the tour does not end: ${heard.join('; ')}`);
}

describe.each(sizes.map(([cols, rows]) => ({ cols, rows })))(
  'the tour on $cols columns and $rows rows',
  size => {
    test('leads by what it says to something freed and taken back', async () => {
      const terminal = await tour(size);
      const heard = await followed(terminal);
      expect(heard.map(each => each.slice(0, 1))).toContain('5');
      expect(heard[0]).toMatch(/^1 /u);
      expect(heard.at(-1)).toMatch(/^[78] Esc/u);
      expect(terminal.text()).not.toContain('Tour');
      // A last Esc that is yet to be read would make another key of what follows.
      await terminal.settle(300);
      // It runs again, as it did before somebody deleted it.
      terminal.send('/');
      await terminal.waitFor(/enter jump/u);
      terminal.send('statefulset web');
      await terminal.waitFor(/\d+ hits?/u);
      terminal.send(keys.enter);
      await terminal.waitFor(() => /StatefulSet web +\d\/3/u.test(cursorRow(terminal)));
    });

    test('says all of each line, and leaves the tree in view', async () => {
      const terminal = await tour(size);
      const lines = terminal.screen();
      expect(lines.slice(-3, -1).join('\n')).not.toContain('…');
      // Below the head, and above the tour and the footer.
      expect(lines.slice(3, -3).filter(line => line.trim() !== '').length).toBeGreaterThan(7);
    });
  },
);

describe('the tour', () => {
  test('can be left at any time, also while something is asked', async () => {
    const terminal = await tour({ cols: 100, rows: 30 });
    terminal.send('/');
    await terminal.waitFor(/enter jump/u);
    terminal.send('\u0014');
    await terminal.waitFor(() => !terminal.text().includes('Tour'));
    expect(terminal.text()).toContain('enter jump');
  });

  test('is told in lines to a screen reader', async () => {
    const terminal = await tour({ cols: 100, rows: 50 }, ['--screen-reader']);
    const heard = await followed(terminal);
    expect(heard.at(-1)).toMatch(/^[78] Esc/u);
  });

  test('is of one scenario, whose help says what else to look for and to try', async () => {
    const terminal = await tour({ cols: 120, rows: 40 });
    terminal.send('?');
    await terminal.waitFor('The scenario shop: a web shop');
    expect(terminal.text()).toMatch(/look for +a StatefulSet that was deleted in the foreground/u);
    expect(terminal.text()).toMatch(/u {2}on +StatefulSet shop\/web: what would end the deletion/u);
  });

  test('is told in ASCII', async () => {
    const terminal = await tour({ cols: 80, rows: 24 }, ['--ascii']);
    expect(terminal.text()).toMatch(/^ Tour \d of \d/mu);
    expect(terminal.text()).toMatch(/^ Next: /mu);
  });
});

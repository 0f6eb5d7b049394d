/** Every way out of the screen, for good or for a while: the terminal is as it was before. */
import { describe, expect, test } from 'vitest';
import { screenProgram } from './screen-program.ts';
import { keys, type Terminal } from './terminal.ts';

const { program, demo } = screenProgram();

/** Whether the alternate screen is shown, the cursor is, and the mouse is reported. */
function modes(terminal: Terminal): readonly [boolean, boolean, boolean] {
  return [terminal.alternate(), terminal.cursorVisible(), terminal.mouse()];
}

const taken = [true, false, true];
const restored = [false, true, false];

async function shell(): Promise<Terminal> {
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
  return terminal;
}

describe('the terminal is given back', () => {
  test.each([
    ['q', 0],
    [keys.ctrlC, 130],
  ])('on %j', async (key, code) => {
    const terminal = await demo();
    expect(modes(terminal)).toEqual(taken);
    terminal.send(key);
    expect(await terminal.exit).toBe(code);
    expect(modes(terminal)).toEqual(restored);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ])('on %s', async (signal, code) => {
    const terminal = await demo();
    terminal.signal(signal);
    expect(await terminal.exit).toBe(code);
    expect(modes(terminal)).toEqual(restored);
  });

  test('on a fault, which is told in one line', async () => {
    const terminal = await demo({ env: { SCREEN_FAULT: 'timer' } });
    terminal.send('B');
    expect(await terminal.exit).toBe(2);
    expect(modes(terminal)).toEqual(restored);
    expect(terminal.text()).toContain('kubectl gc-tree: internal error: a fault on purpose.');
    expect(terminal.text()).not.toContain('    at ');
  });

  test('not for a part of it that an upgrade has replaced: what cannot be done is told', async () => {
    const terminal = await demo({ env: { SCREEN_FAULT: 'script' } });
    terminal.send('B');
    await terminal.waitFor('Not done: a fault on purpose');
    expect(modes(terminal)).toEqual(taken);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  });
});

describe('Ctrl-Z', () => {
  test('hands the terminal to the shell in its line mode, and fg takes it again', async () => {
    const terminal = await shell();
    terminal.send(keys.ctrlZ);
    await terminal.waitFor('Stopped');
    expect(modes(terminal)).toEqual(restored);
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
    expect(modes(terminal)).toEqual(restored);
  });

  // Both are there before the program has the terminal: a stopped one gets its signals when it goes on.
  test.each([
    ['a key that was typed ahead', 'fg; echo left with $?\rq', 0],
    ['a signal', 'kill -TERM "$(jobs -p)"; fg; echo left with $?\r', 143],
  ])(
    'leaves no mouse reports on where %s ends the screen as it takes the terminal again',
    async (_, typed, code) => {
      const terminal = await shell();
      terminal.send(keys.ctrlZ);
      await terminal.waitFor('Stopped');
      terminal.send(typed);
      await terminal.waitFor(screen => screen.includes(`left with ${code}`));
      expect(modes(terminal)).toEqual(restored);
    },
  );
});

describe('on Windows', () => {
  const env = { SCREEN_PLATFORM: 'win32' };

  test('Ctrl-Z stops nothing, and the screen says so', async () => {
    const terminal = await demo({ env });
    terminal.send(keys.ctrlZ);
    await terminal.waitFor('Windows cannot suspend a program: q quits');
    expect(modes(terminal)).toEqual(taken);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
    expect(modes(terminal)).toEqual(restored);
  });

  test('Ctrl-Break leaves as Ctrl-C does, with a code of its own', async () => {
    const terminal = await demo({ env });
    terminal.signal('SIGUSR1');
    expect(await terminal.exit).toBe(149);
    expect(modes(terminal)).toEqual(restored);
  });
});

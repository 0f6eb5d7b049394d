/** Stepping through a scenario by the keys of a real terminal, which is as it was before afterwards. */
import { describe, expect, test } from 'vitest';
import { programOf } from './program.ts';
import { keys } from './terminal.ts';

const program = programOf('main');

/** Runs it in a shell, which says how it ended and whether the terminal reads lines. */
function stepping() {
  const command = `"$0" "$1" demo how-the-collector-works --step; echo "code $?"; stty -a | tr ' ' '\\n' | grep -x -e -icanon -e icanon`;
  return program.open({ file: '/bin/sh', args: ['-c', command, process.execPath, program.file] });
}

describe('demo --step in a terminal', () => {
  test('each key is taken as it is pressed, and q leaves the terminal as it was', async () => {
    const terminal = stepping();
    await terminal.waitFor('space steps');
    terminal.send('g');
    await terminal.waitFor('go to:');
    terminal.send(`secret/x${keys.backspace}hearsay${keys.enter}`);
    await terminal.waitFor('create Secret course/hearsay');
    terminal.send('  ');
    await terminal.waitFor('No owner holds it: owner ConfigMap never-there is absent.');
    terminal.send(keys.up);
    terminal.send('b');
    await terminal.waitFor('Back, exactly as it was:');
    terminal.send('q');
    await terminal.waitFor('code 0');
    await terminal.waitFor(/^icanon$/mu);
    expect(await terminal.exit).toBe(0);
  });

  test('Ctrl-C ends it as it ends everything else', async () => {
    const terminal = stepping();
    await terminal.waitFor('space steps');
    terminal.send('r');
    await terminal.waitFor('The end.');
    terminal.send(keys.ctrlC);
    await terminal.waitFor('code 130');
    await terminal.waitFor(/^icanon$/mu);
  });
});

/** Opens the screen of a live cluster: it shows trouble first, or names the key to trouble elsewhere. */
import { describe, expect, test } from 'vitest';
import { cursorRow, sizes, untilJudged } from '../program.ts';
import { screenProgram } from '../screen-program.ts';
import { keys, type Terminal } from '../terminal.ts';

const { synthetic } = screenProgram();

const cluster = { objects: 700, namespaces: 5, stuck: 20 };

describe.each(sizes)('at %i by %i', (cols, rows) => {
  async function opened(namespace: string, source: object = {}): Promise<Terminal> {
    const terminal = synthetic({ ...cluster, ...source }, { SCREEN_NAMESPACE: namespace }, { cols, rows });
    await untilJudged(terminal);
    await terminal.waitFor(rows => !/listing|reading/u.test(rows[0] ?? ''));
    return terminal;
  }

  test('a namespace with errors opens on its problems, the cause first, and has its Namespace as a row', async () => {
    const terminal = await opened('stuck-7');
    await terminal.waitFor('[2 Problems 2]');
    expect(terminal.screen()[0]).toMatch(/✗ 2$/u);
    expect(terminal.text()).toMatch(/▾ ✗ example\.com\/drain/u);
    terminal.send('1');
    await terminal.waitFor('[1 Tree]');
    expect(terminal.text()).toMatch(/Namespace stuck-7 .*✗/u);
    expect(terminal.text()).toMatch(/ConfigMap held .*✗/u);
  });

  test('a quiet namespace names the cause elsewhere, and one key shows it with all that it holds', async () => {
    const terminal = await opened('team-0');
    await terminal.waitFor(([first = '']) => first.endsWith('1 cause elsewhere: 0'));
    expect(terminal.text()).toContain('[1 Tree]');
    expect(terminal.screen().at(-1)).toMatch(/^ 0 1 cause elsewhere {2}/u);
    terminal.send('0');
    await terminal.waitFor('[2 Problems 40]');
    expect(terminal.screen()[0]).toMatch(/✗ 40$/u);
    expect(cursorRow(terminal)).toMatch(/^>▸ ✗ example\.com\/drain/u);
    expect(terminal.screen().at(-1)).toContain('u unblock');
    terminal.send('{');
    await terminal.waitFor('[1 Tree]');
    expect(terminal.screen()[0]).toContain('▸ team-0');
  });

  test('the namespaces to choose from show their problems, and a typed name is one if they are hidden', async () => {
    const terminal = await opened('team-0');
    terminal.send('nstuck-12');
    await terminal.waitFor(/> stuck-12 +1 object {2}✗ 2 {2}Terminating/u);
    terminal.send(keys.enter);
    await terminal.waitFor(rows => rows[0]?.includes('▸ stuck-12') === true);
    const hidden = await opened('team-0', { hidesNamespaces: true });
    hidden.send('nhidden');
    await hidden.waitFor(/> hidden +unlisted namespace/u);
    hidden.send(keys.enter);
    await hidden.waitFor(rows => rows[0]?.includes('▸ hidden') === true);
  });
});

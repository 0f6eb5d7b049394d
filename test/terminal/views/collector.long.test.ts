import { describe, expect, test } from 'vitest';
import { objects } from '../../cli/documents/cluster.ts';
import { fileOf, recorded } from '../../source/recording/recorded.ts';
import { cursorRow, programOf } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';
import { openView } from './open-view.ts';

const program = programOf('main');

async function collector(
  args: readonly string[] = ['demo', 'foreground-stuck'],
  size: Partial<TerminalOptions> = {},
): Promise<Terminal> {
  const terminal = await openView('5 Collector', args, size);
  await terminal.waitFor(/(?:attemptToDelete|due) \(\d/u);
  return terminal;
}

describe('the Collector view, by keys alone', () => {
  test('of a demo, it is what the simulated collector says of itself', async () => {
    const terminal = await collector();
    expect(terminal.text()).toMatch(
      /COLLECTOR {2}as the simulated collector of Kubernetes \d\.\d+ holds it/u,
    );
    await terminal.waitFor(/waits \(\d+\)/u);
    terminal.send('/');
    await terminal.waitFor('> _');
    terminal.send(`statefulset${keys.tab}`);
    await terminal.waitFor(/waits \(1\)[^\n]*\n[^\n]*StatefulSet web/u);
    terminal.send(keys.escape);
    await terminal.waitFor(/monitors \(\d\d\)/u);
    terminal.send('*');
    await terminal.waitFor('deployments.apps  synced');
  });

  test('a scenario is stepped through: items, events, to a breakpoint, back, to the end, and closed', async () => {
    const terminal = await collector(['demo', 'how-the-collector-works']);
    terminal.send('E');
    await terminal.waitFor('0 steps taken');
    terminal.send('e');
    await terminal.waitFor('graph event: added');
    terminal.send(' ');
    await terminal.waitFor(/garbage-collector +attemptToDelete: /u);
    const status = /\d+ steps taken/u.exec(terminal.text())?.[0] ?? '';
    terminal.send('g');
    await terminal.waitFor('> _');
    terminal.send(`OrphanDependents${keys.enter}`);
    await terminal.waitFor(/attemptToOrphan(?:, requests)?: ConfigMap course\/old-teacher/u);
    expect(terminal.text()).not.toContain('§');
    terminal.send('b');
    await terminal.waitFor('Back, exactly as it was.');
    await terminal.waitFor(status);
    terminal.send('r');
    await terminal.waitFor('The end.');
    terminal.send(keys.escape);
    await terminal.waitFor('[5 Collector]');
    await terminal.waitFor(/attemptToDelete \(\d/u);
  });

  test('of files, it is inferred', async () => {
    const terminal = await collector(['-f', 'test/source/files/fixtures/all.yaml']);
    expect(terminal.text()).toContain('COLLECTOR  inferred from what is seen');
  });

  test('of a recording, each change that is stepped to is explained', async () => {
    const [owner, dependent, gone] = objects(`
- { kind: ConfigMap, name: owner }
- { kind: ConfigMap, name: dependent, owners: [v1 ConfigMap owner owner] }
- { kind: ConfigMap, name: owner }`);
    if (owner === undefined || dependent === undefined || gone?.op !== 'upsert')
      throw new Error('no objects');
    const file = fileOf(
      recorded([
        { at: 0, batch: { changes: [owner, dependent] } },
        { at: 5_000, batch: { changes: [{ op: 'delete', uid: gone.object.uid, type: gone.object.type }] } },
        { at: 9_000, batch: { changes: objects('- { kind: ConfigMap, name: last }') } },
      ]),
    );
    const terminal = await collector(['--replay', file]);
    await terminal.waitFor(/latest changes \(2\)/u);
    terminal.send(',');
    await terminal.waitFor(/latest changes \(1\)[^\n]*\n[^\n]*14:00:05\.0Z deleted ConfigMap owner/u);
    await terminal.waitFor(/due \(1\)[^\n]*\n[^\n]*ConfigMap dependent {2}DeleteBackground/u);
    terminal.send(',');
    await terminal.waitFor(/due \(0\)/u);
    terminal.send('..');
    await terminal.waitFor(/14:00:09\.0Z added ConfigMap last/u);
  });

  test.each([
    [60, 15],
    [80, 24],
    [120, 35],
    [200, 50],
  ])('fits %i by %i', async (cols, rows) => {
    const terminal = await collector(['demo', 'foreground-stuck'], { cols, rows });
    expect(terminal.screen()[1]).toMatch(/\[5 Collector\].*\? help/u);
    expect(terminal.screen().at(-1)).toMatch(/q quit/u);
    expect(cursorRow(terminal)).toMatch(/\(0\)|[A-Z]/u);
    if (cols === 60) terminal.send('gi');
    else terminal.send('g');
    await terminal.waitFor('Told by the simulated collector');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await collector(['demo', 'foreground-stuck', '--ascii']);
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
  });

  test('for screen readers it speaks the part and what it means', async () => {
    const terminal = program.start(['demo', 'foreground-stuck', '--screen-reader'], { cols: 160, rows: 45 });
    await terminal.waitFor(/3 PodGC \d/u);
    terminal.send('5');
    await terminal.waitFor(/\[5\s+Collector\]/u);
    terminal.send('gi');
    await terminal.waitFor('One worker takes them into the graph');
    expect(terminal.text()).toMatch(/row 1 of \d+\./u);
  });
});

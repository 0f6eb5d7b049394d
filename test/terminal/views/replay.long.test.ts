import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/exchange/changes.ts';
import { objects } from '../../cli/documents/cluster.ts';
import { fileOf, recorded } from '../../source/recording/recorded.ts';
import { cursorRow, programOf, sizes } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

const program = programOf('main');
const MINUTE = 60_000;
const api = objects(`
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b] }
- { kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b] }
- { kind: ConfigMap, name: stays }`);
const gone = api.slice(0, 3).map((change): Change => {
  if (change.op !== 'upsert') throw new Error('no object');
  return { op: 'delete', uid: change.object.uid, type: change.object.type };
});
const file = fileOf(
  recorded([
    { at: 0, batch: { changes: api } },
    ...gone.map((change, second) => ({ at: 20 * MINUTE + second * 1_000, batch: { changes: [change] } })),
    { at: 60 * MINUTE, batch: { changes: objects('- { kind: ConfigMap, name: last }') } },
  ]),
);

async function replay(size: Partial<TerminalOptions> = {}, args: readonly string[] = []): Promise<Terminal> {
  const terminal = program.start(['--replay', file, ...args], { cols: 120, rows: 35, ...size });
  // Where something was deleted is found out last.
  await terminal.waitFor(/15:00:00\.0Z .*[─-][✗x]|3 deletions in it/u);
  return terminal;
}

const timeline = (terminal: Terminal): string => terminal.screen().at(-2)?.trimEnd() ?? '';

describe('the time line of a replay, by keys and mouse', () => {
  test('back and on by changes and minutes, to both ends, and what there was then', async () => {
    const terminal = await replay();
    expect(timeline(terminal)).toMatch(/^ ‖ 15:00:00\.0Z {2}14:00:00Z ─+✗─+● 15:00:00Z 1x$/u);
    expect(terminal.text()).not.toContain('api');
    terminal.send(',,');
    await terminal.waitFor('ReplicaSet api-1');
    expect(timeline(terminal)).toContain('14:20:01.0Z');
    expect(terminal.text()).not.toContain('Deployment api');
    terminal.send('<');
    await terminal.waitFor('Deployment api');
    expect(timeline(terminal)).toContain('14:19:01.0Z');
    terminal.send('4)');
    await terminal.waitFor('15:00:00.0Z  ');
    await terminal.waitFor(/▾ 14:20:00\.0Z deleted +Deployment api: by a request/u);
    await terminal.waitFor(/14:20:01\.0Z collected +ReplicaSet api-1: its only owner Deployment/u);
    terminal.send('(');
    await terminal.waitFor('14:00:00.0Z  ');
    await terminal.waitFor(() => !terminal.text().includes('collected'));
  });

  test('to where the mouse points and is dragged to', async () => {
    const terminal = await replay();
    const row = terminal.screen().length - 1;
    const left = timeline(terminal).indexOf('─') + 1;
    terminal.send(keys.click(left, row));
    await terminal.waitFor('14:00:00.0Z  ');
    await terminal.waitFor('Deployment api');
    const middle = left + Math.floor((timeline(terminal).lastIndexOf('─') - left) / 2);
    terminal.send(`\u001B[<32;${middle};${row}M`);
    await terminal.waitFor(/‖ 14:(?:29|30|31)/u);
    expect(terminal.text()).not.toContain('Deployment api');
  });

  test('plays, and pauses', async () => {
    const terminal = await replay();
    terminal.send('(');
    await terminal.waitFor('14:00:00.0Z  ');
    terminal.send('SSSP');
    await terminal.waitFor(/▶ .* 600x/u);
    // Ten minutes a second: the Deployment goes after two.
    await terminal.waitFor(() => !terminal.text().includes('Deployment api'));
    await terminal.waitFor(/‖ 15:00:00\.0Z/u);
    expect(cursorRow(terminal)).toContain('ConfigMap');
  });

  test.each(sizes)('fits %i by %i', async (cols, rows) => {
    const terminal = await replay({ cols, rows });
    expect(timeline(terminal)).toMatch(/^ ‖ 15:00:00\.0Z .*─+✗─+●.* 1x$/u);
    expect(timeline(terminal).length).toBeLessThanOrEqual(cols);
    expect(terminal.screen().at(-1)).toMatch(/q quit/u);
    terminal.send('4');
    await terminal.waitFor('[4 Activity');
    await terminal.waitFor(/deleted +Deployment api/u);
    terminal.send(keys.click(timeline(terminal).indexOf('─') + 1, rows - 1));
    await terminal.waitFor('14:00:00.0Z  ');
  });

  test('--ascii draws with nothing else', async () => {
    const terminal = await replay({}, ['--ascii']);
    expect(terminal.text()).toMatch(/^[ -~\n]*$/u);
    expect(timeline(terminal)).toMatch(/^ = 15:00:00\.0Z {2}14:00:00Z -+x-+@ 15:00:00Z 1x$/u);
  });

  test('for screen readers it speaks the moment', async () => {
    const terminal = await replay({}, ['--screen-reader']);
    await terminal.waitFor(/Replay, paused, at 2026-11-21T15:00:00Z; from 2026-11-21T14:00:00Z/u);
    terminal.send(',');
    await terminal.waitFor(/at 2026-11-21T14:20:02Z/u);
  });
});

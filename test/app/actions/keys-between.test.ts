/** Keys on the whole screen while a forecast is being made. */
import { expect, test } from 'vitest';
// What is loaded with the first action is there.
import '../../../src/app/actions/screen-action.ts';
import '../../../src/app/cluster/diagnostics.ts';
import type { Ports } from '../../../src/app/background/ports.ts';
import { ScreenSession } from '../../../src/app/session/session.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { Source } from '../../../src/source/source.ts';
import { listedBatch, now, objects } from '../../cli/documents/cluster.ts';
import { plainScreen } from '../source-session.ts';

const many = Array.from(
  { length: 40 },
  (_, i) => `- {kind: ConfigMap, name: part-${i}, owners: [v1 ConfigMap top top]}`,
).join('\n');

/** A screen on a cluster, whose clock moves on whenever it is asked: each slice is as short as can be. */
async function screen() {
  let time = now;
  const waiting: (() => void)[] = [];
  const later = (run: () => void) => {
    waiting.push(run);
    return () => {
      const at = waiting.indexOf(run);
      if (at >= 0) waiting.splice(at, 1);
    };
  };
  let deliver: ((batch: SourceBatch) => void) | undefined;
  const source = {
    info: { source: 'cluster', context: 'test', namespace: 'shop', serverVersion: undefined },
    start: (listen: (batch: SourceBatch) => void) => {
      deliver = listen;
      return Promise.resolve();
    },
    act: () => Promise.reject(new Error('nothing is sent here')),
    graphComplete: Promise.resolve(),
    factsComplete: Promise.resolve(),
    close: () => Promise.resolve(),
  } as Partial<Source> as Source;
  const ports: Partial<Ports> = {
    open: () => Promise.resolve(source),
    now: () => (time += 5),
    heapLimit: () => Number.POSITIVE_INFINITY,
    after: (milliseconds, run) => (milliseconds >= 1_000 ? () => {} : later(run)),
    soon: later,
    journal: () => Promise.resolve({} as Awaited<ReturnType<Ports['journal']>>),
  };
  const session = new ScreenSession({ screen: plainScreen, columns: 120, rows: 40, ports: ports as Ports });
  session.start();
  const turn = async (): Promise<void> => {
    await new Promise(resolve => setImmediate(resolve));
    for (const run of waiting.splice(0)) run();
  };
  const until = async (holds: () => boolean): Promise<number> => {
    for (let turns = 0; turns < 5_000; turns++) {
      if (holds()) return turns;
      await turn();
    }
    throw new Error('it never comes to that');
  };
  await until(() => deliver !== undefined);
  deliver?.(listedBatch(objects(`- {kind: ConfigMap, name: top}\n${many}`)));
  const dialog = () => {
    const { dialog: shown } = session.getState();
    return shown?.kind === 'action' ? shown : undefined;
  };
  return { session, until, turn, dialog, deliver: (batch: SourceBatch) => deliver?.(batch) };
}

test('a key is read while a forecast is being made: Esc closes the panel at once, and nothing of it goes on', async () => {
  const { session, until, turn, dialog, deliver } = await screen();
  const size = (): number => session.getState().cluster?.view.graph.size ?? 0;
  await until(() => size() === 41);
  for (let turns = 0; turns < 30; turns++) await turn();
  session.dispatch({ type: 'key', key: { text: 'd' } });
  const whole = await until(() => dialog()?.stage.at === 'choosing' || dialog()?.stage.at === 'asking');
  expect(dialog()?.paintings.size).toBeGreaterThan(0);
  session.dispatch({ type: 'key', key: { name: 'escape' } });
  expect(dialog()).toBeUndefined();

  session.dispatch({ type: 'key', key: { text: 'd' } });
  for (let turns = 0; turns < whole / 2; turns++) await turn();
  expect(dialog()?.stage.at).toBe('working');
  deliver({ changes: objects('[{kind: ConfigMap, name: another}]') });
  session.dispatch({ type: 'key', key: { name: 'escape' } });
  expect(dialog()).toBeUndefined();
  await until(() => size() === 42);
  for (let turns = 0; turns < whole; turns++) await turn();
  expect(dialog()).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { spokenText } from '../../../src/app/screen/spoken.ts';
import { timelineLine } from '../../../src/app/screen/timeline-line.ts';
import type { NamedKey } from '../../../src/app/state/keys.ts';
import { currentUid } from '../../../src/app/views/current.ts';
// Loaded by the session when there is something to judge.
import '../../../src/app/cluster/diagnostics.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { State } from '../../../src/app/state/state.ts';
import type { Change } from '../../../src/model/exchange/changes.ts';
import { ReplaySource } from '../../../src/source/recording/replay-source.ts';
import { objects } from '../../cli/documents/cluster.ts';
import { fileOf, recorded, START, type Told } from '../../source/recording/recorded.ts';
import { type SourceSession, sessionOn } from '../source-session.ts';

const api = objects(`
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b] }
- { kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b] }`);

function goes(index: number): Change {
  const change = api[index];
  if (change?.op !== 'upsert') throw new Error('no object');
  return { op: 'delete', uid: change.object.uid, type: change.object.type };
}

/** An hour in which a Deployment goes after twenty minutes, and what hangs on it a second later each. */
const MINUTE = 60_000;
const history: Told[] = [
  { at: 0, batch: { changes: api } },
  { at: 20 * MINUTE, batch: { changes: [goes(0)] } },
  { at: 20 * MINUTE + 1_000, batch: { changes: [goes(1)] } },
  { at: 20 * MINUTE + 2_000, batch: { changes: [goes(2)] } },
  { at: 60 * MINUTE, batch: { changes: objects('- { kind: ConfigMap, name: last }') } },
];

class Replay {
  readonly #on: SourceSession;

  private constructor(on: SourceSession) {
    this.#on = on;
  }

  static async open(at?: number, told = history): Promise<Replay> {
    const file = fileOf(recorded(told));
    const source = new ReplaySource({ file, at: at === undefined ? undefined : () => START + at });
    const replay = new Replay(sessionOn(source));
    // The rules are loaded when there is something to judge.
    for (let round = 0; !replay.state.replay.known && round < 1_000; round += 1) await replay.turns(1);
    await replay.turns();
    return replay;
  }

  get state(): State {
    return this.#on.session.getState();
  }

  /** Since the beginning, in milliseconds. */
  get moment(): number {
    return (this.state.info?.takenAt ?? 0) - START;
  }

  async turns(count = 40): Promise<void> {
    await this.#on.second(count);
  }

  async press(...ids: string[]): Promise<void> {
    for (const id of ids) {
      const isText = /^[^a-z]+$|^.$/u.test(id);
      const pressed = isText ? Array.from(id, text => ({ text })) : [{ name: id as NamedKey }];
      for (const key of pressed) this.#on.session.dispatch({ type: 'key', key });
      await this.turns(4);
    }
  }

  async point(type: 'click' | 'drag', column: number): Promise<void> {
    const row = layoutOf(this.state).timeline ?? -1;
    this.#on.session.dispatch({ type, column, row });
    await this.turns(4);
  }

  line(): string {
    return (
      timelineLine(this.state)
        ?.map(({ text }) => text)
        .join('') ?? ''
    );
  }

  /** Names of what is there. */
  names(): string[] {
    const { cluster } = this.state;
    return [...(cluster?.view.graph.nodes() ?? [])].map(({ identity }) => identity.name).toSorted();
  }

  told(): string[] {
    const rows = this.state.cluster?.activity?.rows.window(0, 100) ?? [];
    return rows.flatMap(row => {
      if (row.kind === 'item') return [`  ${row.item.what} ${row.item.object.name}`];
      return row.head.of === 'action' ? [`${row.head.entry.what} ${row.head.entry.object.name}`] : [];
    });
  }
}

describe('the time line of a replay', () => {
  test('stands at the bottom, with the moment, both ends and what was deleted', async () => {
    const replay = await Replay.open();
    expect(replay.line()).toMatch(/^ ‖ 15:00:00\.0Z {2}14:00:00Z ─+✗─+● 15:00:00Z 1x $/u);
    expect(replay.line()).toHaveLength(120);
    const mark = replay.line().indexOf('✗');
    const [first, last] = [replay.line().indexOf('─'), replay.line().indexOf('●')];
    expect((mark - first) / (last - first)).toBeCloseTo(1 / 3, 1);
    expect(layoutOf(replay.state).body.height).toBe(40 - 2 - 2);
  });

  test('knows what led to the moment that it is opened at', async () => {
    const replay = await Replay.open(30 * MINUTE);
    expect(replay.names()).toEqual([]);
    expect(replay.told()).toEqual(['Deleted api', '  Collected api-1', '  Collected api-1-a']);
  });

  test('opens on the worst problem, which stays when the moment is shown anew with its history', async () => {
    const wrong = `
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api] }
- { kind: Deployment, name: web }
- { kind: ConfigMap, name: wrong, owners: [apps/v1 Deployment old web] }`;
    const replay = await Replay.open(undefined, [{ at: 0, batch: { changes: objects(wrong) } }]);
    expect(currentUid(replay.state)).toBe('wrong');
    expect(replay.state.tree).toMatchObject({ index: 2, top: 0 });
  });

  test('goes back and on by a change, a minute, and to both ends', async () => {
    const replay = await Replay.open();
    await replay.press(',');
    expect(replay.moment).toBe(20 * MINUTE + 2_000);
    expect(replay.names()).toEqual([]);
    await replay.press(',');
    expect(replay.moment).toBe(20 * MINUTE + 1_000);
    expect(replay.names()).toEqual(['api-1', 'api-1-a']);
    expect(replay.told()).toEqual(['Deleted api', '  Collected api-1']);
    await replay.press(',', ',');
    expect(replay.moment).toBe(0);
    expect(replay.names()).toEqual(['api', 'api-1', 'api-1-a']);
    expect(replay.told()).toEqual([]);
    await replay.press('.', '.');
    expect(replay.moment).toBe(20 * MINUTE + 1_000);
    await replay.press('<');
    expect(replay.moment).toBe(19 * MINUTE + 1_000);
    expect(replay.names()).toEqual(['api', 'api-1', 'api-1-a']);
    await replay.press('(', '>');
    expect(replay.moment).toBe(MINUTE);
    await replay.press('<', '<');
    expect(replay.moment).toBe(0);
    await replay.press(')');
    expect(replay.moment).toBe(60 * MINUTE);
    expect(replay.names()).toEqual(['last']);
  });

  test('takes each of several keys that are read together', async () => {
    const replay = await Replay.open();
    await replay.press(',,');
    expect(replay.moment).toBe(20 * MINUTE + 1_000);
  });

  test('goes to where the mouse points, also while it is dragged', async () => {
    const replay = await Replay.open();
    const begin = replay.line().indexOf('─');
    await replay.point('click', begin);
    expect(replay.moment).toBe(0);
    const middle = begin + Math.round((replay.line().lastIndexOf('─') - begin) / 2);
    await replay.point('drag', middle);
    expect(replay.moment / MINUTE).toBeGreaterThan(28);
    expect(replay.moment / MINUTE).toBeLessThan(32);
    expect(replay.names()).toEqual([]);
    await replay.point('drag', 0);
    expect(replay.moment).toBe(0);
  });

  test('plays at its speed, pauses, and ends', async () => {
    const replay = await Replay.open(0);
    await replay.press('S', 'S', 'P');
    expect(replay.state.replay).toMatchObject({ playing: true, speed: 60 });
    expect(replay.line()).toMatch(/^ ▶ /u);
    const before = replay.moment;
    await replay.turns(10);
    expect(replay.moment).toBeGreaterThan(before);
    await replay.press('P');
    const paused = replay.moment;
    await replay.turns(10);
    expect(replay.moment).toBe(paused);
    await replay.press('S', 'P');
    await replay.turns(60);
    expect(replay.moment).toBe(60 * MINUTE);
    expect(replay.state.replay.playing).toBe(false);
    expect(replay.told()).toEqual(['Deleted api', '  Collected api-1', '  Collected api-1-a']);
    // From the beginning again.
    await replay.press('P');
    expect(replay.moment).toBeLessThan(60 * MINUTE);
  });

  test('keeps the cursor on its object, and what was folded, wherever it goes', async () => {
    const replay = await Replay.open(10 * MINUTE);
    await replay.press('down', 'left');
    expect(currentUid(replay.state)).toBe('api-1');
    expect(replay.state.cluster?.rows.length).toBe(3);
    await replay.press('.');
    expect(currentUid(replay.state)).toBe('api-1');
    await replay.press(',');
    expect(currentUid(replay.state)).toBe('api-1');
    expect(replay.state.cluster?.rows.length).toBe(3);
  });

  test('says to a screen reader where it is', async () => {
    const replay = await Replay.open();
    const { lines } = spokenText(replay.state);
    expect(lines).toContain(
      'Replay, paused, at 2026-11-21T15:00:00Z; from 2026-11-21T14:00:00Z to 2026-11-21T15:00:00Z, 3 deletions in it.',
    );
  });

  test('is not there where nothing is replayed', async () => {
    const replay = await Replay.open();
    const live = { ...replay.state, replay: { ...replay.state.replay, known: false } };
    expect(timelineLine(live)).toBeUndefined();
    expect(layoutOf(live).timeline).toBeUndefined();
  });
});

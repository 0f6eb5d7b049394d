import { describe, expect, test } from 'vitest';
import { SteppingRunner } from '../../../src/app/session/stepping.ts';
import type { StepWish } from '../../../src/app/state/state.ts';
import { openDemo } from '../../../src/source/demo/demo-source.ts';
import { ReplaySource } from '../../../src/source/recording/replay-source.ts';
import { type Source, SourceError } from '../../../src/source/source.ts';
import { objects } from '../../cli/documents/cluster.ts';
import { fileOf, recorded, START } from '../../source/recording/recorded.ts';

interface Told {
  readonly lines: readonly string[];
  readonly status: string;
}

class Stepping {
  readonly told: Told[] = [];
  readonly runner: SteppingRunner;
  /** Called between slices of a run. */
  between: () => void = () => {};

  constructor(source: Source = openDemo('how-the-collector-works')) {
    this.runner = new SteppingRunner({
      ports: {
        soon: run => {
          setImmediate(() => {
            this.between();
            run();
          });
          return () => {};
        },
      },
      source: () => source,
      dispatch: message => {
        if (message.type !== 'stepped') return;
        const lines = message.lines.map(line => line.map(({ text }) => text).join(''));
        this.told.push({ lines, status: message.status });
      },
      describe: error => (error instanceof SourceError ? error.message : String(error)),
    });
  }

  async take(wish: StepWish): Promise<Told> {
    await this.runner.take(wish);
    const told = this.told.at(-1);
    if (told === undefined) throw new Error('nothing was told');
    return told;
  }
}

async function begun(): Promise<Stepping> {
  const stepping = new Stepping();
  await stepping.take({ of: 'begin' });
  return stepping;
}

const item: StepWish = { of: 'unit', unit: 'item' };
const event: StepWish = { of: 'unit', unit: 'event' };

describe('stepping through a scenario on the screen', () => {
  test('begins before the first step', async () => {
    const { told } = await begun();
    expect(told.at(-1)?.status).toBe('0 steps taken');
    expect(told.at(-1)?.lines.join('\n')).toContain('as it is before its first step');
  });

  test('takes an event, a work item and a task, with what the collector holds then', async () => {
    const stepping = await begun();
    const first = (await stepping.take(event)).lines.join('\n');
    expect(first).toMatch(/graph event: added/u);
    expect(first).toMatch(/attemptToDelete: empty/u);
    expect((await stepping.take({ of: 'breakpoint', words: 'DeleteBackground' })).lines.join('\n')).toMatch(
      /attemptToDelete: [^\n]*\n[^\n]*It is deleted/u,
    );
    const after = await stepping.take({ of: 'unit', unit: 'task' });
    expect(after.status).toMatch(/^\d+ steps taken$/u);
  });

  test('goes back to exactly what it was, as often as it went on', async () => {
    const stepping = await begun();
    const wishes: StepWish[] = [event, item, item, { of: 'breakpoint', words: 'OrphanDependents' }, event];
    const statuses = [stepping.told.at(-1)?.status];
    const states: string[] = [];
    const held = ({ lines }: Told): string =>
      lines.slice(lines.findIndex(line => line.startsWith('The garbage collector'))).join('\n');
    for (const wish of wishes) {
      const told = await stepping.take(wish);
      statuses.push(told.status);
      states.push(held(told));
    }
    for (let place = wishes.length - 1; place > 0; place -= 1) {
      const told = await stepping.take({ of: 'back' });
      expect(told.status).toBe(statuses[place]);
      expect(held(told)).toBe(states[place - 1]);
    }
    expect((await stepping.take({ of: 'back' })).status).toBe('0 steps taken');
    expect((await stepping.take({ of: 'back' })).lines).toContain('This is the beginning.');
  });

  test('runs to the end', async () => {
    const stepping = await begun();
    const end = await stepping.take({ of: 'run' });
    expect(end.lines).toContain('The end.');
    expect((await stepping.take(item)).lines).toContain('The end.');
  });

  test('pauses a run, and goes on from there', async () => {
    const stepping = await begun();
    let slices = 0;
    stepping.between = () => {
      slices += 1;
      if (slices === 2) void stepping.runner.take({ of: 'run' });
    };
    const paused = await stepping.take({ of: 'run' });
    expect(paused.lines).not.toContain('The end.');
    const steps = Number.parseInt(paused.status, 10);
    expect(steps).toBeGreaterThan(20);
    expect(Number.parseInt((await stepping.take({ of: 'unit', unit: 'task' })).status, 10)).toBe(steps + 1);
  });

  test('says what a breakpoint may be that means nothing', async () => {
    const stepping = await begun();
    const { lines } = await stepping.take({ of: 'breakpoint', words: 'DeleteBackgroud' });
    expect(lines.join('\n')).toMatch(
      /There is no kind and no decision DeleteBackgroud\. Did you mean DeleteBackground/u,
    );
  });

  test('forgets the world when it is closed, and begins anew', async () => {
    const stepping = await begun();
    await stepping.take(item);
    stepping.runner.close();
    const before = stepping.told.length;
    await stepping.runner.take(item);
    expect(stepping.told).toHaveLength(before);
    expect((await stepping.take({ of: 'begin' })).status).toBe('0 steps taken');
  });
});

describe('stepping through a recording on the screen', () => {
  const api = objects(`
- { kind: Deployment, name: api }
- { kind: ReplicaSet, name: api-1, owners: [apps/v1 Deployment api api +c +b] }
- { kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 api-1 +c +b] }`);
  const gone = api.map(change => {
    if (change.op !== 'upsert') throw new Error('no object');
    return { op: 'delete', uid: change.object.uid, type: change.object.type } as const;
  });
  const history = [
    { at: 0, batch: { changes: api } },
    ...gone.map((change, index) => ({ at: 4_000 * (index + 1), batch: { changes: [change] } })),
  ];
  const open = async (at?: number): Promise<Stepping> => {
    const file = fileOf(recorded(history));
    const stepping = new Stepping(
      new ReplaySource({ file, at: at === undefined ? undefined : () => START + at }),
    );
    await stepping.take({ of: 'begin' });
    return stepping;
  };

  test('begins at the moment that is shown, says what is inferred, and takes changes whatever is asked for', async () => {
    const stepping = await open(1_000);
    expect(stepping.told.at(-1)?.lines.join('\n')).toMatch(
      /The recording at 2026-11-21T14:00:01Z.*inferred/u,
    );
    const first = await stepping.take(item);
    expect(first.lines.join('\n')).toMatch(/1 .* graph event: deleted Deployment shop\/api \(inferred\)/u);
    expect(first.lines.join('\n')).toMatch(/attemptToDelete\n +ReplicaSet shop\/api-1/u);
    expect((await stepping.take(event)).status).toBe('2 steps taken');
    expect((await stepping.take({ of: 'back' })).lines.slice(1)).toEqual(first.lines);
  });

  test('runs to an object and to the end, and begins at the beginning where the end is shown', async () => {
    const stepping = await open();
    const found = await stepping.take({ of: 'breakpoint', words: 'rs/api-1' });
    expect(found.lines.join('\n')).toMatch(/graph event: deleted ReplicaSet shop\/api-1/u);
    expect((await stepping.take({ of: 'run' })).lines).toContain('The end.');
    const back = await stepping.take({ of: 'back' });
    expect(back.status).toBe(found.status);
  });
});

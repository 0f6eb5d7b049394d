import { expect, test } from 'vitest';
import type { Ports } from '../../../src/app/background/ports.ts';
import type { ScreenLines } from '../../../src/app/screen/screen-lines.ts';
import { Frames } from '../../../src/app/session/frames.ts';
import { ScreenSession } from '../../../src/app/session/session.ts';
import type { Key } from '../../../src/app/state/keys.ts';
import type { SourceBatch, TypeStatus } from '../../../src/model/exchange/changes.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import type { Source } from '../../../src/source/source.ts';
import { now, objects } from '../../cli/documents/cluster.ts';
import { plainScreen } from '../source-session.ts';

function statusesOf(count: number): TypeStatus[] {
  return builtInTypes
    .filter(type => ResourceType.isMonitored(type) && type.preferred)
    .map(type => ({ type, state: 'synced' as const, count, facts: true }));
}

/** A session on a cluster that is complete, with a clock that stands still until the test moves it. */
class Run {
  readonly session: ScreenSession;
  readonly frames: Frames;
  /** Frames that were drawn since it was asked last. */
  #drawn = 0;
  #time = now;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  #listen: (batch: SourceBatch) => void = () => {};

  constructor(yaml: string, factsComplete = Promise.resolve()) {
    const source: Partial<Source> = {
      info: { source: 'cluster', context: 'test', namespace: 'shop', serverVersion: undefined },
      start: listener => {
        this.#listen = listener;
        listener({
          types: builtInTypes,
          failedGroups: [],
          statuses: statusesOf(0),
          connection: { state: 'live' },
          changes: objects(yaml),
        });
        return Promise.resolve();
      },
      graphComplete: Promise.resolve(),
      factsComplete,
      close: () => Promise.resolve(),
    };
    const ports: Partial<Ports> = {
      open: () => Promise.resolve(source as Source),
      now: () => this.#time,
      heapLimit: () => Number.POSITIVE_INFINITY,
      after: (milliseconds, run) => this.#later(this.#time + milliseconds, run),
      soon: run => this.#later(this.#time, run),
    };
    this.session = new ScreenSession({
      screen: plainScreen,
      columns: 160,
      rows: 40,
      ports: ports as Ports,
    });
    this.frames = new Frames(this.session, ports as Ports);
    this.frames.subscribe(() => {
      this.#drawn += 1;
    });
  }

  /** Everything has arrived and was judged, and the last frame of that was drawn. */
  static async complete(yaml: string): Promise<Run> {
    const run = new Run(yaml);
    run.session.start();
    const isComplete = (): boolean => run.session.getState().cluster?.problems?.complete === true;
    while (!isComplete()) await run.pass(0);
    await run.pass(1_000);
    run.drawn();
    return run;
  }

  #later(at: number, run: () => void): () => void {
    const timer = { at, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter(each => each !== timer);
    };
  }

  /** Lets so much time pass, with everything that is due in it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    for (;;) {
      await new Promise(resolve => setImmediate(resolve));
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter(each => each !== next);
      this.#time = Math.max(this.#time, next.at);
      next.run();
    }
    this.#time = end;
  }

  /** What a watch brings: the count of its kind comes with it. */
  async deliver(yaml: string): Promise<void> {
    const changes = objects(yaml);
    this.#listen({ changes, statuses: statusesOf(changes.length) });
    await this.pass(100);
  }

  async press(...keys: readonly Key[]): Promise<void> {
    for (const key of keys) this.session.dispatch({ type: 'key', key });
    await this.pass(0);
  }

  drawn(): number {
    const drawn = this.#drawn;
    this.#drawn = 0;
    return drawn;
  }

  text(): string {
    const drawn = this.frames.current();
    if (drawn.kind !== 'drawn' || drawn.body.kind !== 'views') return '';
    const lines = [...(drawn.body.list?.lines ?? []), ...(drawn.body.details?.lines ?? [])];
    return lines.map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n');
  }
}

const MINUTE = 60_000;
/** Folds the first object, and goes on to the second, whose details then stand beside the list. */
const foldBelow: readonly Key[] = [{ name: 'left' }, { text: 'j' }];

test('an age in minutes is drawn once a minute, one in hours once an hour', async () => {
  const run = await Run.complete('[{ kind: ConfigMap, name: a, creationTimestamp: "2026-11-21T11:30:00Z" }]');
  expect(run.text()).toMatch(/ConfigMap a .*\b30m/u);
  await run.pass(5 * MINUTE);
  expect(run.drawn()).toBe(5);
  expect(run.text()).toMatch(/ConfigMap a .*\b35m/u);
  const old = await Run.complete('[{ kind: ConfigMap, name: a, creationTimestamp: "2026-11-20T21:02:00Z" }]');
  await old.pass(5 * MINUTE);
  expect(old.drawn()).toBe(1);
});

test('an age in seconds is drawn every ten seconds where it can be seen, and not below what is folded', async () => {
  const born = 'creationTimestamp: "2026-11-21T11:59:30Z"';
  const young = `{ kind: Pod, name: p, ${born}, owners: [apps/v1 ReplicaSet r r +c] }`;
  const run = await Run.complete(
    `[{ kind: ConfigMap, name: a }, { kind: ReplicaSet, name: r, creationTimestamp: "2026-11-01T00:00:00Z" }, ${young}]`,
  );
  await run.pass(30_000);
  expect(run.drawn()).toBe(3);
  await run.press(...foldBelow);
  expect(run.text()).not.toContain('Pod');
  run.drawn();
  await run.pass(10_000);
  expect(run.drawn()).toBe(0);
});

test.each(['1', '2', '3', '4', '5', '6', 'T'])('a quiet screen draws nothing in view %s', async view => {
  const old = 'creationTimestamp: "2026-11-01T00:00:00Z"';
  const family = `{ kind: ReplicaSet, name: r, ${old} }, { kind: Pod, name: p, ${old}, owners: [apps/v1 ReplicaSet r r +c] }`;
  const run = await Run.complete(`[{ kind: Namespace, name: shop, namespace: '', ${old} }, ${family}]`);
  await run.press({ text: view });
  // A notice has gone by then.
  await run.pass(MINUTE);
  expect(run.text()).not.toBe('');
  run.drawn();
  await run.pass(MINUTE);
  expect(run.drawn()).toBe(0);
});

test('the age of a deletion is drawn a few times a minute in the pulse', async () => {
  const old = 'creationTimestamp: "2026-11-01T00:00:00Z"';
  const ending = `{ kind: ConfigMap, name: a, ${old}, deletionTimestamp: "2026-11-21T11:56:00Z", finalizers: [example.com/a] }`;
  const run = await Run.complete(`[{ kind: Namespace, name: shop, namespace: '', ${old} }, ${ending}]`);
  await run.press({ text: '6' });
  run.drawn();
  await run.pass(MINUTE);
  expect(run.drawn()).toBeLessThanOrEqual(2);
  expect(run.text()).toMatch(/shop .* 5m/u);
});

test('a renewed lease draws nothing, and is known at its new version', async () => {
  const lease = (version: string): string => `[{ kind: Lease, name: node-1, resourceVersion: "${version}" }]`;
  const run = await Run.complete(lease('1'));
  const before = run.session.getState();
  await run.deliver(lease('2'));
  expect(run.drawn()).toBe(0);
  expect(run.session.getState()).toBe(before);
  const [node] = before.cluster?.view.graph.nodes() ?? [];
  expect(node?.object?.resourceVersion).toBe('2');
});

test('what changes where nobody looks draws nothing, and what changes on the screen is drawn', async () => {
  const pod = (reason: string): string =>
    `[{ kind: Pod, name: p, owners: [apps/v1 ReplicaSet r r +c], status: { phase: ${reason} } }]`;
  const run = await Run.complete(
    `[{ kind: ConfigMap, name: a }, { kind: ReplicaSet, name: r }, ${pod('Running').slice(1)}`,
  );
  await run.press(...foldBelow);
  run.drawn();
  await run.deliver(pod('Failed'));
  expect(run.drawn()).toBe(0);
  await run.press({ text: 'k' }, { name: 'right' });
  expect(run.text()).toContain('Failed');
  run.drawn();
  await run.deliver(pod('Pending'));
  expect(run.drawn()).toBe(1);
  expect(run.text()).toContain('Pending');
});

test('keys that are read together are one frame', async () => {
  const run = await Run.complete('[{ kind: ConfigMap, name: a }, { kind: ConfigMap, name: b }]');
  await run.press({ text: 'j' }, { text: 'k' }, { text: 'j' });
  expect(run.drawn()).toBe(1);
});

test('lines that look the same are the same from one frame to the next', async () => {
  const run = await Run.complete(
    '[{ kind: ConfigMap, name: a }, { kind: ConfigMap, name: b }, { kind: ConfigMap, name: c }]',
  );
  const rows = (lines: ScreenLines) =>
    lines.kind === 'drawn' && lines.body.kind === 'views' ? lines.body.list?.lines : undefined;
  const before = rows(run.frames.current());
  await run.press({ text: 'j' });
  const after = rows(run.frames.current());
  const isSame = after?.map((line, i) => line === before?.[i]);
  // The header, the namespace and the third; the cursor went from the first object to the second.
  expect(isSame).toEqual([true, true, false, false, true]);
});

test('while a cluster comes in it is drawn a few times a second, and at once at a key and where it is judged', async () => {
  const facts = Promise.withResolvers<void>();
  const run = new Run('[{ kind: ConfigMap, name: a }]', facts.promise);
  run.session.start();
  await run.pass(1_000);
  run.drawn();
  for (let nth = 0; nth < 20; nth += 1) await run.deliver(`[{ kind: ConfigMap, name: b${nth} }]`);
  const drawn = run.drawn();
  expect(drawn).toBeGreaterThanOrEqual(8);
  expect(drawn).toBeLessThanOrEqual(14);
  await run.pass(1_000);
  run.drawn();
  const late = run.deliver('[{ kind: ConfigMap, name: c }]');
  await run.press({ text: 'k' });
  expect(run.drawn()).toBe(1);
  await late;
  facts.resolve();
  while (run.session.getState().cluster?.problems?.complete !== true) await run.pass(0);
  await run.pass(0);
  expect(run.drawn()).toBeGreaterThanOrEqual(1);
  await run.deliver('[{ kind: ConfigMap, name: d }]');
  expect(run.drawn()).toBe(1);
});

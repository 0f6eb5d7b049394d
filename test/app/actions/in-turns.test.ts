/** Forecasts on the screen in turns: what goes on in between, and what a forecast is of then. */
import { expect, test } from 'vitest';
import { ActionCluster, type ActionSubject } from '../../../src/app/actions/context.ts';
import { inTurns } from '../../../src/app/actions/in-turns.ts';
import { ClusterModel } from '../../../src/app/cluster/model.ts';
import { BatchQueue } from '../../../src/app/session/batch-queue.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { Sliced } from '../../../src/model/slices.ts';
import { listedBatch, objects } from '../../cli/documents/cluster.ts';
import { now, objectOf } from '../../forecast/fixtures.ts';

const family = `
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: left, owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: right, owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap right right]}
- {kind: ConfigMap, name: other}
`;
const born = '[{kind: ConfigMap, name: born, owners: [v1 ConfigMap top top]}]';
/** Adopted, and its owner gone from below another: a mixture would show one of these alone. */
const moved = `
- {kind: ConfigMap, name: other, owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: left}
`;

/** A clock that has moved on whenever it is asked, so that each slice is as short as can be. */
class Turns {
  #time = now;
  readonly waiting: (() => void)[] = [];
  readonly ports = {
    now: (): number => (this.#time += 5),
    soon: (run: () => void) => {
      this.waiting.push(run);
      return () => {
        const at = this.waiting.indexOf(run);
        if (at >= 0) this.waiting.splice(at, 1);
      };
    },
    after: (_: number, run: () => void) => this.ports.soon(run),
  };

  /** One turn of the event loop. */
  async next(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    for (const run of this.waiting.splice(0)) run();
    await new Promise(resolve => setImmediate(resolve));
  }
}

function modelOf(yaml: string): ClusterModel {
  const model = new ClusterModel({ namespace: undefined });
  model.view.apply(listedBatch(objects(yaml)), 0);
  return model;
}

function deleted({ deleted: list }: Forecast): string {
  return list
    .map(({ object }) => object.name)
    .sort()
    .join(' ');
}

/** A forecast of deleting `top`, with `between` called after so many turns; its words, and how many turns it took. */
async function forecast(
  between: (model: ClusterModel) => void,
  at: number,
): Promise<{ readonly names: string; readonly turns: number }> {
  const model = modelOf(family);
  const turns = new Turns();
  const subject = {
    cluster: model,
    source: {},
    changed: () => Promise.resolve(),
  } as unknown as ActionSubject;
  const cluster = new ActionCluster(subject, turns.ports);
  const targets = [objectOf(model.view, 'top')] as const;
  let names: string | undefined;
  void cluster.prepare({ verb: 'delete', cascade: 'background', targets }).then(prepared => {
    names = deleted(prepared.forecast);
  });
  let count = 0;
  for (; names === undefined; count++) {
    if (count > 1_000) throw new Error('it does not end');
    if (count === at) between(model);
    await turns.next();
  }
  return { names, turns: count };
}

test('a change at any moment of a forecast gives that of before or that of after, and never a mixture', async () => {
  const before = 'below left right top';
  const after = 'below other right top';
  const { names, turns } = await forecast(() => undefined, 0);
  expect(names).toBe(before);
  expect(turns).toBeGreaterThan(10);
  for (let at = 0; at < turns; at++) {
    const { names: then } = await forecast(({ view }) => view.apply({ changes: objects(moved) }, 0), at);
    expect(then, `changed after ${at} turns`).toBe(after);
  }
});

test('while a forecast is in the middle, batches wait, and they come before the next one', async () => {
  const model = modelOf(family);
  const turns = new Turns();
  const queue = new BatchQueue(turns.ports, (batch: SourceBatch) => void model.view.apply(batch, 0));
  queue.open();
  const source = {} as ActionSubject['source'];
  const subject = { cluster: model, source, changed: () => Promise.resolve(), still: () => queue.still() };
  const cluster = new ActionCluster(subject, turns.ports);
  const targets = [objectOf(model.view, 'top')] as const;
  const found: string[] = [];
  const work = (async () => {
    for (let round = 0; round < 2; round++) {
      const { forecast: made } = await cluster.prepare({ verb: 'delete', cascade: 'background', targets });
      found.push(deleted(made));
      expect(model.view.graph.size).toBe(round === 0 ? 5 : 6);
    }
  })();
  for (let turn = 0; turn < 8; turn++) await turns.next();
  expect(found).toEqual([]);
  queue.push({ changes: objects(born) });
  await turns.next();
  await turns.next();
  expect(model.view.graph.size).toBe(5);
  for (let turn = 0; turn < 1_000 && found.length < 2; turn++) await turns.next();
  await work;
  expect(found).toEqual(['below left right top', 'below born left right top']);
  queue.push({ changes: objects('[{kind: ConfigMap, name: last}]') });
  await turns.next();
  expect(model.view.graph.size).toBe(7);
});

test('a dialog that is closed in the middle leaves nothing that runs, and nothing that holds batches back', async () => {
  const model = modelOf(family);
  const turns = new Turns();
  const queue = new BatchQueue(turns.ports, (batch: SourceBatch) => void model.view.apply(batch, 0));
  queue.open();
  const closing = new AbortController();
  const source = {} as ActionSubject['source'];
  const subject = { cluster: model, source, changed: () => Promise.resolve(), still: () => queue.still() };
  const cluster = new ActionCluster(subject, turns.ports, closing.signal);
  const targets = [objectOf(model.view, 'top')] as const;
  const end = cluster.prepare({ verb: 'delete', cascade: 'background', targets }).then(
    () => 'made',
    (error: unknown) => (error === closing.signal.reason ? 'given up' : String(error)),
  );
  for (let turn = 0; turn < 8; turn++) await turns.next();
  expect(turns.waiting).toHaveLength(1);
  closing.abort();
  expect(turns.waiting).toEqual([]);
  expect(await end).toBe('given up');
  queue.push({ changes: objects(born) });
  await turns.next();
  expect(model.view.graph.size).toBe(6);
});

test('what changes the view again and again ends a forecast nevertheless', async () => {
  const turns = new Turns();
  const view = { revision: 0 };
  const work = function* (): Sliced<number> {
    const { revision } = view;
    for (let pause = 0; pause < 10; pause++) yield;
    return revision;
  };
  let result: number | undefined;
  const turning = { ports: turns.ports, view, still: undefined };
  void inTurns(work, turning).then(value => {
    result = value;
  });
  for (let turn = 0; turn < 40 && result === undefined; turn++) {
    await turns.next();
    if (result === undefined) view.revision += 1;
  }
  expect(result).toBe(view.revision);
});

test('what the work throws is what whoever waits for it gets, and batches go on', async () => {
  const turns = new Turns();
  let held = 0;
  const still = (): Promise<() => void> => {
    held += 1;
    return Promise.resolve(() => {
      held -= 1;
    });
  };
  const work = function* (): Sliced<never> {
    yield;
    throw new Error('no such thing');
  };
  const turning = { ports: turns.ports, view: { revision: 0 }, still };
  const end = inTurns(work, turning).catch((error: unknown) => String(error));
  for (let turn = 0; turn < 5; turn++) await turns.next();
  expect(await end).toBe('Error: no such thing');
  expect(held).toBe(0);
});

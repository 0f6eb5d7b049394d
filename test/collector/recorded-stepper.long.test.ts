import { describe, expect, test } from 'vitest';
import type { CollectorState } from '../../src/collector/collector-state.ts';
import { InferredCollector } from '../../src/collector/inferred-collector.ts';
import { RecordedStepper } from '../../src/collector/recorded-stepper.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { Uid } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { playScenario } from '../../src/source/demo/play-scenario.ts';
import type { Scenario } from '../../src/source/demo/scenario.ts';
import { readScenarios } from '../../src/source/demo/scenarios.ts';
import type { SimulatedWorld } from '../../src/source/demo/world/simulated-world.ts';
import { RecordingHistory } from '../../src/source/recording/history.ts';
import { RecordingFile } from '../../src/source/recording/reader.ts';
import { graphDefinitions, modes, randomScenario } from '../conformance/fuzz/random-graphs.ts';
import { fileOf, made, recorded, START, type Told } from '../source/recording/recorded.ts';

const GRAPHS = Number(process.env['GC_TREE_STEPPED_GRAPHS'] ?? 12);
// What is remembered of each step is too much where there are thousands of objects.
const scenarios = (await readScenarios()).filter(({ name }) => name !== 'fleet');

function randomGraph(seed: number): Scenario {
  const { steps, ...scenario } = randomScenario(seed, modes[seed % modes.length] ?? 'running');
  return { ...scenario, steps: [{ create: graphDefinitions }, ...steps] };
}

/** Everything that was written in a world, as a recording of it; waits are cut short. */
function recordingOf({ cluster }: SimulatedWorld, keyFrameChanges: number): RecordingFile {
  const types = [...cluster.discovery.known];
  const statuses = types
    .filter(ResourceType.isMonitored)
    .map(type => ({ type, state: 'synced' as const, count: 0, facts: true }));
  const history: Told[] = [{ at: 0, batch: { changes: [], types, statuses } }];
  let [at, last] = [0, 0];
  for (const { at: then, before, after } of cluster.api.log.entries) {
    const object = after ?? before;
    if (object === undefined || !ResourceType.isMonitored(object.type)) continue;
    at += Math.min(3_000, last === 0 ? 1 : then - last);
    last = then;
    const change: Change =
      after === undefined
        ? { op: 'delete', uid: object.uid, type: object.type }
        : { op: 'upsert', object: after };
    history.push({ at, batch: { changes: [change] } });
  }
  return new RecordingFile(fileOf(recorded(history, { keyFrameChanges })));
}

interface Seen {
  readonly state: CollectorState;
  readonly objects: readonly string[];
}

function look(stepper: RecordedStepper): Seen {
  const objects = [...stepper.view.graph.nodes()].flatMap(({ object }) => {
    if (object === undefined) return [];
    const { type, ...rest } = object;
    return [JSON.stringify([type.apiVersion, type.kind, rest])];
  });
  return { state: stepper.state, objects: objects.sort() };
}

/** Forward to the end, back to the beginning, and forward again. */
function goThrough(file: RecordingFile): {
  readonly seen: readonly Seen[];
  readonly stepper: RecordedStepper;
} {
  const stepper = new RecordedStepper(new RecordingHistory(file), START);
  const seen = [look(stepper)];
  const steps = [];
  for (let step = stepper.next(); step !== undefined; step = stepper.next()) {
    seen.push(look(stepper));
    steps.push(step);
  }
  for (let n = seen.length - 2; n >= 0; n--) {
    expect(stepper.back()).toBe(true);
    expect(look(stepper), `after ${n} steps`).toEqual(seen[n]);
  }
  expect(stepper.back()).toBe(false);
  expect(steps.map(() => stepper.next())).toEqual(steps);
  return { seen, stepper };
}

describe('stepping through a recording', () => {
  test.each(scenarios)('$name: back is exactly as it was, and forward the same again', async scenario => {
    const { world } = await playScenario(scenario, START);
    const { seen, stepper } = goThrough(recordingOf(world, 50));
    expect(seen.length).toBeGreaterThan(15);
    expect(stepper.steps.at(-1)?.knowledge).toBe('inferred');
    expect(stepper.state.knowledge).toBe('inferred');
  });

  test.each(Array.from({ length: GRAPHS }, (_, seed) => seed + 1))(
    'random graph %i: the same',
    async seed => {
      const { world } = await playScenario(randomGraph(seed), START);
      const { stepper, seen } = goThrough(recordingOf(world, seed % 2 === 0 ? 7 : 1e9));
      const fresh = new InferredCollector(stepper.view);
      expect(fresh.state(stepper.moment)).toEqual(seen.at(-1)?.state);
    },
  );

  test.each([1, 2, 3, 4])(
    'goes to any number of steps before, with the one that led there (graph %i)',
    async seed => {
      const { world } = await playScenario(randomGraph(seed), START);
      const { seen, stepper } = goThrough(recordingOf(world, 7));
      const random = new Random(seed);
      const last = seen.length - 1;
      for (let round = 0; round < 30; round++) {
        const count = random.below(seen.length);
        stepper.goTo(count);
        expect(look(stepper), `to ${count} of ${last}`).toEqual(seen[count]);
        expect(stepper.steps.at(-1)?.n).toBe(count === 0 ? undefined : count);
        while (stepper.count < last) stepper.next();
        expect(look(stepper)).toEqual(seen[last]);
      }
    },
  );

  test('begins at any moment, and goes back before it', async () => {
    const { world } = await playScenario(randomGraph(3), START);
    const history = new RecordingHistory(recordingOf(world, 10));
    const whole = new RecordedStepper(history, START);
    while (whole.next() !== undefined);
    const stepper = new RecordedStepper(history, history.to);
    expect(look(stepper)).toEqual(look(whole));
    expect(stepper.next()).toBeUndefined();
    let steps = 0;
    while (stepper.back()) steps += 1;
    expect(steps).toBeGreaterThan(10);
    expect(look(stepper)).toEqual(look(new RecordedStepper(history, START)));
  });

  test('remembers nothing of what is gone that it would not know by coming from elsewhere', () => {
    const [config] = builtInTypes.filter(({ kind }) => kind === 'ConfigMap');
    const widget = { ...builtInTypes[0], group: 'example.com', version: 'v1', apiVersion: 'example.com/v1' };
    const widgets = { ...widget, kind: 'Widget', resource: 'widgets', singular: 'widget' } as ResourceType;
    const uid = 'uid-of-a-widget' as Uid;
    const owner = objectJson.read(widgets, { metadata: { name: 'w', namespace: 'shop', uid } });
    const dependent = made('ConfigMap', {
      metadata: {
        name: 'held',
        namespace: 'shop',
        uid: 'uid-of-held',
        resourceVersion: '1',
        ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid }],
      },
    });
    if (owner === undefined || config === undefined) throw new Error('no such kind');
    const statuses = [config, widgets].map(type => ({
      type,
      state: 'synced' as const,
      count: 0,
      facts: true,
    }));
    const file = new RecordingFile(
      fileOf(
        recorded([
          { at: 0, batch: { changes: [], types: [config, widgets], statuses } },
          { at: 100, batch: { changes: [{ op: 'upsert', object: owner }] } },
          { at: 200, batch: { changes: [{ op: 'upsert', object: dependent }] } },
          { at: 300, batch: { changes: [{ op: 'delete', uid, type: widgets }] } },
          { at: 400, batch: { changes: [], types: [config] } },
          {
            at: 9_000,
            batch: { changes: [{ op: 'upsert', object: dependent.with({ labels: ['a', 'b'] }) }] },
          },
        ]),
      ),
    );
    const { stepper } = goThrough(file);
    expect(stepper.state.queues[1]).toMatchObject({
      items: [],
      backingOff: [{ object: { name: 'w' }, virtual: true }],
    });
  });

  test('stops where it is told to', async () => {
    const { world } = await playScenario(randomGraph(5), START);
    const stepper = new RecordedStepper(new RecordingHistory(recordingOf(world, 10)), START);
    const step = stepper.runTo(({ work }) => work.of === 'event' && work.event === 'deleted');
    expect(step?.branches).toContain('NodeRemoved');
    expect(stepper.runTo(() => false)).toBeUndefined();
  });
});

describe('what is inferred of the collector', () => {
  test.each(Array.from({ length: GRAPHS }, (_, seed) => 3 * seed + 2))(
    'random graph %i: at rest after a restart it has nothing to do but what it fails at',
    async seed => {
      const { steps, ...rest } = randomScenario(seed, 'restarted');
      const scenario = { ...rest, steps: [{ create: graphDefinitions }, ...steps, 'settle' as const] };
      const { world } = await playScenario(scenario, START);
      const { cluster } = world;
      const view = new ClusterView();
      const types = [...cluster.discovery.known];
      view.apply(
        {
          types,
          statuses: types
            .filter(ResourceType.isMonitored)
            .map(type => ({ type, state: 'synced' as const, count: 0, facts: true })),
          connection: { state: 'live' },
          changes: [...cluster.store.all()]
            .filter(({ type }) => ResourceType.isMonitored(type))
            .map(object => ({ op: 'upsert' as const, object })),
        },
        START,
      );
      const inferred = new InferredCollector(view).state(START);
      const told = (of: CollectorState): readonly string[] =>
        of.queues.flatMap(({ backingOff }) => backingOff.map(({ object }) => object.uid));
      for (const { name, items } of inferred.queues) expect([name, items]).toEqual([name, []]);
      const failing = new Set(told(cluster.collectorState));
      expect(told(inferred).filter(uid => !failing.has(uid as never))).toEqual([]);
    },
  );
});

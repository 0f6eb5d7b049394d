import { describe, expect, test } from 'vitest';
import type { CollectorState } from '../../../src/collector/state.ts';
import type { CollectorStep } from '../../../src/collector/step.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { isMonitored } from '../../../src/model/types/resource-type.ts';
import { type DemoSource, openDemo } from '../../../src/source/demo/demo-source.ts';
import { LiveSteps, playScenario } from '../../../src/source/demo/play-scenario.ts';
import { readScenario, scenarioNames } from '../../../src/source/demo/scenarios.ts';

const START = Date.parse('2027-03-01T10:00:00Z');

class Demo {
  readonly view = new ClusterView();
  readonly source: DemoSource;
  time = START;
  #tick: () => void = () => {};

  constructor(name: string) {
    this.source = openDemo(name, {
      now: () => this.time,
      every: (_milliseconds, callback) => {
        this.#tick = callback;
        return () => {};
      },
    });
  }

  async start(): Promise<this> {
    await this.source.start(batch => this.view.apply(batch, this.time));
    await this.source.graphComplete;
    return this;
  }

  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      this.time += 500;
      this.#tick();
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  get stepping() {
    const { stepping } = this.source;
    if (stepping === undefined) throw new Error('not played yet');
    return stepping;
  }

  /** Objects as who listens knows them, and as they are. */
  get known(): readonly [told: readonly string[], stored: readonly string[]] {
    const told = [...this.view.graph.nodes()].flatMap(({ object }) => object ?? []);
    const stored = [...(this.source.cluster?.store.all() ?? [])].filter(({ type }) => isMonitored(type));
    const lines = (objects: typeof told): string[] =>
      objects.map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`).sort();
    return [lines(told), lines(stored)];
  }
}

const isItem = ({ work }: CollectorStep): boolean => work.of === 'item';

describe('a demo that is stepped through', () => {
  test('stands still, takes its steps one by one, and tells what changes', async () => {
    const demo = await new Demo('how-the-collector-works').start();
    await demo.pass(14_000);
    const step = await demo.stepping.runTo(isItem);
    expect(step?.work).toMatchObject({ of: 'item', queue: expect.any(String) });
    const at = demo.source.cluster?.clock.now;
    await demo.pass(60_000);
    expect([demo.source.paused, demo.source.cluster?.clock.now]).toEqual([true, at]);
    for (let i = 0; i < 30; i++) {
      await demo.stepping.runTo(() => true);
      const [told, stored] = demo.known;
      expect(told).toEqual(stored);
    }
  });

  test.each(scenarioNames())('%s: goes back to exactly what was, and says so to who listens', async name => {
    const demo = await new Demo(name).start();
    await demo.pass(20_000);
    const seen: { position: number; state: CollectorState; stored: readonly string[] }[] = [];
    const look = () => ({
      position: demo.stepping.position,
      state: demo.stepping.state,
      stored: demo.known[1],
    });
    for (let i = 0; i < 25; i++) {
      await demo.stepping.runTo(() => true);
      seen.push(look());
    }
    for (const expected of [seen[20], seen[11], seen[3], seen[0]]) {
      await demo.stepping.restore(expected?.position ?? 0);
      expect(look()).toEqual(expected);
      const [told, stored] = demo.known;
      expect(told).toEqual(stored);
    }
    for (const expected of seen.slice(1)) {
      await demo.stepping.runTo(() => true);
      expect(look()).toEqual(expected);
    }
  });

  test('a request in between is told at once, and undone by going back before it', async () => {
    const demo = await new Demo('policies-side-by-side').start();
    demo.source.pause();
    const { count } = demo.stepping;
    const path = '/api/v1/namespaces/shop/configmaps/release-41';
    const isThere = () => [...demo.view.graph.nodes()].some(({ object }) => object?.name === 'release-41');
    await demo.source.act({
      method: 'DELETE',
      path,
      contentType: 'application/json',
      body: { propagationPolicy: 'Background' },
    });
    expect([isThere(), demo.stepping.steps.at(-1)?.actor]).toEqual([false, 'user']);
    const decided = await demo.stepping.runTo(({ branches }) => branches.includes('DeleteBackground'));
    expect(decided?.lookUps.some(({ object }) => object.name === 'release-41')).toBe(true);
    const later = demo.stepping.count;
    const after = demo.stepping.state;
    await demo.stepping.goTo(later - 1);
    await demo.stepping.runTo(() => true);
    expect(demo.stepping.state).toEqual(after);
    await demo.stepping.goTo(count);
    expect(isThere()).toBe(true);
    // Nothing that was undone comes again.
    await demo.stepping.runTo(() => false);
    expect(isThere()).toBe(true);
  });

  test('goes on from where it stands once it is resumed, by a clock of its own', async () => {
    const demo = await new Demo('how-the-collector-works').start();
    await demo.pass(2_000);
    await demo.stepping.runTo(isItem);
    const at = demo.source.cluster?.clock.now ?? 0;
    expect(at).toBeGreaterThan(demo.time);
    expect(demo.source.info.clockOffset).toBe(at - demo.time);
    demo.time += 1_000_000;
    demo.source.resume();
    await demo.pass(5_000);
    expect([demo.source.paused, demo.source.cluster?.clock.now]).toEqual([false, at + 5_000]);
    expect(demo.source.info.clockOffset).toBe(at + 5_000 - demo.time);
  });

  test('running to what never comes ends, of a scenario that goes on for ever, too', async () => {
    const endless = await new Demo('shop').start();
    expect(await endless.stepping.runTo(() => false)).toBeUndefined();
    expect([endless.stepping.ended, endless.stepping.count > 50]).toEqual([false, true]);
    const still = await new Demo('policies-side-by-side').start();
    expect(await still.stepping.runTo(() => false)).toBeUndefined();
    expect(still.stepping.ended).toBe(true);
  });

  test('is made anew in a moment after an hour, of which only what happened is kept', async () => {
    const demo = await new Demo('policies-side-by-side').start();
    await demo.pass(1_000);
    const [first, state] = [demo.stepping.position, demo.stepping.state];
    await demo.pass(3_600_000);
    const moves = demo.stepping.position - first;
    // PodGC looks every 20 seconds, and time passes between two looks.
    expect(moves).toBeGreaterThan(180);
    expect(moves).toBeLessThan(2_000);
    await demo.stepping.restore(first);
    expect(demo.stepping.state).toEqual(state);
  });

  test('lives as one that nobody can step through', async () => {
    const demo = await new Demo('shop').start();
    await demo.pass(120_000);
    const { world, player } = await playScenario(await readScenario('shop'), START);
    const live = new LiveSteps((await readScenario('shop')).live ?? [], player, world);
    for (let passed = 500; passed <= 120_000; passed += 500) await live.advance(START + passed);
    const log = (cluster = demo.source.cluster) =>
      cluster?.api.log.entries.map(({ at, actor, verb, name, status }) =>
        [at, actor, verb, name, status].join(' '),
      );
    expect(log()).toEqual(log(world.cluster));
  });
});

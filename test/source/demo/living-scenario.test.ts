import { expect, test } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
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
}

test.each(scenarioNames())('%s: a stepper goes back to exactly what was', async name => {
  const stepper = await new Demo(name).source.openStepper();
  const look = () => ({
    count: stepper.count,
    state: stepper.state,
    stored: [...stepper.cluster.store.all()].map(({ uid, resourceVersion }) => `${uid} ${resourceVersion}`),
  });
  const seen = [look()];
  for (let i = 0; i < 25; i++) {
    await stepper.runTo(() => true);
    seen.push(look());
  }
  for (const at of [20, 11, 3, 0]) {
    await stepper.goTo(at);
    expect(look()).toEqual(seen[at]);
  }
  for (const expected of seen.slice(1)) {
    await stepper.runTo(() => true);
    expect(look()).toEqual(expected);
  }
});

test('a demo lives as its scenario says', async () => {
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

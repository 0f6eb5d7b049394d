import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { type DemoClock, openDemo } from '../../../src/source/demo/demo-source.ts';
import { LiveSteps, playScenario } from '../../../src/source/demo/play-scenario.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';

const scenarios = await readScenarios();
const now = Date.parse('2027-03-01T10:00:00Z');

test('the default one comes first', () => {
  expect(scenarios.map(({ name }) => name)[0]).toBe('shop');
});

test('the documentation lists them all', () => {
  const page = readFileSync(new URL('../../../docs/scenarios.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.+?)(?:\. .*)? \|$/gmu)].map(([, name, title]) => [
    name,
    title,
  ]);
  const listed = Object.fromEntries(rows.slice(0, scenarios.length));
  expect(listed).toEqual(Object.fromEntries(scenarios.map(({ name, title }) => [name, title])));
});

describe.each(scenarios)('the scenario $name', scenario => {
  test('has a line and a paragraph for whoever chooses, and a namespace to start in', () => {
    expect(scenario.title.length).toBeLessThan(100);
    expect(scenario.about?.length ?? 0).toBeGreaterThan(100);
    expect(scenario.namespace).not.toBe(undefined);
  });

  test('ends now, and nothing in it is younger', async () => {
    const { world } = await playScenario(scenario, now);
    expect(world.now).toBe(now);
    const objects = [...world.cluster.store.all()];
    expect(Math.max(...objects.map(each => each.creationTimestamp))).toBeLessThanOrEqual(now);
    expect(objects.some(({ namespace }) => namespace === scenario.namespace)).toBe(true);
  });

  test('gives the same names and uids at each start, whenever that is', async () => {
    const identities = async (at: number): Promise<string[]> => {
      const { world } = await playScenario(scenario, at);
      return [...world.cluster.store.all()].map(({ type, name, uid }) => `${type.kind} ${name} ${uid}`);
    };
    const first = await identities(now);
    expect(await identities(now + 86_399_123)).toEqual(first);
    expect(new Set(first).size).toBe(first.length);
  });

  test('lives on for an hour without a fault, and stays as large as it is', async () => {
    let time = now;
    let tick: (() => void) | undefined;
    const clock: DemoClock = {
      now: () => time,
      every: (_milliseconds, callback) => {
        tick = callback;
        return () => {};
      },
    };
    const source = openDemo(scenario.name, clock);
    const batches: SourceBatch[] = [];
    await source.start(batch => batches.push(batch));
    await source.graphComplete;
    const size = (): number => [...(source.cluster?.store.all() ?? [])].length;
    const before = size();
    for (let second = 0; second < 3600; second += 2) {
      time += 2000;
      tick?.();
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(source.cluster?.clock.now).toBe(time);
    expect(size()).toBeLessThan(before + 12);
    await source.close();
  });

  test('goes on when somebody deletes the namespace that its story is in', async () => {
    const { player, world } = await playScenario(scenario, now);
    const live = new LiveSteps(scenario.live ?? [], player, world);
    const { namespace = '' } = scenario;
    await world.delete(
      { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace },
      { cascade: 'background' },
    );
    await live.advance(now + 600_000);
    expect(world.now).toBe(now + 600_000);
  });
});

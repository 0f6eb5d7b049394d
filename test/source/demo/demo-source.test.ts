import { describe, expect, test } from 'vitest';
import { Judgement, OwnerStatus } from '../../../src/collector/verdict.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { type DemoClock, type DemoSource, openDemo } from '../../../src/source/demo/demo-source.ts';
import { SourceError } from '../../../src/source/source.ts';

class Clock implements DemoClock {
  time = Date.parse('2027-03-01T10:00:00Z');
  #callback: (() => void) | undefined;

  now(): number {
    return this.time;
  }

  every(milliseconds: number, callback: () => void): () => void {
    this.#callback = () => {
      this.time += milliseconds;
      callback();
    };
    return () => {
      this.#callback = undefined;
    };
  }

  get running(): boolean {
    return this.#callback !== undefined;
  }

  /** As many times as it calls, what follows from a call included. */
  async tick(times = 1): Promise<void> {
    for (let i = 0; i < times; i += 1) {
      this.#callback?.();
      await new Promise(resolve => setImmediate(resolve));
    }
  }
}

interface Demo {
  readonly source: DemoSource;
  readonly clock: Clock;
  readonly view: ClusterView;
  readonly batches: SourceBatch[];
}

async function started(): Promise<Demo> {
  const clock = new Clock();
  const source = openDemo('shop', clock);
  const view = new ClusterView();
  const batches: SourceBatch[] = [];
  await source.start(batch => {
    batches.push(batch);
    view.apply(batch, 0);
  });
  await source.factsComplete;
  return { source, clock, view, batches };
}

function named(view: ClusterView, kind: string, name: string): GraphNode {
  for (const node of view.graph.nodes())
    if (node.identity.kind === kind && node.identity.name === name) return node;
  throw new Error(`no ${kind} ${name}`);
}

/** Pods by the ReplicaSets of the Deployment. */
function pods(view: ClusterView): GraphNode[] {
  return [...named(view, 'Deployment', 'api').dependents]
    .filter(node => node.identity.kind === 'ReplicaSet')
    .flatMap(node => [...node.dependents]);
}

function isHealthy({ object }: GraphNode): boolean {
  return (
    object?.facts?.kind === 'Pod' &&
    object.facts.phase === 'Running' &&
    object.deletionTimestamp === undefined
  );
}

describe('the scenario shop', () => {
  test('is listed like a cluster: the catalogue first, then objects type by type, then complete', async () => {
    const { view, batches } = await started();
    expect(batches[0]?.types?.length).toBeGreaterThan(60);
    expect(batches[0]?.changes).toEqual([]);
    expect(view.complete).toBe(true);
  });

  test('shows its moment as now, whenever it is started', async () => {
    const { view, clock } = await started();
    const web = named(view, 'StatefulSet', 'web').object;
    const minutes = (clock.time - (web?.deletionTimestamp ?? 0)) / 60_000;
    expect(Math.floor(minutes)).toBe(12);
    const times = [...view.graph.nodes()].map(({ object }) => object?.creationTimestamp ?? 0);
    expect(Math.max(...times)).toBeLessThanOrEqual(clock.time);
  });

  test('has one stuck deletion, and a pod that a silent node keeps', async () => {
    const { view, clock } = await started();
    expect(Judgement.of(view, named(view, 'StatefulSet', 'web')).verdict).toBe('WaitForDependents');
    expect(named(view, 'Pod', 'web-2').object?.finalizers).toEqual(['example.com/drain']);
    const lost = named(view, 'Pod', 'stock-import').object;
    expect(lost?.deletionTimestamp).toBeLessThan(clock.time);
    expect(lost?.facts).toMatchObject({ nodeName: 'node-3', readyContainers: 0 });
  });

  test.each([
    ['ConfigMap', 'legacy-settings', ['Absent', 'Unresolvable']],
    ['ConfigMap', 'api-cache', ['Mismatched']],
    ['Secret', 'cert-tmp', ['OtherNamespace', 'Unresolvable']],
    ['ClusterRole', 'read-all', ['ClusterScopeViolation']],
    ['ConfigMap', 'widget-theme', ['Unresolvable']],
    ['Pod', 'web-2', ['WaitingForDependents']],
    ['Secret', 'orders-credentials', ['Solid']],
  ])('%s %s: its owner is %j', async (kind, name, statuses) => {
    const { view } = await started();
    const node = named(view, kind, name);
    expect(node.owners.map(reference => OwnerStatus.of(view, node, reference))).toEqual(statuses);
  });

  test('has a cycle, an object that owns itself and one with two owners', async () => {
    const { view } = await started();
    expect([...named(view, 'ConfigMap', 'hen').dependents]).toEqual([named(view, 'ConfigMap', 'egg')]);
    expect([...named(view, 'ConfigMap', 'egg').dependents]).toEqual([named(view, 'ConfigMap', 'hen')]);
    const self = named(view, 'ConfigMap', 'ouroboros');
    expect([...self.dependents]).toEqual([self]);
    expect(named(view, 'ConfigMap', 'report-result').owners.length).toBe(2);
  });

  test('every object is fetched as JSON that says what the object says', async () => {
    const { source, view } = await started();
    let count = 0;
    for (const { object } of view.graph.nodes()) {
      if (object === undefined) continue;
      const json = await source.get(object.type, object.namespace, object.name);
      expect(json).toMatchObject({ apiVersion: object.type.apiVersion, kind: object.type.kind });
      expect(objectJson.read(object.type, json ?? {})).toEqual(object);
      count += 1;
    }
    expect(count).toBeGreaterThan(30);
  });

  test('what it was made from is there as well, and what is not there is none', async () => {
    const { source, view } = await started();
    const set = named(view, 'StatefulSet', 'web').object;
    const pod = pods(view)[0]?.object;
    if (set === undefined || pod === undefined) throw new Error('not there');
    expect(await source.get(set.type, 'shop', 'web')).toMatchObject({ spec: { serviceName: 'web' } });
    expect(await source.get(pod.type, 'shop', pod.name)).toMatchObject({
      spec: { containers: [{ image: 'example.com/api:4' }], nodeName: expect.stringMatching(/^node-[12]$/u) },
    });
    expect(await source.get(set.type, 'infra', 'web')).toBeUndefined();
  });
});

describe('its life', () => {
  test('replaces pods and rolls, and always comes back to three running ones', async () => {
    const { view, clock } = await started();
    const seen = new Set(pods(view).map(node => node.identity.name));
    let quiet = 0;
    // Half an hour.
    for (let i = 0; i < 1800; i += 1) {
      await clock.tick(4);
      const now = pods(view);
      for (const node of now) seen.add(node.identity.name);
      const healthy = now.filter(isHealthy);
      expect(healthy.length).toBeGreaterThanOrEqual(2);
      if (now.length === 3 && healthy.length === 3) quiet += 1;
    }
    expect(seen.size).toBeGreaterThan(30);
    expect(quiet).toBeGreaterThan(20);
    // It rolls to and fro between a few releases: the screen of a day is no longer than that of a minute.
    expect(named(view, 'Deployment', 'api').dependents.size).toBeLessThan(8);
    // What hangs goes on hanging.
    expect(named(view, 'StatefulSet', 'web').object?.finalizers).toEqual(['foregroundDeletion']);
  });

  test('is the same at each start', async () => {
    const [first, second] = [await started(), await started()];
    await first.clock.tick(200);
    await second.clock.tick(200);
    expect(JSON.stringify(first.batches)).toBe(JSON.stringify(second.batches));
  });

  test('tells what is done to the cluster by somebody else', async () => {
    const { source, view, clock } = await started();
    const pod = named(view, 'Pod', 'web-2').object;
    if (pod === undefined) throw new Error('no pod');
    source.cluster?.as('user').patch(pod, { finalizers: [] });
    await clock.tick(8);
    expect(() => named(view, 'Pod', 'web-2')).toThrow('no Pod web-2');
    expect(() => named(view, 'StatefulSet', 'web')).toThrow('no StatefulSet web');
  });

  test('ends when the source is closed', async () => {
    const { source, clock } = await started();
    expect(clock.running).toBe(true);
    await source.close();
    expect(clock.running).toBe(false);
  });
});

test('a scenario that there is not is refused with the names of those that there are', () => {
  expect(() => openDemo('nope')).toThrow(SourceError);
  expect(() => openDemo('nope')).toThrow(/^no scenario "nope". Scenarios: shop\b.*\.$/u);
});

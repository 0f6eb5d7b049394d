import { describe, expect, test } from 'vitest';
import { ownerStatus, verdict } from '../../src/collector/verdict.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { GraphNode } from '../../src/graph/node.ts';
import type { SourceBatch } from '../../src/model/changes.ts';
import { type DemoClock, type DemoSource, openDemo } from '../../src/source/demo/demo-source.ts';
import { SourceError } from '../../src/source/source.ts';

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

  tick(times = 1): void {
    for (let i = 0; i < times; i += 1) this.#callback?.();
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
    view.apply(batch);
  });
  await source.factsComplete;
  return { source, clock, view, batches };
}

function named(view: ClusterView, kind: string, name: string): GraphNode {
  for (const node of view.graph.nodes())
    if (node.identity.kind === kind && node.identity.name === name) return node;
  throw new Error(`no ${kind} ${name}`);
}

/** Ready pods by the ReplicaSets of the Deployment. */
function pods(view: ClusterView): GraphNode[] {
  return [...named(view, 'Deployment', 'api').dependents]
    .filter(node => node.identity.kind === 'ReplicaSet')
    .flatMap(node => [...node.dependents]);
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
    expect(clock.time - (web?.deletionTimestamp ?? 0)).toBe(12 * 60_000);
  });

  test('has one stuck deletion', async () => {
    const { view } = await started();
    expect(verdict(view, named(view, 'StatefulSet', 'web')).verdict).toBe('WaitForDependents');
    expect(named(view, 'Pod', 'web-2').object?.finalizers).toEqual(['example.com/drain']);
  });

  test.each([
    ['ConfigMap', 'legacy-settings', 'Absent'],
    ['ConfigMap', 'api-cache', 'Mismatched'],
    ['Secret', 'cert-tmp', 'OtherNamespace'],
    ['ClusterRole', 'read-all', 'ClusterScopeViolation'],
    ['ConfigMap', 'widget-theme', 'Unresolvable'],
    ['ControllerRevision', 'web-6985bf7774', 'WaitingForDependents'],
    ['Secret', 'orders-credentials', 'Solid'],
  ])('%s %s: its owner is %s', async (kind, name, status) => {
    const { view } = await started();
    const node = named(view, kind, name);
    expect(node.owners.map(reference => ownerStatus(view, node, reference))).toEqual([status]);
  });

  test('has a cycle, an object that owns itself and a pod with two owners', async () => {
    const { view } = await started();
    expect([...named(view, 'ConfigMap', 'hen').dependents]).toEqual([named(view, 'ConfigMap', 'egg')]);
    expect([...named(view, 'ConfigMap', 'egg').dependents]).toEqual([named(view, 'ConfigMap', 'hen')]);
    const self = named(view, 'ConfigMap', 'ouroboros');
    expect([...self.dependents]).toEqual([self]);
    expect(named(view, 'Pod', 'report-29412720-c8d2x').owners.length).toBe(2);
  });

  test('an object can be fetched as JSON, and one that is not there is none', async () => {
    const { source, view } = await started();
    const type = named(view, 'StatefulSet', 'web').object?.type;
    if (type === undefined) throw new Error('no type');
    expect(await source.get(type, 'shop', 'web')).toMatchObject({
      kind: 'StatefulSet',
      metadata: { name: 'web' },
    });
    expect(await source.get(type, 'infra', 'web')).toBeUndefined();
  });
});

describe('its life', () => {
  test('replaces pods and rolls, and always comes back to three running ones', async () => {
    const { view, clock } = await started();
    const seen = new Set(pods(view).map(node => node.identity.name));
    let quiet = 0;
    for (let i = 0; i < 300; i += 1) {
      clock.tick();
      const now = pods(view);
      for (const node of now) seen.add(node.identity.name);
      const healthy = now.filter(
        ({ object }) =>
          object?.facts?.kind === 'Pod' &&
          object.facts.phase === 'Running' &&
          object.deletionTimestamp === undefined,
      );
      expect(healthy.length).toBeGreaterThanOrEqual(2);
      if (now.length === 3 && healthy.length === 3) quiet += 1;
    }
    expect(seen.size).toBeGreaterThan(30);
    expect(quiet).toBeGreaterThan(20);
    // Old ReplicaSets are cleaned up: the screen of a day is no longer than that of a minute.
    expect(named(view, 'Deployment', 'api').dependents.size).toBeLessThan(8);
  });

  test('is the same at each start', async () => {
    const [first, second] = [await started(), await started()];
    first.clock.tick(50);
    second.clock.tick(50);
    expect(JSON.stringify(first.batches)).toBe(JSON.stringify(second.batches));
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
  expect(() => openDemo('nope')).toThrow('no scenario "nope". Scenarios: shop.');
});

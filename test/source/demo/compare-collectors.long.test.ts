import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { collectorChanges } from '../../../src/simulation/collector/first/departures.ts';
import type { CollectorComparison } from '../../../src/simulation/comparison/compare-runs.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { Stepper } from '../../../src/simulation/stepping/stepper.ts';
import { compareCollectors } from '../../../src/source/demo/compare-collectors.ts';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import { playScenario } from '../../../src/source/demo/play-scenario.ts';
import { steppedScenario } from '../../../src/source/demo/scenario-world.ts';
import { readScenario, scenarioNames } from '../../../src/source/demo/scenarios.ts';
import { SourceError } from '../../../src/source/source.ts';
import { branchWords } from '../../../src/text/collector/branches.ts';
import { endWords } from '../../../src/text/vintage/comparison.ts';
import { graphDefinitions, modes, randomScenario } from '../../conformance/fuzz/random-graphs.ts';

/** `GC_TREE_VINTAGE_WORLDS=2000` tries more of them. */
const WORLDS = Number(process.env['GC_TREE_VINTAGE_WORLDS'] ?? 60);
const NOW = Date.UTC(2026, 10, 21, 12);

/** `ConfigMap shop/a: deleted | left, owned by ConfigMap b (Code)`. */
function shown({ objects }: CollectorComparison): string[] {
  return objects.map(({ object: { kind, namespace, name }, first, today, because }) => {
    // Without what a controller makes up.
    const shortName = kind === 'Pod' ? name.replace(/(?:-[a-z0-9]{10})?-[a-z0-9]{5}$/u, '') : name;
    const place = namespace === '' ? name : `${namespace}/${shortName}`;
    return `${kind} ${place}: ${endWords(first)} | ${endWords(today)} (${because.join(', ')})`;
  });
}

function compared(steps: string, more = ''): Promise<CollectorComparison> {
  const text = `title: a test\n${more}steps:\n${steps}`;
  const [scenario] = parseScenarios(text, 'test.yaml');
  if (scenario === undefined) throw new Error('no scenario');
  return compareCollectors(scenario, NOW);
}

describe('the scenario of their differences', () => {
  test('each of them shows, with its reason', async () => {
    const comparison = await compareCollectors(await readScenario('two-collectors'), NOW);
    expect(shown(comparison)).toEqual([
      'ClusterRole tenant: deleted by the collector | left, owned by ConfigMap platform (NamespacedOwner)',
      'ConfigMap infra/platform-cache: deleted by the collector | left, owned by ConfigMap platform (AbsentByUid)',
      'ConfigMap shop/archive: deleted | stuck: held by example.com/shred (LostFinalizers)',
      'ConfigMap shop/carousel-images: left, owned by Widget carousel | deleted by the collector (CustomResources)',
      'ConfigMap shop/offers: left, owned by ConfigMap season, ConfigMap prices | left, owned by ConfigMap prices (DanglingReferences)',
      'ConfigMap shop/operator-settings: deleted by the collector | left, owned by ClusterRole operator (ClusterScopedOwner)',
      'ConfigMap shop/rates-copy: left, owned by ConfigMap rates | deleted by the collector (UncheckedReference)',
      'ConfigMap shop/release-41: deleted | stuck: held by foregroundDeletion (ForegroundDeletion)',
      'Pod shop/web: orphaned | deleted (BackgroundCascade)',
      'Pod shop/workers: orphaned | deleted (DefaultPolicy)',
    ]);
  });

  test('no end is without a reason in any scenario', async () => {
    for (const name of scenarioNames()) {
      const { objects } = await compareCollectors(await readScenario(name), NOW);
      expect([name, objects.filter(({ because }) => because.length === 0)]).toEqual([name, []]);
    }
  });

  test('nor in random worlds', async () => {
    const bare: string[] = [];
    let differences = 0;
    for (let seed = 1; seed <= WORLDS; seed++) {
      const { steps, ...scenario } = randomScenario(seed, modes[seed % modes.length] ?? 'running');
      const defined = { ...scenario, steps: [{ create: graphDefinitions }, ...steps] };
      const found = await compareCollectors(defined, NOW).catch((error: unknown) => {
        // Some begin with finalizers that its API server refuses.
        if (!(error instanceof SourceError)) throw error;
      });
      for (const { object, because } of found?.objects ?? []) {
        differences++;
        if (because.length === 0) bare.push(`${seed}: ${object.kind} ${object.namespace}/${object.name}`);
      }
    }
    expect(bare).toEqual([]);
    expect(differences).toBeGreaterThan(WORLDS / 2);
  });

  test('every change has its files of both releases and where it was made', () => {
    for (const { reference, first, today, since } of Object.values(collectorChanges)) {
      expect(reference).toMatch(
        /^https:\/\/github\.com\/kubernetes\/kubernetes\/(?:pull\/\d+|blob\/v1\.\d+\.0\/.+\.go)$/u,
      );
      expect([first.length > 0, today.length > 0, /^1\.\d+(?:\.\d+)?$/u.test(since)]).toEqual([
        true,
        true,
        true,
      ]);
    }
  });
});

test('docs/collector.md has a row for each change', () => {
  const page = readFileSync(new URL('../../../docs/collector.md', import.meta.url), 'utf8');
  for (const [code, { since, reference }] of Object.entries(collectorChanges)) {
    const row = page.split('\n').find(line => line.startsWith(`| \`${code}\` | ${since} |`));
    expect([code, row?.includes(`(${reference})`)]).toEqual([code, true]);
  }
});

describe('what two histories are compared by', () => {
  const owner = `
      - apiVersion: v1
        kind: ConfigMap
        metadata: { name: owner, namespace: a }`;

  test('nothing differs where no difference is met', async () => {
    const comparison = await compared(`
  - controllerManager: start
  - create:${owner}
      - { apiVersion: v1, kind: Secret, metadata: { name: s, namespace: a, ownerReferences: [{ of: ConfigMap a/owner }] } }
  - delete: ConfigMap a/owner
    cascade: background
  - settle
`);
    expect([comparison.objects, comparison.changes]).toEqual([[], []]);
    expect(comparison.requests).toEqual({ first: { delete: 1 }, today: { delete: 1 } });
  });

  test('a dependent differs for the reason of its owner', async () => {
    const comparison = await compared(`
  - controllerManager: start
  - create:${owner}
      - apiVersion: v1
        kind: Secret
        metadata: { name: held, namespace: a, finalizers: [a.io/b], ownerReferences: [{ of: ConfigMap a/middle, blockOwnerDeletion: true }] }
      - apiVersion: v1
        kind: ConfigMap
        metadata: { name: middle, namespace: a, ownerReferences: [{ of: ConfigMap a/owner, blockOwnerDeletion: true }] }
  - settle
  - delete: ConfigMap a/owner
    cascade: foreground
  - settle
`);
    expect(shown(comparison)).toEqual([
      'ConfigMap a/middle: deleted by the collector | stuck: held by foregroundDeletion (ForegroundDeletion)',
      'ConfigMap a/owner: deleted | stuck: held by foregroundDeletion (ForegroundDeletion)',
    ]);
  });

  test('the pods of a Job are orphaned today, where nothing is said of them', async () => {
    const comparison = await compared(`
  - controllerManager: start
  - create:
      - apiVersion: batch/v1
        kind: Job
        metadata: { name: job, namespace: a }
      - apiVersion: v1
        kind: Secret
        metadata: { name: result, namespace: a, ownerReferences: [{ of: Job a/job }] }
  - settle
  - delete: Job a/job
    cascade: default
  - settle
`);
    expect(shown(comparison)).toContain('Secret a/result: deleted by the collector | orphaned (JobPolicy)');
  });

  test('a change that no end shows is named without objects', async () => {
    const comparison = await compared(`
  - controllerManager: start
  - create:${owner}
  - delete: ConfigMap a/owner
    cascade: foreground
  - settle
`);
    expect(comparison.changes).toEqual([{ code: 'ForegroundDeletion', objects: [] }]);
  });

  test('a finalizer that 1.5 refuses is an error that names it', async () => {
    const steps = `
  - create:
      - { apiVersion: v1, kind: Secret, metadata: { name: s, namespace: a, finalizers: [foregroundDeletion] } }
`;
    await expect(compared(steps)).rejects.toThrow(
      'with the collector of 1.5 the scenario cannot be played: Secret a/s could not be made: 422.',
    );
  });
});

describe('stepping through the first collector', () => {
  test('ends as running it does', async () => {
    const scenario = await readScenario('two-collectors');
    const settings = { collector: '1.5' } as const;
    const { world } = await playScenario(scenario, NOW, settings);
    const stepper = await Stepper.begin(await steppedScenario(scenario, NOW, settings));
    while ((await stepper.runTo(() => false)) !== undefined);
    expect(requestsOf(stepper.cluster)).toEqual(requestsOf(world.cluster));
    const queues = new Set(stepper.steps.flatMap(({ work }) => (work.of === 'item' ? [work.queue] : [])));
    expect([...queues].sort()).toEqual(['dirtyQueue', 'orphanQueue']);
    const { state } = stepper;
    expect(state).toMatchObject({ version: '1.5', running: true });
  });

  test('and says of each decision what it means, without a section that is about today', async () => {
    const stepper = await Stepper.begin(
      await steppedScenario(await readScenario('two-collectors'), NOW, { collector: '1.5' }),
    );
    const step = await stepper.runTo(({ branches }) => branches.includes('DeleteByDefault'));
    const told = step === undefined ? [] : branchWords.step(step);
    expect(told).toEqual([
      'No owner holds it: owner ConfigMap platform is absent. It is deleted, and no policy is named: what becomes of its dependents is up to the API server.',
    ]);
    expect(step && branchWords.section('DeleteByDefault', step)).toBeUndefined();
  });
});

function requestsOf({ api }: SimulatedCluster): string[] {
  return api.log.entries.map(({ at, actor, verb, type, namespace, name, status }) =>
    [at, actor, verb, type.kind, namespace, name, status].join(' '),
  );
}

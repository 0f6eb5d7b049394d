/**
 * `plan drain` beside the real `kubectl drain`, on random nodes: what kubectl refuses, evicts, waits for and leaves, and
 * if it completes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { KubectlFailed } from '../../harness/kubectl.ts';
import { eventually, PATIENCE_MS, PATIENTLY } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { type DrainWorld, drainWorld, TAINT } from './drain-world.ts';

const WORLDS = Number(process.env['GC_TREE_DRAINS'] ?? 40);
const FIRST_SEED = Number(process.env['GC_TREE_DRAINS_SEED'] ?? 1);
/** Worlds drained at the same time. */
const TOGETHER = 20;
/** Without a change for so long nothing is on its way. */
const QUIET_MS = 3000;

interface Live {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
  };
}

interface Drained {
  readonly code: number;
  readonly output: string;
}

/** The names that kubectl prints: `evicting pod drain-1/api-0`. */
function evicting(output: string): string[] {
  const names = [...output.matchAll(/^evicting pod (\S+)/gmu)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}

/** The pods of `cannot delete Pods …: drain-1/bare-0, drain-1/bare-1`. */
function blocking(output: string): string[] {
  const lists = [...output.matchAll(/cannot delete [^:]*: ([^,\s]+\/[^,\s\]]+(?:, [^,\s]+\/[^,\s\]]+)*)/gu)];
  // It repeats them at the end.
  return [...new Set(lists.flatMap(([, list = '']) => list.split(', ')))].sort();
}

function named({ drainedPods = [] }: Plan, ...fates: readonly string[]): string[] {
  return drainedPods
    .filter(({ fate }) => fates.includes(fate))
    .map(({ pod }) => `${pod.namespace}/${pod.name}`)
    .sort();
}

/** A dry run takes nothing off a budget, so that one which allows any eviction refuses none. */
function isRefused({ drainedPods = [] }: Plan): boolean {
  return drainedPods.some(
    ({ fate, isContended }) =>
      fate === 'Blocks' || (isContended !== true && (fate === 'Waits' || fate === 'Refused')),
  );
}

function completes({ outcome }: Plan): boolean {
  return outcome === 'Completes' || outcome === 'NoChange';
}

describe('plan drain beside kubectl drain', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let worlds: readonly DrainWorld[];

  const list = async (path: string): Promise<readonly Live[]> =>
    (await cluster.api.json<{ readonly items: readonly Live[] }>({ path })).items;

  const status = (namespace: string, name: string, body: unknown): Promise<unknown> =>
    cluster.api.json({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { status: body },
    });

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: WORLDS + 1 });
    kubeconfig = await cluster.kubeconfig();
    const nodes = Array.from({ length: WORLDS }, (_, i) => `node-${i + 2}`);
    await cluster.kubectl(['taint', 'nodes', ...nodes, TAINT]);
    worlds = nodes.map((node, i) => drainWorld(FIRST_SEED + i, node, 'node-1'));
    await cluster.apply(worlds.map(({ yaml }) => yaml).join('\n---\n'));
    await eventually(async () => {
      const pods = await list('/api/v1/pods');
      expect(pods.filter(each => (each.status?.podIP ?? '') === '')).toEqual([]);
      // A controller may not have created all of them yet.
      const present = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
      const changed = worlds.flatMap(({ namespace, unready, finished, terminating }) =>
        [...unready, ...finished, ...terminating].map(name => `${namespace}/${name}`),
      );
      expect(changed.filter(each => !present.has(each))).toEqual([]);
    });
    for (const { namespace, unready, finished, terminating } of worlds) {
      const conditions = [{ type: 'Ready', status: 'False' }];
      await Promise.all([
        ...unready.map(name => status(namespace, name, { conditions })),
        ...finished.map(name => status(namespace, name, { phase: 'Succeeded', conditions })),
        ...terminating.map(name =>
          cluster.api.json({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods/${name}` }),
        ),
      ]);
    }
    let before = '';
    await eventually(async () => {
      const state = JSON.stringify([
        await list('/api/v1/pods'),
        await list('/apis/policy/v1/poddisruptionbudgets'),
      ]);
      const isQuiet = state === before;
      before = state;
      if (!isQuiet) await sleep(QUIET_MS);
      expect(isQuiet).toBe(true);
    });
  });
  afterAll(() => cluster?.stop());

  async function drain(world: DrainWorld, more: readonly string[]): Promise<Drained> {
    const args = ['drain', world.node, ...world.flags, ...more];
    try {
      return { code: 0, output: await cluster.kubectl(args) };
    } catch (error) {
      if (!(error instanceof KubectlFailed)) throw error;
      return { code: 1, output: `${error.output}\n${error.message}` };
    }
  }

  it(
    'forecasts what happens',
    async () => {
      const open = [...worlds];
      const outcomes: string[] = [];
      const different: string[] = [];
      const drainNext = async (): Promise<void> => {
        for (let world = open.shift(); world !== undefined; world = open.shift()) {
          const planned = await eventually(async () => {
            const words = ['plan', 'drain', world.node, ...world.flags, '-o', 'json'];
            const answer = await runTool(words, { kubeconfig });
            // The nodes stay unread if the API server is slow.
            expect(answer.code, answer.stderr).toBe(0);
            return answer;
          });
          const plan = JSON.parse(planned.stdout) as Plan;
          const before = await list(`/api/v1/namespaces/${world.namespace}/pods`);
          const isTried = open.length % 3 === 0 && !world.flags.includes('--disable-eviction');
          const tried = isTried
            ? await drain(world, ['--dry-run=server', isRefused(plan) ? '--timeout=2s' : PATIENTLY])
            : undefined;
          const done = await drain(world, [completes(plan) ? PATIENTLY : '--timeout=7s']);
          const after = await list(`/api/v1/namespaces/${world.namespace}/pods`);
          outcomes.push(plan.outcome);
          try {
            if (tried !== undefined) compareDryRun(plan, tried);
            compare(world, plan, { before, after, done });
          } catch (error) {
            different.push(error instanceof Error ? error.message : String(error));
          }
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, drainNext));
      expect(different.join('\n\n')).toBe('');
      expect(outcomes).toHaveLength(WORLDS);
    },
    3 * PATIENCE_MS,
  );

  function compareDryRun(plan: Plan, { code, output }: Drained): void {
    const about = `dry run of ${JSON.stringify(plan.drainedPods, undefined, 1)}\n${output}`;
    expect(evicting(output), about).toEqual(named(plan, 'Evicted', 'Waits', 'Refused'));
    expect(code, about).toBe(isRefused(plan) ? 1 : 0);
  }

  interface Happened {
    readonly before: readonly Live[];
    readonly after: readonly Live[];
    readonly done: Drained;
  }

  function compare(world: DrainWorld, plan: Plan, { before, after, done }: Happened): void {
    const about = `seed ${world.namespace} ${world.flags.join(' ')}\n${done.output}\n${JSON.stringify(plan.drainedPods, undefined, 1)}`;
    const pods = plan.drainedPods ?? [];
    expect(blocking(done.output), about).toEqual(named(plan, 'Blocks'));
    if (!world.flags.includes('--disable-eviction'))
      expect(evicting(done.output), about).toEqual(named(plan, 'Evicted', 'Waits', 'Refused'));
    const lives = (uid: string): Live | undefined => after.find(({ metadata }) => metadata.uid === uid);
    for (const { pod, fate, isContended } of pods) {
      const live = lives(pod.uid ?? '');
      const isGone = live === undefined || live.metadata.deletionTimestamp !== undefined;
      if (fate === 'Evicted') expect(isGone, `${pod.name} evicted: ${about}`).toBe(true);
      if (fate === 'Stays' || fate === 'Blocks' || (fate === 'Refused' && isContended !== true))
        expect(live?.metadata.deletionTimestamp, `${pod.name} ${fate}: ${about}`).toBe(
          before.find(({ metadata }) => metadata.uid === pod.uid)?.metadata.deletionTimestamp,
        );
      if (fate !== 'Evicted' && fate !== 'Waits' && isContended !== true)
        expect(live, `${pod.name} ${fate}: ${about}`).toBeDefined();
    }
    // Other pods stay.
    const listed = new Set(pods.map(({ pod }) => pod.uid));
    for (const { metadata, spec } of before)
      if (spec.nodeName === world.node && !listed.has(metadata.uid))
        expect(lives(metadata.uid)?.metadata.deletionTimestamp, `${metadata.name}: ${about}`).toBe(
          metadata.deletionTimestamp,
        );
    const isDone = done.code === 0;
    if (completes(plan)) expect(isDone, `completes: ${about}`).toBe(true);
    if (plan.outcome === 'Stuck' || plan.outcome === 'Refused')
      expect(isDone, `${plan.outcome}: ${about}`).toBe(false);
  }
});

/**
 * Scenarios sorted into batches that can run at once on one control plane, and the control planes for them: one that
 * was meddled with (nodes lost, an API without a backend, a webhook) is not used again.
 */
import { manifestsOf, needsOwnCluster, type Scenario } from '../../../src/source/demo/scenario.ts';
import { withOwnGroups } from './own-groups.ts';
import { type GatedKinds, type RunningPlane, startPlane } from './plane.ts';
import { type PlayedBatch, playBatch, signature } from './run.ts';

/** Something that is to be played, and the scenario of it. */
export interface Planned {
  readonly scenario: Scenario;
}

interface Batch<T extends Planned> {
  readonly runs: T[];
  /** The kind of control plane that it needs. */
  readonly plane: string;
  readonly meddles: boolean;
}

/** Seconds without a change that count as rest, unless a scenario says otherwise. */
const QUIET = 3;

/** Runs of one batch at most. */
const MOST = 120;

/** Felt by everything on a cluster. */
const everywhere: ReadonlySet<string> = new Set([
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

function batchesOf<T extends Planned>(runs: readonly T[]): readonly Batch<T>[] {
  const groups = new Map<string, Batch<T>[]>();
  for (const run of runs) {
    const { scenario } = run;
    const meddling = meddles(scenario);
    const key = JSON.stringify([signature(scenario), scenario.scheduler ?? true, meddling]);
    const batches = groups.get(key) ?? [];
    groups.set(key, batches);
    const most = manifestsOf(scenario)
      .values()
      .some(({ kind }) => everywhere.has(kind))
      ? 1
      : MOST;
    const batch = batches.find(each => each.runs.length < most);
    const plane = `${scenario.nodes ?? 0} ${scenario.scheduler ?? true}`;
    if (batch === undefined) batches.push({ runs: [run], plane, meddles: meddling });
    else batch.runs.push(run);
  }
  const all = [...groups.values()].flat();
  // First those that take long on a control plane of their own: the lanes end together.
  const alone = all.filter(each => each.meddles).sort((a, b) => restOf(b) - restOf(a));
  // Those on the same control plane in a row, so that few of them run at once.
  const others = all.filter(each => !each.meddles);
  return [...alone, ...others.sort((a, b) => (a.plane < b.plane ? -1 : a.plane > b.plane ? 1 : 0))];
}

/** About how many seconds a batch waits for rest, and for kubelets to count as silent. */
function restOf({ runs }: Batch<Planned>): number {
  const { steps = [], quiet = QUIET } = runs[0]?.scenario ?? {};
  const waits = steps.map(step => {
    if (step === 'settle') return quiet;
    return 'node' in step && step.node.state === 'stopped' ? 20 : 0;
  });
  return waits.reduce<number>((sum, each) => sum + each, quiet);
}

/** Runs that do the same to nodes at the same time don't disturb each other, but whoever comes after them. */
function meddles(scenario: Scenario): boolean {
  return needsOwnCluster(scenario) || isFelt(scenario);
}

function isFelt(scenario: Scenario): boolean {
  return [...manifestsOf(scenario).values()].some(({ kind }) => everywhere.has(kind));
}

interface Running {
  readonly plane: RunningPlane;
  readonly key: string;
  used: boolean;
}

/** Control planes at a time: much of a batch's time is waiting for rest. */
const LANES = 3;

type Use<T> = (played: PlayedBatch, runs: readonly T[], plane: RunningPlane) => Promise<void>;

/** Plays each batch and hands it over; `say` is told how far it is. */
export async function playAll<T extends Planned>(
  runs: readonly T[],
  use: Use<T>,
  {
    gated,
    say = () => {},
  }: { readonly gated?: GatedKinds | undefined; readonly say?: ((line: string) => void) | undefined } = {},
): Promise<void> {
  const batches = batchesOf(runs);
  const queue = batches.entries();
  const lane = async (): Promise<void> => {
    let running: Running | undefined;
    try {
      for (const [number, batch] of queue) {
        const began = Date.now();
        const { plane: key, meddles: meddling } = batch;
        if (running !== undefined && (running.key !== key || (meddling && running.used))) {
          await running.plane.stop();
          running = undefined;
        }
        running ??= { plane: await planeFor(batch, gated), key, used: false };
        running.used = true;
        await playOne(batch, `g${number}x`, running.plane, use);
        if (meddling) {
          await running.plane.stop();
          running = undefined;
        }
        say(
          `batch ${number + 1} of ${batches.length}: ${batch.runs.length} runs in ${Date.now() - began} ms`,
        );
      }
    } finally {
      await running?.plane.stop();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

function planeFor<T extends Planned>(batch: Batch<T>, gated: GatedKinds | undefined): Promise<RunningPlane> {
  const { nodes = 0, scheduler = true } = batch.runs[0]?.scenario ?? {};
  // One that is meddled with is made for that batch alone.
  return startPlane({ scheduler, nodes, kubeletsStop: batch.meddles, gated });
}

async function playOne<T extends Planned>(
  { runs }: Batch<T>,
  prefix: string,
  plane: RunningPlane,
  use: Use<T>,
): Promise<void> {
  const scenarios = runs.map(({ scenario }, index) => withOwnGroups(scenario, `${prefix}${index}`));
  const { quiet = QUIET } = scenarios[0] ?? {};
  await use(await playBatch(plane, scenarios, { prefix, quiet }), runs, plane);
}

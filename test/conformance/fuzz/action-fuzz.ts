/**
 * Actions on random graphs of a real control plane, most of them stuck: each is taken as command line and screen
 * take it, and what is left is compared with its forecast. A difference that the product itself reports is none.
 */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Intent } from '../../../src/actions/prepare/action-intent.ts';
import type { Prepared } from '../../../src/actions/prepare/prepare.ts';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import type { Forecast, TerminatingObject } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import { type Actor, openActor } from '../../cluster/actions/acting.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { judgeSimulated } from '../findings/judge-simulated.ts';
import { lineOf, ownFindings } from '../findings/judged.ts';
import {
  actualEnd,
  type DescribedEnd,
  type ForecastDifference,
  forecastEnd,
  unlike,
} from '../findings/remedy-end.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import { playAll } from '../real/batches.ts';
import { together } from '../real/run.ts';
import { randomScenario } from './random-graphs.ts';

/** Milliseconds until a difference counts as one: the collector's back-off can make the real end late. */
const PATIENCE = 120_000;

export interface ActionRun {
  readonly scenario: Scenario;
  /** Symbolic name of the target. */
  readonly target: string;
  readonly action:
    | { readonly verb: 'delete'; readonly cascade: Cascade }
    /** The remedy with this place among those of the finding. */
    | { readonly verb: 'unblock'; readonly finding: string; readonly index: number };
}

/**
 * - `alike`: forecast equals result.
 * - `reported`: they differ, and the action's own end says so.
 * - `refused`: nothing was done, and it says why.
 * - `untried`: the real graph gives no cause for it.
 * - `wrong`: they differ, and it says that they don't; or the other way round.
 */
export type Verdict = 'alike' | 'reported' | 'refused' | 'untried' | 'wrong';

export interface ActionResult {
  readonly run: ActionRun;
  readonly verdict: Verdict;
  readonly ended?: Ended['state'];
  readonly because?: string;
  readonly departures?: readonly string[];
  readonly differences: readonly ForecastDifference[];
}

export interface ActionFuzzOptions {
  /** Stuck graphs. */
  readonly graphs: number;
  readonly seed: number;
  readonly say?: (line: string) => void;
}

const cascades: readonly Cascade[] = ['background', 'foreground', 'orphan'];

/** Every action on the first so many graphs from this seed on that are stuck on the simulation. */
async function actionRuns({ graphs, seed }: ActionFuzzOptions): Promise<readonly ActionRun[]> {
  const runs: ActionRun[] = [];
  for (let found = 0, number = seed; found < graphs; number += 1) {
    const scenario = randomScenario(number, 'running');
    const { player, diagnosis } = await judgeSimulated(scenario);
    const findings = ownFindings(diagnosis, player);
    const remedies = findings.flatMap(finding => {
      const target = player.naming.made.get(finding.object.uid);
      return target === undefined
        ? []
        : finding
            .remedies()
            .filter(isApplicable)
            .map(({ risk }, index) => ({ finding, target, risk, index }));
    });
    const { graph } = diagnosis.tracked.view;
    const left = [...player.naming.made].filter(([uid]) => graph.get(uid as KubeObject['uid'])?.object);
    if (remedies.length === 0 || left.length === 0) continue;
    found += 1;
    for (const { finding, target, risk, index } of remedies) {
      if (risk === 'dangerous') continue;
      const action = { verb: 'unblock', finding: lineOf(finding, player), index } as const;
      runs.push({ scenario, target, action });
    }
    const random = new Random(number);
    for (const cascade of cascades) {
      const [, target] = left[random.below(left.length)] ?? [];
      if (target !== undefined) runs.push({ scenario, target, action: { verb: 'delete', cascade } });
    }
  }
  return runs;
}

export async function fuzzActions(options: ActionFuzzOptions): Promise<readonly ActionResult[]> {
  const { say = () => {} } = options;
  const runs = await actionRuns(options);
  say(`${runs.length} actions on ${options.graphs} graphs`);
  const results: ActionResult[] = [];
  await playAll(
    runs,
    async ({ players, settle }, planned, { cluster }) => {
      const folder = await mkdtemp(join(tmpdir(), 'gc-tree-journal-'));
      guardFolder(folder);
      const actor = await openActor({ kubeconfig: await cluster.kubeconfig(), folder });
      try {
        const diagnosis = diagnoseCluster(actor.view, Date.now());
        const taken = players.flatMap((player, index) => {
          const run = planned[index];
          const intent = run && intentOf(run, player, diagnosis);
          if (run !== undefined && intent === undefined)
            results.push({ run, verdict: 'untried', differences: [] });
          return run === undefined || intent === undefined ? [] : [{ run, player, intent }];
        });
        const done: Done[] = [];
        await together(taken, async ({ run, player, intent }) => {
          done.push({ run, player, ...(await take(actor, player, intent)) });
        });
        await settle();
        const found = await compared(actor, done);
        results.push(...found);
        for (const each of found) if (each.verdict !== 'alike') say(describe(each));
      } finally {
        await actor.close();
      }
    },
    { say },
  );
  return results;
}

function intentOf(
  { target, action }: ActionRun,
  player: PrefixedPlayer,
  diagnosis: Diagnosis,
): Intent | undefined {
  const { graph } = diagnosis.tracked.view;
  const [uid] = [...player.naming.made].find(([, name]) => name === target) ?? [];
  const object = graph.get(uid as KubeObject['uid'])?.object;
  if (object === undefined) return undefined;
  if (action.verb === 'delete') return { verb: 'delete', targets: [object], cascade: action.cascade };
  const finding = diagnosis.of(object.uid).find(each => lineOf(each, player) === action.finding);
  const id = finding?.remedies().filter(isApplicable)[action.index]?.id;
  const remedy = id === undefined ? undefined : offeredRemedies.byId(diagnosis, object, id);
  return remedy && { verb: 'unblock', target: object, remedy };
}

interface Taken {
  readonly ended: Ended;
  /** Undefined where nothing was sent. */
  readonly forecast: { readonly prepared: Prepared; readonly end: DescribedEnd } | undefined;
}

type Done = Taken & { readonly run: ActionRun; readonly player: PrefixedPlayer };

async function take(actor: Actor, player: PrefixedPlayer, intent: Intent): Promise<Taken> {
  let forecast: Taken['forecast'];
  const ended = await actor.act(actor.prepare(intent), {
    timeout: PATIENCE,
    tell: event => {
      if (event.event !== 'sending' || event.request > 0) return;
      const { prepared } = event;
      forecast = {
        prepared,
        end: forecastEnd(actor.view, withDeleting(prepared.forecast, actor.view), player),
      };
    },
  });
  return { ended, forecast };
}

/** What is being deleted where the action cannot meet it isn't told by its forecast, and stays so. */
function withDeleting(forecast: Forecast, { graph }: ClusterView): Forecast {
  const told = new Set([...forecast.deleted, ...forecast.terminating].map(({ object }) => object.uid));
  const others: TerminatingObject[] = [];
  for (const { object, identity } of graph.nodes()) {
    if (object?.deletionTimestamp === undefined || told.has(object.uid)) continue;
    others.push({
      object: identity,
      finalizers: object.finalizers,
      waitingFor: [],
      handlers: [],
      anyway: true,
    });
  }
  return { ...forecast, terminating: [...forecast.terminating, ...others] };
}

/** Again and again until nothing is wrong, or for as long as the collector may take. */
async function compared(actor: Actor, done: readonly Done[]): Promise<readonly ActionResult[]> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const results = done.map(each => judge(actor, each));
    if (results.every(({ verdict }) => verdict !== 'wrong') || Date.now() > deadline) return results;
    await sleep(1000);
  }
}

function judge({ view }: Actor, { run, player, ended, forecast }: Done): ActionResult {
  const { state, because } = ended;
  const departures = ended.departures.map(
    ({ object, expected, actual }) => `${object.name} ${expected}: ${actual}`,
  );
  const said = { run, ended: state, because, departures };
  if (ended.taken === 0 || forecast === undefined) {
    const isHonest = state === 'refused' || state === 'moot' || state === 'denied';
    return { ...said, verdict: isHonest ? 'refused' : 'wrong', differences: [] };
  }
  const { prepared, end } = forecast;
  const differences = unlike(end, actualEnd(view, player, end), prepared.forecast);
  if (state === 'reached')
    return { ...said, verdict: differences.length === 0 ? 'alike' : 'wrong', differences };
  return { ...said, verdict: differences.length > 0 ? 'reported' : 'wrong', differences };
}

function describe({ run, verdict, ended, because, departures = [], differences }: ActionResult): string {
  const { verb, ...how } = run.action;
  return [
    `${verdict}: ${run.scenario.title}: ${verb} ${run.target} ${Object.values(how).join(' ')}: ${ended ?? ''} (${because ?? ''})`,
    ...departures,
    ...differences.map(({ object, forecast, real }) => `${object}: forecast ${forecast}, real ${real}`),
  ].join('\n  ');
}

/** How many of each verdict. */
export function tally(results: readonly ActionResult[]): Readonly<Record<Verdict, number>> {
  const counts = { alike: 0, reported: 0, refused: 0, untried: 0, wrong: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

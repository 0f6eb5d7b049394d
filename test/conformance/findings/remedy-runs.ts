/**
 * Remedies on a real control plane, each in a run of its own: the forecast is made from the live objects, the requests
 * are sent as they are, and what is left is compared with the forecast, object by object.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Intent } from '../../../src/actions/prepare/action-intent.ts';
import { rebuiltOwner } from '../../../src/actions/prepare/rebuilt-owner.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { type Finding, isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { remedyEffect } from '../../../src/diagnosis/offers/remedy-effects.ts';
import type { ApplicableRemedy, Risk, UnblockAction } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { requestWords } from '../../../src/forecast/request-paths.ts';
import { ActRequest } from '../../../src/model/exchange/act.ts';
import { record, text } from '../../../src/model/json/json.ts';
import type { Uid } from '../../../src/model/object.ts';
import type { TypeCatalog } from '../../../src/model/types/type-catalog.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';
import type { ApiClient } from '../../harness/api-client.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';
import { playAll } from '../real/batches.ts';
import { ownView, readCluster } from '../real/live-view.ts';
import { together } from '../real/run.ts';
import { judgeSimulated } from './judge-simulated.ts';
import { lineOf, ownFindings, timeOf, waited } from './judged.ts';
import { actualEnd, type ForecastDifference, forecastEnd, unlike } from './remedy-end.ts';

/** Seconds until a difference counts as one. */
const PATIENCE = 240;

/** One remedy of one finding of one scenario. */
export interface RemedyRun {
  readonly scenario: Scenario;
  /** `Code Kind namespace/name`. */
  readonly finding: string;
  /** Which of the findings of its code and kind, by name: names that controllers make up differ between runs. */
  readonly place: number;
  /** Among the applicable remedies of the finding. */
  readonly index: number;
  /** Without uids, which differ between runs. */
  readonly remedy: string;
  readonly risk: Risk;
}

export interface RemedyResult {
  /** Why nothing could be tried. */
  readonly untried?: string;
  readonly effect: string;
  /** HTTP statuses of the requests. */
  readonly statuses: readonly number[];
  readonly outcome: Forecast['outcome'] | undefined;
  /** The finding is gone, or its object still waits for something else, as the forecast says. */
  readonly resolved: boolean;
  readonly differences: readonly ForecastDifference[];
}

/** Every remedy of these risks that the scenario's findings have on the simulation. */
export async function remedyRuns(scenario: Scenario, risks: readonly Risk[]): Promise<readonly RemedyRun[]> {
  const { player, diagnosis } = await judgeSimulated(scenario);
  const findings = ownFindings(diagnosis, player);
  return findings.flatMap(finding =>
    applicable(finding).flatMap(({ id, risk }, index) => {
      if (!risks.includes(risk)) return [];
      const remedy = id.replaceAll(/\/[0-9a-f]{8}-[0-9a-f-]{27}/gu, '/<uid>').replaceAll('s0-', '');
      const place = alikeTo(finding, findings).indexOf(finding);
      return [{ scenario, finding: lineOf(finding, player), place, index, remedy, risk }];
    }),
  );
}

/** Of the same code and kind, by name. */
function alikeTo(
  { code, object }: Pick<Finding, 'code' | 'object'>,
  findings: readonly Finding[],
): Finding[] {
  return findings
    .filter(each => each.code === code && each.object.kind === object.kind)
    .sort((a, b) => (a.object.name < b.object.name ? -1 : 1));
}

function findingOf(
  run: RemedyRun,
  findings: readonly Finding[],
  player: PrefixedPlayer,
): Finding | undefined {
  const exact = findings.find(each => lineOf(each, player) === run.finding);
  const [code, kind] = run.finding.split(' ');
  const like = findings.find(each => each.code === code && each.object.kind === kind);
  return exact ?? (like && alikeTo(like, findings)[run.place]);
}

function applicable(finding: Finding): readonly ApplicableRemedy[] {
  return finding.remedies().filter(isApplicable);
}

interface Tried {
  readonly intent: UnblockAction;
  readonly catalog: TypeCatalog;
  readonly finding: Finding;
  readonly forecast: Forecast;
  readonly expected: ReturnType<typeof forecastEnd>;
  statuses: readonly number[];
  /** The forecast's uids of new objects, by their real ones. */
  readonly born: Map<string, Uid>;
}

export async function tryRemedies(
  runs: readonly RemedyRun[],
  say?: (line: string) => void,
): Promise<ReadonlyMap<RemedyRun, RemedyResult>> {
  const results = new Map<RemedyRun, RemedyResult>();
  const seen: PrefixedPlayer[] = [];
  await playAll(
    runs,
    async ({ players, playedAt, settle }, planned, { cluster, controllerManager }) => {
      seen.push(...players);
      const before = await readCluster(cluster);
      const tried = new Map<PrefixedPlayer, Tried>();
      for (const [index, player] of players.entries()) {
        const run = planned[index];
        if (run === undefined) continue;
        const view = ownView(before, player, others(seen, player));
        const diagnosis = diagnoseCluster(view, timeOf(player.scenario, playedAt));
        const finding = findingOf(run, ownFindings(diagnosis, player), player);
        const remedy = finding && applicable(finding)[run.index];
        const target = finding && view.graph.get(finding.object.uid)?.object;
        if (finding === undefined || remedy === undefined || target === undefined) {
          results.set(run, untried(`no ${run.remedy} on the real cluster`));
          continue;
        }
        const collector = controllerManager.running ? 'running' : 'starting';
        const forecaster = Forecaster.create(view, { now: Date.now(), collector });
        const intent: UnblockAction = { verb: 'unblock', target, remedy };
        const forecast = forecaster.forecast(intent);
        const expected = forecastEnd(view, forecast, player);
        tried.set(player, {
          intent,
          catalog: view.catalog,
          finding,
          forecast,
          expected,
          statuses: [],
          born: new Map(),
        });
      }
      await together([...tried.values()], async each => {
        each.statuses = await sendAll(cluster.api, each);
      });
      if (!controllerManager.running) await controllerManager.start();
      await settle();
      const deadline = Date.now() + PATIENCE * 1000;
      let open = [...tried];
      while (open.length > 0) {
        const after = await readCluster(cluster);
        open = open.filter(([player, each]) => {
          const view = ownView(after, player, others(seen, player));
          const diagnosis = diagnoseCluster(view, Date.now() + waited(player.scenario));
          const { finding, forecast } = each;
          const { uid } = finding.object;
          const gone = diagnosis.of(uid).every(({ code }) => code !== finding.code);
          const waits = forecast.terminating.some(({ object }) => object.uid === uid);
          const differences = unlike(
            each.expected,
            actualEnd(view, player, each.expected, each.born),
            forecast,
          );
          const run = planned[players.indexOf(player)];
          const result: RemedyResult = {
            effect: remedyEffect(forecast),
            statuses: each.statuses,
            outcome: forecast.outcome,
            resolved: gone || waits,
            differences,
          };
          if (run !== undefined) results.set(run, result);
          return differences.length > 0 || !result.resolved;
        });
        if (Date.now() > deadline) return;
        if (open.length > 0) await sleep(1000);
      }
    },
    { say },
  );
  return results;
}

function untried(why: string): RemedyResult {
  return { untried: why, effect: '', statuses: [], outcome: undefined, resolved: false, differences: [] };
}

function others(seen: readonly PrefixedPlayer[], player: PrefixedPlayer): readonly PrefixedPlayer[] {
  return seen.filter(other => other !== player);
}

/** In order, until one is refused. */
async function sendAll(api: ApiClient, { intent, catalog, born }: Tried): Promise<readonly number[]> {
  const requests = await rebuiltOwner.completed(Intent.requests(intent), {
    catalog,
    get: (type, namespace, name) => api.json({ path: requestWords.objectPath({ type, namespace, name }) }),
  });
  const statuses: number[] = [];
  for (const { method, path, body, contentType, formerUid } of requests) {
    const answer = await api.send({ method, path, body, contentType });
    statuses.push(answer.status);
    if (answer.status > 299) break;
    const { uid } = record(record(JSON.parse(answer.body))['metadata']);
    if (formerUid !== undefined) born.set(text(uid), ActRequest.newUid(formerUid));
  }
  return statuses;
}

/**
 * Properties of remedies: each is applied in a run of its own, by the very requests that would be sent, and what is
 * left is compared with its forecast and with what its finding promised.
 */

import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { type Finding, isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { remedyEffect } from '../../../src/diagnosis/offers/remedy-effects.ts';
import { riskAsForetold } from '../../../src/diagnosis/remedies/taken-along.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { Uid } from '../../../src/model/object.ts';
import { viewOf } from '../findings/judge-simulated.ts';
import { actualEnd, type ForecastDifference, forecastEnd, unlike } from '../findings/remedy-end.ts';
import { arrive, nameIn, type TruthState, type Violation } from './state.ts';

/** Milliseconds: longer than the collector ever waits before it tries again (docs/kubernetes.md §3.4). */
const PATIENCE = 20 * 60_000;

export async function* wrongRemedies(state: TruthState): AsyncIterableIterator<Violation> {
  for (const finding of state.diagnosis.all()) {
    const remedies = finding.remedies().filter(isApplicable);
    if (new Set(remedies.map(({ id }) => id)).size < remedies.length)
      yield {
        rule: 'ids',
        what: `${finding.code} ${nameIn(state, finding.object.uid)}: ${remedies.map(({ id }) => id).join(', ')}`,
      };
    for (const drafted of remedies) {
      const forecast = forecastOf(state, finding, drafted);
      if (forecast === undefined) continue;
      const remedy = { ...drafted, risk: riskAsForetold(state.view, forecast, drafted) };
      const label = `${finding.code} ${nameIn(state, finding.object.uid)}: ${remedy.risk} ${remedy.id}: ${remedyEffect(forecast)}`;
      if (forecast.outcome === 'Refused') {
        yield { rule: 'taken', what: label };
        continue;
      }
      if (remedy.risk === 'safe')
        for (const name of losses(state, forecast, finding)) {
          yield { rule: 'safe', what: `${name} is lost by ${label}` };
        }
      yield* tried(state, { finding, remedy, forecast, label });
    }
  }
}

function forecastOf(
  { view, forecaster }: TruthState,
  { object }: Finding,
  remedy: ApplicableRemedy,
): Forecast | undefined {
  const target = view.graph.get(object.uid)?.object;
  return target && forecaster.forecast({ verb: 'unblock', target, remedy });
}

/**
 * What nobody has asked to delete, and what nobody's deletion takes along, has to outlive a safe remedy. What the
 * collector only had to look at to delete it is lost, too: nobody knew.
 */
function losses(state: TruthState, { deleted, terminating }: Forecast, finding: Finding): string[] {
  const { graph } = state.view;
  const doomed = (uid: Uid, below: ReadonlySet<Uid>): boolean => {
    const node = graph.get(uid);
    if (node?.object === undefined || below.has(uid)) return false;
    if (node.object.deletionTimestamp !== undefined) return true;
    return node.owners.some(owner => doomed(owner.uid, new Set([...below, uid])));
  };
  return [...deleted, ...terminating]
    .filter(({ object, anyway }) => !anyway && object.uid !== finding.object.uid)
    .filter(({ object }) => !doomed(object.uid, new Set()))
    .map(({ object }) => nameIn(state, object.uid));
}

/**
 * What the findings say the collector may have lost sight of, with all that it owns. A restart can lose it again,
 * where the lists come in the same order.
 */
function outOfSight(state: TruthState): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (uid: Uid): void => {
    const name = nameIn(state, uid);
    if (found.has(name)) return;
    found.add(name);
    for (const dependent of state.view.graph.get(uid)?.dependents ?? []) add(dependent.identity.uid);
  };
  for (const { code, object } of state.diagnosis.all()) if (code === 'CollectionOverdue') add(object.uid);
  return found;
}

interface Trial {
  readonly finding: Finding;
  readonly remedy: ApplicableRemedy;
  readonly forecast: Forecast;
  readonly label: string;
}

async function* tried(before: TruthState, trial: Trial): AsyncIterableIterator<Violation> {
  const { finding, forecast, label, remedy } = trial;
  const { uid } = finding.object;
  // Objects have the same uids in every run of a scenario.
  const { world, player, diagnosis } = await arrive(before.scenario);
  const again = diagnosis
    .of(uid)
    .filter(({ code }) => code === finding.code)
    .flatMap(each => each.remedies())
    .filter(isApplicable)
    .find(({ id }) => id === remedy.id);
  if (again === undefined) {
    yield { rule: 'repeatable', what: `not offered again: ${label}` };
    return;
  }
  const expected = forecastEnd(before.view, forecast, before.player);
  const answers = [again.apply(world.cluster.as('user'))].flat();
  const refused = answers.find(({ ok }) => !ok);
  if (refused !== undefined && !refused.ok) yield { rule: 'taken', what: `${refused.message}: ${label}` };
  world.settle();
  world.wait(PATIENCE);
  const view = viewOf(world.cluster);
  if (before.running) {
    // What the collector has lost sight of it finds when it starts anew: forecasts take it to look at once.
    const differences = (): readonly ForecastDifference[] =>
      unlike(expected, actualEnd(viewOf(world.cluster), player, expected), forecast);
    if (differences().length > 0) {
      world.control('stop');
      world.control('start');
      world.settle();
      world.wait(PATIENCE);
    }
    const lost = outOfSight(before);
    for (const each of differences()) {
      if (lost.has(each.object)) continue;
      yield {
        rule: 'as foretold',
        what: `${each.object}: foretold ${each.forecast}, is ${each.real}; ${label}`,
      };
    }
  }
  if (remedy.risk === 'dangerous') return;
  // Another reference or cycle may give cause for the same finding, in other words.
  const left = diagnoseCluster(view, world.now)
    .of(uid)
    .find(({ code, message }) => code === finding.code && message === finding.message);
  if (left === undefined) return;
  // Of two references to the same owner one is left.
  const owners = before.view.graph.get(uid)?.owners ?? [];
  if (new Set(owners.map(owner => owner.uid)).size < owners.length) return;
  const waits = forecast.terminating.some(({ object }) => object.uid === uid);
  if (!waits && before.running) yield { rule: 'resolved', what: `${left.message} after ${label}` };
}

/**
 * An action made ready: its forecast, its requests, whom it concerns, and how strong a confirmation it needs.
 * Nothing is asked of the cluster here, so that the screen can show it at once.
 */

import { takenAlong } from '../../diagnosis/remedies/taken-along.ts';
import type { Forecaster } from '../../forecast/forecaster.ts';
import { deletedAtMost, type Forecast, own } from '../../forecast/plan/plan.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import type { Uid } from '../../model/object.ts';
import { atOnce, type Sliced } from '../../model/slices.ts';
import { type ActionScope, type Confirmation, confirmationOf } from './confirmation.ts';
import { actionOf, type Intent, requestsOf, targetsOf } from './intent.ts';
import { type LossOptions, lossesOf } from './losses.ts';

/** The objects that it concerns go into the backup first. */
export interface Prepared extends ActionScope {
  readonly requests: readonly ActRequest[];
  readonly confirmation: Confirmation;
}

/** `secretData`: the backup of a Secret is to hold its data. */
export function prepare(forecaster: Forecaster, intent: Intent, options: LossOptions): Prepared {
  return atOnce(prepareInSlices(forecaster, intent, options));
}

/** The same in slices: the forecaster's view must not change in between. */
export function* prepareInSlices(
  forecaster: Forecaster,
  intent: Intent,
  { secretData }: LossOptions,
): Sliced<Prepared> {
  const { view } = forecaster;
  const forecast = yield* forecaster.forecastInSlices(actionOf(intent));
  yield;
  const concerned = concernedBy(intent, forecast);
  const along = intent.verb === 'unblock' ? takenAlong(view, forecast, intent.remedy) : [];
  yield;
  const losses = yield* lossesOf(intent, forecast, { view, secretData });
  yield;
  const extent = { intent, forecast, concerned, along, losses, unread: [] };
  return { ...extent, requests: requestsOf(intent), confirmation: confirmationOf(extent, view) };
}

/** The same with what tools that manage objects do beside, which asks for more of a confirmation. */
export function withAssumed(prepared: Prepared, forecast: Forecast, view: ClusterView): Prepared {
  const extent = { ...prepared, forecast };
  return { ...extent, confirmation: confirmationOf(extent, view) };
}

/** The same where the backup will have no more than the metadata of these: what of them goes is lost. */
export function withUnreadable(
  prepared: Prepared,
  unreadable: readonly Identity[],
  view: ClusterView,
): Prepared {
  const { forecast, losses } = prepared;
  const going = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  for (const { object, anyway } of [...deletedAtMost(forecast), ...forecast.terminating])
    if (!anyway) going.add(object.uid);
  const lost = new Set(losses.map(({ object }) => object.uid));
  const unread = unreadable
    .filter(({ uid }) => going.has(uid) && !lost.has(uid))
    .map(object => ({ object, what: `${object.kind} ${object.name}, which you may not read` }));
  const extent = { ...prepared, unread };
  return { ...extent, confirmation: confirmationOf(extent, view) };
}

/** Whether no more is lost for want of reading it than was known when the other one was confirmed. */
export function readsAsMuch(before: Prepared, now: Prepared): boolean {
  const known = new Set(before.unread.map(({ object }) => object.uid));
  return now.unread.every(({ object }) => known.has(object.uid));
}

function concernedBy(intent: Intent, forecast: Forecast): readonly Identity[] {
  const found = new Map<Uid, Identity>();
  for (const target of targetsOf(intent)) found.set(target.uid, identityOfObject(target));
  const altered = [...forecast.changed, ...(forecast.ifHandled?.changed ?? [])];
  for (const list of [deletedAtMost(forecast), forecast.terminating, altered]) {
    for (const { object, anyway } of list) if (!anyway) found.set(object.uid, object);
  }
  for (const { object } of forecast.timingDependent) found.set(object.uid, object);
  return [...found.values()];
}

/**
 * Whether two preparations promise the same, so that what was confirmed of one holds for the other: the requests
 * may name newer resourceVersions.
 */
export function promisesTheSame(a: Prepared, b: Prepared): boolean {
  return promiseOf(a) === promiseOf(b);
}

function promiseOf(prepared: Prepared): string {
  const { action, outcome } = prepared.forecast;
  return JSON.stringify([action, outcome, prepared.losses, promisedParts(prepared)]);
}

/**
 * Whether the second promises nothing that the first doesn't: the rest of an action of which a part is done. What
 * was begun happens anyway by now, and isn't asked about again.
 */
export function promisesNoMore(before: Prepared, now: Prepared): boolean {
  if (before.intent.verb === 'undo' && now.intent.verb === 'undo') {
    // Their forecasts differ by the uids that the API server has given meanwhile.
    const { does } = before.intent;
    return now.forecast.outcome !== 'Stuck' && now.intent.does.every(each => does.includes(each));
  }
  if (now.forecast.outcome === 'Stuck' && before.forecast.outcome !== 'Stuck') return false;
  if (now.forecast.outcome === 'Refused') return false;
  const known = new Set(promisedParts(before));
  return promisedParts(now).every(part => known.has(part));
}

/**
 * Whether what was confirmed of the first holds for the second, because that brings about nothing that the first
 * doesn't. An undo that restores less is worse, though it does less: for it both have to promise the same.
 */
export function isNoWorse(before: Prepared, now: Prepared): boolean {
  if (promisesTheSame(before, now)) return true;
  if (before.intent.verb === 'undo' || now.intent.verb === 'undo') return false;
  const isWeaker = before.confirmation.kind === 'typed' || now.confirmation.kind === 'key';
  return isWeaker && promisesNoMore(before, now);
}

function promisedParts({ forecast, requests, losses }: Prepared): string[] {
  const { terminating, changed, recreated, timingDependent } = forecast;
  return [
    ...own(deletedAtMost(forecast)).map(({ object }) => ['deleted', object.uid]),
    ...own(terminating).map(({ object, finalizers }) => ['terminating', object.uid, finalizers]),
    ...own(changed).map(each => ['changed', each]),
    ...own(recreated).map(each => ['recreated', each]),
    ...timingDependent.map(each => ['timing', each]),
    ...losses.map(({ object }) => ['lost', object.uid]),
    ...requests.map(({ method, path }) => ['request', method, path]),
  ].map(part => JSON.stringify(part));
}

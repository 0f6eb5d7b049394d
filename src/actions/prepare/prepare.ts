/** A prepared action. Preparing sends nothing, so the screen can show it at once. */

import { takenAlong } from '../../diagnosis/index.ts';
import { Forecast, type Forecaster, requestWords } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject } from '../../graph/index.ts';
import { type ActRequest, Sliced, type Uid } from '../../model/index.ts';
import { actionOf, Intent } from './action-intent.ts';
import { type ActionScope, type Confirmation, confirmationOf } from './confirmation.ts';
import { type LossOptions, lossesOf } from './losses.ts';

export interface Prepared extends ActionScope {
  readonly requests: readonly ActRequest[];
  readonly confirmation: Confirmation;
}

/** `secretData`: backups of Secrets include their data. */
export function prepare(forecaster: Forecaster, intent: Intent, options: LossOptions): Prepared {
  return Sliced.atOnce(prepareInSlices(forecaster, intent, options));
}

/** Like `prepare`, in slices: the forecaster's view must not change in between. */
export function* prepareInSlices(
  forecaster: Forecaster,
  intent: Intent,
  { secretData }: LossOptions,
): Sliced<Prepared> {
  const { view } = forecaster;
  const forecast = yield* forecaster.forecastInSlices(actionOf(intent));
  yield;
  const concerned = concernedBy(intent, forecast, view);
  const along = intent.verb === 'unblock' ? takenAlong(view, forecast, intent.remedy) : [];
  yield;
  const losses = yield* lossesOf(intent, forecast, { view, secretData });
  yield;
  const extent = { intent, forecast, concerned, along, losses, unread: [] };
  return { ...extent, requests: Intent.requests(intent), confirmation: confirmationOf(extent, view) };
}

/** Adds deletions by tools that manage objects, which may need a stronger confirmation. */
function withAssumed(prepared: Prepared, forecast: Forecast, view: ClusterView): Prepared {
  const extent = { ...prepared, forecast };
  return { ...extent, confirmation: confirmationOf(extent, view) };
}

/** Marks unreadable objects as lost if they are deleted: their backup has only metadata. */
function withUnreadable(prepared: Prepared, unreadable: readonly Identity[], view: ClusterView): Prepared {
  const { forecast, losses } = prepared;
  const going = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  for (const { object, anyway } of [...Forecast.deletedAtMost(forecast), ...forecast.terminating])
    if (!anyway) going.add(object.uid);
  const lost = new Set(losses.map(({ object }) => object.uid));
  const unread = unreadable
    .filter(({ uid }) => going.has(uid) && !lost.has(uid))
    .map(object => ({ object, what: `${object.kind} ${object.name}, which you may not read` }));
  const extent = { ...prepared, unread };
  return { ...extent, confirmation: confirmationOf(extent, view) };
}

function concernedBy(intent: Intent, forecast: Forecast, view: ClusterView): readonly Identity[] {
  const found = new Map<Uid, Identity>();
  for (const target of Intent.targets(intent)) found.set(target.uid, identityOfObject(target));
  // Forecasts don't list changes of other fields, such as a volume's reclaim policy.
  for (const { method, path } of Intent.requests(intent)) {
    const at = method === 'PATCH' ? requestWords.placeAt(view.catalog, path) : undefined;
    const patched = at && view.graph.find(at.type, at.namespace, at.name)?.object;
    if (patched !== undefined) found.set(patched.uid, identityOfObject(patched));
  }
  const altered = [...forecast.changed, ...(forecast.ifHandled?.changed ?? [])];
  for (const list of [Forecast.deletedAtMost(forecast), forecast.terminating, altered]) {
    for (const { object, anyway } of list) if (!anyway) found.set(object.uid, object);
  }
  for (const { object } of forecast.timingDependent) found.set(object.uid, object);
  return [...found.values()];
}

export const Prepared = { withAssumed, withUnreadable };

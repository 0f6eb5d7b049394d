/**
 * An action made ready: its forecast, its requests, whom it concerns, and how strong a confirmation it needs.
 * Nothing is asked of the cluster here, so that the screen can show it at once.
 */

import { takenAlong } from '../diagnosis/taken-along.ts';
import type { Forecaster } from '../forecast/forecaster.ts';
import type { Forecast } from '../forecast/plan.ts';
import type { Identity } from '../graph/node.ts';
import type { ActRequest } from '../model/act.ts';
import type { Uid } from '../model/object.ts';
import { actionOf, type Intent, targetsOf } from './intent.ts';
import { requestsOf } from './requests.ts';

/**
 * - `key`: one key, or `y`: at most one object is deleted or altered.
 * - `typed`: the word has to be typed, because many objects are concerned or something is lost for good.
 */
export type Confirmation =
  | { readonly kind: 'key' }
  | { readonly kind: 'typed'; readonly word: string; readonly because: string };

export interface Prepared {
  readonly intent: Intent;
  readonly forecast: Forecast;
  readonly requests: readonly ActRequest[];
  readonly confirmation: Confirmation;
  /** Objects that the forecast deletes or alters: they go into the backup first. */
  readonly concerned: readonly Identity[];
}

export function prepare(forecaster: Forecaster, intent: Intent): Prepared {
  const forecast = forecaster.forecast(actionOf(intent));
  const concerned = concernedBy(intent, forecast);
  return {
    intent,
    forecast,
    requests: requestsOf(intent),
    confirmation: confirmationOf(intent, forecast, {
      concerned: concerned.length,
      along: intent.verb === 'unblock' ? takenAlong(forecaster.view, forecast, intent.remedy) : [],
    }),
    concerned,
  };
}

function concernedBy(intent: Intent, forecast: Forecast): readonly Identity[] {
  const found = new Map<Uid, Identity>();
  for (const { namespace, name, uid, type } of targetsOf(intent)) {
    found.set(uid, { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid });
  }
  for (const list of [forecast.deleted, forecast.terminating, forecast.changed]) {
    for (const { object, anyway } of list) if (!anyway) found.set(object.uid, object);
  }
  for (const { object } of forecast.timingDependent) found.set(object.uid, object);
  return [...found.values()];
}

interface Extent {
  readonly concerned: number;
  /** What goes, or may go, without having been asked for. */
  readonly along: readonly Identity[];
}

function confirmationOf(intent: Intent, forecast: Forecast, { concerned, along }: Extent): Confirmation {
  const [target] = targetsOf(intent);
  const several = intent.verb === 'delete' && intent.targets.length > 1;
  const word = several ? String(intent.targets.length) : (target?.name ?? '');
  if (intent.verb !== 'delete' && intent.remedy.risk === 'dangerous') {
    return { kind: 'typed', word, because: 'this is dangerous' };
  }
  const gone = forecast.deleted.filter(({ anyway }) => !anyway).length;
  if (gone > 1) return { kind: 'typed', word, because: `${gone} objects go` };
  const [other] = along.filter(({ uid }) => uid !== target?.uid);
  if (other !== undefined) {
    return { kind: 'typed', word, because: `${other.kind} ${other.name} may go with it` };
  }
  if (concerned > 1 && intent.verb === 'delete') {
    return { kind: 'typed', word, because: `${concerned} objects are deleted or altered` };
  }
  if (intent.verb === 'undo' && intent.requests.length > 1) {
    return { kind: 'typed', word, because: `${intent.requests.length} objects are made again or altered` };
  }
  if (forecast.timingDependent.length > 0) {
    return { kind: 'typed', word, because: 'what becomes of some objects depends on timing' };
  }
  return { kind: 'key' };
}

/**
 * Whether two preparations promise the same, so that what was confirmed of one holds for the other: the requests
 * may name newer resourceVersions.
 */
export function promisesTheSame(a: Prepared, b: Prepared): boolean {
  return JSON.stringify(promiseOf(a)) === JSON.stringify(promiseOf(b));
}

function promiseOf({ forecast, requests }: Prepared): unknown {
  const { action, outcome, deleted, terminating, changed, recreated, timingDependent } = forecast;
  return {
    action,
    outcome,
    deleted: deleted.filter(({ anyway }) => !anyway).map(({ object }) => object.uid),
    terminating: terminating.filter(({ anyway }) => !anyway).map(each => [each.object.uid, each.finalizers]),
    changed: changed.filter(({ anyway }) => !anyway),
    recreated: recreated.filter(({ anyway }) => !anyway),
    timingDependent,
    requests: requests.map(({ method, path }) => `${method} ${path}`),
  };
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

function promisedParts({ forecast, requests }: Prepared): string[] {
  const { deleted, terminating, changed, recreated, timingDependent } = forecast;
  return [
    ...deleted.filter(({ anyway }) => !anyway).map(({ object }) => ['deleted', object.uid]),
    ...terminating
      .filter(({ anyway }) => !anyway)
      .map(({ object, finalizers }) => ['terminating', object.uid, finalizers]),
    ...changed.filter(({ anyway }) => !anyway).map(each => ['changed', each]),
    ...recreated.filter(({ anyway }) => !anyway).map(each => ['recreated', each]),
    ...timingDependent.map(each => ['timing', each]),
    ...requests.map(({ method, path }) => ['request', method, path]),
  ].map(part => JSON.stringify(part));
}

/** Objects of a forecast that may be named to a caller, who may list their kinds; all others are only counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Forecast } from '../../../forecast/index.ts';
import type { ClusterView, Identity } from '../../../graph/index.ts';
import type { Attributes, Caller, Reviewer } from '../http/reviews.ts';

/** Kinds and namespaces that are asked about. */
const MOST_ASKED = 24;

interface CallerNames {
  /** Set if the caller may list everything, so that sentences may name anything. */
  readonly seesAll: boolean;
  mayName(object: Identity): boolean;
}

interface NamesInput {
  /** Undefined for a simulated cluster, which is public. */
  readonly reviewer: Reviewer | undefined;
  readonly view: ClusterView;
  readonly forecast: Forecast;
  /** By `performance.now()`. What isn't answered by then is not allowed. */
  readonly until: number;
}

export async function namesFor(
  caller: Caller,
  { reviewer, view, forecast, until }: NamesInput,
): Promise<CallerNames> {
  if (reviewer === undefined) return { seesAll: true, mayName: () => true };
  const late = sleep(Math.max(0, until - performance.now()), false, { ref: false });
  const mayList = (group: string, resource: string, namespace: string): Promise<boolean> => {
    const attributes: Attributes = { resourceAttributes: { verb: 'list', group, resource, namespace } };
    // Without an answer nothing is named.
    return Promise.race([reviewer.allows(caller, attributes), late]).catch(() => false);
  };
  if (await mayList('*', '*', '')) return { seesAll: true, mayName: () => true };
  const asked = new Map<string, Promise<boolean>>();
  for (const object of objectsOf(forecast)) {
    const type = view.catalog.resolveKind(object.apiVersion, object.kind);
    if (type !== undefined && asked.size < MOST_ASKED && !asked.has(keyOf(object)))
      asked.set(keyOf(object), mayList(type.group, type.resource, object.namespace));
  }
  const allowed = new Set<string>();
  for (const [key, answer] of asked) if (await answer) allowed.add(key);
  return { seesAll: false, mayName: object => allowed.has(keyOf(object)) };
}

function keyOf({ apiVersion, kind, namespace }: Identity): string {
  return JSON.stringify([apiVersion, kind, namespace]);
}

function* objectsOf(forecast: Forecast): Iterable<Identity> {
  const { terminating, breaks = [], deleted, changed, doomed, timingDependent } = forecast;
  for (const list of [
    terminating,
    deleted,
    changed,
    doomed,
    timingDependent,
    forecast.ifHandled?.deleted ?? [],
  ])
    for (const { object } of list) yield object;
  for (const { user } of breaks) yield user;
}

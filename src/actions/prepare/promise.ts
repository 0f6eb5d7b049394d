/** Compares two preparations of an action: a confirmation of one may cover the other. */
import { Forecast, RecreatedObjects } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { parseApiVersion } from '../../model/index.ts';
import type { Prepared } from './prepare.ts';

/** Requests may differ in their resourceVersions. */
function promisesTheSame(a: Prepared, b: Prepared): boolean {
  return promiseOf(a) === promiseOf(b);
}

function promiseOf(prepared: Prepared): string {
  const { action, outcome } = prepared.forecast;
  return JSON.stringify([action, outcome, prepared.losses, promisedParts(prepared)]);
}

/** Checks if `now` promises nothing new, as the rest of a partly done action. Effects already begun don't count. */
export function promisesNoMore(before: Prepared, now: Prepared): boolean {
  if (before.intent.verb === 'undo' && now.intent.verb === 'undo') {
    // Their forecasts differ by uids the API server has assigned meanwhile.
    const { does } = before.intent;
    return now.forecast.outcome !== 'Stuck' && now.intent.does.every(each => does.includes(each));
  }
  if (now.forecast.outcome === 'Stuck' && before.forecast.outcome !== 'Stuck') return false;
  if (now.forecast.outcome === 'Refused') return false;
  const known = knownOf(before);
  const isKnown = (part: Part): boolean =>
    known.parts.has(JSON.stringify(part)) || isLess(part, before.forecast, known);
  return partsOf(now).every(isKnown);
}

/** Checks if a confirmation of `before` covers `now`. Undos must promise the same: restoring less is worse. */
function isNoWorse(before: Prepared, now: Prepared): boolean {
  if (promisesTheSame(before, now)) return true;
  if (before.intent.verb === 'undo' || now.intent.verb === 'undo') return false;
  const isWeaker = before.confirmation.kind === 'typed' || now.confirmation.kind === 'key';
  return isWeaker && promisesNoMore(before, now) && losesNoMore(before.forecast, now.forecast);
}

/** Compares losses, including objects no longer recreated and deletions by tools. */
function losesNoMore(before: Forecast, now: Forecast): boolean {
  const lost = lossByKind(before);
  if ([...lossByKind(now)].some(([kind, count]) => count > Math.max(0, lost.get(kind) ?? 0))) return false;
  const alarms = new Set(before.alarms.map(({ code }) => code));
  if (!now.alarms.every(({ code }) => alarms.has(code))) return false;
  // Without another look-up, nothing new is known.
  const assumed = new Set((before.logical ?? []).map(({ effect, object }) => `${effect} ${object.uid}`));
  return (now.logical ?? []).every(({ effect, object }) => assumed.has(`${effect} ${object.uid}`));
}

function lossByKind(forecast: Forecast): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = ({ apiVersion, kind }: Pick<Identity, 'apiVersion' | 'kind'>, number: number): void => {
    const key = `${parseApiVersion(apiVersion).group}/${kind}`;
    counts.set(key, (counts.get(key) ?? 0) + number);
  };
  const going = [...Forecast.own(Forecast.deletedAtMost(forecast)), ...Forecast.own(forecast.terminating)];
  for (const object of new Map(going.map(each => [each.object.uid, each.object])).values()) add(object, 1);
  for (const each of Forecast.own(forecast.recreated)) add(each, -each.count);
  return counts;
}

type Part = readonly [what: string, ...of: readonly unknown[]];

interface Known {
  readonly parts: ReadonlySet<string>;
  readonly recreated: ReadonlyMap<string, RecreatedObjects>;
}

function knownOf(prepared: Prepared): Known {
  return {
    parts: new Set(promisedParts(prepared)),
    recreated: new Map(
      Forecast.own(prepared.forecast.recreated).map(each => [RecreatedObjects.key(each), each]),
    ),
  };
}

function isLess([what, of, more]: Part, { terminating, timingDependent }: Forecast, known: Known): boolean {
  const held = terminating.find(({ object }) => object.uid === of);
  switch (what) {
    // An object that is being deleted won't last in any case.
    case 'deleted':
      return held !== undefined;
    case 'terminating':
      return held !== undefined && (more as readonly string[]).every(each => held.finalizers.includes(each));
    case 'recreated': {
      const [count, pending] = more as readonly [number, number];
      const before = known.recreated.get(of as string);
      return before !== undefined && count <= before.count && pending <= before.pending;
    }
    case 'timing': {
      const before = timingDependent.find(({ object }) => object.uid === of);
      const ends = new Set(before?.outcomes.map(({ words }) => words));
      return (more as readonly string[]).every(each => ends.has(each));
    }
    default:
      return false;
  }
}

function promisedParts(prepared: Prepared): string[] {
  return partsOf(prepared).map(part => JSON.stringify(part));
}

function partsOf({ forecast, requests, losses }: Prepared): readonly Part[] {
  const { terminating, changed, recreated, timingDependent, dependsOnAdmission } = forecast;
  return [
    ...Forecast.own(Forecast.deletedAtMost(forecast)).map(({ object }): Part => ['deleted', object.uid]),
    ...Forecast.own(terminating).map(
      ({ object, finalizers }): Part => ['terminating', object.uid, finalizers],
    ),
    ...Forecast.own(changed).map((each): Part => ['changed', each]),
    ...Forecast.own(recreated).map(
      (each): Part => ['recreated', RecreatedObjects.key(each), [each.count, each.pending]],
    ),
    ...timingDependent.map(
      ({ object, outcomes }): Part => ['timing', object.uid, outcomes.map(({ words }) => words)],
    ),
    ...dependsOnAdmission.map(({ uid }): Part => ['admission', uid]),
    ...losses.map(({ object }): Part => ['lost', object.uid]),
    ...requests.map(({ method, path }): Part => ['request', method, path]),
  ];
}

export function readsAsMuch(before: Prepared, now: Prepared): boolean {
  const known = new Set(before.unread.map(({ object }) => object.uid));
  return now.unread.every(({ object }) => known.has(object.uid));
}

export const promises = { areSame: promisesTheSame, areNoWorse: isNoWorse };

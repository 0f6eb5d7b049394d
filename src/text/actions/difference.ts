/** A newer forecast's additional effects, shown if the user is asked again. */
import type { Prepared } from '../../actions/index.ts';
import { Forecast, RecreatedObjects } from '../../forecast/index.ts';
import { counted, objectTitle } from '../../model/index.ts';
import { alterationsIn, countWords } from '../plan/plan-words.ts';
import { warningWords } from '../plan/warning-words.ts';
import { TextLine } from '../terminal/text-line.ts';

const SHOWN = 10;

/** Lists effects such as `also deletes Pod shop/web-3`, the gravest first. */
export function differenceLines(before: Prepared, now: Prepared): readonly TextLine[] {
  const words = [...differences(before, now)];
  const lines = words.slice(0, SHOWN).map(each => TextLine.of(`  ${each}`, 'warning', 4));
  const more = words.length - SHOWN;
  return more > 0 ? [...lines, TextLine.of(`  and ${counted(more, 'more difference')}`, 'warning')] : lines;
}

function* differences(before: Prepared, now: Prepared): Generator<string> {
  if (now.forecast.outcome === 'Refused' && before.forecast.outcome !== 'Refused')
    yield 'the API server refuses it now';
  const held = new Map(Forecast.own(before.forecast.terminating).map(each => [each.object.uid, each]));
  for (const { object, waitingFor } of Forecast.own(now.forecast.terminating)) {
    const known = held.get(object.uid);
    const waits = waitingFor.filter(each => known?.waitingFor.includes(each) !== true);
    if (known === undefined || waits.length > 0)
      yield `${objectTitle(object)} ${known === undefined ? 'waits' : 'waits also'} for ${(waits.length > 0 ? waits : waitingFor).join('; ')}`;
  }
  const deleted = new Set(
    Forecast.own(Forecast.deletedAtMost(before.forecast)).map(({ object }) => object.uid),
  );
  for (const { object } of Forecast.own(Forecast.deletedAtMost(now.forecast)))
    if (!deleted.has(object.uid)) yield `also deletes ${objectTitle(object)}`;
  const [asBefore, asNow] = [alterationsIn(before.forecast), alterationsIn(now.forecast)];
  const altered = new Map(
    Forecast.own(before.forecast.changed).map(each => [each.object.uid, asBefore(each)]),
  );
  for (const each of Forecast.own(now.forecast.changed)) {
    const words = asNow(each);
    if (altered.get(each.object.uid) !== words) yield `${objectTitle(each.object)} ${words}`;
  }
  const unsure = new Set(Forecast.own(before.forecast.timingDependent).map(({ object }) => object.uid));
  for (const { object } of Forecast.own(now.forecast.timingDependent))
    if (!unsure.has(object.uid)) yield `what becomes of ${objectTitle(object)} depends on timing`;
  yield* recreations(before.forecast, now.forecast);
  const lost = new Set(before.losses.map(({ object }) => object.uid));
  for (const { object, what } of now.losses)
    if (!lost.has(object.uid)) yield `undo cannot bring back ${what}`;
  const admitted = new Set(before.forecast.dependsOnAdmission.map(({ uid }) => uid));
  for (const object of now.forecast.dependsOnAdmission)
    if (!admitted.has(object.uid)) yield `what becomes of ${objectTitle(object)} depends on admission`;
  const assumed = new Set(
    (before.forecast.logical ?? []).map(({ effect, object }) => `${effect} ${object.uid}`),
  );
  for (const { by, effect, object } of now.forecast.logical ?? [])
    if (effect === 'deleted' && !assumed.has(`${effect} ${object.uid}`))
      yield `${by} is taken to delete ${objectTitle(object)}`;
  const alarms = new Set(before.forecast.alarms.map(({ code }) => code));
  yield* warningWords.sentences(now.forecast.alarms.filter(({ code }) => !alarms.has(code)));
}

function* recreations(before: Forecast, now: Forecast): Generator<string> {
  const known = new Map(Forecast.own(before.recreated).map(each => [RecreatedObjects.key(each), each]));
  const left = new Set(Forecast.own(now.recreated).map(RecreatedObjects.key));
  const creates = ({ by }: RecreatedObjects): string =>
    `${by === undefined ? 'a controller' : objectTitle(by)} creates`;
  const objects = ({ kind }: RecreatedObjects, count: number): string =>
    counted(count, `new ${kind}`, `new ${countWords.plural(kind, count)}`);
  for (const each of Forecast.own(now.recreated)) {
    const { count, pending } = known.get(RecreatedObjects.key(each)) ?? { count: 0, pending: 0 };
    if (each.count > count) yield `${creates(each)} ${objects(each, each.count)}`;
    else if (each.pending > pending)
      yield `${creates(each)} ${objects(each, each.count)}, ${each.pending} of them Pending`;
    else if (each.count < count) yield `${creates(each)} ${objects(each, each.count)} instead of ${count}`;
  }
  for (const [key, each] of known)
    if (!left.has(key)) yield `${creates(each)} no ${countWords.plural(`new ${each.kind}`, 2)} any more`;
}

/** What a newer forecast of an action brings about that the one before did not: said where somebody is asked again. */
import type { Prepared } from '../../actions/prepare/prepare.ts';
import { deletedAtMost, own, recreationKey } from '../../forecast/plan/plan.ts';
import { counted, objectTitle } from '../../model/text/titles.ts';
import { alterationsIn, plural } from '../plan/words.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

const SHOWN = 10;

/** `also deletes Pod shop/web-3`: a line for each, the gravest first; none where it promises no more. */
export function differenceLines(before: Prepared, now: Prepared): readonly TextLine[] {
  const words = [...differences(before, now)];
  const lines = words.slice(0, SHOWN).map(each => textLine(`  ${each}`, 'warning', 4));
  const more = words.length - SHOWN;
  return more > 0 ? [...lines, textLine(`  and ${counted(more, 'more difference')}`, 'warning')] : lines;
}

function* differences(before: Prepared, now: Prepared): Generator<string> {
  if (now.forecast.outcome === 'Refused' && before.forecast.outcome !== 'Refused')
    yield 'the API server refuses it now';
  const held = new Map(own(before.forecast.terminating).map(each => [each.object.uid, each]));
  for (const { object, waitingFor } of own(now.forecast.terminating)) {
    const known = held.get(object.uid);
    const waits = waitingFor.filter(each => known?.waitingFor.includes(each) !== true);
    if (known === undefined || waits.length > 0)
      yield `${objectTitle(object)} ${known === undefined ? 'waits' : 'waits also'} for ${(waits.length > 0 ? waits : waitingFor).join('; ')}`;
  }
  const deleted = new Set(own(deletedAtMost(before.forecast)).map(({ object }) => object.uid));
  for (const { object } of own(deletedAtMost(now.forecast)))
    if (!deleted.has(object.uid)) yield `also deletes ${objectTitle(object)}`;
  const [asBefore, asNow] = [alterationsIn(before.forecast), alterationsIn(now.forecast)];
  const altered = new Map(own(before.forecast.changed).map(each => [each.object.uid, asBefore(each)]));
  for (const each of own(now.forecast.changed)) {
    const words = asNow(each);
    if (altered.get(each.object.uid) !== words) yield `${objectTitle(each.object)} ${words}`;
  }
  const unsure = new Set(before.forecast.timingDependent.map(({ object }) => object.uid));
  for (const { object } of now.forecast.timingDependent)
    if (!unsure.has(object.uid)) yield `what becomes of ${objectTitle(object)} depends on timing`;
  const recreated = new Map(own(before.forecast.recreated).map(each => [recreationKey(each), each.count]));
  for (const each of own(now.forecast.recreated))
    if (each.count > (recreated.get(recreationKey(each)) ?? 0))
      yield `${each.by === undefined ? 'a controller' : objectTitle(each.by)} creates ${counted(each.count, `new ${each.kind}`, `new ${plural(each.kind, each.count)}`)}`;
  const lost = new Set(before.losses.map(({ object }) => object.uid));
  for (const { object, what } of now.losses)
    if (!lost.has(object.uid)) yield `undo cannot bring back ${what}`;
}

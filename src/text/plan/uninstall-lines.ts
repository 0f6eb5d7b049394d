/** Lists the hooks that `helm uninstall` runs, and the objects of the release that it leaves. */
import type { Forecast } from '../../forecast/index.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { type NameOptions, namesOf } from './plan-words.ts';
import { section } from './section.ts';

export function* uninstallSections({ uninstall }: Forecast, names: NameOptions): Generator<TextLine> {
  if (uninstall === undefined) return;
  const { hooks, kept } = uninstall;
  const lines = hooks.map(({ event, object, replaces, isDeletedThen, fails }) => {
    const title = `${event}: ${namesOf([object], names)}`;
    if (fails !== undefined) return `${title} fails, because ${fails}`;
    const created = replaces === undefined ? 'is created' : 'is deleted and created again';
    return `${title} ${created}, ${isDeletedThen ? 'and deleted once it has succeeded' : 'and stays'}`;
  });
  if (lines.length > 0) yield* section('hooks', lines.length, lines, 'info');
  const groups = [...Map.groupBy(kept, ({ object, because }) => `${object.kind} ${because}`).values()];
  const stays = groups.map(
    alike =>
      `${namesOf(
        alike.map(({ object }) => object),
        names,
      )}: ${alike[0]?.because ?? ''}`,
  );
  if (kept.length > 0) yield* section('kept', kept.length, stays, 'plain');
}

/** Says why Helm deletes nothing of a release. */
export function stopWords({ uninstall }: Forecast): string | undefined {
  if (uninstall?.stops === undefined) return undefined;
  return `Helm deletes nothing of the release, because ${uninstall.stops}.`;
}

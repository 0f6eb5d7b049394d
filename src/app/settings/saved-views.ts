/** Saved views of `config.yaml`. */

import { annotationsIn, chosenColumns, columnOf } from './chosen-columns.ts';
import type { SavedView, Settings } from './settings.ts';

export function savedViews({
  options,
}: {
  readonly options: { readonly settings?: Settings };
}): NonNullable<Settings['views']> {
  return options.settings?.views ?? {};
}

export function shownAnnotations({ columns = [], views = {} }: Settings): readonly string[] {
  const lists = [columns, ...Object.values(views).map(view => view.columns ?? [])];
  return annotationsIn(lists.flatMap(chosenColumns));
}

/** Returns `namespace shop, problems alone, sorted by age`. */
export function viewHint({ namespace, view, sort, columns, filter, problems }: SavedView): string {
  const parts = [
    namespace === undefined ? [] : [namespace === '' ? 'all namespaces' : `namespace ${namespace}`],
    view === undefined ? [] : [`view ${view}`],
    problems === true ? ['only objects with problems'] : [],
    filter === undefined ? [] : [`only "${filter}"`],
    sort === undefined ? [] : [`sorted by ${sort}`],
    columns === undefined ? [] : [`columns ${columns.map(columnOf).join(', ')}`],
  ];
  return parts.flat().join(', ');
}

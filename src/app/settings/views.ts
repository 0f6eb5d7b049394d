/** The ways of looking at the cluster that `config.yaml` names. */

import type { State } from '../state/state.ts';
import type { SavedView, Settings } from './settings.ts';

export function savedViews({ options }: Pick<State, 'options'>): NonNullable<Settings['views']> {
  return options.settings?.views ?? {};
}

/** `namespace shop, problems alone, sorted by age` */
export function viewHint({ namespace, view, sort, filter, problems }: SavedView): string {
  const parts = [
    namespace === undefined ? [] : [namespace === '' ? 'all namespaces' : `namespace ${namespace}`],
    view === undefined ? [] : [`view ${view}`],
    problems === true ? ['only objects with problems'] : [],
    filter === undefined ? [] : [`only "${filter}"`],
    sort === undefined ? [] : [`sorted by ${sort}`],
  ];
  return parts.flat().join(', ');
}

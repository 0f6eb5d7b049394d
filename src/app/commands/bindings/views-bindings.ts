/** Keys that show a view: those of the registry. */
import type { ViewId } from '../../settings/settings.ts';
import type { State } from '../../state/state.ts';
import { resettle } from '../../views/lists.ts';
import { leaving } from '../../views/places.ts';
import type { View } from '../../views/view.ts';
import type { Binding } from './binding.ts';

export function viewBinding({ id, key, title, about, words }: View): Binding {
  return {
    title: `${title}: ${about}`,
    keys: [key],
    group: 'Screen',
    words,
    idle: state => (state.view === id ? `${title} is what is shown.` : undefined),
    run: state => showView(state, id),
  };
}

function showView(state: State, view: ViewId): State {
  const shown = { ...leaving(state), view, focus: 'tree', notice: undefined } as const;
  return { ...resettle(shown), detailsTop: 0 };
}

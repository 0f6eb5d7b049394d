/** Keys that show a view: those of the registry. */
import type { View } from '../../views/view.ts';
import { showView } from '../list-commands.ts';
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

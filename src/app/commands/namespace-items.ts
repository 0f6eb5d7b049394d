/** Entries for the namespaces to choose from: their objects, their problems, and whether they are being deleted. */
import { counted, formatCount } from '../../model/index.ts';
import type { NamespaceSummary } from '../cluster/namespace-counts.ts';
import { troubleSpans } from '../drawing/heading.ts';
import type { PickerItem, State } from '../state/state.ts';

/** Lists namespaces by name, after an entry with this id for all of them. */
export function namespaceItems(state: State, all: string): readonly [PickerItem, ...PickerItem[]] {
  const namespaces = state.cluster?.namespaces() ?? [];
  const objects = namespaces.reduce((sum, each) => sum + (each.objects ?? 0), 0);
  return [
    { id: all, label: '(all namespaces)', hint: `${formatCount(objects)} objects` },
    ...namespaces.map(each => ({ id: each.name, label: each.name, hint: hintOf(each, state) })),
  ];
}

function hintOf({ objects, terminating, trouble }: NamespaceSummary, state: State): string {
  const found =
    trouble === undefined
      ? ''
      : troubleSpans(trouble, state)
          .map(({ text }) => text)
          .join('');
  const parts = [
    objects === undefined ? 'not known' : counted(objects, 'object'),
    found,
    terminating ? 'Terminating' : '',
  ];
  return parts.filter(part => part !== '').join('  ');
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;

export function mayExist({ cluster }: State, name: string): boolean {
  return cluster?.hidesNamespaces === true && LABEL.test(name);
}

/** Adds the typed name itself if namespaces can't be listed; names that are known and contain it come first. */
export function withTyped(
  state: State,
  found: readonly PickerItem[],
  typed: string,
  id = typed,
): readonly PickerItem[] {
  if (!mayExist(state, typed) || found.some(({ label }) => label === typed)) return found;
  const item = { id, label: typed, hint: 'unlisted namespace' };
  return found.some(({ label }) => label.includes(typed)) ? [...found, item] : [item, ...found];
}

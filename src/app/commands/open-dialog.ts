/** Opens a text or a list to choose from. */
import type { Line } from '../../text/index.ts';
import type { Dialog, PickerItem, PickerPurpose, State } from '../state/state.ts';
import { ALL_NAMESPACES } from '../views/scope.ts';

export function openText(state: State, title: string, lines: readonly Line[], hanging?: number): State {
  const dialog: Extract<Dialog, { kind: 'text' }> = { kind: 'text', title, lines, top: 0, loading: false };
  return { ...state, dialog: hanging === undefined ? dialog : { ...dialog, hanging } };
}

export function openPicker(
  state: State,
  purpose: PickerPurpose,
  title: string,
  items: readonly PickerItem[] | undefined,
): State {
  const current = purpose === 'namespace' ? (state.cluster?.namespace ?? ALL_NAMESPACES) : undefined;
  const cursor = Math.max(0, items?.findIndex(item => item.id === current) ?? 0);
  return { ...state, dialog: { kind: 'picker', purpose, title, query: '', items, cursor } };
}

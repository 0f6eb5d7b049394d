/** Which entries of a picker match what was typed. Lists are short, so this is done anew on each key. */
import { includesAll, searchTerms, subsequenceAll } from '../search/index.ts';
import type { Dialog, PickerItem } from '../state/state.ts';

/** Entries that contain the words, beginnings first; behind them those that contain the letters in order. */
export function pickerMatches(dialog: Extract<Dialog, { kind: 'picker' }>): readonly PickerItem[] {
  const items = dialog.items ?? [];
  const terms = searchTerms(dialog.query);
  if (terms.length === 0) return items;
  const groups: [PickerItem[], PickerItem[], PickerItem[]] = [[], [], []];
  for (const item of items) {
    const line = item.label.toLowerCase();
    if (line.startsWith(terms[0] ?? '') && includesAll(line, terms)) groups[0].push(item);
    else if (includesAll(line, terms)) groups[1].push(item);
    else if (subsequenceAll(line, terms)) groups[2].push(item);
  }
  return groups.flat();
}

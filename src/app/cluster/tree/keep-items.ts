/** Updates a list's rows, keeping those that stay: folds and the cursor belong to them. */
import type { Entry } from './groups.ts';
import type { TreeItem } from './item.ts';

export interface ItemKeeper {
  create(entry: Entry): TreeItem;
  discard(item: TreeItem): void;
}

export function entryOf(item: TreeItem): Entry {
  return item.kind === 'object' ? item.node : item.group;
}

/** Copies the equal start and end in one piece: of 150,000 roots nearly always all but one. */
export function mergeItems(
  old: readonly TreeItem[],
  wanted: readonly Entry[],
  keeper: ItemKeeper,
): TreeItem[] {
  const most = Math.min(old.length, wanted.length);
  let begin = 0;
  while (begin < most && isKept(old[begin], wanted[begin])) begin += 1;
  let end = 0;
  const [oldLast, wantedLast] = [old.length - 1, wanted.length - 1];
  // An index is a load, `at` a call.
  while (end < most - begin && isKept(old[oldLast - end], wanted[wantedLast - end])) end += 1;
  const between = mergeAll(
    old.slice(begin, old.length - end),
    wanted.slice(begin, wanted.length - end),
    keeper,
  );
  return old.slice(0, begin).concat(between, old.slice(old.length - end));
}

function isKept(item: TreeItem | undefined, entry: Entry | undefined): boolean {
  return item?.shown === true && entryOf(item) === entry;
}

/** Merges any order. Discards rows before it creates others. */
function mergeAll(old: readonly TreeItem[], wanted: readonly Entry[], keeper: ItemKeeper): TreeItem[] {
  const stays = new Set(wanted);
  const kept = new Map<Entry, TreeItem>();
  for (const item of old) {
    if (!item.shown) continue;
    const entry = entryOf(item);
    if (stays.has(entry)) kept.set(entry, item);
    else keeper.discard(item);
  }
  return wanted.map(entry => kept.get(entry) ?? keeper.create(entry));
}

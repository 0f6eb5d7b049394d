/**
 * The rows of a list brought into line with what is wanted in it, keeping the rows that stay: their folds, and the cursor
 * on one of them, hang on that.
 */
import type { Entry } from './groups.ts';
import type { TreeItem } from './item.ts';

export interface ItemKeeper {
  create(entry: Entry): TreeItem;
  discard(item: TreeItem): void;
}

/** What a row shows. */
export function entryOf(item: TreeItem): Entry {
  return item.kind === 'object' ? item.node : item.group;
}

/** What begins and ends alike is copied in one piece: of 150,000 roots nearly always all but one. */
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
  // `at` is a call each time, where this is a load.
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

/** In whatever order they stand. What leaves is discarded before anything is created. */
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

/**
 * The root rows brought into line with the roots that are wanted, keeping the rows that stay: their folds, and
 * the cursor on one of them, hang on that.
 */
import type { GraphNode } from '../../../graph/node.ts';
import type { Uid } from '../../../model/object.ts';
import type { TreeItem } from './item.ts';

export type SiblingComparator = (a: GraphNode, b: GraphNode) => number;

export interface ItemKeeper {
  find(uid: Uid): TreeItem | undefined;
  create(node: GraphNode): TreeItem;
  discard(item: TreeItem): void;
}

/**
 * Both lists stand in the same order. What begins and ends alike is copied in one piece: of 150,000 roots nearly always
 * all but one.
 */
export function mergeItems(
  old: readonly TreeItem[],
  wanted: readonly GraphNode[],
  keeper: ItemKeeper,
): TreeItem[] {
  const most = Math.min(old.length, wanted.length);
  let begin = 0;
  while (begin < most && old[begin]?.node === wanted[begin]) begin += 1;
  let end = 0;
  const [oldLast, wantedLast] = [old.length - 1, wanted.length - 1];
  // `at` is a call each time, where this is a load.
  while (end < most - begin && old[oldLast - end]?.node === wanted[wantedLast - end]) end += 1;
  const between = mergeAll(
    old.slice(begin, old.length - end),
    wanted.slice(begin, wanted.length - end),
    keeper,
  );
  return old.slice(0, begin).concat(between, old.slice(old.length - end));
}

/** One walk over both, without a look-up where nothing changed. */
function mergeAll(old: readonly TreeItem[], wanted: readonly GraphNode[], keeper: ItemKeeper): TreeItem[] {
  const next: TreeItem[] = [];
  let position = 0;
  const passOver = (until: number): void => {
    for (; position < until; position++) {
      const item = old[position];
      if (item !== undefined) keeper.discard(item);
    }
  };
  for (const node of wanted) {
    let item = old[position];
    if (item?.node !== node) {
      item = keeper.find(node.uid);
      const found = item === undefined ? -1 : old.indexOf(item, position);
      // What stands in front of it is gone.
      if (found >= 0) passOver(found);
      else item = undefined;
    }
    if (item !== undefined) position += 1;
    next.push(item ?? keeper.create(node));
  }
  passOver(old.length);
  return next;
}

export interface Insertion {
  readonly wanted: readonly GraphNode[];
  /** Rows whose place may be another one now. */
  readonly moving: ReadonlySet<TreeItem>;
  readonly order: SiblingComparator;
}

/** The old rows stand in `order`, the wanted nodes don't: new and moving rows find their places by halving. */
export function insertItems(
  old: readonly TreeItem[],
  { wanted, moving, order }: Insertion,
  keeper: ItemKeeper,
): TreeItem[] {
  const uids = new Set(wanted.map(node => node.uid));
  const stay: TreeItem[] = [];
  for (const item of old) {
    if (moving.has(item)) continue;
    if (uids.has(item.uid)) stay.push(item);
    else keeper.discard(item);
  }
  for (const item of moving) {
    if (uids.has(item.uid)) stay.splice(placeOf(item.node, stay, order), 0, item);
    else keeper.discard(item);
  }
  for (const node of wanted) {
    if (keeper.find(node.uid) !== undefined) continue;
    const item = keeper.create(node);
    stay.splice(placeOf(node, stay, order), 0, item);
  }
  return stay;
}

function placeOf(node: GraphNode, items: readonly TreeItem[], order: SiblingComparator): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = items[middle];
    if (other !== undefined && order(other.node, node) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

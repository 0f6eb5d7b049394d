/** A cursor in a list of rows with keys: how it moves, and how it stays on its row while rows come and go. */
import type { ListCursor } from './state.ts';

export interface KeyedRows {
  readonly length: number;
  at(index: number): { readonly key: string } | undefined;
  /** -1 where no such row is shown. */
  indexOf(key: string): number;
}

/** Puts the cursor on a row by its index, scrolling as little as needed to keep it within `height` lines. */
export function moveTo<T extends ListCursor>(cursor: T, rows: KeyedRows, index: number, height: number): T {
  const last = Math.max(0, rows.length - 1);
  const at = Math.max(0, Math.min(index, last));
  const lowest = Math.max(0, rows.length - height);
  const top = Math.min(lowest, Math.max(at - height + 1, Math.min(cursor.top, at), 0));
  return { ...cursor, key: rows.at(at)?.key, index: at, top };
}

/** After rows changed: the cursor stays on its row and the row on its line; where it is gone, on its line. */
export function stayOn<T extends ListCursor>(cursor: T, rows: KeyedRows, height: number): T {
  const found = cursor.key === undefined ? -1 : rows.indexOf(cursor.key);
  if (found < 0) return moveTo(cursor, rows, cursor.index, height);
  const top = Math.max(0, found - (cursor.index - cursor.top));
  return moveTo({ ...cursor, top }, rows, found, height);
}

/** Scrolls without moving the cursor, unless it would leave the window. */
export function scrollTo<T extends ListCursor>(cursor: T, rows: KeyedRows, top: number, height: number): T {
  const at = Math.max(0, Math.min(top, rows.length - height));
  const index = Math.max(at, Math.min(cursor.index, at + height - 1));
  return moveTo({ ...cursor, top: at }, rows, index, height);
}

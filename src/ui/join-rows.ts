/**
 * A frame as text, from the pieces that Ink has laid out. Ink takes each of them apart into characters with their styles,
 * twice, and joins them again: 6 to 10 ms of each frame of 200×50, and 30 of a process's first ones. Where pieces stand
 * beside each other and their widths are known without tables, nothing of that is needed. The build puts it before Ink's
 * own way (`scripts/bundle.ts`), which has the rest.
 */

import { oneColumnEach } from '../text/terminal/width.ts';

/** A write of Ink's, or something else that it has to do itself. */
export interface Operation {
  readonly type: string;
  /** From the left and the top, in columns and rows. */
  readonly x?: number;
  readonly y?: number;
  readonly text?: string;
  readonly transformers?: readonly ((line: string, index: number) => string)[];
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly operations: readonly Operation[];
}

interface Row {
  text: string;
  /** Columns. */
  width: number;
}

/** The rows below each other, without blanks at their ends; undefined where something is in the way of it. */
export function joinRows({ height, operations }: Frame): string | undefined {
  const rows = Array.from({ length: height }, (): Row => ({ text: '', width: 0 }));
  for (const { type, x = 0, y = 0, text = '', transformers = [] } of operations) {
    if (type !== 'write') return undefined;
    for (const [index, line] of text.split('\n').entries()) {
      const row = rows[y + index];
      // Ink draws nothing outside either.
      if (row === undefined) continue;
      let drawn = line;
      for (const transform of transformers) drawn = transform(drawn, index);
      const width = widthOf(drawn);
      const gap = x - row.width;
      if (width === undefined || gap < 0) return undefined;
      row.text += ' '.repeat(gap) + drawn;
      row.width += gap + width;
    }
  }
  return rows.map(row => row.text.trimEnd()).join('\n');
}

const MOST_WIDTHS = 5_000;
const widths = new Map<string, number | undefined>();

/** Columns; undefined where they aren't told by the characters, or where its styles don't end with it. */
function widthOf(line: string): number | undefined {
  let width = widths.get(line);
  if (width === undefined && !widths.has(line)) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    width = measure(line);
    widths.set(line, width);
  }
  return width;
}

// oxlint-disable-next-line no-control-regex -- how styles are written
const styles = /\u001b\[(\d+)m/gu;

function measure(line: string): number | undefined {
  const open = new Set<number>();
  for (const [, code] of line.matchAll(styles)) {
    const end = endOf(Number(code));
    if (end === undefined) return undefined;
    if (end === Number(code)) open.delete(end);
    else open.add(end);
  }
  const plain = line.replace(styles, '');
  return open.size === 0 && oneColumnEach.test(plain) ? plain.length : undefined;
}

/** What ends a style, or itself where it does; undefined for one that the product has no use for. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if (code === 3 || code === 7 || code === 9) return code + 20;
  if (code >= 30 && code <= 37) return 39;
  return [22, 23, 27, 29, 39].includes(code) ? code : undefined;
}

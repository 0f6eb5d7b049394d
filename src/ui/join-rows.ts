/**
 * Joins Ink's laid-out pieces into a frame's text. Ink splits and joins each piece twice: 6 to 10 ms per 200×50 frame,
 * 30 ms for a process's first. The build puts this before Ink's own code (`scripts/loading/bundle.ts`), which draws what
 * this can't.
 */

import { oneColumnEach } from '../text/index.ts';

export interface Operation {
  readonly type: string;
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
  width: number;
}

/** Joins rows without trailing blanks; returns undefined if Ink has to do it. */
export function joinRows({ height, operations }: Frame): string | undefined {
  const rows = Array.from({ length: height }, (): Row => ({ text: '', width: 0 }));
  for (const { type, x = 0, y = 0, text = '', transformers = [] } of operations) {
    if (type !== 'write') return undefined;
    for (const [index, line] of text.split('\n').entries()) {
      const row = rows[y + index];
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

/** Returns the columns; undefined if characters don't determine them or a style is left open. */
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

/** Returns the code that ends a style, or `code` itself if it ends one; undefined for a style that isn't used. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if (code === 3 || code === 7 || code === 9) return code + 20;
  if (code >= 30 && code <= 37) return 39;
  return [22, 23, 27, 29, 39].includes(code) ? code : undefined;
}

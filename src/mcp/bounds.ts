/**
 * Answers of a size that a reader can hold: lists are cut at a limit, and what is left out is counted. What an answer rests
 * on, `basis`, is always whole.
 */

import { showHidden } from '../model/text/shown.ts';
import { counted, formatCount } from '../model/text/titles.ts';

export type Document = Readonly<Record<string, unknown>>;

/** How many elements each list was cut by: `items`, `items[].related`. */
export type Omitted = Readonly<Record<string, number>>;

export interface Bounded {
  readonly document: Document;
  /** Undefined where everything is there. */
  readonly omitted: Omitted | undefined;
}

/** Of a document as JSON, in characters; a client that reads more has little room for anything else. */
const MOST_CHARACTERS = 200_000;
/** Of text: from the beginning, and from the end, where the sums are. */
const HEAD_LINES = 150;
const TAIL_LINES = 25;

/**
 * Lists of at most `limit` elements, or fewer where the document would be too long all the same. Text that has no ink, or
 * changes how other text is read, is shown as on a terminal: names and messages are chosen by whoever may write to the API.
 */
export function bounded(document: Document, limit: number): Bounded {
  for (let most = limit; ; most = Math.floor(most / 2)) {
    const omitted = new Map<string, number>();
    const cut = Object.fromEntries(
      Object.entries(document).map(([key, value]) => [
        showHidden(key),
        cutTo(value, key, { most: key === 'basis' ? Number.POSITIVE_INFINITY : Math.max(1, most), omitted }),
      ]),
    );
    if (most > 1 && JSON.stringify(cut).length > MOST_CHARACTERS) continue;
    return { document: cut, omitted: omitted.size === 0 ? undefined : Object.fromEntries(omitted) };
  }
}

interface Cut {
  readonly most: number;
  readonly omitted: Map<string, number>;
}

function cutTo(value: unknown, path: string, cut: Cut): unknown {
  if (typeof value === 'string') return showHidden(value);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [showHidden(key), cutTo(each, `${path}.${key}`, cut)]),
    );
  const left = value.length - cut.most;
  if (left > 0) cut.omitted.set(path, (cut.omitted.get(path) ?? 0) + left);
  return value.slice(0, Math.min(value.length, cut.most)).map(each => cutTo(each, `${path}[]`, cut));
}

/** Beginning and end, with a line in between that says how much is left out. */
export function boundedText(text: string): string {
  const lines = text.replace(/\n+$/u, '').split('\n').map(showHidden);
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  if (left <= 1) return lines.join('\n');
  return [
    ...lines.slice(0, HEAD_LINES),
    `… ${counted(left, 'line')} left out here; ask about less, such as one namespace or object …`,
    ...lines.slice(-TAIL_LINES),
  ].join('\n');
}

/** `Left out beyond the limit of 50: 120 of items, 3 of items[].related.` */
export function omittedSentence(omitted: Omitted, limit: number): string {
  const parts = Object.entries(omitted).map(
    ([path, count]) => `${formatCount(count)} of ${showHidden(path)}`,
  );
  return `Left out of the document beyond the limit of ${formatCount(limit)} for each list: ${parts.join(', ')}.`;
}

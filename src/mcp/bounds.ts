/**
 * Answers of a size that a reader can hold: lists are cut at a limit, and what is left out is counted; texts are cut if that
 * isn't enough. What an answer rests on, `basis`, is always whole.
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
/** Of each text, and of each line, of an answer that is too long all the same; half of it as often as it takes. */
const LONGEST_TEXT = 4_000;
const SHORTEST_TEXT = 100;

/**
 * Lists of at most `limit` elements, or fewer where the document would be too long all the same. Text that has no ink, or
 * changes how other text is read, is shown as on a terminal: names and messages are chosen by whoever may write to the API.
 */
export function bounded(document: Document, limit: number): Bounded {
  for (let most = limit, longest = Number.POSITIVE_INFINITY; ; ) {
    const omitted = new Map<string, number>();
    const cut = Object.fromEntries(
      Object.entries(document).map(([key, value]) => [
        showHidden(key),
        cutTo(value, key, key === 'basis' ? whole : { most, longest, omitted }),
      ]),
    );
    if (longest === SHORTEST_TEXT || JSON.stringify(cut).length <= MOST_CHARACTERS)
      return { document: cut, omitted: omitted.size === 0 ? undefined : Object.fromEntries(omitted) };
    // One long text must not hide what else there is, so texts come first.
    if (longest > LONGEST_TEXT || most === 1) longest = shorter(longest);
    else most = Math.floor(most / 2);
  }
}

interface Cut {
  readonly most: number;
  /** Characters of a text. */
  readonly longest: number;
  readonly omitted: Map<string, number>;
}

const whole: Cut = {
  most: Number.POSITIVE_INFINITY,
  longest: Number.POSITIVE_INFINITY,
  omitted: new Map(),
};

function shorter(longest: number): number {
  return longest > LONGEST_TEXT ? LONGEST_TEXT : Math.max(SHORTEST_TEXT, Math.floor(longest / 2));
}

/** Says in front what is left out, so that no shell takes half a command for a whole one. */
function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const sizes = `${formatCount(longest)} of ${formatCount(text.length)}`;
  return `(cut to ${sizes} characters) ${text.slice(0, longest).toWellFormed()}…`;
}

function cutTo(value: unknown, path: string, cut: Cut): unknown {
  if (typeof value === 'string') return cutText(showHidden(value), cut.longest);
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
  if (left > 1)
    lines.splice(
      HEAD_LINES,
      left,
      `… ${counted(left, 'line')} left out here; ask about less, such as one namespace or object …`,
    );
  for (let longest = Number.POSITIVE_INFINITY; ; longest = shorter(longest)) {
    const cut = lines.map(line => cutText(line, longest)).join('\n');
    if (cut.length <= MOST_CHARACTERS || longest === SHORTEST_TEXT) return cut;
  }
}

/** `Left out beyond the limit of 50: 120 of items, 3 of items[].related.` */
export function omittedSentence(omitted: Omitted, limit: number): string {
  const parts = Object.entries(omitted).map(
    ([path, count]) => `${formatCount(count)} of ${showHidden(path)}`,
  );
  return `Left out of the document beyond the limit of ${formatCount(limit)} for each list: ${parts.join(', ')}.`;
}

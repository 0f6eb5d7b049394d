/** Size limits for answers: lists are cut and counted first, then texts. `basis` is never cut. */

import { counted, formatCount, showHidden } from '../../../model/index.ts';

export type Document = Readonly<Record<string, unknown>>;

/** Elements cut from each list: `items`, `items[].related`. */
export type Omitted = Readonly<Record<string, number>>;

export interface Bounded {
  readonly document: Document;
  readonly omitted: Omitted | undefined;
}

/** Characters of a JSON document that leave a client room for anything else. */
const MOST_CHARACTERS = 200_000;
/** Lines of a text kept from its beginning and its end, which has the sums. */
const HEAD_LINES = 150;
const TAIL_LINES = 25;
/** Characters of each text and line of an answer that is still too long; halved as often as needed. */
const LONGEST_TEXT = 4_000;
const SHORTEST_TEXT = 100;

/**
 * Cuts lists to `limit` elements, or fewer if the document is still too long. Escapes invisible and reordering
 * characters as on a terminal: any writer of the API chooses names and messages.
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
    // Texts come first, so that one long text doesn't displace list entries.
    if (longest > LONGEST_TEXT || most === 1) longest = shorter(longest);
    else most = Math.floor(most / 2);
  }
}

interface Cut {
  readonly most: number;
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

/** Puts the cut in front, so that no shell runs half a command. */
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

/** Keeps the beginning and end, with a line in between that counts the rest. */
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

/** Returns `Left out beyond the limit of 50: 120 of items, 3 of items[].related.` */
export function omittedSentence(omitted: Omitted, limit: number): string {
  const parts = Object.entries(omitted).map(
    ([path, count]) => `${formatCount(count)} of ${showHidden(path)}`,
  );
  return `Left out of the document beyond the limit of ${formatCount(limit)} for each list: ${parts.join(', ')}.`;
}

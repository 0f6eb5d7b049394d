/** Searches a long text and folds YAML, recomputing the visible lines at each key. */
import type { Line, Span } from '../../text/index.ts';

export interface Reading {
  /** All lines; the visible ones are the dialog's `lines`. */
  readonly all: readonly Line[];
  /** Folded parts by path, such as `metadata.managedFields`. */
  readonly folded: ReadonlySet<string>;
  readonly part?: string | undefined;
  readonly words: string;
  readonly typing: boolean;
  /** Index in `lines` of the latest match. */
  readonly at: number | undefined;
}

export function readingOf(all: readonly Line[], folded: Iterable<string> = []): Reading {
  return { all, folded: new Set(folded), words: '', typing: false, at: undefined };
}

interface Part {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const key = /^( *)([A-Za-z][\w-]*):(?= |$)/u;

/** Lists keys of the first level and below `metadata`. */
function partsOf(all: readonly Line[]): readonly Part[] {
  const found: { path: string; from: number; indent: number }[] = [];
  let top = '';
  for (const [from, line] of all.entries()) {
    const [, blanks = '', name = ''] = key.exec(textOf(line)) ?? [];
    if (name === '') continue;
    if (blanks === '') top = name;
    if (blanks === '' || (blanks === '  ' && top === 'metadata'))
      found.push({ path: blanks === '' ? name : `metadata.${name}`, from, indent: blanks.length });
  }
  return found.map(({ path, from, indent }, i) => {
    const next = found.slice(i + 1).find(each => each.indent <= indent);
    return { path, from, to: next?.from ?? all.length };
  });
}

/** Returns the part's first visible line; undefined if it doesn't exist or is folded away. */
export function placeOf({ all, folded }: Reading, path: string): number | undefined {
  const from = partsOf(all).find(part => part.path === path)?.from;
  if (from === undefined) return undefined;
  const place = shownPlaces(all, folded).indexOf(from);
  return place < 0 ? undefined : place;
}

export function hasPart({ all }: Reading, path: string): boolean {
  return partsOf(all).some(part => part.path === path);
}

function shownPlaces(all: readonly Line[], folded: ReadonlySet<string>): readonly number[] {
  if (folded.size === 0) return all.map((_, index) => index);
  const hidden = partsOf(all).filter(({ path }) => folded.has(path));
  return all.flatMap((_, index) =>
    hidden.some(({ from, to }) => index > from && index < to) ? [] : [index],
  );
}

export function shownLines({ all, folded, words, part }: Reading): readonly Line[] {
  if (folded.size === 0 && words === '' && part === undefined) return all;
  const chosen = partsOf(all).find(({ path }) => path === part)?.from;
  const hidden = new Map(
    partsOf(all).flatMap(({ path, from, to }) => (folded.has(path) ? [[from, to]] : [])),
  );
  return shownPlaces(all, folded).map(index => {
    const line = all[index] ?? [];
    const to = hidden.get(index);
    const marked = index === chosen ? standingOut(line) : words === '' ? line : withMatches(line, words);
    if (to === undefined || to - index < 2) return marked;
    return [...marked, { text: ` (${to - index - 1} lines folded)`, style: 'muted' }];
  });
}

/** Lists indexes of visible lines that contain the words in any case. */
export function matchesOf(lines: readonly Line[], words: string): readonly number[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, index) => (textOf(line).toLowerCase().includes(wanted) ? [index] : []));
}

/** Unfolds parts that contain a match. */
export function unfoldedFor(reading: Reading): Reading {
  const { all, folded, words } = reading;
  const found = matchesOf(all, words);
  const stays = partsOf(all).filter(
    ({ path, from, to }) => folded.has(path) && !found.some(index => index > from && index < to),
  );
  return { ...reading, folded: new Set(stays.map(({ path }) => path)) };
}

function standingOut(line: Line): Line {
  return line.map(({ text }) => ({ text, style: 'chosen' }));
}

function withMatches(line: Line, words: string): Line {
  const wanted = words.toLowerCase();
  return line.flatMap(({ text, style }): Span[] => {
    const spans: Span[] = [];
    let rest = text;
    for (let at = rest.toLowerCase().indexOf(wanted); at >= 0; at = rest.toLowerCase().indexOf(wanted)) {
      if (at > 0) spans.push({ text: rest.slice(0, at), style });
      spans.push({ text: rest.slice(at, at + wanted.length), style: 'warning' });
      rest = rest.slice(at + wanted.length);
    }
    if (rest !== '' || spans.length === 0) spans.push({ text: rest, style });
    return spans;
  });
}

export function wholeText({
  lines,
  reading,
}: {
  readonly lines: readonly Line[];
  readonly reading?: Reading;
}): string {
  return (reading?.all ?? lines).map(line => textOf(line).trimEnd()).join('\n');
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

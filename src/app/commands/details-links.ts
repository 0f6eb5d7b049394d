/** Links in the details to objects and findings. Enter follows the one under the cursor, a click any. */
import { meaningOf } from '../../diagnosis/index.ts';
import { displayWidth, helpUriOf, type Line, type Span } from '../../text/index.ts';
import { isInDetails, layoutOf } from '../state/layout.ts';
import { type State, withNotice } from '../state/state.ts';
import { currentUid } from '../views/current.ts';
import { detailsLines } from '../views/object-details.ts';
import { jumpTo } from '../views/scope.ts';

type Link = NonNullable<Span['link']>;

/** A link with its first and last line, counted from 0. */
interface Placed {
  readonly link: Link;
  readonly first: number;
  last: number;
}

function linksIn(lines: readonly Line[]): readonly Placed[] {
  const placed: Placed[] = [];
  for (const [index, line] of lines.entries()) {
    for (const { link } of line) {
      if (link === undefined) continue;
      const before = placed.at(-1);
      // A long link continues on the next line.
      if (before?.link === link) before.last = index;
      else placed.push({ link, first: index, last: index });
    }
  }
  return placed;
}

interface Seen {
  readonly lines: readonly Line[];
  /** All links, and the index of the one under the cursor, or -1 if none is visible. */
  readonly links: readonly Placed[];
  readonly at: number;
  readonly top: number;
  readonly height: number;
}

function seen(state: State): Seen | undefined {
  const { details } = layoutOf(state);
  if (details === undefined) return undefined;
  const { width, height } = details;
  const lines = detailsLines(state, width);
  const top = Math.max(0, Math.min(state.detailsTop, lines.length - height));
  const links = linksIn(lines);
  const shows = ({ first }: Placed): boolean => first >= top && first < top + height;
  const { about, index } = state.detailsLink ?? { about: undefined, index: -1 };
  const chosen = about === currentUid(state) ? links[index] : undefined;
  const at = chosen !== undefined && shows(chosen) ? index : links.findIndex(shows);
  return { lines, links, at, top, height };
}

/** Returns the link that Enter follows, if keys go to the details. */
export function currentLink(state: State): Link | undefined {
  const found = isInDetails(state) ? seen(state) : undefined;
  return found?.links[found.at]?.link;
}

/** Moves to the next visible link, else scrolls. */
export function moveInDetails(state: State, direction: 1 | -1): State {
  const found = seen(state);
  if (found === undefined) return state;
  const { lines, links, at, top, height } = found;
  const to = (index: number, newTop: number): State => ({
    ...state,
    detailsTop: newTop,
    detailsLink: { about: currentUid(state), index },
  });
  const next = links[at + direction];
  const isNear = (start: number): boolean =>
    next !== undefined && at >= 0 && next.first >= start && next.first < start + height;
  if (isNear(top)) return to(at + direction, top);
  const scrolled = Math.max(0, Math.min(lines.length - height, top + direction));
  return to(isNear(scrolled) ? at + direction : at, scrolled);
}

export function followLink(state: State): State {
  const link = currentLink(state);
  return link === undefined ? withNotice(state, 'No link is in sight here.', 'info') : follow(state, link);
}

function follow(state: State, link: Link): State {
  if (link.to === 'finding') {
    const lines: readonly Line[] = [
      [{ text: meaningOf(link.code), style: 'plain' }],
      [],
      [
        { text: 'More: ', style: 'muted' },
        { text: helpUriOf(link.code), style: 'info' },
      ],
    ];
    return { ...state, dialog: { kind: 'text', title: link.code, lines, top: 0, loading: false } };
  }
  // Full-size details would hide the target.
  return jumpTo({ ...state, details: state.details === 'full' ? 'auto' : state.details }, link.uid);
}

export function scrollDetails(state: State, lines: number): State {
  const { details } = layoutOf(state);
  if (details === undefined) return state;
  const last = Math.max(0, detailsLines(state, details.width).length - details.height);
  return { ...state, detailsTop: Math.max(0, Math.min(last, state.detailsTop + lines)) };
}

/** Follows the clicked link or focuses the details; undefined elsewhere. */
export function clickDetails(
  state: State,
  { column, row }: { column: number; row: number },
): State | undefined {
  const { details } = layoutOf(state);
  const found = details && seen(state);
  if (details === undefined || found === undefined) return undefined;
  const { left, top, width, height } = details;
  if (row < top || row >= top + height || column < left || column >= left + width) return undefined;
  let at = left;
  for (const { text, link } of found.lines[found.top + row - top] ?? []) {
    const end = at + displayWidth(text);
    if (link !== undefined && column >= at && column < end) return follow(state, link);
    at = end;
  }
  return { ...state, focus: 'details' };
}

export function withCursor(lines: readonly Line[], link: Link | undefined): readonly Line[] {
  if (link === undefined) return lines;
  return lines.map(line =>
    line.some(span => span.link === link)
      ? line.map(span => (span.link === link ? { ...span, style: 'chosen' as const } : span))
      : line,
  );
}

/** Draws search hits: highlighted title, state and other matches. */
import { counted } from '../../model/index.ts';
import { displayWidth, padEnd, type Span, truncated } from '../../text/index.ts';
import { glyphsOf } from '../drawing/fit.ts';
import type { Dialog, SearchHit, State } from '../state/state.ts';
import { nodeState } from '../views/tree/row.ts';
import type { DialogLine } from './box.ts';

type Search = Extract<Dialog, { kind: 'search' }>;

const CURSOR = 2;
const LEAST_STATE = 16;
const MOST_STATE = 38;

/** Draws the visible hits; `first`: index of the first one. */
export function hitLines(
  state: State,
  { hits, cursor }: Search,
  first: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly DialogLine[] {
  const shown = hits.slice(first, first + height);
  const states = Math.max(LEAST_STATE, Math.min(MOST_STATE, Math.floor(width * 0.35)));
  const widest = shown.reduce((most, { title }) => Math.max(most, displayWidth(title)), 20);
  const title = Math.min(widest + 2, width - CURSOR - states);
  const { ellipsis } = glyphsOf(state);
  return shown.map((hit, i) => {
    const chosen = first + i === cursor;
    const node = state.cluster?.node(hit.node.uid) ?? hit.node;
    return {
      spans: [
        { text: chosen ? '> ' : '  ', style: 'plain' },
        ...titleSpans(hit, title, ellipsis),
        ...nodeState(state, node, { width: states, below: false }, glyphsOf(state)),
        ...(hit.besides === '' ? [] : [{ text: hit.besides, style: 'muted' as const }]),
      ],
      chosen,
    };
  });
}

function titleSpans({ title, places }: SearchHit, width: number, ellipsis: string): readonly Span[] {
  const shown = truncated.title(title, width - 1, ellipsis);
  // The cut leaves a beginning and an end, and highlights what they keep of each place.
  const head = shown === title ? title.length : shown.lastIndexOf(ellipsis);
  const tail = shown === title ? title.length : title.length - (shown.length - head - ellipsis.length);
  const shift = shown.length - title.length;
  const spans: Span[] = [];
  let at = 0;
  const highlight = (start: number, to: number): void => {
    const from = Math.max(start, at);
    if (from >= to) return;
    spans.push(
      { text: shown.slice(at, from), style: 'plain' },
      { text: shown.slice(from, to), style: 'title' },
    );
    at = to;
  };
  for (const [from, to] of places) {
    highlight(from, Math.min(to, head));
    highlight(Math.max(from, tail) + shift, to + shift);
  }
  return [
    ...spans,
    { text: padEnd(shown.slice(at), width - displayWidth(shown.slice(0, at))), style: 'plain' },
  ];
}

export function searchStatus({ query, total, done, hits }: Search): string {
  if (query.trim() === '') return 'type words, with or without typing errors: dep api, stokc, app=web';
  if (total === undefined) return done ? 'nothing found' : 'searching';
  const found = total === 0 ? 'nothing found' : counted(total, 'hit');
  const best = total > hits.length && total > 0 ? `, the best ${hits.length} shown` : '';
  return `${found}${best}${done ? '' : ', still searching'}`;
}

/** Draws a box over the dimmed view, in whole lines: overlapping pieces cost Ink three times as much. */

import { displayWidth, type Line, padEnd, type Span, truncated } from '../../text/index.ts';
import { fit, glyphsOf, widthOf } from '../drawing/fit.ts';
import type { Area } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import type { PanelSize } from './panel-size.ts';

export interface DialogLine {
  readonly spans: Line;
  readonly chosen: boolean;
  /** A choice among other lines. */
  readonly entry?: boolean;
}

export interface DialogView {
  readonly title: string;
  /** Typed text; undefined if nothing can be typed. */
  readonly prompt: string | undefined;
  /** Question or progress in place of a prompt. */
  readonly head?: readonly Line[];
  readonly lines: readonly DialogLine[];
  readonly status: string;
}

/** Draws the box; each line is as wide as its area. */
export function boxLines(
  state: State,
  view: DialogView,
  { area, width, height }: PanelSize,
): readonly Line[] {
  const { ellipsis } = glyphsOf(state);
  const border = state.options.ascii ? asciiBorder : unicodeBorder;
  const side: Span = { text: border.side, style: 'info' };
  const row = (spans: Line, chosen = false): Line => {
    const shown = fit(spans, width, ellipsis);
    const rest = ' '.repeat(Math.max(0, width - widthOf(shown)));
    const text = shown.map(span => span.text).join('');
    return chosen
      ? [side, { text: ` ${text}${rest} `, style: 'chosen' }, side]
      : [side, blank, ...shown, { text: `${rest} `, style: 'plain' }, side];
  };
  const prompt = view.prompt === undefined ? [] : [row(typedLine(view.prompt, width, ellipsis))];
  const lines = view.lines.slice(0, height).map(({ spans, chosen }) => row(spans, chosen));
  const missing = Math.max(0, area.height - 2 - prompt.length - lines.length);
  return [
    edge(border.above, view.title, 'title', area.width, border.line, ellipsis),
    ...prompt,
    ...lines,
    ...Array.from({ length: missing }, () => row([])),
    state.notice === undefined
      ? edge(border.below, view.status, 'muted', area.width, border.line, ellipsis)
      : edge(border.below, state.notice.text, state.notice.style, area.width, border.line, ellipsis),
  ];
}

const blank: Span = { text: ' ', style: 'plain' };
const unicodeBorder = { above: '╭╮', below: '╰╯', side: '│', line: '─' };
const asciiBorder = { above: '++', below: '++', side: '|', line: '-' };

function edge(
  corners: string,
  said: string,
  style: Span['style'],
  width: number,
  line: string,
  ellipsis: string,
): Line {
  const room = width - 6;
  const text = truncated.sentence(said, room, ellipsis);
  const [left = '', right = ''] = corners;
  if (text === '') return [{ text: left + line.repeat(width - 2) + right, style: 'info' }];
  return [
    { text: left + line, style: 'info' },
    { text: ` ${text} `, style },
    { text: line.repeat(width - displayWidth(text) - 5) + right, style: 'info' },
  ];
}

/** Shows the end of long input, which matters most. */
function typedLine(prompt: string, width: number, ellipsis: string): Line {
  const room = width - 4;
  const isLong = displayWidth(prompt) > room;
  const shown = isLong
    ? ellipsis + truncated.between(prompt, displayWidth(prompt) - room + 2, displayWidth(prompt))
    : prompt;
  return [
    { text: '> ', style: 'info' },
    { text: shown, style: 'plain' },
    { text: '_', style: 'info' },
  ];
}

export function overlaid(
  behind: readonly string[],
  box: readonly Line[],
  { left, top: boxTop, width }: Area,
  { columns, top }: { readonly columns: number; readonly top: number },
): readonly Line[] {
  return behind.map((text, i) => {
    const line = box[i + top - boxTop];
    if (line === undefined) return [{ text: text.trimEnd(), style: 'muted' }];
    const padded = padEnd(text, columns);
    const before: Span = { text: truncated.between(padded, 0, left), style: 'muted' };
    const after: Span = {
      text: truncated.between(padded, left + width, columns).trimEnd(),
      style: 'muted',
    };
    return [...(left > 0 ? [before] : []), ...line, ...(after.text === '' ? [] : [after])];
  });
}

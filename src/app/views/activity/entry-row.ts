/** Draws a row of the Activity view: time, event, object and reason, indented below its cause. */
import { ActivityEntry } from '../../../activity/index.ts';
import { activityNotes, activityWords, type Line, padEnd, type Span, truncate } from '../../../text/index.ts';
import { type ActivityRow, entryOfRow } from '../../cluster/activity-rows.ts';
import { glyphsOf, justified } from '../../drawing/fit.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import { agesAsOf, listState, type State } from '../../state/state.ts';
import { filledRow } from '../view.ts';

/** Columns for the cursor and the fold mark. */
const MARKS = 3;
const LONG_TIME = '12:00:00.0Z'.length + 1;
const SHORT_TIME = '12:00:00Z'.length + 1;
/** Minimum width for tenths of a second. */
const WIDE = 72;
const DEEPEST = 5;

function timeWidth(width: number): number {
  return width < WIDE ? SHORT_TIME : LONG_TIME;
}

export function activityHeader(state: State, width: number): Line {
  const time = timeWidth(width);
  const text = `${padEnd(' TIME', MARKS + time)}${padEnd('WHAT', activityWords.wordWidth + 1)}OBJECT: WHY`;
  const isBehind = listState(state, 'activity').following === false && width < UNCUT_COLUMNS;
  const right: Line = isBehind
    ? [
        { text: 'G', style: 'info' },
        { text: ' follows what is new ', style: 'muted' },
      ]
    : [];
  const line = justified([{ text, style: 'muted' }], right, width, glyphsOf(state).ellipsis);
  return line;
}

export function activityRow(state: State, row: ActivityRow, chosen: boolean, width: number): Line {
  const entry = entryOfRow(row);
  const spans = entry === undefined ? noteSpans(row, width) : entrySpans(state, row, entry, width);
  return filledRow(state, [{ text: chosen ? '>' : ' ', style: 'plain' }, ...spans], width);
}

function entrySpans(state: State, row: ActivityRow, entry: ActivityEntry, width: number): readonly Span[] {
  const { cluster } = state;
  const settled = cluster?.activity?.isSettled(entry) !== false;
  const cells = activityWords.cells(entry, agesAsOf(state), { namespace: cluster?.namespace ?? '', settled });
  const time = timeWidth(width);
  const shown = width < WIDE ? cells.time.replace(/\.\d(?=Z$)/u, '') : cells.time;
  const isFolded = row.kind === 'group' && row.folded && row.count > 0;
  const depth = row.kind === 'group' ? 0 : Math.min(DEEPEST, ActivityEntry.depth(entry));
  const count = isFolded ? ` (${row.count} more)` : '';
  return [
    {
      text: `${foldMark(row, glyphsOf(state).ascii)}${state.marks.has(entry.object.uid) ? '*' : ' '}`,
      style: 'plain',
    },
    { text: padEnd(truncate(shown, time - 1, ''), time), style: 'muted' },
    { text: padEnd(cells.word, activityWords.wordWidth + 1), style: cells.style },
    { text: `${'  '.repeat(depth)}${cells.object}`, style: 'plain' },
    { text: `${count}${cells.why === '' ? '' : `: ${cells.why}`}`, style: 'muted' },
  ];
}

function foldMark(row: ActivityRow, ascii: boolean): string {
  if (row.kind === 'item' || row.count === 0) return ' ';
  if (ascii) return row.folded ? '>' : 'v';
  return row.folded ? '▸' : '▾';
}

function noteSpans(row: ActivityRow, width: number): readonly Span[] {
  if (row.kind === 'item' || row.head.of === 'action') return [];
  const { head } = row;
  const time = timeWidth(width);
  return head.of === 'start'
    ? [{ text: `  ${activityNotes.start(head.at, time > SHORT_TIME)}`, style: 'info' }]
    : [{ text: `  ${activityNotes.gap(head, time > SHORT_TIME)}`, style: 'warning' }];
}

/**
 * One row of the Problems view as text in columns: the object, the reason, since when. Everything has its final width
 * here, so that drawing a row measures nothing.
 */
import type { Severity } from '../diagnosis/codes.ts';
import { meaningOf } from '../text/code-words.ts';
import { reasonOf, severityStyle, sinceOf } from '../text/finding.ts';
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../text/glyphs.ts';
import { objectTitleIn } from '../text/names.ts';
import type { Span } from '../text/style.ts';
import { padEnd, truncate } from '../text/width.ts';
import { UNCUT_COLUMNS } from './layout.ts';
import { momentOf } from './moment.ts';
import { formatCount } from './numbers.ts';
import type { ProblemRow } from './problem-rows.ts';
import type { State } from './state.ts';

type Line = readonly Span[];

const SINCE = 8;

interface Columns {
  readonly object: number;
  readonly reason: number;
}

function columnsOf(width: number): Columns {
  const most = width >= UNCUT_COLUMNS ? width : 56;
  const object = Math.max(24, Math.min(most, Math.floor(width * 0.42)));
  return { object, reason: width - object - SINCE };
}

export function problemHeader(width: number): Line {
  const { object, reason } = columnsOf(width);
  const text = `${padEnd(' PROBLEM', object)}${padEnd('REASON', reason)}${'SINCE'.padStart(SINCE - 1)} `;
  return [{ text, style: 'muted' }];
}

/** The mark of a severity: errors and warnings have the marks of the tree, what is worth knowing has a dot. */
function severityMark(severity: Severity, glyphs: Glyphs): string {
  if (severity === 'error') return glyphs.danger;
  return severity === 'warning' ? glyphs.warning : glyphs.ascii ? '.' : '·';
}

/** The row's spans, together exactly `width` columns wide. */
export function problemLine(state: State, row: ProblemRow, index: number, width: number): Line {
  const glyphs = state.options.ascii ? asciiGlyphs : unicodeGlyphs;
  const cursor = index === state.problems.index ? '>' : ' ';
  return row.kind === 'group'
    ? groupLine(row, cursor, width, glyphs)
    : findingLine(state, row.finding, cursor, width, glyphs);
}

function groupLine(
  row: Extract<ProblemRow, { kind: 'group' }>,
  cursor: string,
  width: number,
  glyphs: Glyphs,
): Line {
  const fold = glyphs.ascii ? (row.folded ? '+' : '-') : row.folded ? '▸' : '▾';
  const mark = `${severityMark(row.severity, glyphs)} `;
  const head = truncate(`${row.code} (${formatCount(row.count)})`, width - 6, glyphs.ellipsis);
  const room = width - 6 - head.length;
  const meaning = truncate(meaningOf(row.code), Math.max(0, room - 2), glyphs.ellipsis);
  return [
    { text: `${cursor}${fold} `, style: 'plain' },
    { text: mark, style: severityStyle(row.severity) },
    { text: head, style: 'title' },
    { text: padEnd(meaning === '' ? '' : `  ${meaning}`, room + 1), style: 'muted' },
  ];
}

function findingLine(
  state: State,
  finding: Extract<ProblemRow, { kind: 'finding' }>['finding'],
  cursor: string,
  width: number,
  glyphs: Glyphs,
): Line {
  const { object, reason } = columnsOf(width);
  const indent = 5;
  const name = objectTitleIn(finding.object, state.cluster?.namespace ?? '');
  return [
    { text: cursor + ' '.repeat(indent - 1), style: 'plain' },
    { text: padEnd(truncate(name, object - indent - 1, glyphs.ellipsis), object - indent), style: 'plain' },
    {
      text: padEnd(truncate(reasonOf(finding), reason - 1, glyphs.ellipsis), reason),
      style: severityStyle(finding.severity),
    },
    { text: `${sinceOf(finding, momentOf(state)).padStart(SINCE - 1)} `, style: 'muted' },
  ];
}

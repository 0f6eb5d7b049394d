/** Draws a row of the Problems view: object, reason and time. */

import type { Severity } from '../../diagnosis/engine/codes.ts';
import type { Finding } from '../../diagnosis/engine/finding.ts';
import { objectTitleIn } from '../../model/text/titles.ts';
import { meaningOf } from '../../text/diagnosis/code-words.ts';
import { reasonOf, severityStyle, sinceOf } from '../../text/diagnosis/finding.ts';
import type { Glyphs } from '../../text/terminal/glyphs.ts';
import type { Line, Span } from '../../text/terminal/style.ts';
import { padEnd, truncate } from '../../text/terminal/width.ts';
import type { ProblemRow } from '../cluster/problems.ts';
import { UNCUT_COLUMNS } from '../state/layout.ts';
import { asOf, type State } from '../state/state.ts';
import { glyphsOf, rowStart } from './frame.ts';
import { headingLine } from './heading.ts';

const SINCE = 8;

function columnsOf(width: number): { readonly object: number; readonly reason: number } {
  const most = width >= UNCUT_COLUMNS ? width : 56;
  const object = Math.max(24, Math.min(most, Math.floor(width * 0.42)));
  return { object, reason: width - object - SINCE };
}

export function problemHeader(width: number): Line {
  const { object, reason } = columnsOf(width);
  const text = `${padEnd(' PROBLEM', object)}${padEnd('REASON', reason)}${'SINCE'.padStart(SINCE - 1)} `;
  return [{ text, style: 'muted' }];
}

function severityMark(severity: Severity, glyphs: Glyphs): Span {
  const mark =
    severity === 'error' ? glyphs.danger : severity === 'warning' ? glyphs.warning : glyphs.ascii ? '.' : '·';
  return { text: mark, style: severityStyle[severity] };
}

export function problemLine(state: State, row: ProblemRow, index: number, width: number): Line {
  const glyphs = glyphsOf(state);
  const chosen = index === state.problems.index;
  if (row.kind === 'item') return findingLine(state, row.item, chosen, width);
  const { code, severity } = row.head;
  const { count, folded } = row;
  const mark = severityMark(severity, glyphs);
  return headingLine({ chosen, folded, mark, title: code, count, meaning: meaningOf[code] }, width, glyphs);
}

function findingLine(state: State, finding: Finding, chosen: boolean, width: number): Line {
  const { ellipsis } = glyphsOf(state);
  const { object, reason } = columnsOf(width);
  const indent = 5;
  const name = objectTitleIn(finding.object, state.cluster?.namespace ?? '');
  return [
    rowStart(state, chosen, finding.object.uid, indent),
    { text: padEnd(truncate(name, object - indent - 1, ellipsis), object - indent), style: 'plain' },
    {
      text: padEnd(truncate(reasonOf(finding), reason - 1, ellipsis), reason),
      style: severityStyle[finding.severity],
    },
    { text: `${sinceOf(finding, asOf(state)).padStart(SINCE - 1)} `, style: 'muted' },
  ];
}

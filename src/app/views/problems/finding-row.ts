/** Draws a row of the Problems view: object, reason and time. */

import { type Finding, meaningOf, type Severity } from '../../../diagnosis/index.ts';
import { objectTitleIn } from '../../../model/index.ts';
import { findingWords, type Glyphs, type Line, padEnd, type Span, truncate } from '../../../text/index.ts';
import type { ProblemRow } from '../../cluster/problems.ts';
import { glyphsOf, rowStart } from '../../drawing/fit.ts';
import { headingLine } from '../../drawing/heading.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import { asOf, type State } from '../../state/state.ts';

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
  return { text: mark, style: findingWords.severityStyle[severity] };
}

export function problemLine(state: State, row: ProblemRow, chosen: boolean, width: number): Line {
  const glyphs = glyphsOf(state);
  if (row.kind === 'item') return findingLine(state, row.item, chosen, width);
  const { code, severity } = row.head;
  const { count, folded } = row;
  const mark = severityMark(severity, glyphs);
  return headingLine({ chosen, folded, mark, title: code, count, meaning: meaningOf(code) }, width, glyphs);
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
      text: padEnd(truncate(findingWords.reason(finding), reason - 1, ellipsis), reason),
      style: findingWords.severityStyle[finding.severity],
    },
    { text: `${findingWords.since(finding, asOf(state)).padStart(SINCE - 1)} `, style: 'muted' },
  ];
}

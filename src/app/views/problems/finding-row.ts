/** Draws a row of the Problems view: a cause or a code as heading, or object, reason and time. */

import { type Cause, type Finding, meaningOf, type Severity } from '../../../diagnosis/index.ts';
import { objectTitleIn } from '../../../model/index.ts';
import {
  checkWords,
  displayWidth,
  findingWords,
  type Glyphs,
  type Line,
  padEnd,
  type Span,
  truncated,
} from '../../../text/index.ts';
import type { ProblemRow } from '../../cluster/problems.ts';
import { glyphsOf, rowStart, widthOf } from '../../drawing/fit.ts';
import { headingLine, headingStart } from '../../drawing/heading.ts';
import { listHeight, UNCUT_COLUMNS } from '../../state/layout.ts';
import { agesAsOf, listState, type State } from '../../state/state.ts';

const INDENT = 5;
const SINCE = 8;
const LEAST_OBJECT = 24;
/** Shares of the width: of the object's column if all fits, and of the reason's column at most. */
const OBJECT_SHARE = 0.42;
const REASON_SHARE = 0.58;

export interface ProblemColumns {
  readonly object: number;
  readonly reason: number;
}

/** Makes room for the reasons on the screen, then for the names, which can be cut in the middle. */
export function problemColumns(state: State, width: number): ProblemColumns {
  const share = Math.floor(width * OBJECT_SHARE);
  let object = share;
  if (width < UNCUT_COLUMNS) {
    const { top } = listState(state, 'problems');
    const rows = state.cluster?.problems?.rows.window(top, listHeight(state)) ?? [];
    const findings = rows.flatMap(row => (row.kind === 'item' ? [row.item] : []));
    const longest = (textOf: (finding: Finding) => string): number =>
      Math.max(0, ...findings.map(each => displayWidth(textOf(each)) + 1));
    const names = INDENT + 1 + longest(each => nameOf(state, each));
    const reasons = Math.max(
      Math.min(longest(findingWords.reason), Math.floor(width * REASON_SHARE)),
      longest(findingWords.cause),
    );
    object = Math.max(LEAST_OBJECT, Math.min(Math.max(share, names), width - SINCE - reasons));
  }
  return { object, reason: width - object - SINCE };
}

function nameOf({ cluster }: State, { object }: Finding): string {
  return objectTitleIn(object, cluster?.namespace ?? '');
}

export function problemHeader({ object, reason }: ProblemColumns): Line {
  const text = `${padEnd(' PROBLEM', object)}${padEnd('REASON', reason)}${'SINCE'.padStart(SINCE - 1)} `;
  return [{ text, style: 'muted' }];
}

function severityMark(severity: Severity, glyphs: Glyphs): Span {
  const mark =
    severity === 'error' ? glyphs.danger : severity === 'warning' ? glyphs.warning : glyphs.ascii ? '.' : '·';
  return { text: mark, style: findingWords.severityStyle[severity] };
}

export function problemLine(state: State, row: ProblemRow, chosen: boolean, columns: ProblemColumns): Line {
  if (row.kind === 'item') return findingLine(state, row.item, chosen, columns);
  const glyphs = glyphsOf(state);
  const { head, count, folded } = row;
  const start = { chosen, folded, mark: severityMark(head.severity, glyphs) };
  const width = columns.object + columns.reason + SINCE;
  if (head.by === 'cause') return causeLine(state, head.cause, headingStart(start, glyphs), width);
  const { code } = head;
  return headingLine({ ...start, title: code, count, meaning: meaningOf(code) }, width, glyphs);
}

function causeLine(state: State, cause: Cause, start: Line, width: number): Line {
  const room = width - widthOf(start);
  if (width >= UNCUT_COLUMNS)
    return [...start, { text: padEnd(checkWords.cause(cause, agesAsOf(state)), room), style: 'title' }];
  const fitted = checkWords.fittedCause(cause, {
    namespace: state.cluster?.namespace ?? '',
    width: room - SINCE - 1,
    ellipsis: glyphsOf(state).ellipsis,
  });
  return [...start, { text: padEnd(fitted, room - SINCE), style: 'title' }, sinceSpan(state, cause)];
}

function sinceSpan(state: State, since: Parameters<typeof findingWords.since>[0]): Span {
  return { text: `${findingWords.since(since, agesAsOf(state)).padStart(SINCE - 1)} `, style: 'muted' };
}

function findingLine(
  state: State,
  finding: Finding,
  chosen: boolean,
  { object, reason }: ProblemColumns,
): Line {
  const { ellipsis } = glyphsOf(state);
  const name = truncated.title(nameOf(state, finding), object - INDENT - 1, ellipsis);
  return [
    rowStart(state, chosen, finding.object.uid, INDENT),
    { text: padEnd(name, object - INDENT), style: 'plain' },
    {
      text: padEnd(findingWords.fittedReason(finding, reason - 1, ellipsis), reason),
      style: findingWords.severityStyle[finding.severity],
    },
    sinceSpan(state, finding),
  ];
}

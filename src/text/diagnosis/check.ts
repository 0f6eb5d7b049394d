/** Findings in aligned columns or, on a narrow terminal, in two lines each. */
import type { Finding } from '../../diagnosis/engine/finding.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { enumerated, formatCount } from '../../model/text/titles.ts';
import { plural } from '../plan/words.ts';
import type { Span, Style } from '../terminal/style.ts';
import { GAP, type TableColumns, tableColumns, tableRow, titleRow } from '../terminal/table.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { objectCell, reasonOf, severityStyle, sinceOf } from './finding.ts';

export interface CheckTextOptions {
  readonly wide: boolean;
  readonly headers: boolean;
  /** The terminal's columns; undefined without a terminal. */
  readonly width: number | undefined;
  readonly ellipsis: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

// Narrower reasons get a line of their own.
const LEAST_REASON = 32;

function titles({ wide }: CheckTextOptions): readonly string[] {
  return ['SEVERITY', 'OBJECT', 'KIND', 'CODE', ...(wide ? ['CERTAINTY'] : []), 'REASON', 'SINCE'];
}

function cells(finding: Finding, options: CheckTextOptions): string[] {
  return [
    finding.severity.toUpperCase(),
    objectCell(finding),
    shownName(finding.object.kind),
    finding.code,
    ...(options.wide ? [finding.certainty] : []),
    options.wide ? showHidden(finding.message) : reasonOf(finding),
    sinceOf(finding, options.now),
  ];
}

/** Maximum number of info findings of a code to list one by one. */
const MOST_ALIKE = 10;
const KINDS_NAMED = 3;

export interface FoldedFindings {
  readonly listed: readonly Finding[];
  /** Lines for codes that aren't listed: `291 × ControllerDoesNotBlock, about ReplicaSets (each with -o wide)`. */
  readonly folds: readonly string[];
}

/** Folds numerous info findings into a line per code, or one line for several with the same text. */
export function foldAlike(findings: readonly Finding[]): FoldedFindings {
  const groups = Map.groupBy(
    findings.filter(({ severity }) => severity === 'info'),
    ({ code, alike }) => JSON.stringify([code, alike]),
  );
  const many = [...groups.values()].filter(
    each => each.length > (each[0]?.alike === undefined ? MOST_ALIKE : 1),
  );
  const folded = new Set(many.flat());
  return {
    listed: findings.filter(each => !folded.has(each)),
    folds: many.map(foldOf),
  };
}

function foldOf(findings: readonly Finding[]): string {
  const [first] = findings;
  const said = first?.alike === undefined ? '' : `: ${showHidden(first.alike)}`;
  return `${formatCount(findings.length)} × ${first?.code}, about ${kindsOf(findings)}${said} (each with -o wide)`;
}

function kindsOf(findings: readonly Finding[]): string {
  const kinds = [...Map.groupBy(findings, ({ object }) => object.kind)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, each]) => plural(shownName(kind), each.length));
  const more = kinds.length - KINDS_NAMED;
  return more > 1 ? `${kinds.slice(0, KINDS_NAMED).join(', ')} and ${more} other kinds` : enumerated(kinds);
}

export function foldLine(fold: string, columns: TableColumns): TextLine {
  const width = columns === undefined ? SEVERITY_WIDTH : 'SEVERITY'.length + GAP.length;
  return {
    spans: [
      { text: 'INFO'.padEnd(width), style: severityStyle.info },
      { text: fold, style: 'muted' },
    ],
    indent: SEVERITY_WIDTH,
  };
}

/** `least`: minimum widths for findings still to come. */
export function checkColumns(findings: readonly Finding[], options: CheckTextOptions): TableColumns {
  const shape = { titles: titles(options), flexible: titles(options).length - 2, least: LEAST_REASON };
  const rows = findings.map(finding => cells(finding, options));
  return tableColumns(rows, shape, options);
}

export function* checkLines(
  findings: readonly Finding[],
  columns: TableColumns,
  options: CheckTextOptions,
): Generator<TextLine> {
  if (options.headers && columns !== undefined && findings.length > 0)
    yield { spans: titleRow(titles(options), columns, options.ellipsis), indent: 0 };
  for (const finding of findings) yield findingLine(finding, columns, options);
}

export function findingLine(finding: Finding, columns: TableColumns, options: CheckTextOptions): TextLine {
  const style = severityStyle[finding.severity];
  const rest: Style = finding.severity === 'info' ? 'muted' : 'plain';
  if (columns === undefined) return paragraph(finding, style, rest, options);
  const [severity = '', ...others] = tableRow(cells(finding, options), columns, options.ellipsis);
  return {
    spans: [
      { text: severity, style },
      { text: others.join(''), style: rest },
    ],
    indent: 0,
  };
}

const SEVERITY_WIDTH = 9;

function paragraph(finding: Finding, style: Style, rest: Style, options: CheckTextOptions): TextLine {
  const since = sinceOf(finding, options.now);
  const age = since === '' ? '' : `, ${since}`;
  const kind = shownName(finding.object.kind);
  const reason = options.wide ? `${showHidden(finding.message)} (${finding.certainty})` : reasonOf(finding);
  const spans: Span[] = [
    { text: finding.severity.toUpperCase().padEnd(SEVERITY_WIDTH), style },
    { text: `${kind} ${objectCell(finding)} ${finding.code}: ${reason}${age}`, style: rest },
  ];
  return { spans, indent: SEVERITY_WIDTH };
}

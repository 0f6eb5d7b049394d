/** Findings in aligned columns or, on a narrow terminal, in two lines each. */
import { Cause, type Finding, type Severity } from '../../diagnosis/index.ts';
import type { Identity } from '../../graph/index.ts';
import { counted, enumerated, formatCount, objectTitleIn, showHidden, shownName } from '../../model/index.ts';
import { countWords } from '../plan/plan-words.ts';
import type { Span, Style } from '../terminal/style.ts';
import {
  type Table,
  type TableLook,
  type TableWidths,
  tableRow,
  tableWidths,
  titleRow,
} from '../terminal/table.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { displayWidth, truncate, truncated } from '../terminal/width.ts';
import { findingWords } from './finding-lines.ts';

export interface CheckTextOptions extends TableLook {
  readonly now: number;
}

function restStyle({ severity }: Finding): Style {
  return severity === 'info' ? 'muted' : 'plain';
}

const table: Table<Finding, CheckTextOptions> = {
  columns: [
    {
      title: 'SEVERITY',
      value: ({ severity }) => severity.toUpperCase(),
      style: ({ severity }) => findingWords.severityStyle[severity],
    },
    { title: 'OBJECT', value: findingWords.object, style: restStyle },
    { title: 'KIND', value: ({ object }) => shownName(object.kind), style: restStyle },
    { title: 'CODE', value: ({ code }) => code, style: restStyle },
    { title: 'CERTAINTY', wide: true, value: ({ certainty }) => certainty, style: restStyle },
    {
      title: 'REASON',
      value: (finding, { wide }) => (wide ? showHidden(finding.message) : findingWords.reason(finding)),
      style: restStyle,
    },
    { title: 'SINCE', value: (finding, { now }) => findingWords.since(finding, now), style: restStyle },
  ],
  flexible: 'REASON',
  // Narrower reasons get a line of their own.
  least: 32,
};

/** Maximum number of info findings of a code to list one by one. */
const MOST_ALIKE = 10;
const KINDS_NAMED = 3;

/** A line that stands for several findings. */
export interface FindingFold {
  readonly severity: Severity;
  readonly text: string;
}

export interface FoldedFindings {
  readonly listed: readonly Finding[];
  /** Lines for findings with a common cause, which stand above the others. */
  readonly causes: readonly FindingFold[];
  /** Lines for codes that aren't listed: `291 × ControllerDoesNotBlock, about ReplicaSets (each with -o wide)`. */
  readonly folds: readonly FindingFold[];
}

/** Folds findings with a common cause into a line, and numerous info findings into a line per code or text. */
function foldAlike(findings: readonly Finding[], now: number): FoldedFindings {
  const { causes, others: rest } = Cause.grouped(findings);
  const groups = Map.groupBy(
    rest.filter(({ severity }) => severity === 'info'),
    ({ code, alike }) => JSON.stringify([code, alike]),
  );
  const many = [...groups.values()].filter(
    each => each.length > (each[0]?.alike === undefined ? MOST_ALIKE : 1),
  );
  const folded = new Set(many.flat());
  return {
    causes: causes.map(each => ({ severity: each.severity, text: `CAUSE ${causeText(each, now)}` })),
    listed: rest.filter(each => !folded.has(each)),
    folds: many.map(each => ({ severity: 'info', text: foldOf(each) })),
  };
}

/** `example.com/drain: nothing in this cluster handles example.com: holds 20 Deployments in 20 namespaces, oldest 26h` */
export function causeText(cause: Cause, now: number): string {
  const age = findingWords.since(cause, now);
  return `${causeClause(cause)}: ${tieOf(cause)} ${heldWords(cause)}${age === '' ? '' : `, oldest ${age}`}`;
}

/**
 * Fits a cause to a heading of `width` columns in a namespace. What decides comes first and is cut last, the reason
 * goes first: `example.com/drain holds Pod web-2`.
 */
function fittedCause(
  cause: Cause,
  {
    namespace,
    width,
    ellipsis,
  }: { readonly namespace: string; readonly width: number; readonly ellipsis: string },
): string {
  const { holds } = cause;
  const name = showHidden(cause.name);
  const tie = `${assumedWord(cause)} ${tieOf(cause)}`;
  const ends = [heldWords(cause, namespace), heldKinds(holds), counted(holds.length, 'object')];
  const texts = [
    `${causeClause(cause)}: ${tieOf(cause)} ${heldWords(cause)}`,
    ...ends.map(held => `${name}${tie} ${held}`),
  ];
  const end = `${tie} ${ends.at(-1)}`;
  return (
    texts.find(each => displayWidth(each) <= width) ??
    truncate(
      `${truncated.middle(name, Math.max(0, width - displayWidth(end)), ellipsis)}${end}`,
      width,
      ellipsis,
    )
  );
}

function causeClause(cause: Cause): string {
  return `${showHidden(cause.because)}${assumedWord(cause)}`;
}

/** An owner at which references are wrong holds nothing. */
function tieOf(cause: Cause): string {
  return Cause.isFault(cause) ? 'is referenced as owner by' : 'holds';
}

function assumedWord({ certainty }: Cause): string {
  return certainty === 'assumed' ? ' (assumed)' : '';
}

/** Names few objects, and counts more by kind. */
function heldWords({ holds }: Cause, namespace = ''): string {
  return holds.length <= KINDS_NAMED
    ? showHidden(enumerated(holds.map(each => objectTitleIn(each, namespace))))
    : heldKinds(holds);
}

function heldKinds(holds: readonly Identity[]): string {
  const namespaces = new Set(holds.flatMap(({ namespace }) => (namespace === '' ? [] : [namespace])));
  const places = namespaces.size > 1 ? ` in ${namespaces.size} namespaces` : '';
  return `${kindsOf(holds, true)}${places}`;
}

function foldOf(findings: readonly Finding[]): string {
  const [first] = findings;
  const said = first?.alike === undefined ? '' : `: ${showHidden(first.alike)}`;
  const kinds = kindsOf(findings.map(({ object }) => object));
  return `${formatCount(findings.length)} × ${first?.code}, about ${kinds}${said} (each with -o wide)`;
}

function kindsOf(objects: readonly Identity[], isCounted = false): string {
  const kinds = [...Map.groupBy(objects, ({ kind }) => kind)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, { length }]) => {
      const words = countWords.plural(shownName(kind), length);
      return isCounted ? `${formatCount(length)} ${words}` : words;
    });
  const more = kinds.length - KINDS_NAMED;
  return more > 1 ? `${kinds.slice(0, KINDS_NAMED).join(', ')} and ${more} other kinds` : enumerated(kinds);
}

function foldLine({ severity, text }: FindingFold, widths: TableWidths): TextLine {
  const width = widths === undefined ? SEVERITY_WIDTH : SEVERITY_COLUMN;
  return {
    spans: [
      { text: severity.toUpperCase().padEnd(width), style: findingWords.severityStyle[severity] },
      { text, style: severity === 'info' ? 'muted' : 'plain' },
    ],
    indent: SEVERITY_WIDTH,
  };
}

function checkWidths(findings: readonly Finding[], options: CheckTextOptions): TableWidths {
  return tableWidths(findings, table, options);
}

function* checkLines(
  findings: readonly Finding[],
  widths: TableWidths,
  options: CheckTextOptions,
): Generator<TextLine> {
  if (options.headers && widths !== undefined && findings.length > 0)
    yield { spans: titleRow(table, widths, options), indent: 0 };
  for (const finding of findings) yield findingLine(finding, widths, options);
}

function findingLine(finding: Finding, widths: TableWidths, options: CheckTextOptions): TextLine {
  if (widths === undefined) return paragraph(finding, options);
  return { spans: tableRow(finding, table, widths, options), indent: 0 };
}

const SEVERITY_WIDTH = 9;
/** The column SEVERITY with the gap behind it. */
const SEVERITY_COLUMN = 11;

function paragraph(finding: Finding, options: CheckTextOptions): TextLine {
  const since = findingWords.since(finding, options.now);
  const age = since === '' ? '' : `, ${since}`;
  const kind = shownName(finding.object.kind);
  const reason = options.wide
    ? `${showHidden(finding.message)} (${finding.certainty})`
    : findingWords.reason(finding);
  const spans: Span[] = [
    {
      text: finding.severity.toUpperCase().padEnd(SEVERITY_WIDTH),
      style: findingWords.severityStyle[finding.severity],
    },
    {
      text: `${kind} ${findingWords.object(finding)} ${finding.code}: ${reason}${age}`,
      style: restStyle(finding),
    },
  ];
  return { spans, indent: SEVERITY_WIDTH };
}

export const checkWords = {
  widths: checkWidths,
  cause: causeText,
  fittedCause,
  tie: tieOf,
  foldAlike,
  foldLine,
  finding: findingLine,
  lines: checkLines,
};

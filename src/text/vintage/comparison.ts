/** The first collector beside today's: both ends of each object, and the reasons for differences. */
import type { Identity } from '../../graph/node.ts';
import { namespacedName } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { enumerated } from '../../model/text/titles.ts';
import { collectorChanges } from '../../simulation/collector/first/departures.ts';
import type {
  CollectorComparison,
  ComparedEnd,
  ComparedObject,
  RequestCounts,
} from '../../simulation/comparison/comparison.ts';
import { type TableLook, tableColumns, tableRow, titleRow } from '../terminal/table.ts';
import { emptyLine, type TextLine, textLine } from '../terminal/text-line.ts';
import { changeWords } from './changes.ts';

export interface ComparisonLook extends TableLook {
  readonly ellipsis: string;
  /** Includes source files, and changes without a visible effect. */
  readonly wide: boolean;
}

const TITLES = ['OBJECT', '1.5', '1.36'];
const LEAST = 16;

export function comparisonLines(comparison: CollectorComparison, look: ComparisonLook): TextLine[] {
  const { objects, alike, requests } = comparison;
  return [
    ...endLines(objects, look),
    textLine(objects.length === 0 ? `All ${counted(alike)} end alike.` : `${counted(alike)} end alike.`),
    textLine(
      `Requests of the collector: ${countWords(requests.first)} in 1.5, ${countWords(requests.today)} in 1.36.`,
    ),
    ...reasonLines(comparison, look),
  ];
}

function endLines(objects: readonly ComparedObject[], look: ComparisonLook): TextLine[] {
  if (objects.length === 0) return [];
  const rows = objects.map(({ object, first, today }) => [nameOf(object), endWords(first), endWords(today)]);
  const columns = tableColumns(rows, { titles: TITLES, flexible: 2, least: LEAST }, look);
  if (columns === undefined)
    return [
      ...rows.flatMap(([name = '', first = '', today = '']) => [
        textLine(name, 'title'),
        textLine(`  1.5:  ${first}`, 'plain', 8),
        textLine(`  1.36: ${today}`, 'plain', 8),
      ]),
      emptyLine,
    ];
  return [
    ...(look.headers ? [{ spans: titleRow(TITLES, columns, look.ellipsis), indent: 0 }] : []),
    ...rows.map(row => ({
      spans: tableRow(row, columns, look.ellipsis).map(text => ({ text, style: 'plain' as const })),
      indent: 0,
    })),
    emptyLine,
  ];
}

function reasonLines({ changes, objects }: CollectorComparison, { wide }: ComparisonLook): TextLine[] {
  const lines: TextLine[] = [];
  for (const { code, objects: about } of changes) {
    // Changes without a visible effect are only shown in full.
    if (about.length === 0 && !wide) continue;
    const { title, first, today } = changeWords[code];
    const { since, reference } = collectorChanges[code];
    lines.push(
      emptyLine,
      textLine(
        `${title}: ${about.length === 0 ? 'no end shows it' : about.map(nameOf).join(', ')}`,
        'title',
        2,
      ),
      textLine(`  1.5:  ${first}`, 'plain', 8),
      textLine(`  1.36: ${today} Since ${since}.`, 'plain', 8),
      textLine(`  ${reference}`, 'muted', 2),
    );
    if (wide) for (const link of sourceLinks(code)) lines.push(textLine(`  ${link}`, 'muted', 2));
  }
  const others = objects.filter(({ because }) => because.length === 0).map(({ object }) => nameOf(object));
  if (others.length > 0)
    lines.push(emptyLine, textLine(`No reason was noted for: ${others.join(', ')}.`, 'plain', 2));
  return lines;
}

export function sourceLinks(code: keyof typeof collectorChanges): readonly string[] {
  const { first, today } = collectorChanges[code];
  const link = (release: string) => (file: string) =>
    `https://github.com/kubernetes/kubernetes/blob/${release}/${file}`;
  return [...first.map(link('v1.5.8')), ...today.map(link('v1.36.3'))];
}

/** Returns `orphaned` or `stuck: held by foregroundDeletion`. */
export function endWords(end: ComparedEnd): string {
  switch (end.end) {
    case 'neverMade':
      return 'never made';
    case 'deleted':
      return end.by === 'garbage-collector' ? 'deleted by the collector' : 'deleted';
    case 'stuck':
      return end.finalizers.length === 0
        ? 'being deleted'
        : `stuck: held by ${end.finalizers.map(shownName).join(', ')}`;
    case 'orphaned':
      return 'orphaned';
    case 'left':
      return end.owners.length === 0
        ? 'left, without owners'
        : `left, owned by ${end.owners.map(shownName).join(', ')}`;
  }
}

function nameOf(object: Identity): string {
  return `${shownName(object.kind)} ${shownName(namespacedName(object))}`;
}

function counted(objects: number): string {
  return `${objects} ${objects === 1 ? 'object' : 'objects'}`;
}

function countWords(counts: RequestCounts): string {
  const words = Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([verb, count]) => `${count} ${verb === 'update' ? 'PUT' : verb.toUpperCase()}`);
  if (words.length === 0) return 'none';
  return enumerated(words, words.length);
}

/** Compares the first collector with today's: both ends of each object, and the reasons for differences. */
import type { Identity } from '../../graph/index.ts';
import { enumerated, namespacedName, shownName } from '../../model/index.ts';
import { type CollectorComparison, collectorChanges } from '../../simulation/index.ts';
import { type Table, type TableLook, tableRow, tableWidths, titleRow } from '../terminal/table.ts';
import { TextLine } from '../terminal/text-line.ts';
import { changeWords } from './version-changes.ts';

type ComparedObject = CollectorComparison['objects'][number];

const table: Table<ComparedObject, TableLook> = {
  columns: [
    { title: 'OBJECT', value: ({ object }) => nameOf(object) },
    { title: '1.5', value: ({ first }) => endWords(first) },
    { title: '1.36', value: ({ today }) => endWords(today) },
  ],
  flexible: '1.36',
  least: 16,
};

/** `wide` includes source files, and changes without a visible effect. */
export function comparisonLines(comparison: CollectorComparison, look: TableLook): TextLine[] {
  const { objects, alike, requests } = comparison;
  return [
    ...endLines(objects, look),
    TextLine.of(
      objects.length === 0
        ? `All ${counted(alike)} end the same way.`
        : `${counted(alike)} end the same way.`,
    ),
    TextLine.of(
      `Requests of the collector: ${countWords(requests.first)} in 1.5, ${countWords(requests.today)} in 1.36.`,
    ),
    ...reasonLines(comparison, look),
  ];
}

function endLines(objects: readonly ComparedObject[], look: TableLook): TextLine[] {
  if (objects.length === 0) return [];
  const widths = tableWidths(objects, table, look);
  if (widths === undefined)
    return [
      ...objects.flatMap(({ object, first, today }) => [
        TextLine.of(nameOf(object), 'title'),
        TextLine.of(`  1.5:  ${endWords(first)}`, 'plain', 8),
        TextLine.of(`  1.36: ${endWords(today)}`, 'plain', 8),
      ]),
      TextLine.empty,
    ];
  return [
    ...(look.headers ? [{ spans: titleRow(table, widths, look), indent: 0 }] : []),
    ...objects.map(each => ({ spans: tableRow(each, table, widths, look), indent: 0 })),
    TextLine.empty,
  ];
}

function reasonLines({ changes, objects }: CollectorComparison, { wide }: TableLook): TextLine[] {
  const lines: TextLine[] = [];
  for (const { code, objects: about } of changes) {
    // Changes without a visible effect are only shown in full.
    if (about.length === 0 && !wide) continue;
    const { title, first, today } = changeWords[code];
    const { since, reference } = collectorChanges[code];
    lines.push(
      TextLine.empty,
      TextLine.of(
        `${title}: ${about.length === 0 ? 'no end shows it' : about.map(nameOf).join(', ')}`,
        'title',
        2,
      ),
      TextLine.of(`  1.5:  ${first}`, 'plain', 8),
      TextLine.of(`  1.36: ${today} Since ${since}.`, 'plain', 8),
      TextLine.of(`  ${reference}`, 'muted', 2),
    );
    if (wide) for (const link of sourceLinks(code)) lines.push(TextLine.of(`  ${link}`, 'muted', 2));
  }
  const others = objects.filter(({ because }) => because.length === 0).map(({ object }) => nameOf(object));
  if (others.length > 0)
    lines.push(TextLine.empty, TextLine.of(`No reason was noted for: ${others.join(', ')}.`, 'plain', 2));
  return lines;
}

export function sourceLinks(code: keyof typeof collectorChanges): readonly string[] {
  const { first, today } = collectorChanges[code];
  const link = (release: string) => (file: string) =>
    `https://github.com/kubernetes/kubernetes/blob/${release}/${file}`;
  return [...first.map(link('v1.5.8')), ...today.map(link('v1.36.3'))];
}

/** Returns `orphaned` or `stuck: held by foregroundDeletion`. */
export function endWords(end: CollectorComparison['objects'][number]['first']): string {
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

function countWords(counts: CollectorComparison['requests']['first']): string {
  const words = Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([verb, count]) => `${count} ${verb === 'update' ? 'PUT' : verb.toUpperCase()}`);
  if (words.length === 0) return 'none';
  return enumerated(words, words.length);
}

/** PodGC's candidates in aligned columns or, on a narrow terminal, in paragraphs. */

import { shownName } from '../../model/text/shown.ts';
import type { PodOutlook } from '../../podgc/survey/outlook.ts';
import { formatTimestamp } from '../terminal/age.ts';
import { GAP, type TableColumns, tableColumns, tableRow, titleRow } from '../terminal/table.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { displayWidth, padEnd } from '../terminal/width.ts';
import { becauseWords, dueClock, dueStyles, dueWords } from './podgc.ts';

export interface PodGcTextOptions {
  /** Includes the latest time, the added condition, and the finalizers. */
  readonly wide: boolean;
  readonly headers: boolean;
  /** The terminal's columns; undefined without a terminal. */
  readonly width: number | undefined;
  readonly ellipsis: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True for times of day instead of countdowns, in lines that stay. */
  readonly clock?: boolean;
}

const LEAST_BECAUSE = 32;
const NONE = '-';
/** Columns of a time with blanks, in a paragraph: `in ~47s`, `~12:00:31Z`. */
const COUNTDOWN = 9;
const CLOCK = 12;

function titles({ wide }: PodGcTextOptions): readonly string[] {
  return ['RULE', 'POD', 'NODE', 'DUE', ...(wide ? ['BY', 'ADDS', 'HELD BY'] : []), 'BECAUSE'];
}

function cells(outlook: PodOutlook, options: PodGcTextOptions): string[] {
  const { pod, nodeName, rule, due, conditionAdded, heldBy } = outlook;
  return [
    due.when === 'no' ? NONE : rule,
    `${shownName(pod.namespace)}/${shownName(pod.name)}`,
    nodeName === '' ? NONE : shownName(nodeName),
    options.clock === true ? dueClock(outlook) : dueWords(outlook, options.now),
    ...(options.wide
      ? [
          due.when === 'no' ? NONE : formatTimestamp(due.by),
          conditionAdded ?? NONE,
          heldBy.length === 0 ? NONE : heldBy.map(shownName).join(','),
        ]
      : []),
    becauseWords(outlook),
  ];
}

export function podGcColumns(items: readonly PodOutlook[], options: PodGcTextOptions): TableColumns {
  const shape = { titles: titles(options), flexible: titles(options).length - 1, least: LEAST_BECAUSE };
  const rows = items.map(each => cells(each, options));
  return tableColumns(rows, shape, options);
}

export function* podGcLines(
  items: readonly PodOutlook[],
  columns: TableColumns,
  options: PodGcTextOptions,
): Generator<TextLine> {
  if (options.headers && columns !== undefined && items.length > 0)
    yield { spans: titleRow(titles(options), columns, options.ellipsis), indent: 0 };
  for (const item of items) yield podGcLine(item, columns, options);
}

function wideWords({ due, conditionAdded }: PodOutlook): string {
  const by = due.when === 'no' ? '' : `; by ${formatTimestamp(due.by)}`;
  return conditionAdded === undefined ? by : `${by}; adds ${conditionAdded}`;
}

export function podGcLine(item: PodOutlook, columns: TableColumns, options: PodGcTextOptions): TextLine {
  const style = dueStyles[item.due.when];
  const rest = item.due.when === 'no' ? 'muted' : 'plain';
  const texts = cells(item, options);
  const at = 3;
  if (columns === undefined) {
    const [rule, pod, , due, ...others] = texts;
    const because = others.at(-1) ?? '';
    const title = item.due.when === 'no' ? pod : `${pod} (${rule})`;
    const indent = options.clock === true ? CLOCK : COUNTDOWN;
    return {
      spans: [
        { text: `${due ?? ''}`.padEnd(indent), style },
        { text: `${title ?? ''}: ${because}${options.wide ? wideWords(item) : ''}`, style: rest },
      ],
      indent,
    };
  }
  const row = [...tableRow(texts.slice(0, -1), columns, options.ellipsis), ...texts.slice(-1)];
  const last = row.length - 1;
  row[last - 1] = padEnd(row[last - 1] ?? '', columns[last - 1] ?? 0) + GAP;
  return {
    spans: [
      { text: row.slice(0, at).join(''), style: rest },
      { text: row[at] ?? '', style },
      { text: row.slice(at + 1).join(''), style: rest },
    ],
    indent: displayWidth(row.slice(0, last).join('')),
  };
}

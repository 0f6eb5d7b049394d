/** PodGC's candidates in aligned columns or, on a narrow terminal, in paragraphs. */

import { shownName } from '../../model/index.ts';
import type { PodOutlook } from '../../podgc/index.ts';
import { timeText } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';
import {
  lastColumnAt,
  type Table,
  type TableLook,
  type TableWidths,
  tableRow,
  tableWidths,
  titleRow,
} from '../terminal/table.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { dueClock, podGcWords } from './podgc-words.ts';

export interface PodGcTextOptions extends TableLook {
  readonly now: number;
  /** True for times of day instead of countdowns, in lines that stay. */
  readonly clock?: boolean;
}

const NONE = '-';
/** Columns of a time with blanks, in a paragraph: `in ~47s`, `~12:00:31Z`. */
const COUNTDOWN = 9;
const CLOCK = 12;

function restStyle({ due }: PodOutlook): Style {
  return due.when === 'no' ? 'muted' : 'plain';
}

const pod = ({ pod: { namespace, name } }: PodOutlook): string =>
  `${shownName(namespace)}/${shownName(name)}`;

const due = (outlook: PodOutlook, { clock, now }: PodGcTextOptions): string =>
  clock === true ? dueClock(outlook) : podGcWords.due(outlook, now);

const table: Table<PodOutlook, PodGcTextOptions> = {
  columns: [
    { title: 'RULE', value: ({ due: { when }, rule }) => (when === 'no' ? NONE : rule), style: restStyle },
    { title: 'POD', value: pod, style: restStyle },
    { title: 'NODE', value: ({ nodeName }) => shownName(nodeName) || NONE, style: restStyle },
    { title: 'DUE', value: due, style: outlook => podGcWords.dueStyles[outlook.due.when] },
    {
      title: 'BY',
      wide: true,
      value: outlook => (outlook.due.when === 'no' ? NONE : timeText.timestamp(outlook.due.by)),
      style: restStyle,
    },
    { title: 'ADDS', wide: true, value: ({ conditionAdded }) => conditionAdded ?? NONE, style: restStyle },
    {
      title: 'HELD BY',
      wide: true,
      value: ({ heldBy }) => heldBy.map(shownName).join(',') || NONE,
      style: restStyle,
    },
    { title: 'BECAUSE', value: podGcWords.because, style: restStyle },
  ],
  flexible: 'BECAUSE',
  least: 32,
  folds: true,
};

function podGcWidths(items: readonly PodOutlook[], options: PodGcTextOptions): TableWidths {
  return tableWidths(items, table, options);
}

function* podGcLines(
  items: readonly PodOutlook[],
  widths: TableWidths,
  options: PodGcTextOptions,
): Generator<TextLine> {
  if (options.headers && widths !== undefined && items.length > 0)
    yield { spans: titleRow(table, widths, options), indent: 0 };
  for (const item of items) yield podGcLine(item, widths, options);
}

function podGcLine(item: PodOutlook, widths: TableWidths, options: PodGcTextOptions): TextLine {
  if (widths === undefined) return paragraph(item, options);
  return { spans: tableRow(item, table, widths, options), indent: lastColumnAt(widths) };
}

function paragraph(item: PodOutlook, options: PodGcTextOptions): TextLine {
  const title = item.due.when === 'no' ? pod(item) : `${pod(item)} (${item.rule})`;
  const indent = options.clock === true ? CLOCK : COUNTDOWN;
  const wide = options.wide ? wideWords(item) : '';
  return {
    spans: [
      { text: due(item, options).padEnd(indent), style: podGcWords.dueStyles[item.due.when] },
      { text: `${title}: ${podGcWords.because(item)}${wide}`, style: restStyle(item) },
    ],
    indent,
  };
}

function wideWords(outlook: PodOutlook): string {
  const { conditionAdded } = outlook;
  const by = outlook.due.when === 'no' ? '' : `; by ${timeText.timestamp(outlook.due.by)}`;
  return conditionAdded === undefined ? by : `${by}; adds ${conditionAdded}`;
}

export const podGcTable = { lines: podGcLines, widths: podGcWidths, line: podGcLine };

/**
 * One row of the PodGC view as text in columns: the pod, its node where there is room, when PodGC takes it, and why.
 * Everything has its final width here, so that drawing a row measures nothing.
 */
import type { PodOutlook } from '../podgc/outlook.ts';
import { asciiGlyphs, unicodeGlyphs } from '../text/glyphs.ts';
import { counted, objectTitleIn } from '../text/names.ts';
import { becauseWords, countdownWords, dueStyle, dueWords, ruleMeaning } from '../text/podgc.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Span } from '../text/style.ts';
import { padEnd, truncate } from '../text/width.ts';
import { headingLine } from './heading-line.ts';
import { UNCUT_COLUMNS } from './layout.ts';
import { formatCount } from './numbers.ts';
import type { PodGc } from './podgc.ts';
import type { PodGcHead, PodGcRow } from './podgc-rows.ts';
import type { State } from './state.ts';

type Line = readonly Span[];

const DUE = 10;
const INDENT = 3;

interface Columns {
  readonly pod: number;
  /** 0 where there is no room for it. */
  readonly node: number;
  readonly because: number;
}

function columnsOf(width: number): Columns {
  const uncut = width >= UNCUT_COLUMNS;
  const node = uncut ? 256 : width >= 110 ? 16 : 0;
  const pod = uncut ? 320 : Math.max(20, Math.min(48, Math.floor(width * 0.34)));
  return { pod, node, because: width - pod - node - DUE };
}

export function podGcHeader(width: number): Line {
  const { pod, node, because } = columnsOf(width);
  const text =
    padEnd(' POD', pod) +
    (node > 0 ? padEnd('NODE', node) : '') +
    padEnd('DUE', DUE) +
    padEnd('BECAUSE', because);
  return [{ text, style: 'muted' }];
}

/** Title and meaning of a group of pods. */
export function headWords(head: PodGcHead): { readonly title: string; readonly meaning: string } {
  return head === 'NotTaken'
    ? { title: 'Not taken', meaning: 'they look like candidates and are none' }
    : { title: head, meaning: ruleMeaning(head) };
}

/** The row's spans, together exactly `width` columns wide. */
export function podGcLine(state: State, row: PodGcRow, index: number, width: number): Line {
  const podGc = state.cluster?.podGc;
  if (podGc === undefined) return [];
  const glyphs = state.options.ascii ? asciiGlyphs : unicodeGlyphs;
  const chosen = index === state.podgc.index;
  if (row.kind === 'item') return podLine(state, row.item, chosen, width);
  const { title, meaning } = headWords(row.head);
  const { count, folded } = row;
  // How far the limit is says what the rule is for as well.
  const told = row.head === 'Terminated' ? limitWords(podGc) : meaning;
  return headingLine({ chosen, folded, title, count, meaning: told }, width, glyphs);
}

/** `118 of 12,500 finished pods (default limit assumed)`, of the whole cluster whatever is shown. */
function limitWords({ limit: { finished, assumed, partial }, namespace }: PodGc): string {
  const { count, threshold } = finished;
  const where = namespace === undefined ? '' : ' in the whole cluster';
  const least = partial ? 'at least ' : '';
  if (threshold <= 0) return `${least}${counted(count, 'finished pod')}${where}, and no limit on them`;
  const note = assumed ? ' (default limit assumed)' : '';
  return `${least}${formatCount(count)} of ${counted(threshold, 'finished pod')}${where}${note}`;
}

/** When the pod is due. Where time stands still, as in files, nothing counts down. */
function dueText(state: State, item: PodOutlook): string {
  const now = state.cluster?.podGc?.now ?? state.now;
  return state.info?.source === 'files' ? dueWords(item.due, now) : countdownWords(item, now);
}

function podLine(state: State, item: PodOutlook, chosen: boolean, width: number): Line {
  const { ellipsis } = state.options.ascii ? asciiGlyphs : unicodeGlyphs;
  const columns = columnsOf(width);
  const { namespace, name } = item.pod;
  const title = objectTitleIn({ kind: 'Pod', namespace, name }, state.cluster?.namespace ?? '').slice(4);
  const cell = (text: string, columnsWide: number): string =>
    padEnd(truncate(text, columnsWide - 1, ellipsis), columnsWide);
  return [
    { text: (chosen ? '>' : ' ').padEnd(INDENT), style: 'plain' },
    { text: cell(title, columns.pod - INDENT), style: 'plain' },
    ...(columns.node === 0
      ? []
      : [{ text: cell(sanitise(item.nodeName) || '-', columns.node), style: 'muted' as const }]),
    { text: cell(dueText(state, item), DUE), style: dueStyle(item.due) },
    {
      text: cell(becauseWords(item), columns.because),
      style: item.due.when === 'no' ? 'muted' : 'plain',
    },
  ];
}

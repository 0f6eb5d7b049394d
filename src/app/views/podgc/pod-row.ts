/** Draws a row of the PodGC view: pod, node, time and reason. */

import { objectTitleIn, shownName } from '../../../model/index.ts';
import type { PodOutlook } from '../../../podgc/index.ts';
import { type Line, padEnd, podGcWords, type Span, truncate, truncated } from '../../../text/index.ts';
import type { PodGc, PodGcHead, PodGcRow } from '../../cluster/podgc-rows.ts';
import { glyphsOf, rowStart } from '../../drawing/fit.ts';
import { type Heading, headingLine } from '../../drawing/heading.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';

const DUE = 10;
const NODE = 15;
const INDENT = 3;

interface Columns {
  readonly pod: number;
  readonly node: number;
  readonly because: number;
}

function columnsOf(width: number): Columns {
  const uncut = width >= UNCUT_COLUMNS;
  const node = uncut ? 256 : width >= 110 ? NODE + 1 : 0;
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

export function headWords(head: PodGcHead): Pick<Heading, 'title' | 'meaning'> {
  if (head === 'NotTaken')
    return { title: 'Not deleted', meaning: 'they look like candidates, but PodGC does not delete them' };
  if (head === 'NotKnown') return { title: 'Not known', meaning: 'whether PodGC deletes them is unknown' };
  return { title: head, meaning: podGcWords.ruleMeanings[head] };
}

export function podGcRow(state: State, row: PodGcRow, chosen: boolean, width: number): Line {
  const podGc = state.cluster?.podGc;
  if (podGc === undefined) return [];
  if (row.kind === 'item') return podLine(state, row.item, chosen, width);
  const { head, folded } = row;
  const blind = podGc.isBlind(head) && { count: undefined, meaning: 'nodes cannot be seen' };
  // The distance to the threshold also explains the rule.
  const threshold = head === 'Terminated' && { meaning: thresholdWords(podGc) };
  const heading = { chosen, folded, count: row.count, ...headWords(head), ...threshold, ...blind };
  return headingLine(heading, width, glyphsOf(state));
}

/** Returns a text such as `118 of 12,500 finished pods (threshold assumed)`, always for the whole cluster. */
function thresholdWords({ survey, namespace }: PodGc): string {
  const where = namespace === undefined ? '' : ' cluster-wide';
  const told = podGcWords.shortLimit(survey, { where, note: 'threshold assumed' });
  return survey.finished.threshold > 0 ? told : `${told}, no threshold`;
}

/** Returns when the pod is due; static data such as files has no countdown. */
export function dueSpan(state: State, item: PodOutlook): Span {
  const now = state.cluster?.podGc?.now ?? state.now;
  if (state.info?.takenAt !== undefined)
    return { text: podGcWords.due(item, now), style: podGcWords.dueStyles[item.due.when] };
  const shown = outlookAt(item, now);
  return { text: podGcWords.countdown(shown, now), style: podGcWords.dueStyles[shown.due.when] };
}

/** Moves a pod past its likely moment to the next cycle, whose latest time then counts. */
export function outlookAt(item: PodOutlook, now: number): PodOutlook {
  const { due } = item;
  return due.when === 'at' && due.at <= now ? { ...item, due: { when: 'now', by: due.by } } : item;
}

function podLine(state: State, item: PodOutlook, chosen: boolean, width: number): Line {
  const { ellipsis } = glyphsOf(state);
  const columns = columnsOf(width);
  const due = dueSpan(state, item);
  const { namespace, name } = item.pod;
  const title = objectTitleIn({ kind: 'Pod', namespace, name }, state.cluster?.namespace ?? '').slice(4);
  const cell = (text: string, columnsWide: number): string =>
    padEnd(truncate(text, columnsWide - 1, ellipsis), columnsWide);
  // Pods of one ReplicaSet and nodes of one pool differ at the end.
  const nameCell = (text: string, columnsWide: number): string =>
    padEnd(truncated.middle(text, columnsWide - 1, ellipsis), columnsWide);
  // A long node name must leave room for the reason.
  const room = Math.max(NODE, Math.floor(columns.because / 3));
  const nodeName = truncated.middle(shownName(item.nodeName), room, ellipsis);
  const because = podGcWords.because({ ...item, nodeName });
  return [
    rowStart(state, chosen, item.pod.uid, INDENT),
    { text: nameCell(title, columns.pod - INDENT), style: 'plain' },
    ...(columns.node === 0
      ? []
      : [{ text: nameCell(shownName(item.nodeName) || '-', columns.node), style: 'muted' as const }]),
    { text: cell(due.text, DUE), style: due.style },
    { text: cell(because, columns.because), style: item.due.when === 'no' ? 'muted' : 'plain' },
  ];
}

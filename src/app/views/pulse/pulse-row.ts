/** Draws a row of the Pulse view: a namespace and its deletions, or something about the whole cluster. */
import { counted, formatCount, objectTitle, shownName } from '../../../model/index.ts';
import { displayWidth, findingWords, type Line, padEnd, timeText, truncated } from '../../../text/index.ts';
import type { PulseItem, PulseRow } from '../../cluster/pulse-rows.ts';
import { glyphsOf, rowStart } from '../../drawing/fit.ts';
import { headingLine, troubleSpans } from '../../drawing/heading.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import { agesAsOf, type State } from '../../state/state.ts';
import { dueSpan } from '../podgc/pod-row.ts';
import { filledRow } from '../view.ts';

const INDENT = 3;
const OBJECTS = 9;
const DELETING = 10;
const OLDEST = 8;
const LEAST_NAME = 24;

type NamespaceItem = Extract<PulseItem, { of: 'namespace' }>;

export function namespaceTitle(name: string): string {
  return name === '' ? 'cluster-scoped' : shownName(name);
}

function nameWidth(width: number): number {
  if (width >= UNCUT_COLUMNS) return 70;
  return Math.min(64, Math.max(18, Math.floor(width * 0.4)));
}

export function pulseHeader(width: number): Line {
  const text =
    padEnd(' NAMESPACE', nameWidth(width)) +
    'OBJECTS'.padStart(OBJECTS) +
    'DELETING'.padStart(DELETING) +
    'OLDEST'.padStart(OLDEST);
  return [{ text: padEnd(`${text}  STATE`, width), style: 'muted' }];
}

/** Returns a clause for the row and, after a colon, more for the details. */
export function headingWords(row: Extract<PulseRow, { kind: 'group' }>, { cluster }: State): string {
  if (row.head === 'namespaces') return 'their objects, deletions and problems';
  if (row.count > 0) return 'of concern to all namespaces';
  return cluster?.problems?.isAllJudged === true
    ? 'nothing of concern found: no unreachable webhook or API service, no pod for PodGC, no unseen kind, no cluster-scoped deletion'
    : 'still being checked';
}

export function pulseRow(state: State, row: PulseRow, chosen: boolean, width: number): Line {
  if (row.kind === 'group') {
    const title = row.head === 'cluster' ? 'Cluster' : 'Namespaces';
    const { folded, count } = row;
    return headingLine(
      { chosen, folded, title, count, meaning: headingWords(row, state).replace(/:.*/u, '') },
      width,
      glyphsOf(state),
    );
  }
  const { item } = row;
  const line =
    item.of === 'namespace'
      ? namespaceLine(state, item, chosen, width)
      : clusterLine(state, item, chosen, width);
  return filledRow(state, line, width);
}

const MINUTE = 60_000;
const COARSE = 10_000;

/** Rounds milliseconds down, so that a pulse that is left open seldom changes. */
function coarse(age: number): number {
  return Math.max(0, age - (age % (age < 2 * MINUTE ? COARSE : MINUTE)));
}

function namespaceLine(state: State, { summary }: NamespaceItem, chosen: boolean, width: number): Line {
  const { name, uid, objects, ending, deletion, terminating, trouble } = summary;
  const room = nameWidth(width) - INDENT;
  const title = truncated.middle(namespaceTitle(name), room - 1, glyphsOf(state).ellipsis);
  const age = deletion === undefined ? '' : timeText.duration(coarse(agesAsOf(state) - deletion));
  const found = trouble === undefined ? [] : troubleSpans(trouble, state);
  return [
    rowStart(state, chosen, uid, INDENT),
    { text: padEnd(title, room), style: 'plain' },
    { text: (objects === undefined ? 'unknown' : formatCount(objects)).padStart(OBJECTS), style: 'muted' },
    { text: (ending === 0 ? '' : formatCount(ending)).padStart(DELETING), style: 'warning' },
    { text: age.padStart(OLDEST), style: 'warning' },
    { text: terminating ? '  Terminating' : '', style: 'warning' },
    ...(found.length === 0 ? [] : [{ text: '  ', style: 'plain' as const }, ...found]),
  ];
}

function clusterLine(
  state: State,
  item: Exclude<PulseItem, NamespaceItem>,
  chosen: boolean,
  width: number,
): Line {
  const start = rowStart(state, chosen, item.of === 'finding' ? item.finding.object.uid : undefined, INDENT);
  switch (item.of) {
    case 'finding': {
      const { finding } = item;
      const { ellipsis } = glyphsOf(state);
      const causeRoom = displayWidth(findingWords.cause(finding)) + 3;
      const nameRoom = Math.max(LEAST_NAME, width - INDENT - causeRoom);
      const name = truncated.title(objectTitle(finding.object), nameRoom, ellipsis);
      const room = width - INDENT - displayWidth(name) - 3;
      return [
        start,
        { text: `${name}  `, style: 'plain' },
        {
          text: findingWords.fittedReason(finding, room, ellipsis),
          style: findingWords.severityStyle[finding.severity],
        },
      ];
    }
    case 'podgc':
      return [
        start,
        { text: `PodGC deletes ${counted(item.due, 'pod')}  `, style: 'plain' },
        ...firstSpans(state, item),
      ];
    case 'unseen':
      return [
        start,
        { text: `${counted(item.kinds, 'kind')} unseen  `, style: 'warning' },
        { text: 'not counted here; B says which, and why', style: 'muted' },
      ];
  }
}

/** Names a pod that is due first, and when that is. */
function firstSpans(state: State, { first }: Extract<PulseItem, { of: 'podgc' }>): Line {
  const { podGc } = state.cluster ?? {};
  if (podGc === undefined) return [];
  const name = objectTitle({ kind: 'Pod', namespace: first.namespace, name: first.name });
  return [{ text: `${name} `, style: 'muted' }, dueSpan(state, podGc.survey.explain(first, podGc.now))];
}

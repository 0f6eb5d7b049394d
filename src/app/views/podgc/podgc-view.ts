/** Pods that PodGC deletes, in the order of its passes. */
import { counted } from '../../../model/index.ts';
import { podGcWords } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import { listState, type State } from '../../state/state.ts';
import {
  asEmptyLine,
  drawList,
  type EmptyLine,
  elsewhereNote,
  followedByBlank,
  listOf,
  muted,
  rowIn,
  type View,
} from '../view.ts';
import { headLines, limitLines, outlookLines } from './pod-details.ts';
import { podGcHeader, podGcRow } from './pod-row.ts';

const id = 'podgc';

export const podGcView: View = {
  id,
  key: '3',
  title: 'PodGC',
  about: 'which pods it deletes, and when',
  words: ['podgc'],
  legend: [
    ['in <14s', "PodGC's next cycle deletes the pod, and comes within that time"],
    ['in ~31s', 'about then: when a cycle of PodGC begins cannot be seen'],
    ['now', 'the next cycle deletes it; in files, where no time passes'],
    ['overdue', 'PodGC should have deleted it: it is away, or its requests are refused'],
    ['again', 'PodGC deletes it in each cycle, to no effect as long as finalizers hold it'],
    ['no', 'it looks like a candidate and is none: the details say what it lacks'],
    ['unknown', 'whether PodGC deletes it depends on objects that cannot be seen'],
  ],
  count: ({ cluster }) => cluster?.podGc?.counts().due,
  lines: (state, width) =>
    drawList(state, {
      id,
      header: podGcHeader(width),
      rows: state.cluster?.podGc?.rows,
      draw: (row, chosen) => podGcRow(state, row, chosen, width),
    }),
  empty: noCandidates,
  details: (state, { podGc }, node) => {
    const row = rowIn(state, id, podGc?.rows);
    if (podGc === undefined || row === undefined) return [];
    if (row.kind === 'group') return headLines(podGc, row.head, row.count);
    return node === undefined ? [] : followedByBlank(outlookLines(podGc, row.item));
  },
  list: listOf({
    rows: cluster => cluster.podGc?.rows,
    noun: 'pods',
    uidOf: ({ pod }) => pod.uid,
    ages: true,
  }),
};

/** Includes the limit on finished pods, which belongs to the answer. */
function noCandidates(state: State, { podGc, namespace }: ClusterModel): readonly EmptyLine[] {
  if (podGc === undefined)
    return [muted('Still loading. Pods that PodGC deletes are shown once everything has arrived.')];
  if (listState(state, id).filter !== '') return [muted('No pod contains these words. Esc shows all.')];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const { elsewhere } = podGc.counts();
  return [
    { text: podGcWords.none(where, podGc.survey.sees), style: 'plain' },
    ...(elsewhere === 0 ? [] : [elsewhereNote(`${counted(elsewhere, 'pod')} elsewhere`)]),
    ...limitLines(podGc).map(asEmptyLine),
    ...podGc.reservations().map(text => ({ text, style: 'warning' as const })),
  ];
}

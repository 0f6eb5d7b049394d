/** Changes of ownership and deletion below their causes, the newest last. */
import { ActivityKind } from '../../../activity/index.ts';
import { objectTitle, shownName } from '../../../model/index.ts';
import { activityLines, activityWords, TextLine } from '../../../text/index.ts';
import { entryOfRow } from '../../cluster/activity-rows.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import { listState, type State } from '../../state/state.ts';
import {
  asEmptyLine,
  drawList,
  type EmptyLine,
  followedByBlank,
  listOf,
  muted,
  rowIn,
  type View,
} from '../view.ts';
import { activityDetails, activityLimits, goneDocument } from './entry-details.ts';
import { activityHeader, activityRow } from './entry-row.ts';

const id = 'activity';

export const activityView: View = {
  id,
  key: '4',
  title: 'Activity',
  about: 'what changes ownership and deletion, and why',
  words: ['activity'],
  legend: ActivityKind.all.map(kind => [activityWords.word(kind), activityLines.meanings[kind]] as const),
  lines: (state, width) =>
    drawList(state, {
      id,
      header: activityHeader(state, width),
      rows: state.cluster?.activity?.rows,
      draw: (row, chosen) => activityRow(state, row, chosen, width),
      across: true,
    }),
  empty: noActivity,
  details: (state, cluster, node) => {
    const row = rowIn(state, id, cluster.activity?.rows);
    if (row === undefined) return [];
    const lines = activityDetails(state, cluster, row);
    const entry = entryOfRow(row);
    if (entry === undefined) return lines;
    if (node !== undefined) return followedByBlank(lines);
    return [
      TextLine.of(objectTitle(entry.object), 'title'),
      ...lines,
      TextLine.empty,
      TextLine.of('It no longer exists. Enter shows what was known of it.', 'muted'),
    ];
  },
  list: listOf({
    rows: cluster => cluster.activity?.rows,
    noun: 'entries',
    uidOf: ({ object }) => object.uid,
    uidOfHeading: row => entryOfRow(row)?.object.uid,
    newestLast: true,
    prepare: ({ activity }, { only }) =>
      activity?.setKinds(only?.kinds as ReadonlySet<ActivityKind> | undefined),
    gone: { label: 'what is known', open: openGone },
    noContent: row =>
      entryOfRow(row) === undefined
        ? 'This row shows a time without observation: there is nothing to open.'
        : undefined,
  }),
};

function openGone(state: State): State {
  const row = rowIn(state, id, state.cluster?.activity?.rows);
  const entry = row && entryOfRow(row);
  if (entry === undefined) return state;
  const { title, lines } = goneDocument(state, entry);
  return { ...state, dialog: { kind: 'text', title, lines, top: 0, loading: false } };
}

function noActivity(state: State, cluster: ClusterModel): readonly EmptyLine[] {
  const { activity, namespace } = cluster;
  if (activity === undefined) return [muted('Still loading. Changes are shown once everything has arrived.')];
  const { filter, only } = listState(state, id);
  if (filter !== '' || only !== undefined)
    return [muted('No entry so far is of that kind and contains these words. Esc shows all.')];
  const where = namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
  return [
    { text: `None of the requested objects is being deleted${where}.`, style: 'plain' },
    ...activityLimits(cluster).map(asEmptyLine),
  ];
}

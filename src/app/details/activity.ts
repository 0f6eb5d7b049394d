/** Details of an Activity row: the whole entry, or the limits of the entries. */
import type { ActivityEntry } from '../../activity/entry.ts';
import { objectTitle } from '../../model/text/titles.ts';
import { type EntryContext, entryLines, goneLines, historyLines } from '../../text/activity/details.ts';
import { gapWords, limitLines } from '../../text/activity/notes.ts';
import type { Line } from '../../text/terminal/style.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ActivityRow } from '../cluster/activity.ts';
import type { ClusterModel } from '../cluster/model.ts';
import { entryOfRow } from '../state/current.ts';
import { asOf, type State } from '../state/state.ts';

export function activityDetails(state: State, cluster: ClusterModel, row: ActivityRow): readonly TextLine[] {
  const entry = entryOfRow(row);
  if (entry === undefined) return noteDetails(cluster, row);
  return entryLines(entry, contextOf(state, entry));
}

function contextOf(state: State, entry: ActivityEntry): EntryContext {
  const now = asOf(state);
  const { activity } = state.cluster ?? {};
  return { now, settled: activity?.isSettled(entry) !== false, since: activity?.since ?? now };
}

function noteDetails(cluster: ClusterModel, row: ActivityRow): readonly TextLine[] {
  const isGap = row.kind === 'group' && row.head.of === 'gap';
  return [
    textLine(isGap ? 'Not followed' : 'What is told here', 'title'),
    ...(isGap && row.head.of === 'gap' ? [textLine(gapWords(row.head, true), 'warning')] : []),
    ...activityLimits(cluster),
  ];
}

export function activityLimits(cluster: ClusterModel): readonly TextLine[] {
  const { activity } = cluster;
  if (activity === undefined) return [];
  const { blindSpots, polled } = cluster.summary();
  return limitLines({
    since: activity.standsStill ? undefined : activity.since,
    forgotten: activity.forgotten,
    unseen: blindSpots.length,
    polled: polled.length,
  });
}

export function goneDocument(state: State, entry: ActivityEntry): { title: string; lines: readonly Line[] } {
  const { object } = entry;
  const { cluster } = state;
  const type = cluster?.view.catalog.resolveKind(object.apiVersion, object.kind);
  const successor = type && cluster?.view.graph.find(type, object.namespace, object.name);
  const entries = cluster?.activity?.entriesOf(object.uid) ?? [entry];
  const lines = [
    ...goneLines(entry, successor),
    emptyLine,
    ...historyLines(entries, contextOf(state, entry)),
  ];
  return { title: `${objectTitle(object)} is gone`, lines: lines.map(({ spans }) => spans) };
}

/** Details of an Activity row: the whole entry, or the limits of the entries. */
import type { ActivityEntry } from '../../../activity/index.ts';
import { objectTitle } from '../../../model/index.ts';
import { activityLines, activityNotes, type EntryContext, type Line, TextLine } from '../../../text/index.ts';
import { type ActivityRow, entryOfRow } from '../../cluster/activity-rows.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import { agesAsOf, type State } from '../../state/state.ts';

export function activityDetails(state: State, cluster: ClusterModel, row: ActivityRow): readonly TextLine[] {
  const entry = entryOfRow(row);
  if (entry === undefined) return noteDetails(cluster, row);
  return activityLines.entry(entry, contextOf(state, entry));
}

function contextOf(state: State, entry: ActivityEntry): EntryContext {
  const now = agesAsOf(state);
  const { activity } = state.cluster ?? {};
  return { now, settled: activity?.isSettled(entry) !== false, since: activity?.since ?? now };
}

function noteDetails(cluster: ClusterModel, row: ActivityRow): readonly TextLine[] {
  const isGap = row.kind === 'group' && row.head.of === 'gap';
  return [
    TextLine.of(isGap ? 'Not followed' : 'What is shown here', 'title'),
    ...(isGap && row.head.of === 'gap' ? [TextLine.of(activityNotes.gap(row.head, true), 'warning')] : []),
    ...activityLimits(cluster),
  ];
}

export function activityLimits(cluster: ClusterModel): readonly TextLine[] {
  const { activity } = cluster;
  if (activity === undefined) return [];
  const { blindSpots, polled } = cluster.summary();
  return activityNotes.limits({
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
    ...activityLines.gone(entry, successor),
    TextLine.empty,
    ...activityLines.history(entries, contextOf(state, entry)),
  ];
  return { title: `${objectTitle(object)} is gone`, lines: lines.map(({ spans }) => spans) };
}

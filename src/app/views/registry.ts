/** All views, in the order of their tabs. A new one is a folder and a line here. */
import type { State } from '../state/state.ts';
import { activityView } from './activity/activity-view.ts';
import { collectorView } from './collector/collector-view.ts';
import { managersView } from './managers/managers-view.ts';
import { podGcView } from './podgc/podgc-view.ts';
import { problemsView } from './problems/problems-view.ts';
import { pulseView } from './pulse/pulse-view.ts';
import { treeView } from './tree/tree-view.ts';
import { type EmptyLine, muted, type View } from './view.ts';

export const views: View[] = [
  treeView,
  problemsView,
  podGcView,
  activityView,
  collectorView,
  pulseView,
  managersView,
];

export function viewOf({ view }: Pick<State, 'view'>): View {
  return views.find(({ id }) => id === view) ?? treeView;
}

export function emptyLines(state: State): readonly EmptyLine[] {
  const { cluster } = state;
  return cluster === undefined ? [muted('Connecting to the cluster.')] : viewOf(state).empty(state, cluster);
}

/** Explains an empty view, and how reliable that is. */

import { isBehind } from '../../model/exchange/changes.ts';
import { shownName } from '../../model/text/shown.ts';
import { counted, formatCount } from '../../model/text/titles.ts';
import { behindNote } from '../../text/connection/connection.ts';
import { noneSentence } from '../../text/podgc/podgc.ts';
import type { Style } from '../../text/terminal/style.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Problems } from '../cluster/problems.ts';
import { activityLimits } from '../details/activity.ts';
import { limitLines } from '../details/podgc.ts';
import type { State } from '../state/state.ts';

export interface EmptyLine {
  readonly text: string;
  readonly style: Style;
}

export function emptyView(state: State): readonly EmptyLine[] {
  const { cluster } = state;
  if (cluster === undefined) return [muted('Connecting to the cluster.')];
  switch (state.view) {
    case 'tree':
      return [muted(noObjects(state, cluster))];
    case 'problems':
      return noProblems(state, cluster);
    case 'podgc':
      return noCandidates(state, cluster);
    case 'managers':
      return [muted(noManaged(state, cluster))];
    case 'collector':
      return [muted(noCollector(state, cluster))];
    case 'activity':
      return noActivity(state, cluster);
  }
}

function muted(text: string): EmptyLine {
  return { text, style: 'muted' };
}

function noObjects(state: State, { namespace, scopeKnown }: ClusterModel): string {
  if (!state.graphComplete && !scopeKnown) return 'Nothing has arrived yet.';
  if (state.filter?.kind === 'problems')
    return 'No object in this tree has a problem any more. Esc shows everything.';
  return namespace === undefined
    ? 'No objects.'
    : 'No objects in this namespace. n chooses another one, or all of them.';
}

function noProblems(state: State, cluster: ClusterModel): readonly EmptyLine[] {
  const { problems } = cluster;
  if (problems === undefined || !(cluster.allKnown || cluster.scopeKnown))
    return [muted('Still loading. Problems are shown once everything has arrived.')];
  if (!problems.complete) return [muted('Everything has arrived and is being checked.')];
  if (state.problems.filter !== '') return [muted('No problem contains these words. Esc shows all.')];
  if (cluster.view.settings.collector === '1.5')
    return [muted("Nothing is diagnosed with the collector of Kubernetes 1.5: rules know today's alone.")];
  const where = cluster.namespace === undefined ? '' : ` in namespace ${shownName(cluster.namespace)}`;
  return [{ text: `No problems found${where}.`, style: 'plain' }, ...reservations(cluster, problems)];
}

function noManaged(state: State, { managers, namespace }: ClusterModel): string {
  if (managers === undefined) return 'Still loading. Who manages what is shown once everything has arrived.';
  if (!managers.complete) return 'Everything has arrived and is being sorted by who manages it.';
  if (state.managers.filter !== '' && !managers.sorted) return 'Looking for these words.';
  if (state.managers.filter !== '')
    return 'Neither a manager nor an object contains these words. Esc shows all.';
  return namespace === undefined
    ? 'No objects.'
    : 'No objects in this namespace. n chooses another one, or all of them.';
}

function noCollector(state: State, { collector }: ClusterModel): string {
  if (collector === undefined)
    return 'Still loading. What the collector holds is told once everything has arrived.';
  if (collector.state === undefined) return 'Everything has arrived and is being looked at.';
  return state.collector.filter === ''
    ? 'It holds nothing.'
    : 'Nothing in it contains these words. Esc shows all.';
}

function noActivity(state: State, cluster: ClusterModel): readonly EmptyLine[] {
  const { activity, namespace } = cluster;
  if (activity === undefined)
    return [muted('Still loading. What changes is told once everything has arrived.')];
  const { filter, only } = state.activity;
  if (filter !== '' || only !== undefined)
    return [muted('No entry so far is of that kind and contains these words. Esc shows all.')];
  const where = namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
  return [
    { text: `Nothing that was asked for is being deleted${where}.`, style: 'plain' },
    ...activityLimits(cluster).map(asEmptyLine),
  ];
}

function asEmptyLine({ spans }: TextLine): EmptyLine {
  return { text: spans.map(({ text }) => text).join(''), style: spans[0]?.style ?? 'plain' };
}

/** Includes the limit on finished pods, which belongs to the answer. */
function noCandidates(state: State, { podGc, namespace }: ClusterModel): readonly EmptyLine[] {
  if (podGc === undefined)
    return [muted('Still loading. What PodGC takes is shown once everything has arrived.')];
  if (state.podgc.filter !== '') return [muted('No pod contains these words. Esc shows all.')];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const { elsewhere } = podGc.counts();
  return [
    { text: noneSentence(where, podGc.survey.sees), style: 'plain' },
    ...(elsewhere === 0 ? [] : [muted(elsewhereSentence(elsewhere, 'pod'))]),
    ...limitLines(podGc).map(asEmptyLine),
    ...podGc.reservations().map(text => ({ text, style: 'warning' as const })),
  ];
}

function elsewhereSentence(count: number, noun: string): string {
  return `${counted(count, noun)} elsewhere: n chooses another namespace, or all.`;
}

/** Lists gaps in the answer. */
function reservations(cluster: ClusterModel, problems: Problems): readonly EmptyLine[] {
  const lines: EmptyLine[] = [];
  const { elsewhere = 0 } = problems.counts();
  const { blindSpots, connection, polled, kinds, listed } = cluster.summary();
  if (listed < kinds) {
    const text = `Not everything has arrived yet: ${formatCount(listed)} of ${counted(kinds, 'kind')}. What lies elsewhere may change this.`;
    lines.push({ text, style: 'warning' });
  }
  if (elsewhere > 0) lines.push(muted(elsewhereSentence(elsewhere, 'problem')));
  if (blindSpots.length > 0) {
    const text = `Not everything can be seen: ${counted(blindSpots.length, 'kind')} unseen. B says which, and why.`;
    lines.push({ text, style: 'warning' });
  }
  if (polled.length > 0) {
    const text = `Not everything is live: ${counted(polled.length, 'kind')} may be up to a minute old. B says which, and why.`;
    lines.push({ text, style: 'warning' });
  }
  if (isBehind(connection)) lines.push({ text: behindNote(connection), style: 'warning' });
  return lines;
}

/** The garbage collector's state, part by part. */

import { objectOf } from '../../cluster/collector.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import { type Effect, listState, type State, withNotice } from '../../state/state.ts';
import { drawList, followedByBlank, listOf, muted, rowIn, type View } from '../view.ts';
import { collectorDetails } from './part-details.ts';
import { collectorHeader, collectorRow } from './part-row.ts';

const id = 'collector';

export const collectorView: View = {
  id,
  key: '5',
  title: 'Collector',
  about: 'what it works on, waits for and remembers',
  words: ['collector'],
  legend: [],
  lines: (state, width) =>
    drawList(state, {
      id,
      header: collectorHeader(state, width),
      rows: state.cluster?.collector?.rows,
      draw: (row, chosen) => collectorRow(state, row, chosen, width),
      across: true,
    }),
  empty: (state, cluster) => [muted(noCollector(state, cluster))],
  details: (state, cluster, node) => {
    const row = rowIn(state, id, cluster.collector?.rows);
    const lines = row === undefined ? [] : collectorDetails(state, row);
    return node === undefined ? lines : followedByBlank(lines);
  },
  effects: following,
  list: listOf({
    rows: cluster => cluster.collector?.rows,
    noun: 'what it holds',
    uidOf: item => objectOf(item)?.uid,
    gone: { open: state => withNotice(state, 'No object of this name and uid can be seen.', 'info') },
  }),
};

/** Follows the collector's state only while its view is shown, because large clusters make it costly. */
function following({ cluster }: State, shown: boolean): readonly Effect[] {
  const { collector } = cluster ?? {};
  if (collector === undefined) return [];
  const isUpToDate = collector.following && !collector.behind;
  if (shown) return isUpToDate ? [] : [{ type: 'followCollector' }];
  if (collector.following) collector.end();
  return [];
}

function noCollector(state: State, { collector }: ClusterModel): string {
  if (collector === undefined)
    return 'Still loading. The state of the collector is shown once everything has arrived.';
  if (collector.state === undefined) return 'Everything has arrived and is being looked at.';
  return listState(state, id).filter === ''
    ? 'It holds nothing.'
    : 'Nothing in it contains these words. Esc shows all.';
}

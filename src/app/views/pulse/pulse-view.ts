/** Sums up the whole cluster: unreachable webhooks and API services, pods for PodGC, and deletions by namespace. */
import { counted, formatCount, objectTitleIn, type Uid, wordForms } from '../../../model/index.ts';
import { TextLine } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { PulseItem, PulseRow } from '../../cluster/pulse-rows.ts';
import { listState, type State } from '../../state/state.ts';
import { limitLines } from '../podgc/pod-details.ts';
import { drawList, followedByBlank, listOf, muted, type RowTarget, rowIn, type View } from '../view.ts';
import { headingWords, namespaceTitle, pulseHeader, pulseRow } from './pulse-row.ts';

const id = 'pulse';

/** Maximum number of deletions listed in the details; another line counts the rest. */
const LISTED = 50;

export const pulseView: View = {
  id,
  key: '6',
  title: 'Pulse',
  about: 'namespaces, and what is being deleted in them',
  words: ['pulse'],
  legend: [
    ['DELETING', 'objects of the namespace that are being deleted'],
    ['OLDEST', 'time since the first of these deletions, or that of the Namespace, was requested'],
  ],
  lines: (state, width) =>
    drawList(state, {
      id,
      header: pulseHeader(width),
      rows: state.cluster?.pulse?.rows,
      draw: (row, chosen) => pulseRow(state, row, chosen, width),
    }),
  empty: state => [
    muted(
      listState(state, id).filter === ''
        ? 'Still loading. The cluster is summed up once everything has arrived.'
        : 'Nothing here contains these words. Esc shows all.',
    ),
  ],
  details: (state, cluster, node) => {
    const row = rowIn(state, id, cluster.pulse?.rows);
    if (row === undefined) return [];
    const lines = detailsOf(state, cluster, row);
    return node === undefined ? lines : followedByBlank(lines);
  },
  list: listOf({
    rows: cluster => cluster.pulse?.rows,
    noun: 'rows',
    uidOf: uidOfItem,
    keepsCursor: true,
    ages: true,
    leadsTo,
    noContent: row =>
      row.kind === 'item' && row.item.of === 'unseen' ? 'B says which kinds are unseen, and why.' : undefined,
  }),
};

function uidOfItem(item: PulseItem): Uid | undefined {
  if (item.of === 'finding') return item.finding.object.uid;
  return item.of === 'namespace' ? item.summary.uid : undefined;
}

function leadsTo(row: PulseRow): RowTarget | undefined {
  if (row.kind === 'group') return undefined;
  if (row.item.of === 'podgc') return { view: 'podgc' };
  return row.item.of === 'namespace' ? { namespace: row.item.summary.name } : undefined;
}

function detailsOf(state: State, cluster: ClusterModel, row: PulseRow): readonly TextLine[] {
  if (row.kind === 'group') return [TextLine.of(`${wordForms.capital(headingWords(row, state))}.`)];
  const { item } = row;
  switch (item.of) {
    case 'finding':
      return [];
    case 'podgc':
      return cluster.podGc === undefined ? [] : limitLines(cluster.podGc);
    case 'unseen':
      return [
        TextLine.of('Objects of kinds that cannot be seen are not counted. B says which kinds, and why.'),
      ];
    case 'namespace':
      return deletionLines(cluster, item.summary.name);
  }
}

/** Lists the objects being deleted in a namespace, the oldest deletion first. */
function deletionLines(cluster: ClusterModel, namespace: string): readonly TextLine[] {
  const ending = cluster.endingIn(namespace);
  const none =
    namespace === '' ? 'No cluster-scoped object' : `Nothing in namespace ${namespaceTitle(namespace)}`;
  if (ending.length === 0) return [TextLine.of(`${none} is being deleted.`)];
  const more = ending.length - LISTED;
  return [
    TextLine.of(`${counted(ending.length, 'object')} being deleted, the oldest deletion first`, 'title'),
    ...ending.slice(0, LISTED).map(
      ({ identity, uid }): TextLine => ({
        spans: [
          { text: '  ', style: 'plain' },
          { text: objectTitleIn(identity, namespace), style: 'info', link: { to: 'object', uid } },
        ],
        indent: 4,
      }),
    ),
    ...(more > 0 ? [TextLine.of(`  and ${formatCount(more)} more`, 'muted')] : []),
  ];
}

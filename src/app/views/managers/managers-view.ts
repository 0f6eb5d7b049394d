/** Objects grouped by the tool that manages them. */
import { counted, formatCount, objectTitle } from '../../../model/index.ts';
import { managerWords, TextLine } from '../../../text/index.ts';
import type { ManagerRow } from '../../cluster/manager-rows.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import { listState, type State } from '../../state/state.ts';
import { drawList, listOf, muted, rowIn, type View } from '../view.ts';
import { managerHeader, managerRow } from './managed-row.ts';

const id = 'managers';

export const managersView: View = {
  id,
  key: 'T',
  title: 'Managers',
  about: 'which tools manage which objects',
  words: ['managers'],
  legend: [],
  lines: (state, width) =>
    drawList(state, {
      id,
      header: managerHeader(width),
      rows: state.cluster?.managers?.rows,
      draw: (row, chosen) => managerRow(state, row, chosen, width),
    }),
  empty: (state, cluster) => [muted(noManaged(state, cluster))],
  details: (state, cluster) => {
    const row = rowIn(state, id, cluster.managers?.rows);
    return row?.kind === 'group' ? managerLines(row) : [];
  },
  effects: ({ cluster }, shown) =>
    shown && cluster?.managers?.sorted === false ? [{ type: 'sortManagers' }] : [],
  list: listOf({
    rows: cluster => cluster.managers?.rows,
    noun: 'managers and objects',
    uidOf: ({ uid }) => uid,
    keepsCursor: true,
  }),
};

function managerLines({ head, count }: Extract<ManagerRow, { kind: 'group' }>): readonly TextLine[] {
  const { manager, objects } = head;
  const rest = objects > count ? `; ${formatCount(objects)} with what these control` : '';
  if (manager === undefined)
    return [
      TextLine.of(managerWords.heading(head.manager), 'title'),
      TextLine.of(
        `${counted(count, 'object')} that no tool is known to manage by labels or annotations${rest}.`,
      ),
    ];
  const { object } = manager;
  const seen =
    object === undefined ? [] : [TextLine.of(`It is ${objectTitle(object)}, which is in this cluster.`)];
  return [
    TextLine.of(managerWords.heading(head.manager), 'title'),
    TextLine.of(`${counted(count, 'object')} with its marks${rest}.`),
    ...seen,
    TextLine.of(
      'It may restore, change or delete them. The garbage collector does not look at these marks.',
      'muted',
    ),
  ];
}

function noManaged(state: State, { managers, namespace }: ClusterModel): string {
  if (managers === undefined) return 'Still loading. Who manages what is shown once everything has arrived.';
  if (!managers.complete) return 'Everything has arrived and is being sorted by who manages it.';
  if (listState(state, id).filter !== '' && !managers.sorted) return 'Looking for these words.';
  if (listState(state, id).filter !== '')
    return 'Neither a manager nor an object contains these words. Esc shows all.';
  return namespace === undefined
    ? 'No objects.'
    : 'No objects in this namespace. n chooses another one, or all of them.';
}

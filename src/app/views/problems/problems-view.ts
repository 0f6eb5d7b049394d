/** Findings by cause or by code, the worst first. */
import { meaningOf } from '../../../diagnosis/index.ts';
import { Connection, counted, formatCount, shownName } from '../../../model/index.ts';
import { connectionWords, TextLine } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { ProblemHead } from '../../cluster/problem-groups.ts';
import type { ProblemCounts, Problems } from '../../cluster/problems.ts';
import { listState, type State } from '../../state/state.ts';
import {
  drawList,
  type EmptyLine,
  elsewhereNote,
  listOf,
  muted,
  rowIn,
  unseenNamespace,
  type View,
} from '../view.ts';
import { causeLines } from './cause-details.ts';
import { problemColumns, problemHeader, problemLine } from './finding-row.ts';

const id = 'problems';

type CodeHead = Extract<ProblemHead, { readonly by: 'code' }>;

export const problemsView: View = {
  id,
  key: '2',
  title: 'Problems',
  about: 'what was found, worst first',
  words: ['problems', 'check'],
  legend: [
    ['✗ A holds B', 'a cause: what decides at the end, and all that it holds; u unblocks the whole'],
    ['✗ CODE (2)', '2 errors: something is stuck for good, or will be lost that should stay'],
    ['⚠ CODE (2)', '2 warnings: something is stuck for now, or a trap'],
    ['· CODE (2)', '2 things worth knowing'],
  ],
  count: ({ cluster }) =>
    cluster?.problems?.complete === true && unseenNamespace(cluster) === undefined
      ? cluster.problems.counts().problems
      : undefined,
  lines: (state, width) => {
    const columns = problemColumns(state, width);
    return drawList(state, {
      id,
      header: problemHeader(columns),
      rows: state.cluster?.problems?.rows,
      draw: (row, chosen) => problemLine(state, row, chosen, columns),
    });
  },
  empty: noProblems,
  details: (state, cluster) => {
    const row = rowIn(state, id, cluster.problems?.rows);
    if (row?.kind !== 'group') return [];
    return row.head.by === 'code' ? codeLines(row.head, row.count) : causeLines(state, cluster, row.head);
  },
  list: listOf({
    rows: cluster => cluster.problems?.rows,
    noun: 'problems',
    uidOf: ({ object }) => object.uid,
    findingOf: row => (row.kind === 'item' ? row.item : undefined),
    actsOnHeading: true,
    decides: row =>
      row.kind === 'group' && row.head.by === 'cause' ? (row.head.cause.object?.uid ?? 'several') : undefined,
    prepare: ({ problems }, { byCode = false }) => problems?.groupByCode(byCode),
  }),
};

function codeLines({ code, severity }: CodeHead, count: number): readonly TextLine[] {
  return [
    TextLine.of(code, 'title'),
    TextLine.of(meaningOf(code)),
    TextLine.of(`${counted(count, 'finding')}, the worst of them: ${severity}.`, 'muted'),
  ];
}

function noProblems(state: State, cluster: ClusterModel): readonly EmptyLine[] {
  const { problems } = cluster;
  if (problems === undefined || !(cluster.allKnown || cluster.scopeKnown))
    return [muted('Still loading. Problems are shown once everything has arrived.')];
  if (!problems.complete) return [muted('Everything has arrived and is being checked.')];
  if (listState(state, id).filter !== '') return [muted('No problem contains these words. Esc shows all.')];
  if (cluster.view.settings.collector === '1.5')
    return [muted("Nothing is diagnosed with the collector of Kubernetes 1.5: rules know today's alone.")];
  const unseen = unseenNamespace(cluster);
  if (unseen !== undefined) return [{ text: unseen, style: 'warning' }, ...reservations(cluster, problems)];
  const where = cluster.namespace === undefined ? '' : ` in namespace ${shownName(cluster.namespace)}`;
  return [{ text: `No problems found${where}.`, style: 'plain' }, ...reservations(cluster, problems)];
}

function elsewhereWords({ problems, causes, held }: NonNullable<ProblemCounts['elsewhere']>): string {
  if (causes === 0) return `${counted(problems, 'problem')} elsewhere`;
  return `${counted(causes, 'cause')} elsewhere ${causes === 1 ? 'holds' : 'hold'} ${counted(held, 'object')}`;
}

/** Lists gaps in the answer. */
function reservations(cluster: ClusterModel, problems: Problems): readonly EmptyLine[] {
  const lines: EmptyLine[] = [];
  const { elsewhere } = problems.counts();
  const { blindSpots, connection, polled, kinds, listed } = cluster.summary();
  if (listed < kinds) {
    const text = `Not everything has arrived yet: ${formatCount(listed)} of ${counted(kinds, 'kind')}. What lies elsewhere may change this.`;
    lines.push({ text, style: 'warning' });
  }
  if (elsewhere !== undefined && elsewhere.problems > 0) lines.push(elsewhereNote(elsewhereWords(elsewhere)));
  if (blindSpots.length > 0) {
    const text = `Not everything can be seen: ${counted(blindSpots.length, 'kind')} unseen. B says which, and why.`;
    lines.push({ text, style: 'warning' });
  }
  if (polled.length > 0) {
    const text = `Not everything is live: ${counted(polled.length, 'kind')} may be up to a minute old. B says which, and why.`;
    lines.push({ text, style: 'warning' });
  }
  if (Connection.isBehind(connection))
    lines.push({ text: connectionWords.behindNote(connection), style: 'warning' });
  return lines;
}

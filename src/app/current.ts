/** What the cursor is on, whichever view is shown: details, copying and every action are about this. */
import type { Finding } from '../diagnosis/finding.ts';
import type { GraphNode } from '../graph/node.ts';
import type { ProblemRow } from './problem-rows.ts';
import type { State } from './state.ts';

/** The row under the cursor of the Problems view. */
export function currentProblem(state: State): ProblemRow | undefined {
  if (state.view !== 'problems') return undefined;
  return state.cluster?.problems?.rows.at(state.problems.index);
}

export function currentFinding(state: State): Finding | undefined {
  const row = currentProblem(state);
  return row?.kind === 'finding' ? row.finding : undefined;
}

/** The object under the cursor; undefined on a heading, and while there are no rows. */
export function currentNode(state: State): GraphNode | undefined {
  if (state.view === 'tree') return state.selected?.node;
  const finding = currentFinding(state);
  return finding && state.cluster?.node(finding.object.uid);
}

/** Whether the view has any row. */
export function hasRows(state: State): boolean {
  return state.view === 'tree' ? state.selected !== undefined : currentProblem(state) !== undefined;
}

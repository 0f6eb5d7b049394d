/** What the commands do in the Problems view, as far as that is something else than in the tree. */
import type { CommandId } from './command.ts';
import { currentProblem } from './current.ts';
import { jumpTo } from './jump.ts';
import { layoutOf } from './layout.ts';
import { moveTo, scrollTo, stayOn } from './list-cursor.ts';
import type { ProblemRow } from './problem-rows.ts';
import type { State } from './state.ts';
import { type Step, touch } from './step.ts';

/** Commands that mean something else here than in the tree. */
const ownCommands: Readonly<Partial<Record<CommandId, (state: State) => Step>>> = {
  down: state => [moveProblem(state, 1), []],
  up: state => [moveProblem(state, -1), []],
  pageDown: state => [pageProblems(state, 1), []],
  pageUp: state => [pageProblems(state, -1), []],
  first: state => [moveProblem(state, Number.NEGATIVE_INFINITY), []],
  last: state => [moveProblem(state, Number.POSITIVE_INFINITY), []],
  open: state => [openRow(state), []],
  toggleGroup: state => [foldRow(state, currentProblem(state)), []],
  unfold: state => {
    const row = currentProblem(state);
    return [row?.kind === 'group' && row.folded ? foldRow(state, row) : moveProblem(state, 1), []];
  },
  fold: state => {
    const row = currentProblem(state);
    if (row?.kind === 'group' && !row.folded) return [foldRow(state, row), []];
    const rows = state.cluster?.problems?.rows;
    return [rows === undefined ? state : selectProblem(state, rows.headingOf(state.problems.index)), []];
  },
  unfoldAll: state => [foldAll(state, false), []],
  foldAll: state => [foldAll(state, true), []],
  filterProblems: state => [{ ...state, dialog: { kind: 'filter', query: state.problems.filter } }, []],
  clear: state => [filterProblems(state, ''), []],
};

/** Undefined where the command means the same in every view. */
export function runProblemCommand(state: State, id: CommandId): Step | undefined {
  return ownCommands[id]?.(state);
}

/** Narrows the view to findings that contain these words; `''` shows all. */
export function filterProblems(state: State, filter: string): State {
  state.cluster?.problems?.rows.setFilter(filter);
  return touch(stayInProblems({ ...state, problems: { ...state.problems, filter } }));
}

/** After findings came or went, or the size of the screen changed. */
export function stayInProblems(state: State): State {
  const rows = state.cluster?.problems?.rows;
  if (rows === undefined) return state;
  const { problems } = state;
  // The worst finding says more than the heading above it.
  const begins = problems.key === undefined && rows.at(1)?.kind === 'finding';
  const next = begins ? moveTo(problems, rows, 1, heightOf(state)) : stayOn(problems, rows, heightOf(state));
  return keepDetails(state, { ...state, problems: next });
}

export function selectProblem(state: State, index: number): State {
  const rows = state.cluster?.problems?.rows;
  if (rows === undefined) return state;
  return keepDetails(state, { ...state, problems: moveTo(state.problems, rows, index, heightOf(state)) });
}

export function scrollProblems(state: State, lines: number): State {
  const rows = state.cluster?.problems?.rows;
  if (rows === undefined) return state;
  const { problems } = state;
  return keepDetails(state, {
    ...state,
    problems: scrollTo(problems, rows, problems.top + lines, heightOf(state)),
  });
}

/** The row that a click on a line of the list hits. */
export function clickProblem(state: State, index: number): State {
  const row = state.cluster?.problems?.rows.at(index);
  if (row === undefined) return state;
  const selected = selectProblem({ ...state, focus: 'tree' }, index);
  return row.kind === 'group' ? foldRow(selected, row) : selected;
}

function heightOf(state: State): number {
  return layoutOf(state).tree?.height ?? 1;
}

function pageProblems(state: State, pages: number): State {
  const step = Math.max(1, heightOf(state) - 1) * pages;
  const { top } = state.problems;
  return moveProblem({ ...state, problems: { ...state.problems, top: Math.max(0, top + step) } }, step);
}

/** Shows the object of a finding in the tree; a heading is folded. */
function openRow(state: State): State {
  const row = currentProblem(state);
  if (row?.kind !== 'finding') return foldRow(state, row);
  // Details in place of the list would hide the tree as well.
  const details = state.details === 'full' ? 'auto' : state.details;
  return jumpTo({ ...state, details }, row.finding.object.uid);
}

function foldAll(state: State, folded: boolean): State {
  state.cluster?.problems?.rows.setAllFolded(folded);
  return touch(stayInProblems(state));
}

function moveProblem(state: State, rows: number): State {
  return selectProblem(state, state.problems.index + rows);
}

/** Other details begin at their first line. */
function keepDetails(before: State, after: State): State {
  return before.problems.key === after.problems.key ? after : { ...after, detailsTop: 0 };
}

/** Folds the row's group and goes to its heading, or unfolds it. */
function foldRow(state: State, row: ProblemRow | undefined): State {
  const rows = state.cluster?.problems?.rows;
  if (rows === undefined || row === undefined) return state;
  const code = row.kind === 'group' ? row.code : row.finding.code;
  const heading = rows.headingOf(state.problems.index);
  rows.setFolded(code, row.kind === 'finding' || !row.folded);
  return touch(selectProblem(state, heading));
}

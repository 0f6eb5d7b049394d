/** Keys that move over, open, fold and mark rows in every view. */
import { movesOf } from '../../views/lists.ts';
import { followLink, moveInDetails, scrollDetails } from '../details-links.ts';
import { foldAll, foldOrGoUp, openRow, unfoldRow } from '../list-commands.ts';
import { markAndMove, markRange, toggleMarks, unmark } from '../marks.ts';
import { foldCommand, openInTree, setAllExpanded } from '../tree-rows.ts';
import { type Bindings, needsContent, needsRows, type Run } from './binding.ts';

const nothingMarked = 'Nothing is marked: space marks the object of a row.';

const step =
  (rows: 1 | -1): Run =>
  (state, inDetails) =>
    inDetails ? moveInDetails(state, rows) : movesOf(state).moveBy(state, rows);

const page =
  (pages: 1 | -1): Run =>
  (state, inDetails) =>
    inDetails ? scrollDetails(state, pages * 10) : movesOf(state).pageBy(state, pages);

export const rowBindings = {
  open: {
    title: 'Open: unfold or fold, go to the details of an object, or show it in the tree',
    keys: ['enter'],
    group: 'Rows',
    footer: 'open',
    idle: needsContent,
    run: (state, inDetails) => (inDetails ? followLink(state) : openInTree(state)),
    inList: openRow,
  },
  mark: {
    title: 'Mark or unmark the object of the row, or all of its group, for the next action',
    keys: ['space'],
    group: 'Rows',
    footer: 'mark',
    idle: needsRows,
    run: toggleMarks,
  },
  markRange: {
    title: 'Mark from here to where you move: v again ends it, Esc cancels it',
    keys: ['v'],
    group: 'Rows',
    idle: needsRows,
    words: ['mark-range'],
    run: markRange,
  },
  markDown: {
    title: 'Mark and move down',
    keys: ['shift-down'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
    run: state => markAndMove(state, 1),
  },
  markUp: {
    title: 'Mark and move up',
    keys: ['shift-up'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
    run: state => markAndMove(state, -1),
  },
  unmark: {
    title: 'Clear all marks',
    keys: ['M'],
    group: 'Rows',
    idle: state => (state.marks.size > 0 ? undefined : nothingMarked),
    run: unmark,
  },
  unfold: {
    title: 'Unfold, or go down into it',
    keys: ['right', 'l'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
    run: state => foldCommand(state, 'unfold'),
    inList: unfoldRow,
  },
  fold: {
    title: 'Fold, or go up to the parent row',
    keys: ['left', 'h'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
    run: state => foldCommand(state, 'fold'),
    inList: foldOrGoUp,
  },
  unfoldAll: {
    title: 'Unfold everything',
    keys: ['*', '+'],
    group: 'Rows',
    idle: needsRows,
    run: state => setAllExpanded(state, true),
    inList: state => foldAll(state, false),
  },
  foldAll: {
    title: 'Fold everything',
    keys: ['-'],
    group: 'Rows',
    idle: needsRows,
    run: state => setAllExpanded(state, false),
    inList: state => foldAll(state, true),
  },
  down: {
    title: 'Down',
    keys: ['down', 'j'],
    group: 'Move',
    palette: false,
    run: step(1),
  },
  up: {
    title: 'Up',
    keys: ['up', 'k'],
    group: 'Move',
    palette: false,
    run: step(-1),
  },
  pageDown: {
    title: 'Page down',
    keys: ['pagedown', 'ctrl-f', 'ctrl-d'],
    group: 'Move',
    palette: false,
    run: page(1),
  },
  pageUp: {
    title: 'Page up',
    keys: ['pageup', 'ctrl-b', 'ctrl-u'],
    group: 'Move',
    palette: false,
    run: page(-1),
  },
  first: {
    title: 'First row',
    keys: ['g', 'home'],
    group: 'Move',
    palette: false,
    run: (state, inDetails) =>
      inDetails ? { ...state, detailsTop: 0 } : movesOf(state).moveBy(state, Number.NEGATIVE_INFINITY),
  },
  last: {
    title: 'Last row',
    keys: ['G', 'end'],
    group: 'Move',
    palette: false,
    run: (state, inDetails) =>
      inDetails ? scrollDetails(state, 1e6) : movesOf(state).moveBy(state, Number.POSITIVE_INFINITY),
  },
} satisfies Bindings;

/** Keys that move over, open, fold and mark rows in every view. */
import { type Bindings, needsContent, needsRows } from './binding.ts';

const nothingMarked = 'Nothing is marked: space marks the object of a row.';

export const rowBindings = {
  open: {
    title: 'Open: unfold or fold, go to the details of an object, or show it in the tree',
    keys: ['enter'],
    group: 'Rows',
    footer: 'open',
    idle: needsContent,
  },
  mark: {
    title: 'Mark the object of the row, or all of its group, for what comes next; or unmark',
    keys: ['space'],
    group: 'Rows',
    footer: 'mark',
    idle: needsRows,
  },
  markRange: {
    title: 'Mark from here to where you move: v again ends it, Esc takes it back',
    keys: ['v'],
    group: 'Rows',
    idle: needsRows,
  },
  markDown: {
    title: 'Mark and move down',
    keys: ['shift-down'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
  },
  markUp: { title: 'Mark and move up', keys: ['shift-up'], group: 'Rows', palette: false, idle: needsRows },
  unmark: {
    title: 'Clear all marks',
    keys: ['M'],
    group: 'Rows',
    idle: state => (state.marks.size > 0 ? undefined : nothingMarked),
  },
  unfold: {
    title: 'Unfold, or down into it',
    keys: ['right', 'l'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
  },
  fold: {
    title: 'Fold, or up to the row above it',
    keys: ['left', 'h'],
    group: 'Rows',
    palette: false,
    idle: needsRows,
  },
  unfoldAll: { title: 'Unfold everything', keys: ['*', '+'], group: 'Rows', idle: needsRows },
  foldAll: { title: 'Fold everything', keys: ['-'], group: 'Rows', idle: needsRows },
  down: { title: 'Down', keys: ['down', 'j'], group: 'Move', palette: false },
  up: { title: 'Up', keys: ['up', 'k'], group: 'Move', palette: false },
  pageDown: { title: 'Page down', keys: ['pagedown', 'ctrl-f', 'ctrl-d'], group: 'Move', palette: false },
  pageUp: { title: 'Page up', keys: ['pageup', 'ctrl-b', 'ctrl-u'], group: 'Move', palette: false },
  first: { title: 'First row', keys: ['g', 'home'], group: 'Move', palette: false },
  last: { title: 'Last row', keys: ['G', 'end'], group: 'Move', palette: false },
} satisfies Bindings;

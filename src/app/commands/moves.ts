/** The keys that move the cursor: the same in every list, so the palette and the footer don't name them. */
import type { ScreenCommand } from './command.ts';

export const moveCommands: readonly ScreenCommand[] = [
  { id: 'down', title: 'Down', keys: ['down', 'j'], group: 'Move', palette: false },
  { id: 'up', title: 'Up', keys: ['up', 'k'], group: 'Move', palette: false },
  {
    id: 'pageDown',
    title: 'Page down',
    keys: ['pagedown', 'ctrl-f', 'ctrl-d'],
    group: 'Move',
    palette: false,
  },
  { id: 'pageUp', title: 'Page up', keys: ['pageup', 'ctrl-b', 'ctrl-u'], group: 'Move', palette: false },
  { id: 'first', title: 'First row', keys: ['g', 'home'], group: 'Move', palette: false },
  { id: 'last', title: 'Last row', keys: ['G', 'end'], group: 'Move', palette: false },
  { id: 'unfold', title: 'Unfold, or down into it', keys: ['right', 'l'], group: 'Fold', palette: false },
  {
    id: 'fold',
    title: 'Fold, or up to the row above it',
    keys: ['left', 'h'],
    group: 'Fold',
    palette: false,
  },
];

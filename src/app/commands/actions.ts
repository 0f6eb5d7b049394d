/** The commands that act, and those that choose what they are about: apart, because they can be refused. */
import { type ActionId, canAct, refusalOf } from '../actions/commands.ts';
import { currentNode } from '../state/current.ts';
import type { ScreenCommand } from './command.ts';

export const actCommands: readonly ScreenCommand[] = [
  {
    id: 'delete',
    title: 'Delete: choose between background, foreground and orphan',
    keys: ['d'],
    group: 'Act',
    footer: 'delete',
    ...acting('delete'),
  },
  {
    id: 'orphan',
    title: 'Delete it alone, and set free what it owns',
    keys: ['o'],
    group: 'Act',
    footer: 'orphan',
    ...acting('orphan'),
  },
  {
    id: 'unblock',
    title: 'Unblock, by what is recommended',
    keys: ['u'],
    group: 'Act',
    footer: 'unblock',
    ...acting('unblock'),
  },
  {
    id: 'remedies',
    title: 'Everything that could be done about it',
    keys: ['U'],
    group: 'Act',
    ...acting('remedies'),
  },
  {
    id: 'plan',
    title: 'What would happen: the forecasts alone',
    keys: ['p'],
    group: 'Act',
    footer: 'plan',
    ...acting('plan'),
  },
  {
    id: 'undo',
    title: 'Undo: what was done, the latest first',
    keys: ['z'],
    group: 'Act',
    footer: 'undo',
    ...acting('undo'),
  },
  {
    id: 'mark',
    title: 'Mark for delete, orphan and plan, or take the mark away',
    keys: ['space'],
    group: 'Act',
    footer: 'mark',
    views: ['tree'],
    works: state => currentNode(state)?.object !== undefined,
  },
  {
    id: 'unmark',
    title: 'Take every mark away',
    keys: ['M'],
    group: 'Act',
    works: state => state.marks.size > 0,
  },
];

function acting(id: ActionId): Pick<ScreenCommand, 'works' | 'refused'> {
  return { works: state => canAct(id, state), refused: state => refusalOf(id, state) };
}

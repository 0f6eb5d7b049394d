/** A command of the screen as data: what it is called, which keys it has, where and when it works. */
import type { Layout } from '../state/layout.ts';
import type { State, ViewId } from '../state/state.ts';

export type CommandId =
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'first'
  | 'last'
  | 'toggle'
  | 'open'
  | 'toggleGroup'
  | 'unfold'
  | 'fold'
  | 'unfoldAll'
  | 'foldAll'
  | 'owner'
  | 'search'
  | 'filterRows'
  | 'onlyProblems'
  | 'clear'
  | 'namespace'
  | 'context'
  | 'sort'
  | 'details'
  | 'focus'
  | 'detailsDown'
  | 'detailsUp'
  | 'yaml'
  | 'managed'
  | 'copy'
  | 'delete'
  | 'orphan'
  | 'unblock'
  | 'remedies'
  | 'undo'
  | 'plan'
  | 'mark'
  | 'unmark'
  | 'export'
  | 'blindSpots'
  | 'treeView'
  | 'problemsView'
  | 'podgcView'
  | 'palette'
  | 'help'
  | 'redraw'
  | 'suspend'
  | 'quit'
  | 'interrupt';

export interface ScreenCommand {
  readonly id: CommandId;
  readonly title: string;
  /** The first one is the one that footer and palette name. */
  readonly keys: readonly string[];
  readonly group: 'Move' | 'Fold' | 'Find' | 'Act' | 'Object' | 'Screen';
  /** Short label in the footer; absent where the footer doesn't name the command. */
  readonly footer?: string;
  /** Moves and the like aren't offered in the palette. */
  readonly palette?: false;
  /** Where the command exists; absent: in every view. */
  readonly views?: readonly ViewId[];
  /** Whether the key does something now. Absent: always. */
  readonly works?: (state: State, layout: Layout) => boolean;
  /** Why what the key would do is not permitted: then it is shown grey. Undefined where it is. */
  readonly refused?: (state: State) => string | undefined;
}

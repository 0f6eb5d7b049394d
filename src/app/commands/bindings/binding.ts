/** What a command of the screen is as data, and what several of them ask of the state before they do anything. */
import { currentEntry, currentNode, hasRows } from '../../state/current.ts';
import type { Layout } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import type { ViewId } from '../../state/views.ts';

/** Why a key does nothing now, as a sentence for people; undefined where it does something. */
export type Idle = (state: State, layout: Layout) => string | undefined;

/** A command of the screen: what it is called, which keys it has, where and when it works. */
export interface Binding {
  readonly title: string;
  /** The first one is the one that footer and palette name. */
  readonly keys: readonly string[];
  readonly group: 'Move' | 'Rows' | 'Act' | 'Find' | 'Object' | 'Time' | 'Screen';
  /** Short label in the footer; absent where the footer doesn't name the command. */
  readonly footer?: string;
  /** Moves and the like aren't offered as commands. */
  readonly palette?: false;
  /** Where the command exists; absent: in every view. */
  readonly views?: readonly ViewId[];
  /** Absent: the key always does something. */
  readonly idle?: Idle;
  /** Why what the key would do is not permitted: then it is shown grey. Undefined where it is. */
  readonly refused?: (state: State) => string | undefined;
}

export type Bindings = Readonly<Record<string, Binding>>;

const NO_ROWS = 'There are no rows here.';

export const needsObject: Idle = state => {
  if (currentNode(state)?.object !== undefined) return undefined;
  if (!hasRows(state)) return NO_ROWS;
  return currentNode(state) === undefined
    ? 'This row is no object: move to one first.'
    : 'This object is only known from references: nobody has seen it.';
};

export const needsRows: Idle = state => (hasRows(state) ? undefined : NO_ROWS);

/** The row is more than a line that says when nothing was seen. */
export const needsContent: Idle = state =>
  needsRowsAnd(state, state.view !== 'activity' || currentEntry(state) !== undefined);

function needsRowsAnd(state: State, isMore: boolean): string | undefined {
  if (!hasRows(state)) return NO_ROWS;
  return isMore ? undefined : 'This row says when nothing was seen: there is nothing to show.';
}

export const needsCluster: Idle = ({ cluster }) =>
  cluster === undefined ? 'Still connecting to the cluster.' : undefined;

export const needsRecording: Idle = ({ replay }) =>
  replay.known ? undefined : 'Time can be moved in a recording alone: start with --replay FILE.';

/** A command as data, with common preconditions. */
import { currentEntry, currentNode, hasRows } from '../../state/current.ts';
import type { Layout } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import type { ViewId } from '../../state/views.ts';

/** Returns why a key does nothing now, as a sentence. */
export type Idle = (state: State, layout: Layout) => string | undefined;

export interface Binding {
  readonly title: string;
  /** The first one is named in footer and palette. */
  readonly keys: readonly string[];
  readonly group: 'Move' | 'Rows' | 'Act' | 'Find' | 'Object' | 'Time' | 'Screen';
  /** Footer label; absent if the footer doesn't name it. */
  readonly footer?: string;
  /** Excludes moves and the like from `:`. */
  readonly palette?: false;
  /** Default: every view. */
  readonly views?: readonly ViewId[];
  /** Default: the key always does something. */
  readonly idle?: Idle;
  /** Returns why the action isn't permitted, which makes the key grey. */
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

/** Requires more than a row that reports an unseen time. */
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

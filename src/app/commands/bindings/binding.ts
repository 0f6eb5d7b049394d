/** A command as data, with common preconditions. */

import type { ViewId } from '../../settings/settings.ts';
import type { Layout } from '../../state/layout.ts';
import type { State } from '../../state/state.ts';
import { currentRow, decidingOf, hasRows, nodeToShow } from '../../views/current.ts';
import { viewOf } from '../../views/registry.ts';

/** Returns why a key does nothing now, as a sentence. */
export type Idle = (state: State, layout: Layout) => string | undefined;

/** `inDetails`: keys go to the details. `all`: every command. */
export type Run = (state: State, inDetails: boolean, all: readonly ScreenCommand[]) => State;

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
  /** Words for `:` in place of its id, the first one is shown. */
  readonly words?: readonly string[];
  readonly run: Run;
  /** In place of `run` in a list view, unless keys go to the details. */
  readonly inList?: (state: State) => State;
  /** Returns why the action isn't permitted, which makes the key grey. */
  readonly refused?: (state: State) => string | undefined;
}

export type Bindings = Readonly<Record<string, Binding>>;

export interface ScreenCommand extends Binding {
  readonly id: string;
}

export function isIn({ views }: Binding, view: ViewId): boolean {
  return views?.includes(view) ?? true;
}

export function isWorking(command: Binding, state: State, layout: Layout): boolean {
  return isIn(command, state.view) && command.idle?.(state, layout) === undefined;
}

export function wordsOf({ id, words }: ScreenCommand): readonly string[] {
  return words ?? [id.replaceAll(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)];
}

const NO_ROWS = 'There are no rows here.';

export const needsObject: Idle = state => {
  const node = nodeToShow(state);
  if (node?.object !== undefined) return undefined;
  if (!hasRows(state)) return NO_ROWS;
  const deciding = decidingOf(state);
  if (deciding === 'several') return 'Several objects decide here: move to one first.';
  return node === undefined && deciding === undefined
    ? 'This row is no object: move to one first.'
    : 'This object is only known from references: it has not been seen.';
};

export const needsRows: Idle = state => (hasRows(state) ? undefined : NO_ROWS);

/** Requires more than a row that reports an unseen time. */
export const needsContent: Idle = state => {
  if (!hasRows(state)) return NO_ROWS;
  const row = currentRow(state);
  return row && viewOf(state).list?.noContent?.(row);
};

export const needsCluster: Idle = ({ cluster }) =>
  cluster === undefined ? 'Still connecting to the cluster.' : undefined;

export const needsRecording: Idle = ({ replay }) =>
  replay.known ? undefined : 'Time can be moved in a recording alone (--replay FILE), and in a forecast (p).';

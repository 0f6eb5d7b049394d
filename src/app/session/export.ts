/**
 * What is on the screen as a text file: every row of the view and not only the visible ones, nothing cut, no colours,
 * and the details below them where they are open. Made in steps, because a tree may have 150,000 rows.
 */
import { formatTimestamp } from '../../text/terminal/age.ts';
import { counted } from '../../text/terminal/names.ts';
import type { Span } from '../../text/terminal/style.ts';
import { sortTitles } from '../commands/sort.ts';
import { detailsLines } from '../details/details.ts';
import { ColumnCompactor } from '../lines/column-compactor.ts';
import { emptyView } from '../lines/empty-view.ts';
import { narrowedSentence, unfollowedSentence } from '../lines/frame.ts';
import { titleLine } from '../lines/title.ts';
import { viewList } from '../lines/view.ts';
import { layoutOf, UNCUT_COLUMNS } from '../state/layout.ts';
import type { Dialog, State } from '../state/state.ts';
import { viewTabs } from '../state/views.ts';

export interface Exported {
  /** Of the file: letters, digits, dots and hyphens, with the time in it. */
  readonly name: string;
  readonly text: string;
  /** What the file has, for people: `38 rows`. */
  readonly size: string;
}

/** Details are for reading: as wide as text is printed. */
const DETAILS_COLUMNS = 100;

/** Yields between two pieces of work, each of some microseconds; returns the file. */
export function* exportSteps(state: State): Generator<undefined, Exported> {
  const { dialog } = state;
  return dialog?.kind === 'text' ? textFile(state, dialog) : yield* viewFile(state);
}

function* viewFile(state: State): Generator<undefined, Exported> {
  const { tree, details } = layoutOf(state);
  const lines = headLines(state);
  let size = 'the details';
  if (tree !== undefined) {
    const list = viewList(state, UNCUT_COLUMNS);
    size = counted(list.length, 'row');
    const squeeze = new ColumnCompactor();
    squeeze.add(plain(list.header));
    for (const { spans, across } of list.rows(0, list.length)) {
      if (across) squeeze.addAcross(plain(spans));
      else squeeze.add(plain(spans));
      yield;
    }
    for (const line of squeeze.narrowed()) {
      lines.push(line);
      yield;
    }
    if (list.length === 0) lines.push(...emptyView(state).map(({ text }) => text));
  }
  const about = details === undefined ? [] : detailsLines(state, DETAILS_COLUMNS).map(plain);
  if (about.length > 0) lines.push(...(tree === undefined ? [] : ['', '-'.repeat(8), '']), ...about);
  return { name: nameOf(state.view, state.now), text: joined(lines), size };
}

/** Which cluster it was, how much of it was known, and when: what the frame says around a view. */
function headLines(state: State): string[] {
  const title = plain(titleLine({ ...state, columns: UNCUT_COLUMNS })).trim();
  const view = viewTabs.find(({ id }) => id === state.view)?.title ?? state.view;
  const sorted = state.view === 'tree' ? `; order: ${sortTitles[state.sort]}` : '';
  const remarks = [unfollowedSentence(state), narrowedSentence(state)].filter(text => text !== '');
  return [
    title.replaceAll(/ {3,}/gu, '  '),
    `${view}, written at ${formatTimestamp(state.now)}${sorted}`,
    ...remarks,
    '',
  ];
}

function textFile(state: State, { title, lines }: Extract<Dialog, { kind: 'text' }>): Exported {
  return {
    name: nameOf(title, state.now),
    text: joined(lines.map(plain)),
    size: counted(lines.length, 'line'),
  };
}

function joined(lines: readonly string[]): string {
  return `${lines.map(line => line.trimEnd()).join('\n')}\n`;
}

function plain(line: readonly Span[]): string {
  return line.map(({ text }) => text).join('');
}

/** `gc-tree-problems-20261121T101500Z.txt`. Titles hold names from the cluster, and no path may be made of them. */
function nameOf(title: string, now: number): string {
  const what = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/gu, '')
    .slice(0, 80);
  const when = formatTimestamp(now).replaceAll(/[-:]/gu, '');
  return `gc-tree-${what === '' ? 'text' : what}-${when}.txt`;
}

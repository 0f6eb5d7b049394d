/** The second line: the views with their keys, and the keys that work everywhere. */

import type { State } from '../state/state.ts';
import { type ViewId, type ViewTab, viewTabs } from '../state/views.ts';
import { ellipsisOf, justified, type Line, widthOf } from './frame.ts';
import { formatCount } from './numbers.ts';

export function tabLine(state: State): Line {
  const readOnly: Line = [{ text: state.options.readOnly ? 'read-only  ' : '', style: 'warning' }];
  const help: Line = [
    { text: '?', style: 'info' },
    { text: ' help ', style: 'muted' },
  ];
  const keys: Line = [
    { text: state.sort === 'name' ? '' : `sorted by ${state.sort}  `, style: 'muted' },
    { text: '/', style: 'info' },
    { text: state.view === 'tree' ? ' search  ' : ' filter  ', style: 'muted' },
    { text: ':', style: 'info' },
    { text: ' commands  ', style: 'muted' },
  ];
  const tabs = viewTabs.flatMap(tab => tabSpans(state, tab));
  // The footer names the keys as well; that nothing can be changed stands here alone.
  const room = state.columns - widthOf(tabs) - 2;
  const all = [...readOnly, ...keys, ...help];
  const right = [all, [...readOnly, ...help]].find(line => widthOf(line) <= room) ?? readOnly;
  return justified(tabs, right, state.columns, ellipsisOf(state));
}

/** The tab at a column of the second line. */
export function tabAt(state: State, column: number): ViewId | undefined {
  let left = 0;
  for (const tab of viewTabs) {
    left += widthOf(tabSpans(state, tab));
    if (column < left) return tab.id;
  }
  return undefined;
}

/** The view that is shown has brackets, so that it is told without colour and aloud. */
function tabSpans(state: State, { id, key, title }: ViewTab): Line {
  const text = `${key} ${title}${countOf(state, id)}`;
  return id === state.view
    ? [{ text: `[${text}]`, style: 'title' }]
    : [{ text: ` ${text} `, style: 'muted' }];
}

/** Until everything was looked at, that it goes on. */
function countOf(state: State, id: ViewId): string {
  if (id === 'tree') return '';
  const { problems, podGc } = state.cluster ?? {};
  const found = problems?.complete === true ? problems.counts().problems : undefined;
  const count = id === 'problems' ? found : podGc?.counts().due;
  return ` ${count === undefined ? ellipsisOf(state) : formatCount(count)}`;
}

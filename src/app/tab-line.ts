/** The second line: the views with their keys, and the keys that work everywhere. */

import { ellipsisOf, justified, type Line, widthOf } from './frame-lines.ts';
import { formatCount } from './numbers.ts';
import type { State } from './state.ts';
import { type ViewId, type ViewTab, viewTabs } from './views.ts';

export function tabLine(state: State): Line {
  const right: Line = [
    { text: state.options.readOnly ? 'read-only  ' : '', style: 'warning' },
    { text: state.sort === 'name' ? '' : `sorted by ${state.sort}  `, style: 'muted' },
    { text: '/', style: 'info' },
    { text: state.view === 'problems' ? ' filter  ' : ' search  ', style: 'muted' },
    { text: ':', style: 'info' },
    { text: ' commands  ', style: 'muted' },
    { text: '?', style: 'info' },
    { text: ' help ', style: 'muted' },
  ];
  const tabs = viewTabs.flatMap(tab => tabSpans(state, tab));
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
  if (id !== 'problems') return '';
  const { problems } = state.cluster ?? {};
  return problems?.complete === true
    ? ` ${formatCount(problems.counts().problems)}`
    : ` ${ellipsisOf(state)}`;
}

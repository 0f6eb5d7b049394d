/** Writes sentences for screen readers: the text read after a key is that key's effect. */

import type { Line } from '../../text/index.ts';
import { dialogView } from '../dialogs/dialog-view.ts';
import { layoutOf, UNCUT_COLUMNS } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { spokenTour } from '../tour/tour-lines.ts';
import { currentRow } from '../views/current.ts';
import { movesOf, shownList } from '../views/lists.ts';
import { logicalDetails } from '../views/object-details.ts';
import { emptyLines, viewOf } from '../views/registry.ts';
import { bannerLine, footerLine } from './frame.ts';
import { spokenTimeline } from './timeline-line.ts';
import { tabLine, titleLine } from './title.ts';

/** In reading order. */
export interface SpokenText {
  readonly lines: readonly string[];
  readonly where: string;
  readonly keys: string;
}

/** Maximum number of spoken lines of details. */
const SPOKEN = 40;

export function spokenText(state: State): SpokenText {
  const { dialog } = state;
  const lines: string[] = [];
  const banner = spoken(bannerLine(state));
  if (banner !== '') lines.push(banner);
  lines.push(spokenTimeline(state), ...spokenTour(state));
  if (dialog === undefined) {
    lines.unshift(rowText(state), cursorText(state));
    if (layoutOf(state).details !== undefined)
      for (const { spans } of logicalDetails(state).slice(0, SPOKEN)) lines.push(spoken(spans));
  } else {
    const view = dialogView(state, dialog);
    lines.push(view.title);
    if (view.prompt !== undefined) lines.push(`Typed: ${view.prompt}`);
    for (const line of view.head ?? []) lines.push(spoken(line));
    const chosen = view.lines.find(line => line.chosen);
    const all =
      dialog.kind === 'action' ? view.lines.filter(line => line.chosen || line.entry !== true) : undefined;
    for (const line of all ?? (chosen === undefined ? view.lines : [chosen])) lines.push(spoken(line.spans));
    if (view.status !== '') lines.push(view.status);
  }
  const tabs = spoken(tabLine(state)).replace(/ (?:\/ search .*|\? help)$/u, '');
  return {
    where: `${spoken(titleLine(state))} ${tabs}`,
    lines: lines.filter(line => line !== ''),
    keys: `Keys: ${spoken(footerLine(state, layoutOf(state)))}`,
  };
}

function spoken(line: Line): string {
  return line
    .map(span => span.text)
    .join('')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Returns the row without cursor and fold marks, which are spoken in words. */
function rowText(state: State): string {
  const index = movesOf(state).index(state);
  const [row] = viewOf(state).lines(state, UNCUT_COLUMNS).rows(index, 1);
  return row === undefined ? '' : spoken(row.spans).replace(/^>?\s*(?:[▾▸] |[v>+-] )?/u, '');
}

function cursorText(state: State): string {
  const { cluster, tree } = state;
  const { selected } = tree;
  const row = currentRow(state);
  const list = shownList(state);
  if (row !== undefined && list !== undefined) {
    const fold = row.kind === 'group' && row.folded ? ', folded' : '';
    return `row ${list.cursor.index + 1} of ${list.rows.length}${fold}.`;
  }
  if (state.view !== 'tree' || selected === undefined || cluster === undefined)
    return emptyLines(state)
      .map(({ text }) => text)
      .join(' ');
  const fold = cluster.rows.canExpand(selected)
    ? selected.children === undefined
      ? `, folded, ${cluster.rows.childCount(selected)} below`
      : ', unfolded'
    : '';
  const place = `row ${tree.index + 1} of ${cluster.rows.length}, level ${selected.depth + 1}`;
  return `${place}${fold}${selected.cycle ? ', ends a cycle' : ''}.`;
}

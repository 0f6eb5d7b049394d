/**
 * The screen for screen readers: a few sentences about where the cursor is instead of columns and drawings, so
 * that what is read aloud after a key is what the key did.
 */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { logicalDetails } from '../app/details/details.ts';
import { dialogView } from '../app/lines/dialog.ts';
import { emptyView } from '../app/lines/empty-view.ts';
import { bannerLine, footerLine } from '../app/lines/frame.ts';
import { tabLine, titleLine } from '../app/lines/title.ts';
import { currentRow } from '../app/state/current.ts';
import { layoutOf } from '../app/state/layout.ts';
import { shownList } from '../app/state/lists.ts';
import type { State } from '../app/state/state.ts';
import type { Line } from '../text/terminal/style.ts';

function spoken(line: Line): string {
  return line
    .map(span => span.text)
    .join('')
    .replace(/\s+/gu, ' ')
    .trim();
}

function cursorText(state: State): string {
  const { selected, cluster } = state;
  const row = currentRow(state);
  const list = shownList(state);
  if (row !== undefined && list !== undefined) {
    const fold = row.kind === 'group' && row.folded ? ', folded' : '';
    return `row ${list.cursor.index + 1} of ${list.rows.length}${fold}.`;
  }
  if (state.view !== 'tree' || selected === undefined || cluster === undefined)
    return emptyView(state)
      .map(({ text }) => text)
      .join(' ');
  const fold = cluster.rows.canExpand(selected)
    ? selected.children === undefined
      ? `, folded, ${cluster.rows.childCount(selected)} below`
      : ', unfolded'
    : '';
  const place = `row ${state.selectedIndex + 1} of ${cluster.rows.length}, level ${selected.depth + 1}`;
  return `${place}${fold}${selected.cycle ? ', ends a cycle' : ''}.`;
}

/** Longer details are for reading line by line, with J and K on the drawn screen. */
const SPOKEN = 40;

export function SpokenScreen({ state }: { readonly state: State }): ReactNode {
  const { dialog } = state;
  const lines: string[] = [];
  const banner = spoken(bannerLine(state));
  if (banner !== '') lines.push(banner);
  if (dialog === undefined || dialog.kind === 'filter') {
    for (const { spans } of logicalDetails(state).slice(0, SPOKEN)) lines.push(spoken(spans));
    lines.push(cursorText(state));
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
  return (
    <Box flexDirection="column">
      <Text>{`${spoken(titleLine(state))} ${spoken(tabLine(state)).replace(/ (?:\/ (?:search|filter) .*|\? help)$/u, '')}`}</Text>
      <Text>{lines.filter(line => line !== '').join('\n')}</Text>
      <Text>{`Keys: ${spoken(footerLine(state, layoutOf(state)))}`}</Text>
    </Box>
  );
}

/** The parts of the screen: lists, details and dialogs, each drawing lines that `app` has made. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { detailsLines } from '../app/details/details.ts';
import { dialogView } from '../app/lines/dialog.ts';
import { emptyView } from '../app/lines/empty-view.ts';
import { viewList, viewTop } from '../app/lines/view.ts';
import { wrapLine } from '../app/lines/wrap.ts';
import type { Area } from '../app/state/layout.ts';
import type { Dialog, State } from '../app/state/state.ts';
import type { Line } from '../text/terminal/style.ts';
import { LineRow } from './line.tsx';

const empty: Line = [];

/** The rows of whichever view is shown, below their header. */
export function ListView({ state, area }: { readonly state: State; readonly area: Area }): ReactNode {
  const { color } = state.options;
  const list = viewList(state, area.width);
  const rows = [...list.rows(viewTop(state), area.height)];
  return (
    <Box flexDirection="column" width={area.width} height={area.height + 1} flexShrink={0}>
      <LineRow spans={list.header} color={color} />
      {rows.map(({ spans, chosen }, i) => (
        // A row of the screen is drawn anew when another object scrolls into it; its place is its identity.
        // oxlint-disable-next-line no-array-index-key
        <LineRow key={i} spans={spans} color={color} inverse={chosen} />
      ))}
      {rows.length === 0 &&
        emptyView(state)
          .flatMap(({ text, style }) => wrapLine([{ text: `  ${text}`, style }], area.width - 1, 2))
          // oxlint-disable-next-line no-array-index-key -- lines have no identity but their place
          .map((spans, i) => <LineRow key={i} spans={spans} color={color} />)}
    </Box>
  );
}

export function DetailsPane({ state, area }: { readonly state: State; readonly area: Area }): ReactNode {
  const lines = detailsLines(state, area.width);
  // The text may have become shorter since it was scrolled.
  const top = Math.max(0, Math.min(state.detailsTop, lines.length - area.height));
  const shown = lines.slice(top, top + area.height);
  return (
    <Box flexDirection="column" width={area.width} height={area.height} flexShrink={0}>
      {shown.map((spans, i) => (
        // oxlint-disable-next-line no-array-index-key -- lines have no identity but their place
        <LineRow key={i} spans={spans} color={state.options.color} />
      ))}
    </Box>
  );
}

/** The rule between list and details; it is bright while the keys go to the details. */
export function VerticalRule({
  state,
  height,
}: {
  readonly state: State;
  readonly height: number;
}): ReactNode {
  const character = state.options.ascii ? '|' : '│';
  return (
    <Box width={2} height={height} flexShrink={0}>
      <Text dimColor={state.focus !== 'details'} bold={state.focus === 'details'}>
        {Array.from({ length: height }, () => character).join('\n')}
      </Text>
    </Box>
  );
}

export function HorizontalRule({
  state,
  width,
}: {
  readonly state: State;
  readonly width: number;
}): ReactNode {
  const text = (state.options.ascii ? '-' : '─').repeat(width);
  return (
    <LineRow
      spans={[{ text, style: state.focus === 'details' ? 'title' : 'muted' }]}
      color={state.options.color}
    />
  );
}

export function DialogBox({
  state,
  dialog,
  area,
}: {
  readonly state: State;
  readonly dialog: Dialog;
  readonly area: Area;
}): ReactNode {
  const { color } = state.options;
  const view = dialogView(state, dialog);
  const prompt: Line =
    view.prompt === undefined
      ? empty
      : [
          { text: ' > ', style: 'info' },
          { text: view.prompt, style: 'plain' },
          { text: '_', style: 'info' },
        ];
  return (
    <Box flexDirection="column" height={area.height} flexShrink={0}>
      <LineRow spans={[{ text: ` ${view.title}`, style: 'title' }]} color={color} />
      {(view.head ?? [prompt]).map((spans, i) => (
        // oxlint-disable-next-line no-array-index-key -- lines have no identity but their place
        <LineRow
          key={i}
          spans={view.head === undefined ? spans : [{ text: ' ', style: 'plain' }, ...spans]}
          color={color}
        />
      ))}
      {view.lines.map(({ spans, chosen }, i) => (
        <LineRow
          // oxlint-disable-next-line no-array-index-key -- lines have no identity but their place
          key={i}
          spans={chosen ? spans : [{ text: view.prompt === undefined ? ' ' : '', style: 'plain' }, ...spans]}
          color={color}
          inverse={chosen}
        />
      ))}
      <LineRow
        spans={view.status === '' ? empty : [{ text: ` ${view.status}`, style: 'muted' }]}
        color={color}
      />
    </Box>
  );
}

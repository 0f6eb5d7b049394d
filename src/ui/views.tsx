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

interface LinesProps {
  readonly state: State;
  readonly lines: readonly { readonly spans: Line; readonly chosen?: boolean }[];
}

/** Lines below each other. One is drawn anew when another object scrolls into it: its place is its identity. */
function Lines({ state, lines }: LinesProps): ReactNode {
  return lines.map(({ spans, chosen = false }, i) => (
    // oxlint-disable-next-line no-array-index-key
    <LineRow key={i} spans={spans} color={state.options.color} inverse={chosen} />
  ));
}

/** The rows of whichever view is shown, below their header. */
export function ListView({ state, area }: { readonly state: State; readonly area: Area }): ReactNode {
  const list = viewList(state, area.width);
  const rows = [...list.rows(viewTop(state), area.height)];
  const reasons = rows.length === 0 ? emptyView(state) : [];
  const wrapped = reasons.flatMap(({ text, style }) =>
    wrapLine([{ text: `  ${text}`, style }], area.width - 1, 2),
  );
  return (
    <Box flexDirection="column" width={area.width} height={area.height + 1} flexShrink={0}>
      <Lines state={state} lines={[{ spans: list.header }, ...rows, ...wrapped.map(spans => ({ spans }))]} />
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
      <Lines state={state} lines={shown.map(spans => ({ spans }))} />
    </Box>
  );
}

/** The rule between list and details; it is bright while the keys go to the details. */
export function VerticalRule({ state, height }: { state: State; height: number }): ReactNode {
  const character = state.options.ascii ? '|' : '│';
  return (
    <Box width={2} height={height} flexShrink={0}>
      <Text dimColor={state.focus !== 'details'} bold={state.focus === 'details'}>
        {Array.from({ length: height }, () => character).join('\n')}
      </Text>
    </Box>
  );
}

export function HorizontalRule({ state, width }: { state: State; width: number }): ReactNode {
  const text = (state.options.ascii ? '-' : '─').repeat(width);
  const style = state.focus === 'details' ? 'title' : 'muted';
  return <LineRow spans={[{ text, style }]} color={state.options.color} />;
}

interface DialogBoxProps {
  readonly state: State;
  readonly dialog: Dialog;
  readonly area: Area;
}

export function DialogBox({ state, dialog, area }: DialogBoxProps): ReactNode {
  const { title, prompt, head, lines, status } = dialogView(state, dialog);
  const typed: Line =
    prompt === undefined
      ? []
      : [
          { text: ' > ', style: 'info' },
          { text: prompt, style: 'plain' },
          { text: '_', style: 'info' },
        ];
  const all = [
    { spans: [{ text: ` ${title}`, style: 'title' as const }] },
    ...(head?.map(spans => ({ spans: indented(spans) })) ?? [{ spans: typed }]),
    ...lines.map(({ spans, chosen }) => ({
      spans: chosen || prompt !== undefined ? spans : indented(spans),
      chosen,
    })),
    { spans: status === '' ? [] : [{ text: ` ${status}`, style: 'muted' as const }] },
  ];
  return (
    <Box flexDirection="column" height={area.height} flexShrink={0}>
      <Lines state={state} lines={all} />
    </Box>
  );
}

function indented(line: Line): Line {
  return [{ text: ' ', style: 'plain' }, ...line];
}

/** Draws a list and the details next to or below it. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import type { Body, Pane } from '../app/index.ts';
import type { PaletteName } from '../text/index.ts';
import { LineRow } from './line.tsx';

interface LinesProps {
  readonly lines: readonly Pane['lines'][number][];
  readonly color: PaletteName;
}

/** Draws lines below each other. A line's place is its identity: another object there is a redraw. */
export function Lines({ lines, color }: LinesProps): ReactNode {
  return lines.map(({ spans, chosen }, i) => (
    // oxlint-disable-next-line no-array-index-key
    <LineRow key={i} spans={spans} color={color} inverse={chosen} />
  ));
}

interface BodyViewsProps extends Omit<Extract<Body, { kind: 'views' }>, 'kind'> {
  readonly height: number;
  readonly color: PaletteName;
  readonly ascii: boolean;
}

export function BodyViews(props: BodyViewsProps): ReactNode {
  const { list, details, arrangement, across, focused, rule, color, ascii } = props;
  const height = across === undefined ? props.height : props.height - 1;
  const above = across && <LineRow spans={across} color={color} />;
  const left = list && <PaneView pane={list} color={color} />;
  const about = details && <PaneView pane={details} color={color} />;
  if (arrangement === 'beside')
    return (
      <>
        {above}
        <Box height={height} flexShrink={0}>
          {left}
          <VerticalRule height={height} ascii={ascii} focused={focused} />
          {about}
        </Box>
      </>
    );
  return (
    <>
      {above}
      {left}
      {arrangement === 'below' && (
        <LineRow spans={[{ text: rule, style: focused ? 'title' : 'muted' }]} color={color} />
      )}
      {about && <Box paddingLeft={1}>{about}</Box>}
    </>
  );
}

function PaneView({ pane, color }: { readonly pane: Pane; readonly color: PaletteName }): ReactNode {
  return (
    <Box flexDirection="column" width={pane.width} height={pane.height} flexShrink={0}>
      <Lines lines={pane.lines} color={color} />
    </Box>
  );
}

interface VerticalRuleProps {
  readonly height: number;
  readonly ascii: boolean;
  readonly focused: boolean;
}

function VerticalRule({ height, ascii, focused }: VerticalRuleProps): ReactNode {
  const character = ascii ? (focused ? '||' : '|') : focused ? '┃' : '│';
  return (
    <Box width={2} height={height} flexShrink={0}>
      <Text dimColor={!focused} bold={focused}>
        {Array.from({ length: height }, () => character).join('\n')}
      </Text>
    </Box>
  );
}

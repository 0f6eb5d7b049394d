/** Draws the whole screen; terminal input enters here. */
import { Box, Text, useApp, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import type { Frames, ScreenLines, ScreenSession } from '../app/index.ts';
import { AnswerFilter, parseKeys } from './input.ts';
import { LineRow } from './line.tsx';
import { BodyViews, Lines } from './views.tsx';

export type SuspendTerminal = ReturnType<typeof useApp>['suspendTerminal'];

export interface ScreenProps {
  readonly session: ScreenSession;
  readonly frames: Frames;
  /** Called once input is being read; returns its undo. */
  readonly onReady: (suspendTerminal: SuspendTerminal) => () => void;
}

export function Screen({ session, frames, onReady }: ScreenProps): ReactNode {
  const drawn = useSyncExternalStore(frames.subscribe, frames.current);
  const { suspendTerminal } = useApp();
  const [answers] = useState(() => new AnswerFilter());
  useInput((input, key) => {
    if (answers.drops(input, key)) return;
    for (const pressed of parseKeys(input, key)) session.dispatch({ type: 'key', key: pressed });
  });
  usePaste(text => session.dispatch({ type: 'paste', text }));
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  switch (drawn.kind) {
    case 'tooSmall':
      return <TooSmall rows={drawn.rows} lines={drawn.lines} />;
    case 'spoken':
      return <Spoken {...drawn.text} />;
    case 'drawn':
      return <Frame {...drawn} />;
  }
}

type FrameProps = Extract<ScreenLines, { kind: 'drawn' }>;

function Frame({
  rows,
  color,
  ascii,
  head,
  bodyHeight,
  body,
  timeline,
  tour,
  footer,
}: FrameProps): ReactNode {
  return (
    <Box flexDirection="column" height={rows}>
      {head.map((spans, i) => (
        // oxlint-disable-next-line no-array-index-key
        <LineRow key={i} spans={spans} color={color} />
      ))}
      <Box flexDirection="column" height={bodyHeight} flexShrink={0}>
        {body.kind === 'dialog' ? (
          <Box flexDirection="column" height={body.pane.height} flexShrink={0}>
            <Lines lines={body.pane.lines} color={color} />
          </Box>
        ) : (
          <BodyViews {...body} height={bodyHeight} color={color} ascii={ascii} />
        )}
      </Box>
      {timeline && <LineRow spans={timeline} color={color} />}
      {tour.map((spans, i) => (
        // oxlint-disable-next-line no-array-index-key
        <LineRow key={i} spans={spans} color={color} />
      ))}
      <LineRow spans={footer} color={color} />
    </Box>
  );
}

interface TooSmallProps {
  readonly rows: number;
  readonly lines: readonly string[];
}

function TooSmall({ rows, lines }: TooSmallProps): ReactNode {
  return (
    <Box flexDirection="column" height={rows}>
      {lines.map(line => (
        <Text key={line} wrap="truncate">
          {line}
        </Text>
      ))}
    </Box>
  );
}

function Spoken({ where, lines, keys }: Extract<ScreenLines, { kind: 'spoken' }>['text']): ReactNode {
  return (
    <Box flexDirection="column">
      <Text>{lines.join('\n')}</Text>
      <Text>{where}</Text>
      <Text>{keys}</Text>
    </Box>
  );
}

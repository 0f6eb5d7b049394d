/** The whole screen: the frame around whatever is shown, and where the terminal's input enters. */
import { Box, Text, useApp, useInput, usePaste } from 'ink';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { bannerLine, footerLine } from '../app/lines/frame.ts';
import { tabLine, titleLine } from '../app/lines/title.ts';
import type { ScreenSession } from '../app/session/session.ts';
import { layoutOf, MINIMUM_COLUMNS, MINIMUM_ROWS } from '../app/state/layout.ts';
import type { State } from '../app/state/state.ts';
import { parseKeys } from './input.ts';
import { LineRow } from './line.tsx';
import { SpokenScreen } from './spoken-screen.tsx';
import { DetailsPane, DialogBox, HorizontalRule, ListView, VerticalRule } from './views.tsx';

export type SuspendTerminal = ReturnType<typeof useApp>['suspendTerminal'];

export interface ScreenProps {
  readonly session: ScreenSession;
  /** Called once input is being read; returns what undoes it. */
  readonly onReady: (suspendTerminal: SuspendTerminal) => () => void;
}

export function Screen({ session, onReady }: ScreenProps): ReactNode {
  const state = useSyncExternalStore(session.subscribe, session.getState);
  const { suspendTerminal } = useApp();
  useInput((input, key) => {
    for (const pressed of parseKeys(input, key)) session.dispatch({ type: 'key', key: pressed });
  });
  usePaste(text => session.dispatch({ type: 'paste', text }));
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  return state.options.screenReader ? <SpokenScreen state={state} /> : <Frame state={state} />;
}

function Frame({ state }: { readonly state: State }): ReactNode {
  const layout = layoutOf(state);
  const { color } = state.options;
  if (layout.tooSmall) return <TooSmall state={state} />;
  return (
    <Box flexDirection="column" height={state.rows}>
      <LineRow spans={titleLine(state)} color={color} />
      <LineRow spans={tabLine(state)} color={color} />
      {layout.banner && <LineRow spans={bannerLine(state)} color={color} />}
      <Box flexDirection="column" height={layout.body.height} flexShrink={0}>
        {state.dialog === undefined || state.dialog.kind === 'filter' ? (
          <Body state={state} />
        ) : (
          <DialogBox state={state} dialog={state.dialog} area={layout.body} />
        )}
      </Box>
      <LineRow spans={footerLine(state, layout)} color={color} />
    </Box>
  );
}

function Body({ state }: { readonly state: State }): ReactNode {
  const { tree, details, arrangement, body } = layoutOf(state);
  const list = tree && <ListView state={state} area={tree} />;
  const about = details && <DetailsPane state={state} area={details} />;
  if (arrangement === 'beside')
    return (
      <Box height={body.height} flexShrink={0}>
        {list}
        <VerticalRule state={state} height={body.height} />
        {about}
      </Box>
    );
  return (
    <>
      {list}
      {arrangement === 'below' && <HorizontalRule state={state} width={state.columns} />}
      {about && <Box paddingLeft={1}>{about}</Box>}
    </>
  );
}

function TooSmall({ state }: { readonly state: State }): ReactNode {
  return (
    <Box flexDirection="column" height={state.rows}>
      <Text wrap="truncate">{`Too small: ${state.columns}x${state.rows}.`}</Text>
      <Text wrap="truncate">{`gc-tree needs ${MINIMUM_COLUMNS}x${MINIMUM_ROWS}.`}</Text>
      <Text wrap="truncate">q quits.</Text>
    </Box>
  );
}

/** Handles clicks in an action's panel: on a choice, or on the chosen one to take it. */
import { displayWidth } from '../../text/index.ts';
import type { ActionDialog } from '../state/action-dialog.ts';
import { layoutOf } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { actionView, keyInAction, rowOfChoices } from './action-panel.ts';

export function clickAction(
  state: State,
  dialog: ActionDialog,
  { column, row }: { readonly column: number; readonly row: number },
): State {
  const { details } = layoutOf(state);
  const { stage } = dialog;
  if (details === undefined || stage.at !== 'choosing' || column < details.left) return state;
  const line = row - details.top - 1;
  const { head, entries } = actionView(state, dialog);
  const index =
    stage.as === 'list'
      ? entries[line - head.length]?.index
      : line === 0
        ? choiceAt(rowOfChoices(stage.choices, stage.cursor), column - details.left)
        : undefined;
  if (index === undefined) return state;
  if (index === stage.cursor) return keyInAction(state, dialog, { name: 'enter' });
  return { ...state, dialog: { ...dialog, stage: { ...stage, cursor: index }, top: 0 } };
}

function choiceAt(words: readonly { readonly text: string }[], column: number): number | undefined {
  let left = 0;
  for (const [index, { text }] of words.entries()) {
    if (column >= left && column < left + displayWidth(text.trimEnd())) return index;
    left += displayWidth(text);
  }
  return undefined;
}

/** What keys and news make of the dialog of an action. */

import { type Key, keyId } from '../commands/keys.ts';
import { edited } from '../state/edit.ts';
import type { State } from '../state/state.ts';
import { type Transition, withNotice } from '../state/transition.ts';
import type { ActionDialog, ActionNews, ActionStage } from './action.ts';
import { actionView } from './lines.ts';

export function onActionNews(state: State, number: number, news: ActionNews): State {
  const { dialog } = state;
  if (dialog?.kind !== 'action' || dialog.number !== number) {
    // The dialog was closed while the action went on: how it ends is told all the same.
    return news.stage.at === 'ended' && number === state.actions
      ? withNotice(state, news.stage.outcome, noticeStyle(news.stage))
      : state;
  }
  const { title = dialog.title, stage, lines = dialog.lines } = news;
  const top = lines === dialog.lines ? dialog.top : 0;
  return { ...state, dialog: { ...dialog, title, stage, lines, top } };
}

function noticeStyle({ style }: Extract<ActionStage, { at: 'ended' }>): 'info' | 'warning' | 'danger' {
  return style === 'danger' || style === 'warning' ? style : 'info';
}

export function keyInAction(state: State, dialog: ActionDialog, key: Key): Transition {
  const id = keyId(key);
  const { stage } = dialog;
  if (id === 'escape') return closed(state, dialog);
  const lines = scrollOf(id, actionView(state, dialog).height);
  switch (stage.at) {
    case 'choosing':
      return keyInChoice(state, dialog, stage, id);
    case 'asking':
      return keyInQuestion(state, dialog, stage, key);
    case 'working':
    case 'following':
      break;
    case 'ended':
      if (id === 'enter' || id === 'q') return closed(state, dialog);
  }
  return [lines === undefined ? state : scrollAction(state, dialog, lines), []];
}

/** What was not sent is given up; what was sent goes on, and nobody follows it any longer. */
function closed(state: State, { number, stage }: ActionDialog): Transition {
  const next = { ...state, dialog: undefined };
  return stage.at === 'ended' ? [next, []] : [next, [{ type: 'stopAction', number }]];
}

function keyInChoice(
  state: State,
  dialog: ActionDialog,
  stage: Extract<ActionStage, { at: 'choosing' }>,
  id: string,
): Transition {
  const { choices, cursor, as } = stage;
  const to = (index: number): Transition => {
    const at = Math.max(0, Math.min(index, choices.length - 1));
    return at === cursor
      ? [state, []]
      : [{ ...state, dialog: { ...dialog, stage: { ...stage, cursor: at }, top: 0 } }, []];
  };
  const digit = /^[1-9]$/u.test(id) ? Number(id) - 1 : -1;
  if (digit >= 0) return digit < choices.length ? to(digit) : [state, []];
  const [before, after] = as === 'row' ? (['left', 'right'] as const) : (['up', 'down'] as const);
  const letters: Readonly<Record<string, string>> = { h: 'left', l: 'right', j: 'down', k: 'up' };
  const move = letters[id] ?? id;
  if (move === before) return to(cursor - 1);
  if (move === after || id === 'tab')
    return to(id === 'tab' && cursor === choices.length - 1 ? 0 : cursor + 1);
  if (id === 'q') return closed(state, dialog);
  if (id === 'enter') {
    const choice = choices[cursor];
    if (choice === undefined || choice.refused === true) return [state, []];
    const working = { at: 'working', doing: 'forecasting', stoppable: true } as const;
    return [
      { ...state, dialog: { ...dialog, stage: working } },
      [{ type: 'chooseAction', number: dialog.number, choice: choice.id }],
    ];
  }
  const lines = scrollOf(id, actionView(state, dialog).height);
  return [lines === undefined ? state : scrollAction(state, dialog, lines), []];
}

function keyInQuestion(
  state: State,
  dialog: ActionDialog,
  stage: Extract<ActionStage, { at: 'asking' }>,
  key: Key,
): Transition {
  const id = keyId(key);
  const { number } = dialog;
  const { word } = stage;
  const yes = (): Transition => {
    const working = {
      at: 'working',
      doing: 'looking whether everything is still so',
      stoppable: true,
    } as const;
    return [
      { ...state, dialog: { ...dialog, stage: working } },
      [{ type: 'answerAction', number, yes: true }],
    ];
  };
  if (word === undefined) {
    if (id === 'y') return yes();
    if (id === 'n' || id === 'q') return closed(state, dialog);
  } else {
    if (id === 'enter') return stage.typed === word ? yes() : [state, []];
    const typed = edited(stage.typed, key);
    if (typed !== undefined) return [{ ...state, dialog: { ...dialog, stage: { ...stage, typed } } }, []];
  }
  const lines = scrollOf(id, actionView(state, dialog).height);
  return [lines === undefined ? state : scrollAction(state, dialog, lines), []];
}

/** A typed word may be pasted; nothing else is. */
export function pasteInAction(state: State, dialog: ActionDialog, text: string): State {
  const { stage } = dialog;
  if (stage.at !== 'asking' || stage.word === undefined) return state;
  return { ...state, dialog: { ...dialog, stage: { ...stage, typed: stage.typed + text } } };
}

export function scrollAction(state: State, dialog: ActionDialog, lines: number): State {
  const { height, total } = actionView(state, dialog);
  const top = Math.max(0, Math.min(total - height, dialog.top + lines));
  return top === dialog.top ? state : { ...state, dialog: { ...dialog, top } };
}

function scrollOf(id: string, page: number): number | undefined {
  switch (id) {
    case 'down':
    case 'j':
      return 1;
    case 'up':
    case 'k':
      return -1;
    case 'pagedown':
    case 'space':
      return Math.max(1, page - 1);
    case 'pageup':
      return -Math.max(1, page - 1);
    case 'home':
      return Number.NEGATIVE_INFINITY;
    case 'end':
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}

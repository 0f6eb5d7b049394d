/** Draws an action's dialog: the question or progress at the top, the effects below. Texts are already sanitised. */

import {
  displayWidth,
  Fates,
  inAscii,
  type Line,
  padEnd,
  type Span,
  type TextLine,
  timeText,
} from '../../text/index.ts';
import { openAction } from '../actions/action-commands.ts';
import { graceKeys, graceWords } from '../actions/grace.ts';
import { restored } from '../actions/stand.ts';
import { commandOfKey } from '../commands/bindings.ts';
import { fit, glyphsOf, shownPart, widthOf } from '../drawing/fit.ts';
import { wrapLine } from '../drawing/wrap.ts';
import {
  type ActionChoice,
  type ActionDialog,
  type ActionNews,
  type ActionStage,
  choiceNumbers,
} from '../state/action-dialog.ts';
import { currentPainting } from '../state/forecast-step.ts';
import { edited, type Key, keyId, keyLabel, movement } from '../state/keys.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { layoutOf } from '../state/layout.ts';
import { asking, type State, withNotice } from '../state/state.ts';
import { scrollTree } from '../views/tree/moves.ts';
import { elsewhereWords } from './elsewhere.ts';
import { keyInSteps } from './step-keys.ts';

export interface ActionView {
  readonly head: readonly Line[];
  /** Choices, one below the other; `index`: position among all of them. */
  readonly entries: readonly { readonly spans: Line; readonly chosen: boolean; readonly index: number }[];
  readonly lines: readonly Line[];
  readonly height: number;
  readonly total: number;
  readonly status: string;
}

/** Choices visible at once. */
const MOST_ENTRIES = 8;

const wrapped = new LastAnswer<readonly Line[]>();

export function isUnderWay({ dialog }: State): boolean {
  if (dialog?.kind !== 'action') return false;
  const { stage } = dialog;
  return stage.at === 'following' || (stage.at === 'working' && !stage.stoppable);
}

export function actionView(state: State, dialog: ActionDialog): ActionView {
  const { details, body } = layoutOf(state);
  // Screen-reader output uses the whole screen.
  const area = state.options.screenReader ? body : (details ?? body);
  const width = Math.max(20, area.width);
  const head = headOf(state, dialog, width);
  const room = Math.max(1, area.height - 1 - head.length);
  const entries = entriesOf(state, dialog.stage, { width: area.width, room });
  const text = [...elsewhereLines(state, width), ...textOf(dialog, width, state.options.ascii)];
  const height = Math.max(1, room - entries.length - (entries.length > 0 ? 1 : 0));
  const top = Math.max(0, Math.min(dialog.top, text.length - height));
  return {
    head,
    entries,
    lines: text.slice(top, top + height),
    height,
    total: text.length,
    status: shownPart({ top, height, total: text.length }),
  };
}

function textOf(dialog: ActionDialog, width: number, ascii: boolean): readonly Line[] {
  const { stage, table, showsTable } = dialog;
  const isTable = showsTable && table !== undefined;
  const own = !isTable && stage.at === 'choosing' ? (stage.choices[stage.cursor]?.lines ?? []) : [];
  const lines = isTable ? table : dialog.lines;
  return [...wrappedLines(own, width, ascii), ...wrappedLines(lines, width, ascii)];
}

function elsewhereLines(state: State, width: number): readonly Line[] {
  const words = elsewhereWords(state);
  return words === undefined ? [] : wrapLine([{ text: words, style: 'warning' }], width, 4);
}

/** Caches each text, so that returning to a policy wraps nothing again. */
function wrappedLines(lines: readonly TextLine[], width: number, ascii: boolean): readonly Line[] {
  return wrapped.of(lines, [width, ascii], () =>
    lines.flatMap(line => {
      const { spans, indent } = ascii ? inAscii.line(line) : line;
      return wrapLine(spans, width, indent);
    }),
  );
}

function headOf(state: State, dialog: ActionDialog, width: number): readonly Line[] {
  const { grace } = dialog;
  const head = stageHead(state, dialog, width);
  if (grace === undefined) return head;
  const words = graceWords(grace);
  return [...head, ...wrapLine([state.options.ascii ? inAscii.span(words) : words], width, 0)];
}

function isForecasting(
  { choices, cursor }: Extract<ActionStage, { at: 'choosing' }>,
  paintings: ActionDialog['paintings'],
): boolean {
  const choice = choices[cursor];
  return choice !== undefined && choice.refused !== true && !paintings.has(choice.id);
}

function stageHead(state: State, { stage, paintings }: ActionDialog, width: number): readonly Line[] {
  const { ascii } = state.options;
  const ellipsis = ascii ? '...' : '…';
  switch (stage.at) {
    case 'working':
      return [[{ text: `${stage.doing}${ellipsis}`, style: 'info' }]];
    case 'choosing':
      if (stage.as === 'list' || stage.choices.length === 0) {
        const painting = isForecasting(stage, paintings) ? ` forecasting${ellipsis}` : '';
        return wrapLine([{ text: `${stage.question}${painting}`, style: 'info' }], width, 0);
      }
      return [
        ...wrapLine(rowOfChoices(stage.choices, stage.cursor), width, 0),
        ...(isRoomy(state) ? signsOfChoices(stage.choices, stage.cursor, width) : []),
        ...(stage.looksOnly === true ? wrapLine([{ text: stage.question, style: 'muted' }], width, 0) : []),
      ];
    case 'asking': {
      const { question, word, typed } = stage;
      const spans: Span[] = [{ text: question, style: 'warning' }];
      if (word !== undefined)
        spans.push({ text: ' > ', style: 'info' }, { text: `${typed}_`, style: 'plain' });
      return wrapLine(ascii ? spans.map(inAscii.span) : spans, width, 0);
    }
    case 'following': {
      const spans: Span[] = [
        { text: `${barOf(stage)} ${stage.progress}${graceLeft(stage.until, state.now)}`, style: 'info' },
      ];
      return wrapLine(ascii ? spans.map(inAscii.span) : spans, width, 0);
    }
    case 'ended':
      return wrapLine([{ text: stage.outcome, style: stage.style }], width, 0);
  }
}

/** Returns the rest of the grace period, an upper limit if the kubelet answers. */
function graceLeft(until: number | undefined, now: number): string {
  const left = until === undefined ? 0 : until - now;
  return left < 1_000 ? '' : ` (${timeText.duration(left)} of its grace period left)`;
}

const BAR = 10;

function barOf({ done, total }: { readonly done: number; readonly total: number }): string {
  const filled = total === 0 ? BAR : Math.floor((done * BAR) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
}

/** Draws `[1 background]  2 foreground  3 orphan`: brackets also work without colours. */
export function rowOfChoices(choices: readonly ActionChoice[], cursor: number): Line {
  return choices.map(({ label, style }, i) => {
    const text = `${i + 1} ${label}`;
    return i === cursor ? { text: `[${text}] `, style: 'title' } : { text: ` ${text}  `, style };
  });
}

/** Minimum height of the panel for a blank row below the choices. */
const ROOMY = 8;

/** Signs mean nothing when read aloud. */
function isRoomy(state: State): boolean {
  return !state.options.screenReader && (layoutOf(state).details?.height ?? 0) >= ROOMY;
}

const signWords = [
  ...(['deleted', 'stuck', 'broken', 'altered', 'uncertain'] as const).map(
    fate => [Fates.signs[fate], fate] as const,
  ),
  [Fates.ghostSign, 'created'] as const,
];

/** Explains the signs in use, such as `- deleted  ! stuck`. */
function signLegend(choices: readonly ActionChoice[]): Span {
  const used = signWords.filter(([sign]) =>
    choices.some(({ hint }) => hint.split(' ').some(part => part.startsWith(sign))),
  );
  return { text: used.map(([sign, words]) => `${sign} ${words}`).join('  '), style: 'muted' };
}

/** Lists each choice's effects in the signs of painted rows, if they fit, and explains the signs next to or below them. */
function signsOfChoices(choices: readonly ActionChoice[], cursor: number, width: number): readonly Line[] {
  if (choices.length < 2 || choices.every(({ hint }) => hint === '')) return [];
  const row = rowOfChoices(choices, cursor);
  const line = choices.map(({ hint, style }, i): Span => {
    const text = ` ${hint}`;
    const isLast = i === choices.length - 1;
    return { text: isLast ? text : padEnd(text, displayWidth(row[i]?.text ?? '')), style };
  });
  const isAligned = line.every(
    ({ text }, i) => displayWidth(text) <= displayWidth(row[i]?.text ?? '') || i === line.length - 1,
  );
  if (!isAligned || widthOf(row) > width || widthOf(line) > width) return [];
  const legend = signLegend(choices);
  const gap: Span = { text: '    ', style: 'plain' };
  const beside = [...line, gap, legend];
  return widthOf(beside) <= width ? [beside] : [line, [{ text: ' ', style: 'plain' }, legend]];
}

function entriesOf(
  state: State,
  stage: ActionStage,
  { width, room }: { readonly width: number; readonly room: number },
): ActionView['entries'] {
  if (stage.at !== 'choosing' || stage.as !== 'list') return [];
  const { choices, cursor } = stage;
  const height = Math.max(1, Math.min(MOST_ENTRIES, choices.length, room - 3));
  const first = Math.max(0, Math.min(cursor - Math.floor(height / 2), choices.length - height));
  const { ellipsis } = glyphsOf(state);
  const widest = Math.max(...choices.map(({ hint }) => displayWidth(hint)));
  const numbers = choiceNumbers(stage);
  const entries = choices.slice(first, first + height).map(({ label, hint, style, refused }, i) => {
    const chosen = first + i === cursor;
    const number = `${numbers[first + i] ?? ''}`.padStart(2);
    const spans: Line = [
      { text: `${chosen ? '>' : ' '}${number}  `, style: 'plain' },
      { text: padEnd(hint, widest + 2), style },
      { text: label, style: refused === true ? 'muted' : 'plain' },
    ];
    return { spans: state.options.ascii ? spans.map(inAscii.span) : spans, chosen, index: first + i };
  });
  const whole = entries.flatMap(entry =>
    wrapLine(entry.spans, width - 1, widest + 6).map(spans => ({ ...entry, spans })),
  );
  if (whole.length <= room / 2) return whole;
  return entries.map(entry => ({ ...entry, spans: fit(entry.spans, width - 1, ellipsis) }));
}

export function onActionNews(state: State, number: number, news: ActionNews): State {
  const { dialog } = state;
  if (dialog?.kind !== 'action' || dialog.number !== number) {
    // The outcome is reported even after the dialog was closed.
    return news.stage?.at === 'ended' && number === state.actions
      ? withNotice(state, news.stage.outcome, noticeStyle(news.stage))
      : state;
  }
  const { title = dialog.title, lines = dialog.lines, table = dialog.table } = news;
  const { stage = renewed(dialog.stage, news) } = news;
  if (news.stage === undefined && stage.at !== 'asking' && stage.at !== 'choosing') return state;
  const { paintings = dialog.paintings, grace = news.stage === undefined ? dialog.grace : undefined } = news;
  const top = lines === dialog.lines || news.stage === undefined ? dialog.top : 0;
  const showsTable = dialog.showsTable && table !== undefined && stage.at === dialog.stage.at;
  return { ...state, dialog: { ...dialog, title, stage, lines, top, table, paintings, showsTable, grace } };
}

function renewed(stage: ActionStage, { question, choices }: ActionNews): ActionStage {
  if (stage.at === 'choosing' && choices !== undefined) {
    const cursor = Math.min(stage.cursor, choices.length - 1);
    return { ...stage, question: question ?? stage.question, choices, cursor };
  }
  return stage.at === 'asking' && question !== undefined ? { ...stage, question } : stage;
}

function noticeStyle({ style }: Extract<ActionStage, { at: 'ended' }>): 'info' | 'warning' | 'danger' {
  return style === 'danger' || style === 'warning' ? style : 'info';
}

export function keyInAction(before: State, dialog: ActionDialog, key: Key): State {
  const id = keyId(key);
  // A notice about an earlier key would hide the tree's heading.
  const state = before.notice === undefined ? before : { ...before, notice: undefined };
  const { stage } = dialog;
  const stepped = keyInSteps(state, dialog, id);
  if (stepped !== undefined) return stepped;
  if (id === 'escape') return closed(state, dialog);
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
      if (stage.undoable === true && commandOfKey(id, state.view)?.id === 'undo')
        return openAction(closed(state, dialog), 'undo');
  }
  return panelKey(state, dialog, id);
}

/** Drops unsent requests and stops following sent ones. */
function closed(state: State, { number, stage }: ActionDialog): State {
  const next = restored(state);
  return stage.at === 'ended' ? next : asking(next, { type: 'stopAction', number });
}

function keyInChoice(
  state: State,
  dialog: ActionDialog,
  stage: Extract<ActionStage, { at: 'choosing' }>,
  id: string,
): State {
  const { choices, cursor, as } = stage;
  const to = (index: number): State => {
    const at = Math.max(0, Math.min(index, choices.length - 1));
    if (at === cursor) return state;
    const next = { ...state, dialog: { ...dialog, stage: { ...stage, cursor: at }, top: 0 } };
    const choice = choices[at]?.id;
    if (as === 'row' || choice === undefined) return next;
    return asking(next, { type: 'lookAtChoice', number: dialog.number, choice });
  };
  if (/^[1-9]$/u.test(id)) {
    const numbered = choiceNumbers(stage).indexOf(Number(id));
    return numbered < 0 ? state : to(numbered);
  }
  const [before, after] = as === 'row' ? (['left', 'right'] as const) : (['up', 'down'] as const);
  const letters: Readonly<Record<string, string>> = { h: 'left', l: 'right', j: 'down', k: 'up' };
  const move = letters[id] ?? id;
  if (move === before) return to(cursor - 1);
  if (move === after || id === 'tab')
    return to(id === 'tab' && cursor === choices.length - 1 ? 0 : cursor + 1);
  if (id === 'q' || id === 'n') return closed(state, dialog);
  if (id in graceKeys) return graceKey(state, dialog, id);
  if (id === 'enter') {
    const choice = choices[cursor];
    if (stage.looksOnly === true)
      return withNotice(state, 'p only forecasts: d asks to delete it, with the same policies.', 'info');
    if (choice === undefined)
      return withNotice(state, 'Nothing is chosen yet: move to an entry, or press its number.', 'info');
    if (choice.refused === true) return withNotice(state, 'This entry cannot be chosen.', 'info');
    const working = { at: 'working', doing: 'forecasting', stoppable: true } as const;
    // The chosen painting stays until the next forecast is ready.
    const painting = currentPainting(state);
    const paintings = painting === undefined ? dialog.paintings : new Map([['', painting]]);
    return asking(
      { ...state, dialog: { ...dialog, stage: working, paintings, showsTable: false } },
      { type: 'chooseAction', number: dialog.number, choice: choice.id },
    );
  }
  return panelKey(state, dialog, id);
}

function keyInQuestion(
  state: State,
  dialog: ActionDialog,
  stage: Extract<ActionStage, { at: 'asking' }>,
  key: Key,
): State {
  const id = keyId(key);
  const { number } = dialog;
  const { word } = stage;
  const yes = (): State => {
    const working = { at: 'working', doing: 'checking that nothing has changed', stoppable: true } as const;
    return asking(
      { ...state, dialog: { ...dialog, stage: working } },
      { type: 'answerAction', number, yes: true },
    );
  };
  if (word === undefined) {
    if (id === 'y') return yes();
    if (id === 'n' || id === 'q') return closed(state, dialog);
    if (id in graceKeys) return graceKey(state, dialog, id);
    if (id === 'enter') return withNotice(state, 'y does it; n and Esc go back.', 'info');
    const remedy = dialog.what === 'unblock' ? remedyOfKey(state, id) : undefined;
    if (remedy !== undefined) return openAction(closed(state, dialog), 'remedies', remedy.number);
  } else {
    if (id === 'enter')
      return stage.typed === word ? yes() : withNotice(state, `Type ${word} exactly, then Enter.`, 'info');
    const typed = edited(stage.typed, key);
    if (typed !== undefined) return { ...state, dialog: { ...dialog, stage: { ...stage, typed } } };
  }
  return panelKey(state, dialog, id);
}

/** The details pane numbers remedies, so a number asks for another one than the proposed. */
function remedyOfKey({ view }: State, id: string): { readonly number?: number } | undefined {
  if (/^[1-9]$/u.test(id)) return { number: Number(id) };
  return commandOfKey(id, view)?.id === 'remedies' ? {} : undefined;
}

function graceKey(state: State, dialog: ActionDialog, id: string): State {
  const choice = graceKeys[id];
  if (dialog.grace === undefined || choice === undefined)
    return withNotice(
      state,
      'Only a deletion of pods takes a grace period. Pods deleted with their owner have their own.',
      'info',
    );
  const stage = { at: 'working', doing: 'forecasting', stoppable: true } as const;
  const { number } = dialog;
  return asking({ ...state, dialog: { ...dialog, stage } }, { type: 'chooseAction', number, choice });
}

/** Pastes into a typed word only. */
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

const panelLetters: Readonly<Record<string, string>> = { j: 'down', k: 'up', G: 'end' };

/** Handles keys of every stage, which scroll the tree, or the text if the tree has no more rows. */
function panelKey(state: State, dialog: ActionDialog, id: string): State {
  const page = Math.max(1, actionView(state, dialog).height - 1);
  switch (id) {
    case 'J':
    case 'ctrl-f':
      return scrollAction(state, dialog, page);
    case 'K':
    case 'ctrl-b':
      return scrollAction(state, dialog, -page);
    case 'w':
      return dialog.table === undefined
        ? state
        : inSameSight({ ...state, dialog: { ...dialog, showsTable: !dialog.showsTable, top: 0 } });
  }
  const height = layoutOf(state).tree?.height ?? 1;
  const rows = movement(panelLetters[id] ?? id, Math.max(1, height - 1));
  if (rows === undefined)
    return withNotice(state, `No key ${keyLabel(id, state.options.ascii)} here; Esc goes back.`, 'info');
  const scrolled = scrollTree(state, rows);
  return scrolled.tree.top === state.tree.top ? scrollAction(state, dialog, rows) : scrolled;
}

/** Keeps the row of the action's object in sight when the panel takes another place. */
function inSameSight(state: State): State {
  const { top, index } = state.tree;
  const height = layoutOf(state).tree?.height ?? 1;
  return scrollTree(state, index < top ? index - top : Math.max(0, index - height + 1 - top));
}

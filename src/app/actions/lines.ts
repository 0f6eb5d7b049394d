/**
 * The dialog of an action as lines: the question or what is going on at the top, where the eye is, below it what will
 * happen. Texts were sanitised when they were made.
 */
import { asciiLine, asciiSpan } from '../../text/terminal/ascii.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { Span } from '../../text/terminal/style.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import { displayWidth, padEnd } from '../../text/terminal/width.ts';
import { fit, type Line } from '../lines/frame.ts';
import { wrapLine } from '../lines/wrap.ts';
import { layoutOf } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import type { ActionChoice, ActionDialog, ActionStage } from './action.ts';

export interface ActionView {
  /** What is asked, or what is going on; one or more rows. */
  readonly head: readonly Line[];
  /** Entries to choose from, one below the other. */
  readonly entries: readonly { readonly spans: Line; readonly chosen: boolean }[];
  /** The part of the text that shows. */
  readonly lines: readonly Line[];
  /** Rows for the text. */
  readonly height: number;
  /** Rows of the whole text. */
  readonly total: number;
  readonly status: string;
}

/** So many rows of choices at once; the rest scrolls with the cursor. */
const MOST_ENTRIES = 8;

let wrapped: { readonly key: readonly unknown[]; readonly out: readonly Line[] } | undefined;

export function actionView(state: State, dialog: ActionDialog): ActionView {
  const width = Math.max(20, state.columns - 2);
  const head = headOf(state, dialog, width);
  const room = Math.max(2, layoutOf(state).body.height - 2 - head.length);
  const entries = entriesOf(state, dialog.stage, room);
  const text = textOf(dialog, width, state.options.ascii);
  const height = Math.max(1, room - entries.length - (entries.length > 0 ? 1 : 0));
  const top = Math.max(0, Math.min(dialog.top, text.length - height));
  const last = Math.min(text.length, top + height);
  return {
    head,
    entries,
    lines: text.slice(top, top + height),
    height,
    total: text.length,
    status: text.length > height ? `lines ${top + 1} to ${last} of ${text.length}` : '',
  };
}

/** Remembers the last answer: several readers ask for it in one frame. */
function textOf({ stage, lines }: ActionDialog, width: number, ascii: boolean): readonly Line[] {
  const own = stage.at === 'choosing' ? (stage.choices[stage.cursor]?.lines ?? []) : [];
  const key = [own, lines, width, ascii];
  if (wrapped?.key.every((part, i) => part === key[i])) return wrapped.out;
  const out = [...own, ...lines].flatMap((line: TextLine) => {
    const { spans, indent } = ascii ? asciiLine(line) : line;
    return wrapLine(spans, width, indent);
  });
  wrapped = { key, out };
  return out;
}

function headOf(state: State, { stage }: ActionDialog, width: number): readonly Line[] {
  const { ascii } = state.options;
  const ellipsis = ascii ? '...' : '…';
  switch (stage.at) {
    case 'working':
      return [[{ text: `${stage.doing}${ellipsis}`, style: 'info' }]];
    case 'choosing':
      if (stage.as === 'list' || stage.choices.length === 0)
        return wrapLine([{ text: stage.question, style: 'info' }], width, 0);
      return [
        fit(
          rowOfChoices(stage.choices, stage.cursor),
          width,
          ascii ? asciiGlyphs.ellipsis : unicodeGlyphs.ellipsis,
        ),
      ];
    case 'asking': {
      const { question, word, typed } = stage;
      const spans: Span[] = [{ text: question, style: 'warning' }];
      if (word !== undefined)
        spans.push({ text: ' > ', style: 'info' }, { text: `${typed}_`, style: 'plain' });
      return wrapLine(ascii ? spans.map(asciiSpan) : spans, width, 0);
    }
    case 'following':
      return wrapLine([{ text: stage.progress, style: 'info' }], width, 0);
    case 'ended':
      return wrapLine([{ text: stage.outcome, style: stage.style }], width, 0);
  }
}

/** `[1 background]  2 foreground  3 orphan`: brackets, because not every terminal shows a colour. */
function rowOfChoices(choices: readonly ActionChoice[], cursor: number): Line {
  return choices.map(({ label, style }, i) => {
    const text = `${i + 1} ${label}`;
    return i === cursor ? { text: `[${text}] `, style: 'title' } : { text: ` ${text}  `, style };
  });
}

function entriesOf(state: State, stage: ActionStage, room: number): ActionView['entries'] {
  if (stage.at !== 'choosing' || stage.as !== 'list') return [];
  const { choices, cursor } = stage;
  const height = Math.max(1, Math.min(MOST_ENTRIES, choices.length, room - 3));
  const first = Math.max(0, Math.min(cursor - Math.floor(height / 2), choices.length - height));
  const ellipsis = state.options.ascii ? asciiGlyphs.ellipsis : unicodeGlyphs.ellipsis;
  const widest = Math.max(...choices.map(({ hint }) => displayWidth(hint)));
  return choices.slice(first, first + height).map(({ label, hint, style, refused }, i) => {
    const chosen = first + i === cursor;
    const number = `${first + i + 1}`.padStart(2);
    const spans: Line = [
      { text: `${chosen ? '>' : ' '}${number}  `, style: 'plain' },
      { text: padEnd(hint, widest + 2), style },
      { text: label, style: refused === true ? 'muted' : 'plain' },
    ];
    return {
      spans: fit(state.options.ascii ? spans.map(asciiSpan) : spans, state.columns - 1, ellipsis),
      chosen,
    };
  });
}

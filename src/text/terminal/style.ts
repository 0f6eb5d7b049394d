/**
 * Names for how text looks. Rows and sentences carry a style, never an escape code: the terminal printer
 * (`paint`, below) and the screen's theme map it to colours each in their own way.
 */

import type { FindingCode } from '../../diagnosis/engine/codes.ts';
import type { Uid } from '../../model/object.ts';

export type Style =
  | 'plain'
  | 'muted'
  | 'good'
  | 'info'
  | 'warning'
  | 'danger'
  /** What will be gone: as danger, and struck through. */
  | 'struck'
  | 'ghost'
  | 'title'
  /** What the cursor is on, in a line that has more than that. */
  | 'chosen';

/** What the screen can go to from a piece of text. */
export type Link =
  | { readonly to: 'object'; readonly uid: Uid }
  | { readonly to: 'finding'; readonly code: FindingCode };

/** A piece of text in one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
  readonly link?: Link;
}

/** What stands on one line. */
export type Line = readonly Span[];

/** Which mark stands in front; `glyphs.ts` has the characters. */
export type Mark = '' | 'warning' | 'danger' | 'unknown';

export interface StateText {
  readonly mark: Mark;
  /** One line, sanitised, without the mark. `''` where there is nothing to say. */
  readonly text: string;
  readonly style: Style;
}

/** Switches on and off; the latter end only what was switched on, so that an inverse row of the screen stays inverse. */
export const styleCodes: Readonly<Record<Style, readonly [open: string, close: string]>> = {
  plain: ['', ''],
  // Dim and not bright black: in some schemes bright black is the background.
  muted: ['\u001b[2m', '\u001b[22m'],
  good: ['\u001b[32m', '\u001b[39m'],
  info: ['\u001b[36m', '\u001b[39m'],
  warning: ['\u001b[33m', '\u001b[39m'],
  danger: ['\u001b[31m', '\u001b[39m'],
  struck: ['\u001b[31m\u001b[9m', '\u001b[29m\u001b[39m'],
  ghost: ['\u001b[2m\u001b[3m', '\u001b[22m\u001b[23m'],
  title: ['\u001b[1m', '\u001b[22m'],
  chosen: ['\u001b[7m', '\u001b[27m'],
};

/** Text in a style's escape codes, or as it is without colour. The text must be sanitised. */
export function paint(text: string, style: Style, colour: boolean): string {
  if (!colour || text === '') return text;
  const [open, close] = styleCodes[style];
  return open + text + close;
}

export function paintSpans(spans: readonly Span[], colour: boolean): string {
  return spans.map(span => paint(span.text, span.style, colour)).join('');
}

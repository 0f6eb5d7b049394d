/** Names for text styles instead of escape codes; `paint` and the screen's theme map them to colours. */

import type { FindingCode } from '../../diagnosis/index.ts';
import type { Uid } from '../../model/index.ts';

export type Style =
  | 'plain'
  | 'muted'
  | 'good'
  | 'info'
  | 'warning'
  | 'danger'
  /** A deleted object: danger, struck through. */
  | 'struck'
  | 'ghost'
  | 'title'
  /** The part of a line under the cursor. */
  | 'chosen';

type Link =
  | { readonly to: 'object'; readonly uid: Uid }
  | { readonly to: 'finding'; readonly code: FindingCode };

export interface Span {
  readonly text: string;
  readonly style: Style;
  readonly link?: Link;
}

export type Line = readonly Span[];

export type Mark = '' | 'warning' | 'danger' | 'unknown';

export interface StateText {
  readonly mark: Mark;
  /** One sanitised line without the mark; may be `''`. */
  readonly text: string;
  readonly style: Style;
}

/** Codes for on and off. The latter only end their own effect, so an inverse row stays inverse. */
export const styleCodes: Readonly<Record<Style, readonly [open: string, close: string]>> = {
  plain: ['', ''],
  // Dim, since bright black is the background in some schemes.
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

/** Requires sanitised text. */
function paint(text: string, style: Style, colour: boolean): string {
  if (!colour || text === '') return text;
  const [open, close] = styleCodes[style];
  return open + text + close;
}

function paintSpans(spans: readonly Span[], colour: boolean): string {
  return spans.map(span => paint(span.text, span.style, colour)).join('');
}

export const Span = { paintAll: paintSpans, paint };

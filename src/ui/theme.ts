/**
 * Styles as terminal attributes: the sixteen colours that every scheme defines and that people have chosen to
 * be readable, and no colour at all where none is wanted.
 */
import type { Span, Style } from '../text/terminal/style.ts';

const ESC = '\u001B[';

/** Switches on and off. Off codes end only what was switched on, so that an inverse row stays inverse. */
const colours: Readonly<Record<Style, readonly [string, string]>> = {
  plain: ['', ''],
  // Dim and not bright black: in some schemes bright black is the background.
  muted: [`${ESC}2m`, `${ESC}22m`],
  good: [`${ESC}32m`, `${ESC}39m`],
  info: [`${ESC}36m`, `${ESC}39m`],
  warning: [`${ESC}33m`, `${ESC}39m`],
  danger: [`${ESC}31m`, `${ESC}39m`],
  ghost: [`${ESC}2m${ESC}3m`, `${ESC}22m${ESC}23m`],
  title: [`${ESC}1m`, `${ESC}22m`],
};

const monochrome: Readonly<Record<Style, readonly [string, string]>> = {
  ...colours,
  good: ['', ''],
  info: ['', ''],
  warning: [`${ESC}1m`, `${ESC}22m`],
  danger: [`${ESC}1m`, `${ESC}22m`],
};

export interface Paint {
  readonly color: boolean;
  /** The row under the cursor: one inverse bar, without colours that would cut it into pieces. */
  readonly inverse: boolean;
}

export function paintSpan({ text, style }: Span, { color, inverse }: Paint): string {
  if (inverse) return `${ESC}7m${text}${ESC}27m`;
  const [on, off] = (color ? colours : monochrome)[style];
  return on === '' || text.trim() === '' ? text : on + text + off;
}

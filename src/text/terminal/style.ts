/**
 * Names for how text looks. Rows and sentences carry a style, never an escape code: the terminal printer
 * (`ansi.ts`) and the screen's theme map it to colours each in their own way.
 */

export type Style = 'plain' | 'muted' | 'good' | 'info' | 'warning' | 'danger' | 'ghost' | 'title';

/** A piece of text in one style. */
export interface Span {
  readonly text: string;
  readonly style: Style;
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

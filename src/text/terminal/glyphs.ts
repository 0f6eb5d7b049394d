/** The few drawing characters in use, and what stands for them where the terminal has no Unicode. */

export interface Glyphs {
  /** The terminal shows ASCII alone. */
  readonly ascii: boolean;
  /** Three columns each, in front of a child: `├─ `, `└─ `; and of its children: `│  `, `   `. */
  readonly branch: string;
  readonly lastBranch: string;
  readonly through: string;
  readonly blank: string;
  readonly ellipsis: string;
  readonly warning: string;
  readonly danger: string;
  readonly unknown: string;
  readonly up: string;
}

export const unicodeGlyphs: Glyphs = {
  ascii: false,
  branch: '├─ ',
  lastBranch: '└─ ',
  through: '│  ',
  blank: '   ',
  ellipsis: '…',
  warning: '⚠',
  danger: '✗',
  unknown: '?',
  up: '↑',
};

export const asciiGlyphs: Glyphs = {
  ascii: true,
  branch: '|- ',
  lastBranch: '`- ',
  through: '|  ',
  blank: '   ',
  ellipsis: '~',
  warning: '!',
  danger: 'x',
  unknown: '?',
  up: '^',
};

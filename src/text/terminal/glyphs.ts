/** Drawing characters, with replacements for terminals without Unicode. */

export interface Glyphs {
  readonly ascii: boolean;
  /** Three columns before a child, `├─ ` or `└─ `, and before its children, `│ ` or blanks. */
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

const unicodeGlyphs: Glyphs = {
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

const asciiGlyphs: Glyphs = {
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

export const Glyphs = { ascii: asciiGlyphs, unicode: unicodeGlyphs };

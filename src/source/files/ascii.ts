/** Bytes and character codes of the signs that JSON and YAML are made of. */

export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const DOUBLE_QUOTE = 0x22;
export const HASH = 0x23;
export const PERCENT = 0x25;
export const AMPERSAND = 0x26;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const EQUALS = 0x3d;
export const LETTER_C = 0x43;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;

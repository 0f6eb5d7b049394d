/** Colours by theme, background and terminal. Signs and words convey the same without them. */

import { type Style, styleCodes } from './style.ts';

const themeNames = ['auto', 'dark', 'light', 'high-contrast', 'colour-blind'] as const;
/** `auto` is `light` on a light background, otherwise `dark`. */
export type ThemeName = (typeof themeNames)[number];

export type Background = 'dark' | 'light';

export type ColourDepth = 16 | 256;

export type PaletteName =
  | 'monochrome'
  | 'dark'
  | `light-${ColourDepth}`
  | `high-contrast-${Background}-${ColourDepth}`
  | `colour-blind-${Background}-${ColourDepth}`;

export type Palette = Readonly<Record<Style, readonly [open: string, close: string]>>;

/** Colour indexes of xterm; those below 16 belong to the terminal. */
interface Colours {
  readonly good: number;
  readonly info: number;
  readonly warning: number;
  readonly danger: number;
}

function paletteName(
  theme: ThemeName,
  background: Background,
  depth: ColourDepth,
): Exclude<PaletteName, 'monochrome'> {
  switch (theme) {
    case 'auto':
      return background === 'light' ? `light-${depth}` : 'dark';
    case 'dark':
      return 'dark';
    case 'light':
      return `light-${depth}`;
    case 'high-contrast':
    case 'colour-blind':
      return `${theme}-${background}-${depth}`;
  }
}

/** Palettes with their own colours, for tests of contrast. `dark` uses the terminal's, which suit most schemes. */
export const chosenColours: Readonly<Record<Exclude<PaletteName, 'monochrome' | 'dark'>, Colours>> = {
  'light-256': { good: 28, info: 25, warning: 94, danger: 160 },
  // Yellow is unreadable on white.
  'light-16': { good: 2, info: 4, warning: 5, danger: 1 },
  'high-contrast-dark-256': { good: 120, info: 159, warning: 227, danger: 217 },
  'high-contrast-dark-16': { good: 10, info: 14, warning: 11, danger: 9 },
  'high-contrast-light-256': { good: 22, info: 18, warning: 54, danger: 88 },
  'high-contrast-light-16': { good: 2, info: 4, warning: 5, danger: 1 },
  // Red-green colour-blind users can distinguish these.
  'colour-blind-dark-256': { good: 75, info: 117, warning: 226, danger: 202 },
  'colour-blind-dark-16': { good: 12, info: 14, warning: 11, danger: 13 },
  'colour-blind-light-256': { good: 20, info: 25, warning: 130, danger: 89 },
  'colour-blind-light-16': { good: 4, info: 4, warning: 3, danger: 5 },
};

const monochrome: Palette = {
  ...styleCodes,
  good: ['', ''],
  info: ['', ''],
  warning: styleCodes.title,
  danger: styleCodes.title,
  struck: ['\u001B[9m', '\u001B[29m'],
};

function painted(colours: Colours): Palette {
  const danger = foreground(colours.danger);
  return {
    ...styleCodes,
    good: [foreground(colours.good), DEFAULT],
    info: [foreground(colours.info), DEFAULT],
    warning: [foreground(colours.warning), DEFAULT],
    danger: [danger, DEFAULT],
    struck: [`${danger}\u001B[9m`, `\u001B[29m${DEFAULT}`],
  };
}

/** Makes muted text plain and important text bold. */
function contrasting(colours: Colours): Palette {
  const palette = painted(colours);
  const [bold, notBold] = styleCodes.title;
  const strong = ([open, close]: Palette[Style]): Palette[Style] => [bold + open, close + notBold];
  return {
    ...palette,
    muted: ['', ''],
    ghost: ['\u001B[3m', '\u001B[23m'],
    warning: strong(palette.warning),
    danger: strong(palette.danger),
    struck: strong(palette.struck),
  };
}

const DEFAULT = '\u001B[39m';

/** Uses the 16-colour codes for the first sixteen. */
function foreground(index: number): string {
  if (index < 8) return `\u001B[${30 + index}m`;
  return index < 16 ? `\u001B[${82 + index}m` : `\u001B[38;5;${index}m`;
}

const palettes = new Map<PaletteName, Palette>([
  ['monochrome', monochrome],
  ['dark', styleCodes],
]);

function paletteOf(name: PaletteName): Palette {
  let palette = palettes.get(name);
  if (palette === undefined && name !== 'monochrome' && name !== 'dark') {
    const make = name.startsWith('high-contrast') ? contrasting : painted;
    palette = make(chosenColours[name]);
    palettes.set(name, palette);
  }
  return palette ?? styleCodes;
}

export const PaletteName = { of: paletteName, colours: paletteOf };

export const ThemeName = { all: themeNames };

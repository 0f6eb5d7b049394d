/** What the colours of the themes have to do: be readable, and be told apart. */
import { describe, expect, test } from 'vitest';
import { chosenColours, PaletteName } from '../../../src/text/terminal/themes.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const levels = [0, 95, 135, 175, 215, 255];
/** Of the colours from 16 to 231, the same in each terminal: a cube of six levels. */
function rgbOf(index: number): Rgb {
  const at = (step: number): number => levels[Math.floor((index - 16) / step) % 6] ?? 0;
  return [at(36), at(6), at(1)];
}

function linear(rgb: Rgb): Rgb {
  const of = (channel: number): number =>
    channel / 255 <= 0.040_45 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
  return [of(rgb[0]), of(rgb[1]), of(rgb[2])];
}

/** WCAG 2.2, against black or white. */
function contrast(index: number, background: 'dark' | 'light'): number {
  const [red, green, blue] = linear(rgbOf(index));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return background === 'light' ? 1.05 / (luminance + 0.05) : (luminance + 0.05) / 0.05;
}

type Matrix = readonly [Rgb, Rgb, Rgb];
/** Machado, Oliveira and Fernandes 2009, severity 1: how people without one kind of cone see linear RGB. */
const deficiencies: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
  ],
  deuteranopia: [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_82, 0.042_94, 0.968_881],
  ],
};

/** CIE L*a*b* of linear RGB: distances are about as large as they look. */
function lab([red, green, blue]: Rgb): Rgb {
  const f = (t: number): number => (t > 0.008_856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.950_47);
  const y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.088_83);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen(index: number, matrix: Matrix): Rgb {
  const rgb = linear(rgbOf(index));
  const of = (row: Rgb): number =>
    Math.max(0, Math.min(1, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]));
  return lab([of(matrix[0]), of(matrix[1]), of(matrix[2])]);
}

const distance = (one: Rgb, other: Rgb): number =>
  Math.hypot(...one.map((part, i) => part - (other[i] ?? 0)));

describe('colours', () => {
  test.each([
    'light-256',
    'high-contrast-dark-256',
    'high-contrast-light-256',
    'colour-blind-dark-256',
    'colour-blind-light-256',
  ] as const)('%s can be read', name => {
    const background = name.includes('light') ? 'light' : 'dark';
    const least = name.startsWith('high-contrast') ? 7 : 4.5;
    for (const index of Object.values(chosenColours[name]))
      expect(contrast(index, background)).toBeGreaterThanOrEqual(least);
  });

  test.each(['dark', 'light'] as const)(
    'good, warning and danger are apart for the colour-blind: %s',
    background => {
      const { good, warning, danger } = chosenColours[`colour-blind-${background}-256`];
      for (const matrix of Object.values(deficiencies))
        for (const [one, other] of [
          [good, warning],
          [good, danger],
          [warning, danger],
        ] as const)
          expect(distance(seen(one, matrix), seen(other, matrix))).toBeGreaterThan(30);
    },
  );

  test('green and red of the other themes are not, which this tells', () => {
    const { good, danger } = chosenColours['light-256'];
    const nearest = Math.min(
      ...Object.values(deficiencies).map(matrix => distance(seen(good, matrix), seen(danger, matrix))),
    );
    expect(nearest).toBeLessThan(30);
  });
});

describe('palettes', () => {
  test('auto goes by the background', () => {
    expect(PaletteName.of('auto', 'light', 256)).toBe('light-256');
    expect(PaletteName.of('auto', 'dark', 256)).toBe('dark');
    expect(PaletteName.of('high-contrast', 'light', 16)).toBe('high-contrast-light-16');
  });

  test('terminals of sixteen colours get no others', () => {
    for (const theme of ['light', 'high-contrast', 'colour-blind'] as const)
      for (const background of ['dark', 'light'] as const)
        for (const [open] of Object.values(PaletteName.colours(PaletteName.of(theme, background, 16))))
          expect(open).not.toContain('38;5');
  });

  test('nothing is faint where contrast is high', () => {
    for (const [open] of Object.values(PaletteName.colours('high-contrast-dark-256')))
      expect(open).not.toContain('\u001B[2m');
  });

  test('without colour there is none', () => {
    const opens = Object.values(PaletteName.colours('monochrome')).map(([open]) => open);
    // oxlint-disable-next-line no-control-regex -- escape codes are what it is about
    for (const open of opens) expect(open).not.toMatch(/\u001B\[[349]\d/u);
  });
});

/** What terminals say of their background. */
import { describe, expect, test } from 'vitest';
import { platformOf } from '../../src/platform/platform.ts';
import { answeredBackground, answersQueries, colourDepth, toldBackground } from '../../src/ui/background.ts';
import { AnswerFilter } from '../../src/ui/input.ts';

test.each([
  ['\u001B]11;rgb:ffff/ffff/ffff\u001B\\', 'light'],
  ['\u001B]11;rgb:0000/0000/0000\u0007', 'dark'],
  ['\u001B]11;rgb:1e/1e/2e\u001B\\', 'dark'],
  ['\u001B]11;rgb:fdf6/f6e3/e3d5\u001B\\\u001B[?65;1;9c', 'light'],
  ['\u001B]11;rgba:ffff/ffff/ffff/ffff\u001B\\', 'light'],
  ['\u001B[?1;2c', undefined],
  ['', undefined],
])('%j is %s', (answer, background) => {
  expect(answeredBackground(answer)).toBe(background);
});

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['0;default;15', 'light'],
  ['7;8', 'dark'],
  ['0;7', 'light'],
  ['default;default', undefined],
  ['', undefined],
])('COLORFGBG=%s is %s', (COLORFGBG, background) => {
  expect(toldBackground({ COLORFGBG })).toBe(background);
});

test('only terminals that answer are asked', () => {
  for (const TERM of ['xterm-256color', 'tmux-256color', 'screen', 'alacritty', 'xterm-kitty'])
    expect(answersQueries({ TERM })).toBe(true);
  for (const TERM of ['linux', 'vt100', 'dumb', '']) expect(answersQueries({ TERM })).toBe(false);
  expect(answersQueries({})).toBe(false);
});

test('how many colours there are on Windows, where nothing is said of it', () => {
  expect(colourDepth({}, platformOf('win32'))).toBe(256);
  expect(colourDepth({ TERM: 'cygwin' }, platformOf('win32'))).toBe(16);
  expect(colourDepth({}, platformOf('linux'))).toBe(16);
});

test('how many colours there are', () => {
  expect(colourDepth({ TERM: 'xterm-256color' })).toBe(256);
  expect(colourDepth({ TERM: 'linux' })).toBe(16);
  expect(colourDepth({ TERM: 'xterm', COLORTERM: 'truecolor' })).toBe(256);
});

describe('an answer that comes late', () => {
  const typed = (events: readonly (readonly [string, boolean])[]): string => {
    const filter = new AnswerFilter();
    return events
      .filter(([input, meta]) => !filter.drops(input, { meta }))
      .map(([input]) => input)
      .join('');
  };

  test('is no typing, and what comes after it is', () => {
    const answer = [
      [']', true],
      ['11;rgb:dddd/dddd/dddd', false],
      ['\\', true],
    ] as const;
    expect(typed([['j', false], ...answer, ['k', false]])).toBe('jk');
  });

  test('never swallows more than an answer is long', () => {
    expect(
      typed([
        [']', true],
        ['x'.repeat(40), false],
        ['k', false],
      ]),
    ).toBe('k');
  });
});

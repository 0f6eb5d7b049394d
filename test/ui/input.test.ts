import { expect, test } from 'vitest';
import { keyId } from '../../src/app/state/keys.ts';
import { MouseReader, parseKeys } from '../../src/ui/input.ts';
import { runs } from '../../src/ui/line.tsx';

const none = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

test('keys that arrive in one read come one by one', () => {
  expect(parseKeys('jj /a\r\u001A', none).map(keyId)).toEqual([
    'j',
    'j',
    'space',
    '/',
    'a',
    'enter',
    'ctrl-z',
  ]);
});

test('characters outside the basic plane stay whole', () => {
  expect(parseKeys('é🙂', none).map(keyId)).toEqual(['é', '🙂']);
});

test('alt with a letter types nothing', () => {
  expect(parseKeys('q', { ...none, meta: true })).toEqual([]);
});

test('wheel and clicks are read, also when a report is cut in two', () => {
  const reader = new MouseReader();
  expect(reader.push('x\u001B[<65;10;5M\u001B[<0;3')).toEqual([
    { type: 'wheel', lines: 3, column: 9, row: 4 },
  ]);
  expect(reader.push(';4M\u001B[<0;3;4m')).toEqual([{ type: 'click', column: 2, row: 3 }]);
});

test('other buttons, releases and plain text are no messages', () => {
  const reader = new MouseReader();
  expect(reader.push('\u001B[<2;3;4M\u001B[<0;3;4mjj\u001B[A')).toEqual([]);
});

test('the bar under the cursor keeps the colours of trouble, and no others', () => {
  const spans = [
    { text: '> web ', style: 'muted' },
    { text: 'stuck', style: 'danger' },
  ] as const;
  expect(runs(spans, { color: 'dark', inverse: true })).toEqual([
    '\u001B[7m> web \u001B[27m\u001B[7m\u001B[31mstuck\u001B[39m\u001B[27m',
  ]);
  expect(runs(spans, { color: 'monochrome', inverse: true }).join('')).not.toContain('[31m');
});

test('a line falls into pieces that are ASCII throughout or free of it', () => {
  const pieces = runs(
    [
      { text: '> ▾ Deployment api', style: 'plain' },
      { text: ' ok', style: 'muted' },
    ],
    { color: 'monochrome', inverse: false },
  );
  expect(pieces).toEqual(['> ', '▾', ' Deployment api\u001B[2m ok\u001B[22m']);
});

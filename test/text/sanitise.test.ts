import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitise } from '../../src/text/sanitise.ts';

const ESC = '\u001b';

test('ordinary names stay as they are, in any script', () => {
  for (const text of ['web-0', 'Pod shop/web-2', 'résumé', '東京', 'a=b,c', 'x_y:z']) {
    expect(sanitise(text)).toBe(text);
  }
});

test.each([
  ['a colour', `${ESC}[31mred${ESC}[0m`, 'red'],
  ['a cursor movement', `a${ESC}[2Jb`, 'ab'],
  ['an 8-bit control sequence', 'a\u009b31mb', 'ab'],
  ['a window title', `a${ESC}]0;pwned\u0007b`, 'ab'],
  ['a hyperlink', `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
  ['a device control string', `a${ESC}Pq#0${ESC}\\b`, 'ab'],
  ['a charset switch', `a${ESC}(0b`, 'ab'],
  ['a full reset', `a${ESC}cb`, 'ab'],
])('%s goes with its payload', (_, text, clean) => {
  expect(sanitise(text)).toBe(clean);
});

test('an unterminated sequence loses its introducer and can swallow nothing', () => {
  expect(sanitise(`a${ESC}]0;title`)).toBe('a0;title');
  expect(sanitise(`a${ESC}`)).toBe('a');
});

test('a sequence that appears once another is cut out of it is harmless too', () => {
  expect(sanitise(`${ESC}${ESC}[31m[31mx`)).not.toContain(ESC);
});

test('line breaks and tabs become one space', () => {
  expect(sanitise('a\r\n\tb\u2028c\u0085d')).toBe('a b c d');
});

test('text is neither reordered nor hidden', () => {
  expect(sanitise('user\u202Etxt.exe\u2066x\u200By\u00ADz\uFEFF\u{E0041}')).toBe('usertxt.exexyz');
});

test('half a surrogate pair is shown as a replacement character', () => {
  expect(sanitise('a\uD800b')).toBe('a\uFFFDb');
  expect(sanitise('a\u{1F600}b')).toBe('a\u{1F600}b');
});

test('whatever comes in, nothing that controls a terminal comes out, and a second pass changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const clean = sanitise(text);
      // oxlint-disable-next-line no-control-regex -- control characters are what this is about
      expect(clean).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
      expect(sanitise(clean)).toBe(clean);
    }),
  );
});

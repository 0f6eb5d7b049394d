import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameInPath, prose, showHidden, shownName, textEscapes } from '../../../src/model/text/shown.ts';

const ESC = '\u001b';

/** Any text, half surrogates and control characters included. */
const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...`a % 1 B / ' \u0301 \ud83d \ude00 \ufffd \u200b ${ESC} [31m ]0; \u0007 \u202e é 字 \u{1f600}`.split(
          ' ',
        ),
        ' ',
        '\n',
        '\t',
        '\u00a0',
        '\u2028',
      ),
    )
    .map(parts => parts.join('')),
);

describe('names', () => {
  test('ordinary ones stay as they are, in any script', () => {
    for (const name of [
      'web-0',
      'system:node',
      'résumé',
      're\u0301sume\u0301',
      '東京',
      'a=b,c',
      'x_y:z',
      'a b',
      '50%',
    ])
      expect(shownName(name)).toBe(name);
  });

  test.each([
    ['an escape sequence', `a${ESC}[31mb`, 'a%1B[31mb'],
    ['a line break and a tab', 'a\n\tb', 'a%0A%09b'],
    ['an 8-bit control', 'a\u009bb', 'a%C2%9Bb'],
    ['an override of direction', 'user\u202etxt', 'user%E2%80%AEtxt'],
    ['an isolate', 'a\u2066b', 'a%E2%81%A6b'],
    ['a blank without width', 'a\u200bb', 'a%E2%80%8Bb'],
    ['a blank that is no space', 'a\u00a0b', 'a%C2%A0b'],
    ['a soft hyphen', 'a\u00adb', 'a%C2%ADb'],
    ['a tag', 'a\u{e0041}b', 'a%F3%A0%81%81b'],
    ['a line separator', 'a\u2028b', 'a%E2%80%A8b'],
    ['half a surrogate pair', 'a\ud800b', 'a%ED%A0%80b'],
    ['bytes that are not known', 'a\ufffdb', 'a%EF%BF%BDb'],
    ['a blank at the end', 'a ', 'a%20'],
    ['a mark that would stand over what is before the name', '\u0338a', '%CC%B8a'],
    ['what looks like an encoding', 'a%1Bb', 'a%251Bb'],
  ])('show %s', (_, name, shown) => {
    expect(shownName(name)).toBe(shown);
  });

  test('two different ones never look the same', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(anything, name => {
        const shown = shownName(name);
        expect(decoded(shown)).toBe(name);
        expect(seen.get(shown) ?? name).toBe(name);
        seen.set(shown, name);
      }),
      { numRuns: 2000 },
    );
  });
});

/** What an encoding was made of; so there is nothing else that has the same. */
function decoded(shown: string): string {
  return shown.replace(/(?:%[0-9A-F]{2})+/gu, bytes =>
    bytes
      .replace(/%ED%(A|B)([0-9A-F])%([0-9A-F]{2})/gu, (_, high: string, low: string, last: string) =>
        String.fromCharCode(
          0xd000 | ((Number.parseInt(high + low, 16) & 0x3f) << 6) | (Number.parseInt(last, 16) & 0x3f),
        ),
      )
      .replace(/(?:%[0-9A-F]{2})+/gu, decodeURIComponent),
  );
}

describe('whatever stands in a sentence', () => {
  test('changes nothing but itself', () => {
    fc.assert(
      fc.property(anything, anything, anything, (before, name, after) => {
        fc.pre(!/^[\udc00-\udfff]|^\p{M}/u.test(after) && !/[\ud800-\udbff]$/u.test(before + name));
        const around = [`${before}x`, `x${after}`] as const;
        expect(showHidden(`${around[0]} ${name} ${around[1]}`)).toBe(
          `${showHidden(around[0])} ${showHidden(` ${name}`).slice(1)} ${showHidden(around[1])}`,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('controls no terminal, and is the same when it is made safe once more', () => {
    fc.assert(
      fc.property(anything, text => {
        for (const clean of [
          showHidden(text),
          showHidden(prose(text)),
          shownName(text),
          textEscapes.json(text),
          textEscapes.pathSegment(text),
        ]) {
          // oxlint-disable-next-line no-control-regex -- control characters are what this is about
          expect(clean).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
          expect(clean.isWellFormed()).toBe(true);
          expect(textEscapes.isShown(clean)).toBe(true);
        }
        expect(JSON.parse(textEscapes.json(text))).toBe(text);
        expect(nameInPath(textEscapes.pathSegment(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('messages', () => {
  test.each([
    ['a colour', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a cursor movement', `a${ESC}[2Jb`, 'ab'],
    ['an 8-bit control sequence', 'a\u009b31mb', 'ab'],
    ['a window title', `a${ESC}]0;pwned\u0007b`, 'ab'],
    ['a hyperlink', `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['a device control string', `a${ESC}Pq#0${ESC}\\b`, 'ab'],
    ['a charset switch', `a${ESC}(0b`, 'ab'],
    ['a full reset', `a${ESC}cb`, 'ab'],
    ['an override of direction', 'a\u202eb', 'ab'],
  ])('lose %s with its payload', (_, text, clean) => {
    expect(prose(text)).toBe(clean);
  });

  test('are on one line', () => {
    expect(prose('a\r\n\tb\u2028c\u0085d\u00a0e')).toBe('a b c d e');
  });

  test('keep what follows a sequence that never ends', () => {
    expect(prose(`a${ESC}]0;title`)).toBe('a0;title');
  });

  test('show where something is that nobody can read', () => {
    expect(prose('a\ud800b\ufffd')).toBe('a%ED%A0%80b%EF%BF%BD');
    expect(prose('a\u{1f600}b')).toBe('a\u{1f600}b');
  });
});

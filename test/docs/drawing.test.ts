import { expect, test } from 'vitest';
import { animatedPicture, stillPicture } from '../../scripts/pictures/svg.ts';
import type { Cell } from '../terminal/terminal.ts';

const plain: Cell = {
  text: ' ',
  width: 1,
  inverse: false,
  bold: false,
  dim: false,
  italic: false,
  underlined: false,
  struck: false,
  foreground: -1,
  background: -1,
  foregroundIsRgb: false,
  backgroundIsRgb: false,
};
const cells = (text: string, look: Partial<Cell> = {}): Cell[] =>
  [...text].map(character => ({ ...plain, ...look, text: character }));

test('what a cell looks like is drawn: colours of all kinds, bold, struck through, inverse', () => {
  const svg = stillPicture(
    [
      [
        ...cells('red ', { foreground: 1, struck: true, bold: true }),
        ...cells('cube ', { foreground: 196 }),
        ...cells('grey ', { foreground: 232 }),
        ...cells('own', { foreground: 0x12_34_56, foregroundIsRgb: true, inverse: true }),
      ],
    ],
    'Looks',
  );
  expect(svg).toContain('class="b s" style="fill:#e5656f">red<');
  expect(svg).toContain('style="fill:#ff0000">cube<');
  expect(svg).toContain('style="fill:#080808">grey<');
  expect(svg).toMatch(/<rect x="117.6" width="25.2" height="18" fill="#123456"\/><text [^>]+>own</u);
});

test('text cannot leave its place in the picture', () => {
  const svg = stillPicture([cells('</text><script>"&')], 'A "title" & <more>');
  expect(svg).toContain('&lt;/text&gt;&lt;script&gt;&quot;&amp;');
  expect(svg).toContain('aria-label="A &quot;title&quot; &amp; &lt;more&gt;"');
  expect(svg).not.toContain('<script');
});

test('wide characters take two columns, and blanks between words stay as wide as they are', () => {
  const wide = [
    { ...plain, text: '漢', width: 2 },
    { ...plain, text: '', width: 0 },
  ];
  const svg = stillPicture([[...wide, ...cells('  a   b')]], 'Widths');
  expect(svg).toMatch(/x="0" [^>]*textLength="16.8">漢</u);
  expect(svg).toMatch(/x="33.6" [^>]*>a</u);
  expect(svg).toMatch(/x="67.2" [^>]*>b</u);
});

test('frames share the rows that they have in common, and follow each other', () => {
  const rows = [cells('the same'), cells('first')];
  const svg = animatedPicture(
    [
      { rows, caption: 'one', seconds: 1 },
      { rows: [rows[0] ?? [], cells('second')], caption: 'two', seconds: 3 },
    ],
    'Moves',
  );
  expect(svg.match(/>the same</gu)).toHaveLength(1);
  expect(svg.match(/<use href="#r0"/gu)).toHaveLength(2);
  expect(svg).toContain('@keyframes k0{0%{opacity:1}25%{opacity:0}');
  expect(svg).toContain('.f1{animation:k1 4s step-end infinite');
});

import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
// What it takes the place of isn't exported.
import Output from '../../node_modules/ink/build/output.js';
import { type Style, styleCodes } from '../../src/text/terminal/style.ts';
import { joinRows, type Operation } from '../../src/ui/join-rows.ts';
import { runs } from '../../src/ui/line.tsx';

const WIDTH = 60;
const HEIGHT = 5;

interface Piece {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

function operationsOf(pieces: readonly Piece[]): Operation[] {
  return pieces.map(piece => ({ type: 'write', transformers: [], ...piece }));
}

function byInk(pieces: readonly Piece[]): string {
  const output = new Output({ width: WIDTH, height: HEIGHT });
  for (const { x, y, text } of pieces) output.write(x, y, text, { transformers: [] });
  return output.get().output;
}

/** What a terminal shows of it: each cell with its character and how it looks. */
async function cells(frame: string): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: WIDTH, rows: HEIGHT, allowProposedApi: true });
  await new Promise<void>(resolve => terminal.write(frame.replaceAll('\n', '\r\n'), resolve));
  const { active } = terminal.buffer;
  const shown = Array.from({ length: HEIGHT }, (_, y) =>
    Array.from({ length: WIDTH }, (__, x) => {
      const cell = active.getLine(y)?.getCell(x);
      if (cell === undefined) return '';
      const looks = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isInverse(), cell.getFgColor()];
      return `${cell.getChars() || ' '}${looks.map(Number).join(',')}`;
    }).join('|'),
  );
  terminal.dispose();
  return shown;
}

const style = fc.constantFrom(...(Object.keys(styleCodes) as Style[]));
const word = fc.stringMatching(/^[a-z ▸…é─✗]{0,12}$/u);
const line = fc.record({
  spans: fc.array(fc.record({ text: word, style }), { maxLength: 5 }),
  inverse: fc.boolean(),
  indent: fc.nat(4),
});

/** As the product lays a line out: runs beside each other. */
function piecesOf(lines: readonly (typeof line extends fc.Arbitrary<infer T> ? T : never)[]): Piece[] {
  return lines.flatMap(({ spans, inverse, indent }, y) => {
    let x = indent;
    return runs(spans, { color: 'dark', inverse }).map(text => {
      const piece = { x, y, text };
      // oxlint-disable-next-line no-control-regex -- how styles are written
      x += text.replace(/\u001b\[\d+m/gu, '').length;
      return piece;
    });
  });
}

test('a frame looks as Ink would have it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: HEIGHT + 2 }), async lines => {
      const pieces = piecesOf(lines);
      const joined = joinRows({ width: WIDTH, height: HEIGHT, operations: operationsOf(pieces) });
      expect(joined?.split('\n')).toHaveLength(HEIGHT);
      expect(await cells(joined ?? '')).toEqual(await cells(byInk(pieces)));
    }),
    { numRuns: 200 },
  );
});

test('a piece of several rows, and one that is transformed, stand where Ink has them', () => {
  const operations: Operation[] = [
    { type: 'write', x: 0, y: 0, text: 'a', transformers: [text => `<${text}>`] },
    { type: 'write', x: 4, y: 0, text: '│\n│\n│', transformers: [(text, index) => `${text}${index}`] },
    { type: 'write', x: 7, y: 2, text: 'z  ' },
    { type: 'write', x: 0, y: 9, text: 'outside' },
  ];
  expect(joinRows({ width: WIDTH, height: 4, operations })).toBe('<a> │0\n    │1\n    │2 z\n');
});

test.each([
  ['characters of two columns', [{ type: 'write', x: 0, y: 0, text: '日本' }]],
  ['characters that join with others', [{ type: 'write', x: 0, y: 0, text: 'e\u0301' }]],
  [
    'pieces above each other',
    [
      { type: 'write', x: 0, y: 0, text: 'below' },
      { type: 'write', x: 2, y: 0, text: 'above' },
    ],
  ],
  ['a style that goes on', [{ type: 'write', x: 0, y: 0, text: '\u001b[31mred' }]],
  ['a style that the product doesn’t have', [{ type: 'write', x: 0, y: 0, text: '\u001b[4mx\u001b[24m' }]],
  ['another sequence', [{ type: 'write', x: 0, y: 0, text: '\u001b[2Jx' }]],
  ['something that is cut off', [{ type: 'clip' }, { type: 'write', x: 0, y: 0, text: 'a' }]],
])('Ink has %s', (_, operations) => {
  expect(joinRows({ width: WIDTH, height: HEIGHT, operations })).toBeUndefined();
});

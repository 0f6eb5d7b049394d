/** What a terminal shows, cell by cell, as SVG that needs nothing beside: still, or as frames that follow each other. */
import { displayWidth } from '../../src/text/terminal/width.ts';
import type { Cell, Terminal } from '../../test/terminal/terminal.ts';

/** Rows of cells as the screen was at one moment. */
export type Snapshot = readonly (readonly Cell[])[];

export function snapshot(terminal: Terminal): Snapshot {
  const { cols, rows } = terminal.size;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (__, column) => terminal.cell(row, column)),
  );
}

/** Pixels of a cell, and where the letters stand in it. */
const WIDTH = 8.4;
const HEIGHT = 18;
const BASELINE = 13.5;
const MARGIN = 14;
const FONT = 14;

const paper = '#15181e';
const ink = '#d5d9e0';
const faint = '#7f8794';
const caught = '#f0cd72';

/** The first sixteen colours, which every terminal chooses for itself. */
const named =
  '#22262e #e5656f #8fc76b #e2b74f #6aa9f0 #c98be0 #52bcc4 #c8cdd6 #7f8794 #f2868e #a9dc86 #f0cd72 #8cc0fa #dba9ee #76d3da #f2f4f8'.split(
    ' ',
  );

function hex(value: number): string {
  return `#${value.toString(16).padStart(6, '0')}`;
}

/** One of 256: sixteen named ones, a cube of six steps each, and 24 greys. */
function indexed(index: number): string {
  if (index < 16) return named[index] ?? ink;
  if (index > 231) return hex((8 + (index - 232) * 10) * 0x01_01_01);
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return hex((step(Math.floor(cube / 36)) << 16) | (step(Math.floor(cube / 6) % 6) << 8) | step(cube % 6));
}

interface Look {
  readonly fill: string;
  readonly back: string | undefined;
  readonly classes: string;
}

function lookOf(cell: Cell): Look {
  const { foreground, background, foregroundIsRgb, backgroundIsRgb, inverse } = cell;
  const front = foreground < 0 ? undefined : foregroundIsRgb ? hex(foreground) : indexed(foreground);
  const back = background < 0 ? undefined : backgroundIsRgb ? hex(background) : indexed(background);
  const classes = [
    ...(cell.bold ? ['b'] : []),
    ...(cell.dim ? ['d'] : []),
    ...(cell.italic ? ['i'] : []),
    ...(cell.underlined ? ['u'] : []),
    ...(cell.struck ? ['s'] : []),
  ].join(' ');
  return inverse
    ? { fill: back ?? paper, back: front ?? ink, classes }
    : { fill: front ?? ink, back, classes };
}

interface Run extends Look {
  readonly column: number;
  text: string;
  columns: number;
}

/** Neighbours that look alike, drawn as one. */
function runsOf(row: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of row.entries()) {
    if (cell.width === 0) continue;
    const look = lookOf(cell);
    const last = runs.at(-1);
    const text = cell.text === '' ? ' ' : cell.text;
    const joins =
      last !== undefined &&
      last.fill === look.fill &&
      last.back === look.back &&
      last.classes === look.classes &&
      last.column + last.columns === column;
    if (joins) {
      last.text += text;
      last.columns += cell.width;
    } else runs.push({ ...look, column, text, columns: cell.width });
  }
  return runs;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function pixels(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** At the height 0; `''` for a blank one. */
function drawnRow(row: readonly Cell[]): string {
  return runsOf(row)
    .flatMap(run => {
      const { columns, column, back } = run;
      const ground =
        back === undefined
          ? []
          : `<rect x="${pixels(column * WIDTH)}" width="${pixels(columns * WIDTH)}" height="${HEIGHT}" fill="${back}"/>`;
      return [ground, wordsOf(run)].flat();
    })
    .join('');
}

/**
 * The words of a run, each where its first column is: several blanks are one in some drawing programs. They are stretched
 * to their columns, because fonts differ in their widths.
 */
function wordsOf({ text, column, fill, classes }: Run): readonly string[] {
  const style = classes === '' ? '' : ` class="${classes}"`;
  const colour = fill === ink ? '' : ` style="fill:${fill}"`;
  return [...text.matchAll(/\S+(?: \S+)*/gu)].map(({ 0: words, index }) => {
    const left = pixels((column + displayWidth(text.slice(0, index))) * WIDTH);
    const length = pixels(displayWidth(words) * WIDTH);
    return `<text x="${left}" y="${BASELINE}" textLength="${length}"${style}${colour}>${escaped(words)}</text>`;
  });
}

const look = `text{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${ink}}
.b{font-weight:700}.d{opacity:.6}.i{font-style:italic}.u{text-decoration:underline}.s{text-decoration:line-through}
.u.s{text-decoration:underline line-through}`;

function svgOf(
  size: { readonly cols: number; readonly rows: number },
  title: string,
  style: string,
  body: string,
): string {
  const width = pixels(size.cols * WIDTH + 2 * MARGIN);
  const height = pixels(size.rows * HEIGHT + 2 * MARGIN);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>${look}${style}</style>
<rect width="100%" height="100%" rx="8" fill="${paper}"/>
<g transform="translate(${MARGIN} ${MARGIN})">
${body}
</g>
</svg>
`;
}

export function stillPicture(rows: Snapshot, title: string): string {
  const body = rows.flatMap((row, index) => {
    const drawn = drawnRow(row);
    return drawn === '' ? [] : [`<g transform="translate(0 ${index * HEIGHT})">${drawn}</g>`];
  });
  const size = { cols: rows[0]?.length ?? 0, rows: rows.length };
  return svgOf(size, title, '', body.join('\n'));
}

export interface Frame {
  readonly rows: Snapshot;
  /** What is done next, below the screen. */
  readonly caption: string;
  /** How long it is shown. */
  readonly seconds: number;
}

/** Each row is in it once, however many frames show it. */
export function animatedPicture(frames: readonly Frame[], title: string): string {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const ids = new Map<string, string>();
  const idOf = (drawn: string): string => {
    const id = ids.get(drawn) ?? `r${ids.size}`;
    ids.set(drawn, id);
    return id;
  };
  const { rows: first = [] } = frames[0] ?? {};
  const size = { cols: first[0]?.length ?? 0, rows: first.length + 2 };
  let begun = 0;
  const rules: string[] = [];
  const groups = frames.map(({ rows, caption, seconds }, index) => {
    const from = pixels((100 * begun) / total);
    begun += seconds;
    const to = pixels((100 * begun) / total);
    const hidden = index === 0 ? '' : '0%{opacity:0}';
    rules.push(
      `@keyframes k${index}{${hidden}${from}%{opacity:1}${to}%{opacity:${index === frames.length - 1 ? 1 : 0}}${index === frames.length - 1 ? '' : '100%{opacity:0}'}}`,
      `.f${index}{animation:k${index} ${total}s step-end infinite${index === 0 ? '' : ';opacity:0'}}`,
    );
    const uses = rows.flatMap((row, line) => {
      const drawn = drawnRow(row);
      return drawn === '' ? [] : [`<use href="#${idOf(drawn)}" y="${line * HEIGHT}"/>`];
    });
    const below = `<text x="0" y="${pixels((rows.length + 1) * HEIGHT + BASELINE)}" style="fill:${caught}">${escaped(caption)}</text>`;
    return `<g class="f${index}">${uses.join('')}${below}</g>`;
  });
  const defs = [...ids].map(([drawn, id]) => `<g id="${id}">${drawn}</g>`);
  const rule = `<path d="M0 ${pixels((size.rows - 1.5) * HEIGHT)}H${pixels(size.cols * WIDTH)}" stroke="${faint}" stroke-opacity=".4"/>`;
  // Who wants no motion sees how it ends.
  const still = `@media (prefers-reduced-motion:reduce){g[class^=f]{animation:none;opacity:0}.f${frames.length - 1}{opacity:1}}`;
  const body = `<defs>\n${defs.join('\n')}\n</defs>\n${rule}\n${groups.join('\n')}`;
  return svgOf(size, title, `${rules.join('')}${still}`, body);
}

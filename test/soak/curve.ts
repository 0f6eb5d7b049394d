/** `node test/soak/curve.ts SAMPLES.csv PICTURE.svg`: memory and processor time of a soak as a picture for docs/conformance.md. */
import { readFileSync, writeFileSync } from 'node:fs';

interface Point {
  readonly minute: number;
  readonly value: number;
}

interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly {
    readonly name: string;
    readonly style: string;
    readonly points: readonly Point[];
  }[];
}

const WIDTH = 760;
const HEIGHT = 210;
const LEFT = 56;
const RIGHT = 16;
const TOP = 34;
const BOTTOM = 34;

/** Of `samples.csv` as `run.ts` writes it. */
export function plotsOf(csv: string): readonly Plot[] {
  const rows = csv
    .trim()
    .split('\n')
    .slice(1)
    .map(row =>
      row
        .split(',')
        .slice(0, 6)
        .map(cell => (cell === '' ? Number.NaN : Number(cell))),
    )
    .filter((row, index, all) => index === 0 || (row[0] ?? 0) - (all[index - 1]?.[0] ?? 0) >= 5);
  const points = (column: number): Point[] =>
    rows
      .map(row => ({ minute: (row[0] ?? 0) / 60, value: row[column] ?? Number.NaN }))
      .filter(({ value }) => !Number.isNaN(value));
  const share = rows.slice(1).map((row, index) => {
    const [before, now] = [rows[index] ?? row, row];
    const seconds = Math.max((now[0] ?? 0) - (before[0] ?? 0), 1);
    return { minute: (now[0] ?? 0) / 60, value: (100 * ((now[3] ?? 0) - (before[3] ?? 0))) / seconds };
  });
  return [
    {
      title: 'Memory',
      unit: 'MB',
      lines: [
        { name: 'resident', style: 'stroke="#4078c0"', points: points(2) },
        {
          name: 'live heap after a collection',
          style: 'stroke="#6f9f45" stroke-dasharray="5 3"',
          points: points(4),
        },
      ],
    },
    {
      title: 'Processor time',
      unit: '% of a core',
      lines: [{ name: 'in each ten seconds', style: 'stroke="#b5651d"', points: share }],
    },
  ];
}

function draw({ title, unit, lines }: Plot, offset: number): string {
  const all = lines.flatMap(({ points }) => points);
  const last = Math.max(...all.map(({ minute }) => minute), 1);
  const most = roundUp(Math.max(...all.map(({ value }) => value), 1));
  const x = (minute: number): string => (LEFT + (minute / last) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string =>
    (offset + HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const label = (at: string, down: string, text: string, anchor: string): string =>
    `<text x="${at}" y="${down}" text-anchor="${anchor}">${text}</text>`;
  const parts = [label(String(LEFT), String(offset + 18), `${title}, ${unit}`, 'start')];
  for (const part of [0, 0.5, 1]) {
    const height = y(most * part);
    parts.push(`<path d="M${LEFT} ${height}H${WIDTH - RIGHT}" stroke="#8886"/>`);
    parts.push(label(String(LEFT - 6), String(Number(height) + 4), String(most * part), 'end'));
  }
  for (let minute = 0; minute <= last; minute += 10)
    parts.push(label(x(minute), String(offset + HEIGHT - BOTTOM + 16), `${minute} min`, 'middle'));
  lines.forEach(({ name, style, points }, index) => {
    const path = points.map(({ minute, value }) => `${x(minute)} ${y(value)}`).join('L');
    parts.push(`<path d="M${path}" fill="none" ${style} stroke-width="1.5"/>`);
    const at = WIDTH - RIGHT - 220 * (lines.length - 1 - index);
    const down = offset + 18;
    parts.push(`<path d="M${at - 200} ${down - 4}h20" fill="none" ${style} stroke-width="1.5"/>`);
    parts.push(label(String(at - 174), String(down), name, 'start'));
  });
  return parts.join('\n');
}

function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / step) * step;
}

export function picture(csv: string): string {
  const plots = plotsOf(csv);
  const font = 'font-family="system-ui, sans-serif" font-size="12" fill="#777"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT * plots.length}" ${font}>
<title>Memory and processor time of the screen during the soak</title>
${plots.map((plot, index) => draw(plot, HEIGHT * index)).join('\n')}
</svg>
`;
}

const [samples, target] = process.argv.slice(2);
if (import.meta.main && samples !== undefined && target !== undefined)
  writeFileSync(target, picture(readFileSync(samples, 'utf8')));

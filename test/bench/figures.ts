/** Medians, percentiles, and what is kept of them: the results of each section and size, of which docs/performance.md's table is made. */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

type Unit = 'ms' | 'µs' | 'MB' | 'bytes' | 'requests' | '% of a core';

export interface Row {
  readonly what: string;
  readonly unit: Unit;
  readonly values: readonly number[];
  /** The value that 99 of 100 stay below, in place of the median. */
  readonly p99?: true;
  /** What the design asks for, in words; with `limit`, whether it was reached is printed too. */
  readonly reach?: string;
  readonly limit?: number;
}

/** A row as it is kept. */
interface Result extends Pick<Row, 'what' | 'unit' | 'reach' | 'limit'> {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** How many values there were. */
  readonly of: number;
}

/** What one section measured at one size. */
export interface Measured {
  readonly section: string;
  /** Of the population; undefined where the section has a cluster of its own. */
  readonly pods?: number;
  /** Its lists were multiplied. */
  readonly isMultiplied?: true;
  readonly rows: readonly Result[];
}

interface Results {
  readonly machine: string;
  readonly measured: readonly Measured[];
}

/** Throws where a figure is missing: nothing was measured, and nobody shall think so. */
export function resultOf({ values, p99, ...row }: Row): Result {
  const sorted = [...values].sort((a, b) => a - b);
  const value =
    p99 === undefined ? median(sorted) : (sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN);
  const [min = Number.NaN] = sorted;
  if (!sorted.every(each => Number.isFinite(each)) || !Number.isFinite(value))
    throw new Error(`no figures for "${row.what}"`);
  return { ...row, value, min, max: sorted.at(-1) ?? Number.NaN, of: sorted.length };
}

function machine(): string {
  const [cpu] = cpus();
  return `Node ${process.versions.node}, ${cpus().length} × ${cpu?.model ?? 'unknown processor'}, the API server on the same machine`;
}

/** `order` is that of the sections. A row stands beside the same row of other sizes. */
export function markdownTable(measured: readonly Measured[], order: readonly string[]): string {
  const lines = [
    '| what | pods | value | min | max | of | target | reached | `npm run bench --` |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const section of order)
    for (const sizes of rowsBySize(measured, section))
      lines.push(...sizes.map(([row, size]) => line(row, size)));
  return lines.join('\n');
}

type Sized = readonly [row: Result, size: Measured];

/** Each row of a section with all its sizes, the smallest first. */
function rowsBySize(measured: readonly Measured[], section: string): readonly (readonly Sized[])[] {
  const sizes = measured
    .filter(each => each.section === section)
    .sort(
      (a, b) =>
        (a.pods ?? 0) - (b.pods ?? 0) || Number(a.isMultiplied ?? false) - Number(b.isMultiplied ?? false),
    );
  const all = sizes.flatMap(size => size.rows.map((row): Sized => [row, size]));
  return [...Map.groupBy(all, ([{ what }]) => what).values()];
}

/** Programs that figures are compared with. */
const OTHERS = /^— (?:.*kubectl|kube-lineage|check-ownerreferences|bare )(?!.*peak)/u;

/** For the page: figures with a limit, and those of other programs. All sizes share a row; of p50 and p99, p99 counts. */
function summaryTable(measured: readonly Measured[], order: readonly string[]): string {
  const lines = ['| what | value | target | reached | section |', '|---|---|---|---|---|'];
  for (const section of order)
    for (const sizes of rowsBySize(measured, section)) {
      const [[{ what }] = [{ what: '' }]] = sizes;
      const reached = sizes.map(([{ value, limit }]) => limit === undefined || value <= limit);
      const reach = sizes.map(each => each[0].reach).findLast(each => each !== undefined);
      if ((reach === undefined && !OTHERS.test(what)) || what.endsWith(', p50')) continue;
      const limited = sizes.filter(each => each[0].reach !== undefined);
      const sizesOfLimit =
        limited.length < sizes.length ? limited.map(each => atSize(each[1])).join(',') : '';
      const limits =
        reach === undefined
          ? ' | '
          : `${reach.replace(/ = .*/u, '')}${sizesOfLimit} | ${reached.includes(false) ? 'no' : 'yes'}`;
      lines.push(`| ${what} | ${sizes.map(withSize).join('; ')} | ${limits} | \`${section}\` |`);
    }
  return lines.join('\n');
}

function withSize([{ value, unit }, size]: Sized): string {
  return `${format(value, unit)}${atSize(size)}`;
}

function atSize({ pods, isMultiplied }: Measured): string {
  return pods === undefined ? '' : ` at ${pods.toLocaleString('en')}${isMultiplied ? ', multiplied' : ''}`;
}

function line(row: Result, { section, pods, isMultiplied }: Measured): string {
  const reached = row.limit === undefined ? '' : row.value <= row.limit ? 'yes' : 'no';
  const size = `${pods?.toLocaleString('en') ?? ''}${isMultiplied ? ', multiplied' : ''}`;
  const command = `--only ${section}${pods === undefined ? '' : ` --pods ${pods}`}${isMultiplied ? ' --multiplied' : ''}`;
  const [value, min, max] = [row.value, row.min, row.max].map(each => format(each, row.unit));
  return `| ${row.what} | ${size} | ${value} | ${min} | ${max} | ${row.of} | ${row.reach ?? ''} | ${reached} | \`${command}\` |`;
}

function format(value: number, unit: Unit): string {
  const digits = unit === '% of a core' || (unit !== 'bytes' && unit !== 'requests' && value < 10) ? 1 : 0;
  // Without a sign before zero.
  const rounded = Number(value.toFixed(digits)) || 0;
  return `${rounded.toLocaleString('en')} ${unit}`;
}

const resultsFile = new URL('results.json', import.meta.url);
const page = new URL('../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- bench -->\n';
const END = '<!-- end -->';

async function keptResults(): Promise<Results> {
  return JSON.parse(await readFile(resultsFile, 'utf8')) as Results;
}

/** What stands in docs/performance.md, with its marks. */
export async function pageTable(order: readonly string[]): Promise<string> {
  const { machine: where, measured } = await keptResults();
  return `${BEGIN}${where}.\n\n${summaryTable(measured, order)}\n${END}`;
}

/** Keeps what was measured in place of what was kept of the same sections and sizes, and makes the table of all. */
export async function keepResults(fresh: readonly Measured[], order: readonly string[]): Promise<void> {
  const isFresh = (old: Measured): boolean =>
    fresh.some(
      ({ section, pods, isMultiplied }) =>
        section === old.section && pods === old.pods && isMultiplied === old.isMultiplied,
    );
  const kept = (await keptResults()).measured.filter(old => order.includes(old.section) && !isFresh(old));
  const results: Results = { machine: machine(), measured: [...kept, ...fresh] };
  await writeFile(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
  const text = await readFile(page, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`docs/performance.md has no place marked ${BEGIN}`);
  await writeFile(page, `${text.slice(0, from)}${await pageTable(order)}${text.slice(to + END.length)}`);
}

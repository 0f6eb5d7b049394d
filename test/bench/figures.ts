/** Medians, ratios and the table that goes into docs/performance.md. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

export interface Row {
  readonly what: string;
  readonly unit: 'ms' | 'MB';
  readonly values: readonly number[];
  /** What the design asks for, in words; with `limit`, whether it was reached is printed too. */
  readonly reach?: string;
  readonly limit?: number;
}

export function markdownTable(rows: readonly Row[]): string {
  const lines = ['| what | median | min | max | to reach | reached |', '|---|---|---|---|---|---|'];
  for (const row of rows) {
    const value = median(row.values);
    const reached = row.limit === undefined ? '' : value <= row.limit ? 'yes' : 'no';
    lines.push(
      `| ${row.what} | ${format(value, row.unit)} | ${format(Math.min(...row.values), row.unit)} | ${format(Math.max(...row.values), row.unit)} | ${row.reach ?? ''} | ${reached} |`,
    );
  }
  return lines.join('\n');
}

function format(value: number, unit: Row['unit']): string {
  return Number.isFinite(value) ? `${Math.round(value).toLocaleString('en')} ${unit}` : 'not measured';
}

/** Whole numbers with thousands separated. One formatter: making one per call costs more than the rest of a row. */
const format = new Intl.NumberFormat('en-US');

export function formatCount(count: number): string {
  return count < 1000 ? String(count) : format.format(count);
}

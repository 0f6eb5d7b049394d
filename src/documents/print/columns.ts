/** Fitting a table's columns into a terminal. */

// Narrower than this a column says nothing; the name gets most, being what identifies a row.
const LEAST = 8;
const LEAST_NAME = 24;

/**
 * The wanted widths, shrunk to `available` columns with `gap` between them: the last columns give way first,
 * the first one (the name) before the second, and columns that no longer fit at all are left out from the
 * end. Unlimited where `available` is undefined.
 */
export function fitColumns(wanted: readonly number[], available: number | undefined, gap: number): number[] {
  const widths = [...wanted];
  if (available === undefined) return widths;
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  const shrink = (index: number, least: number): void => {
    const width = widths[index] ?? 0;
    widths[index] = Math.max(Math.min(width, least), width - Math.max(0, total() - available));
  };
  for (let index = widths.length - 1; index > 1; index -= 1) shrink(index, LEAST);
  shrink(0, LEAST_NAME);
  shrink(1, LEAST);
  while (widths.length > 1 && total() > available) widths.pop();
  // Room that a dropped column left goes to the name.
  const [name = 0] = widths;
  widths[0] = Math.max(1, Math.min(wanted[0] ?? name, name + available - total(), available));
  return widths;
}

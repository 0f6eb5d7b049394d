/** Suggestions of known words for a mistyped one (`Did you mean …`). */

/** Returns words within one slip per three letters (1 to 3). A slip is a missing, extra, wrong or swapped letter. */
export function closestWords(word: string, known: Iterable<string>, limit = 3): string[] {
  const allowed = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  const near: { word: string; slips: number }[] = [];
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const slips = slipsBetween(word, candidate);
    if (slips <= allowed) near.push({ word: candidate, slips });
  }
  near.sort((a, b) => a.slips - b.slips || (a.word < b.word ? -1 : 1));
  return near.slice(0, limit).map(({ word }) => word);
}

function slipsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, cell(beforeLast, j - 2) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

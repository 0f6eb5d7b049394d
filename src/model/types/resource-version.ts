/** Which of two resource versions is the later one, where that can be said at all. */

const number = /^[1-9]\d*$/u;

/**
 * Negative where `a` is the earlier one, 0 where they are equal. Versions of one kind are numbers that grow
 * (KEP-5504, v1.35); where they aren't, nothing but equality is known: undefined.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!number.test(a) || !number.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

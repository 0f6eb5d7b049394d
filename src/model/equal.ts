/** Plain data by what is in it, in one place: whatever compares two of them compares the same things. */

/** `next`, with what is equal in `known` taken from there: `known` itself where nothing differs. */
export function withKnown<T>(known: T, next: T): T {
  if (Object.is(known, next)) return known;
  if (!isData(known) || !isData(next) || Array.isArray(known) !== Array.isArray(next)) return next;
  const names = Object.keys(next);
  let isSame = names.length === Object.keys(known).length;
  const merged: Record<string, unknown> = {};
  for (const name of names) {
    const part = withKnown(known[name], next[name]);
    merged[name] = part;
    isSame &&= name in known && part === known[name];
  }
  if (isSame) return known;
  return (Array.isArray(next) ? names.map(name => merged[name]) : merged) as T;
}

/** Whether nothing differs between the two. */
export function isEqualData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isData(a) || !isData(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every(name => name in b && isEqualData(a[name], b[name]))
  );
}

function isData(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

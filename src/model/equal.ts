/** Plain data by what is in it, in one place: whatever compares two of them compares the same things. */

/** `next`, with what is equal in `known` taken from there: `known` itself where nothing differs. */
export function withKnown<T>(known: T, next: T): T {
  if (Object.is(known, next)) return known;
  if (!isData(known) || !isData(next) || Array.isArray(known) !== Array.isArray(next)) return next;
  const names = Object.keys(next);
  let isSame = names.length === Object.keys(known).length;
  const parts = names.map(name => {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    const part = withKnown(before, next[name]);
    isSame &&= Object.hasOwn(known, name) && part === before;
    return part;
  });
  if (isSame) return known;
  // Whatever they are called: `__proto__` is a name like any other in JSON.
  return (Array.isArray(next) ? parts : Object.fromEntries(names.map((name, at) => [name, parts[at]]))) as T;
}

/** Whether nothing differs between the two. */
export function isEqualData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isData(a) || !isData(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(name => Object.hasOwn(b, name) && isEqualData(a[name], b[name]))
  );
}

function isData(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

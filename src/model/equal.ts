/** Returns `next` with equal parts taken from `known`; `known` itself if nothing differs. */
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
  // Safe for every key, such as `__proto__`.
  return (Array.isArray(next) ? parts : Object.fromEntries(names.map((name, at) => [name, parts[at]]))) as T;
}

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

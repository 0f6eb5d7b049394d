/** Checks types as kubectl does: an unquoted numeric token, accepted as text, could log in as another user. */

/** Null fits everywhere. `bytes` are base64. */
export type Shape =
  | 'text'
  | 'boolean'
  | 'bytes'
  | 'anything'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/**
 * Describes the first misfit, as `users[0].user.token is a number, not text`, by its place and never its value. Unknown
 * fields fit; their places go to `foreign`.
 */
export function misfit(
  value: unknown,
  shape: Shape,
  foreign: (place: string) => void = () => {},
  place = '',
): string | undefined {
  if (value === null || value === undefined || shape === 'anything') return undefined;
  const found = kindOf(value);
  const wrong = (wanted: string): string => `${place === '' ? 'it' : place} is ${found}, not ${wanted}`;
  if (shape === 'boolean') return typeof value === 'boolean' ? undefined : wrong('true or false');
  if (shape === 'text' || shape === 'bytes') {
    if (typeof value !== 'string') return `${wrong('text')}; put it in quotes`;
    return shape === 'text' || isBase64(value) ? undefined : `${place} is not base64`;
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return wrong('a list');
    return first(value.entries(), ([at, each]) => misfit(each, shape.list, foreign, `${place}[${at}]`));
  }
  if (found !== 'a mapping') return wrong('a mapping');
  return first(Object.entries(value), ([key, each]) => {
    const where = place === '' ? key : `${place}.${key}`;
    if ('map' in shape) return misfit(each, shape.map, foreign, where);
    const wanted = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (wanted !== undefined) return misfit(each, wanted, foreign, where);
    foreign(where);
    return undefined;
  });
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

function first<T>(values: Iterable<T>, find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Accepts base64 as Go does: padded, with line breaks but no other blanks. Node accepts anything.
function isBase64(data: string): boolean {
  return /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(data.replace(/[\r\n]/g, ''));
}

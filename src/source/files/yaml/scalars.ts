/** A scalar without a JSON value, such as `.inf`. */
export const notInJson: unique symbol = Symbol('not in JSON');

const LONGEST_WORD = 5;
const words = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map(word => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map(
    word => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map(
    word => [word, false] as const,
  ),
]);

const numberLike = /^[-+.0-9]/u;
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/u;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u;
const unbounded = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/u;

/**
 * Resolves as YAML 1.1: `yes` and `on` are true, `0777` is octal, `1_000` is a number, dates are text
 * (go.yaml.in/yaml/v2 resolve.go, v2.4.3).
 */
export function plainValue(text: string): unknown {
  if (text.length <= LONGEST_WORD) {
    const word = words.get(text);
    if (word !== undefined) return word;
  }
  if (!numberLike.test(text)) return text;
  return unbounded.test(text) ? notInJson : (number(text) ?? text);
}

function number(text: string): number | undefined {
  // Underscores are ignored, unless the text begins with a point.
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '');
  const whole = wholeNumber(digits);
  if (whole !== undefined) return Number(whole);
  if (!float.test(digits)) return undefined;
  const fraction = Number(digits);
  return Number.isFinite(fraction) ? fraction : undefined;
}

/** Accepts integers of 64 bits; with a sign, only signed ones. */
function wholeNumber(text: string): bigint | undefined {
  const match = integer.exec(text);
  if (match === null) return undefined;
  const [, sign = '', hexadecimal, binary, octal, decimal] = match;
  const prefix =
    hexadecimal !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : '';
  const digits = (hexadecimal ?? binary ?? octal ?? decimal ?? '').replace(/^0+(?=.)/u, '');
  if (digits.length > 64) return undefined;
  const size = BigInt(`${prefix}${digits}`);
  const most = sign === '-' ? 2n ** 63n : sign === '+' ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (size > most) return undefined;
  return sign === '-' ? -size : size;
}

/** Turns numbers and booleans into text (sigs.k8s.io/yaml v1.6.0 `convertToJSONableObject`). Undefined for others. */
export function plainKey(text: string): string | undefined {
  const value = plainValue(text);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return wholeNumber(text.replaceAll('_', ''))?.toString() ?? singlePrecision(value);
}

/** Returns the shortest text that identifies a 32-bit number (Go's `FormatFloat` with `'g'`). */
function singlePrecision(value: number): string {
  const single = Math.fround(value);
  let digits = 1;
  while (digits < 9 && Math.fround(Number(value.toPrecision(digits))) !== single) digits++;
  const shortest = Number(value.toPrecision(digits));
  const [mantissa = '', exponent = '0'] = shortest.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(shortest);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Resolves an explicit tag; `notInJson` if the text doesn't fit. kubectl ignores custom tags. */
export function taggedValue(tag: string, text: string): unknown {
  const value = plainValue(text);
  switch (tag) {
    case '!!int':
      return typeof value === 'number' && wholeNumber(text.replaceAll('_', '')) !== undefined
        ? value
        : notInJson;
    case '!!float':
      return typeof value === 'number' ? value : notInJson;
    case '!!bool':
      return typeof value === 'boolean' ? value : notInJson;
    case '!!null':
      return value === null ? null : notInJson;
    case '!!binary':
      return Buffer.from(text, 'base64').toString('utf8');
    default:
      return text;
  }
}

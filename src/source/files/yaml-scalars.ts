/** The scalars of block YAML: what a plain one means, where a quoted one ends, how a literal one is trimmed. */

/** The text is no plain block YAML, or broken: the full parser decides. */
export const notPlain: unique symbol = Symbol('not plain block YAML');

const numberLike = /^[-+]?\.?[0-9]/u;
/** Infinity and not-a-number: nothing that Kubernetes writes. */
const unbounded = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/u;
const decimal = /^[-+]?[0-9]+$/u;
const octal = /^0o[0-7]+$/u;
const hexadecimal = /^0x[0-9a-fA-F]+$/u;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u;

/** A plain scalar as YAML 1.2's core schema resolves it. */
export function plainValue(text: string): unknown {
  switch (text) {
    case '':
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
    default:
      if (!numberLike.test(text)) return unbounded.test(text) ? notPlain : text;
      return decimal.test(text) || float.test(text) || octal.test(text) || hexadecimal.test(text)
        ? Number(text)
        : text;
  }
}

/** Blank lines at the end stay with `|+`, go with `|-`, and end in one line break with `|`. */
export function chomped(lines: readonly string[], header: string): string | typeof notPlain {
  if (header === '|+') return `${lines.join('\n')}\n`;
  let count = lines.length;
  while (count > 0 && lines[count - 1]?.trim() === '') {
    // A line of more spaces than the block's column is text.
    if (lines[count - 1] !== '') return notPlain;
    count--;
  }
  return lines.slice(0, count).join('\n') + (header === '|' ? '\n' : '');
}

/** Position of the quote that ends a single-quoted text, -1 where it goes on. */
export function closingQuote(value: string): number {
  for (let at = value.indexOf("'"); at >= 0; at = value.indexOf("'", at + 2)) {
    if (value[at + 1] !== "'") return at;
  }
  return -1;
}

/** Whether a line of a plain scalar has nothing in it that means something else, such as a comment. */
export function isPlainLine(value: string): boolean {
  return !(
    value.startsWith('#') ||
    value.endsWith(':') ||
    value.includes(': ') ||
    value.includes(' #') ||
    value.includes('\t')
  );
}

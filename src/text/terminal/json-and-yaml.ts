/** Values as JSON and YAML, without characters that could affect a terminal. */
import { textEscapes } from '../../model/index.ts';

const INDENT = '  ';

/** Characters that could affect a terminal, such as controls, and `##vso[`, a command of a pipeline's runner. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|#(?=#\w*\[)|(?<=^ *):(?=:)/gu;
const printable = /^[\n -~]*$/u;

/**
 * Works like JSON.stringify with two spaces, but escapes unprintable characters. Indents all lines but the first. A
 * string is also a YAML double-quoted scalar.
 */
function jsonText(value: unknown, indent = ''): string {
  let text = JSON.stringify(value, undefined, INDENT);
  // Line breaks within strings are escaped, so each line can be treated alone.
  if (!printable.test(text) || text.includes('##'))
    text = text
      .split('\n')
      .map(line => line.replace(unprintable, textEscapes.units))
      .join('\n');
  return indent === '' ? text : text.replaceAll('\n', `\n${indent}`);
}

// Plain scalars that YAML 1.1 or 1.2 would not read as strings.
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/iu;
const plain = /^[A-Za-z(/](?:[\w.,()/=+ -]*[\w.,()/=+-])?$/u;

/** Quotes a scalar unless it is certainly a string without quotes. */
function yamlScalar(text: string): string {
  return plain.test(text) && !reserved.test(text) ? text : jsonText(text);
}

/** Prints block style; `indent` applies to lines after the first. */
function yamlBlock(value: unknown, indent: string): string {
  if (typeof value === 'string') return literal(value, indent) ?? ` ${yamlScalar(value)}`;
  if (Array.isArray(value))
    return value.length === 0
      ? ' []'
      : value.map(each => `\n${indent}-${yamlBlock(each, indent + INDENT).replace(/^\n\s*/u, ' ')}`).join('');
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    if (fields.length === 0) return ' {}';
    return fields
      .map(([key, each]) => `\n${indent}${yamlScalar(key)}:${yamlBlock(each, nested(each, indent))}`)
      .join('');
  }
  return ` ${String(value)}`;
}

/** Prints several lines as a literal block, as kubectl does; undefined if only quotes preserve the text. */
function literal(text: string, indent: string): string | undefined {
  const lines = text.replace(/\n$/u, '').split('\n');
  if (
    indent === '' ||
    !text.includes('\n') ||
    lines.some(line => line.endsWith(' ') || line.search(unprintable) >= 0)
  )
    return undefined;
  if (lines[0] === '' || lines.at(-1) === '' || text.startsWith(' ')) return undefined;
  const header = text.endsWith('\n') ? '|' : '|-';
  return ` ${header}${lines.map(line => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
}

/** Puts lists at their key's own indentation, as in kubectl's YAML. */
function nested(value: unknown, indent: string): string {
  return Array.isArray(value) ? indent : indent + INDENT;
}

export const documentText = { json: jsonText, yaml: yamlBlock, yamlScalar };

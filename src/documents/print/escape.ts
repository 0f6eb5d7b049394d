/**
 * Strings in JSON and YAML, written so that nothing in them can act on a terminal: every control, format and
 * surrogate character becomes its `\u` escape, which parsers turn back. Lossless, unlike `sanitise`.
 */

import { escapeUnits } from '../../model/text/shown.ts';

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const harmless = /^[ !#-[\]-~]*$/u;

/** A JSON string, quotes included; also a YAML double-quoted scalar. */
export function quoted(text: string): string {
  if (harmless.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(unprintable, escapeUnits);
}

// Plain scalars that YAML 1.1 or 1.2 would read as something else than a string.
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/iu;
const plain = /^[A-Za-z(/](?:[\w.,()/=+ -]*[\w.,()/=+-])?$/u;

/** A YAML scalar: plain where that is surely a string, double-quoted otherwise. */
export function yamlScalar(text: string): string {
  return plain.test(text) && !reserved.test(text) ? text : quoted(text);
}

/** Whether a line can stand in a literal block of YAML: nothing in it needs an escape. */
export function isWritable(line: string): boolean {
  return !line.endsWith(' ') && line.search(unprintable) < 0;
}

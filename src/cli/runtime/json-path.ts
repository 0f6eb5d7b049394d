/** `-o jsonpath=TEMPLATE`: text with fields of a document, as kubectl prints it. */
import { FieldPath, isRecord, showHidden } from '../../model/index.ts';
import { pathOf } from './custom-columns.ts';
import { UsageError } from './errors.ts';

type Part = { readonly text: string } | { readonly path: FieldPath; readonly each?: readonly Part[] };

const piece = /([^{}]+)|\{\s*((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*?)\s*\}/uy;

/** Throws a `UsageError` unless the template consists of fields, quoted text and ranges. */
export function parseTemplate(template: string): readonly Part[] {
  const open: Part[][] = [[]];
  const ranges: FieldPath[] = [];
  let hasField = false;
  for (piece.lastIndex = 0; piece.lastIndex < template.length; ) {
    const [found, text, inner = ''] = piece.exec(template) ?? [];
    if (found === undefined) throw unreadable(template, 'its braces or quotes do not match');
    const parts = open.at(-1) ?? [];
    if (text !== undefined) parts.push({ text });
    else if (/^["']/u.test(inner)) parts.push({ text: unquoted(inner) });
    else if (inner === 'end') {
      const path = ranges.pop();
      if (path === undefined) throw unreadable(template, '{end} closes no {range}');
      open.pop();
      open.at(-1)?.push({ path, each: parts });
    } else {
      hasField = true;
      const [, range, field = ''] = /^(range\s+)?[$@]?(.*)$/su.exec(inner) ?? [];
      const path = pathOf(field);
      if (range === undefined) parts.push({ path });
      else {
        ranges.push(path);
        open.push([]);
      }
    }
  }
  if (ranges.length > 0) throw unreadable(template, 'a {range} has no {end}');
  if (!hasField) throw unreadable(template, 'it has no field in braces');
  return open[0] ?? [];
}

function unreadable(template: string, because: string): UsageError {
  return new UsageError(
    `cannot read the template ${JSON.stringify(template)}: ${because}. Write it as in {range .items[*]}{.code}{"\\n"}{end}.`,
  );
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(.)/gsu, (_, of: string) => escapes[of] ?? of);
}

/** Missing fields are empty. */
export function printTemplate(document: unknown, parts: readonly Part[]): string {
  return parts
    .map(part => {
      if ('text' in part) return part.text;
      const { path, each } = part;
      const found = FieldPath.values(document, path);
      if (each === undefined) return found.map(valueText).join(' ');
      return found.map(value => printTemplate(value, each)).join('');
    })
    .join('');
}

/** Writes objects and lists as JSON with sorted keys. */
function valueText(value: unknown): string {
  return showHidden(typeof value === 'string' ? value : JSON.stringify(value, sorted));
}

function sorted(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, value[key]]),
  );
}

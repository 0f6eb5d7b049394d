/** The output formats of each command: not every document can be drawn, and a drawing is no report. */
import type { CommandName } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import type { OutputFormat } from '../runtime/flags.ts';

const documents = ['text', 'wide', 'json', 'yaml', 'name'] as const;

export const formatsOf = {
  tree: [...documents, 'dot', 'mermaid'],
  why: documents,
  check: [...documents, 'junit', 'sarif'],
  plan: documents,
  podgc: documents,
  delete: documents,
  unblock: documents,
  undo: documents,
  demo: documents,
  schema: documents,
  version: ['text', 'json', 'yaml'],
} as const satisfies Partial<Readonly<Record<CommandName, readonly OutputFormat[]>>>;

type Formats = typeof formatsOf;
export type FormatOf<C extends keyof Formats> = Formats[C][number];
export type DocumentFormat = (typeof documents)[number];

/** Throws a `UsageError` for a format that the command doesn't print. */
export function formatOf<C extends keyof Formats>(command: C, format: OutputFormat = 'text'): FormatOf<C> {
  const formats: readonly FormatOf<C>[] = formatsOf[command];
  const known = formats.find(each => each === format);
  if (known !== undefined) return known;
  const isReport = format === 'junit' || format === 'sarif';
  const hint = isReport ? ', which is for check' : '';
  throw new UsageError(`${command} cannot print ${format}${hint}. Use -o ${alternatives(formats)}.`);
}

/** `text, json or yaml`. */
export function alternatives(formats: readonly string[]): string {
  return `${formats.slice(0, -1).join(', ')} or ${formats.at(-1) ?? ''}`;
}

export function isText(format: OutputFormat): format is 'text' | 'wide' {
  return format === 'text' || format === 'wide';
}

/** A document says itself what isn't known, and whether it holds nothing. */
export function isDocument(format: OutputFormat): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}

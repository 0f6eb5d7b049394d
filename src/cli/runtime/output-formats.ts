/** The formats that each command prints. */
import { InvalidArgumentError } from 'commander';
import { enumerated } from '../../model/index.ts';
import { UsageError } from './errors.ts';

const documents = ['text', 'wide', 'json', 'yaml', 'name'] as const;
const reports = ['junit', 'sarif', 'github', 'markdown'] as const;

export const formatsOf = {
  tree: [...documents, 'dot', 'mermaid'],
  why: [...documents, 'markdown'],
  check: [...documents, ...reports, 'baseline'],
  plan: [...documents, 'dot', 'mermaid', 'svg', 'html', 'github', 'markdown'],
  podgc: [...documents, 'markdown'],
  activity: ['text', 'json', 'yaml'],
  wait: [...documents, 'junit', 'github', 'markdown'],
  delete: documents,
  unblock: documents,
  undo: documents,
  demo: documents,
  schema: documents,
  version: ['text', 'json', 'yaml'],
} as const;

type Formats = typeof formatsOf;
export type OutputFormat = FormatOf<keyof Formats>;

export const outputFormats: readonly OutputFormat[] = [...new Set(Object.values(formatsOf).flat())];

/** Fields of a document, as kubectl prints them: `custom-columns=SPEC` or `jsonpath=TEMPLATE`. */
export interface PickedFields {
  readonly as: 'custom-columns' | 'jsonpath';
  readonly spec: string;
}

/** Accepts a format, or one that picks fields. */
export function parseOutput(value: string): string {
  if (outputFormats.some(each => each === value) || fieldsIn(value) !== undefined) return value;
  throw new InvalidArgumentError('There is no such format.');
}

/** Returns undefined for another format. */
export function fieldsIn(output = ''): PickedFields | undefined {
  const [, as, spec = ''] = /^(custom-columns|jsonpath)=(.*)$/su.exec(output) ?? [];
  return as === 'custom-columns' || as === 'jsonpath' ? { as, spec } : undefined;
}

export type FormatOf<C extends keyof Formats> = Formats[C][number];
export type DocumentFormat = (typeof documents)[number];

/** Throws a `UsageError` for a format that the command doesn't print. */
export function formatOf<C extends keyof Formats>(command: C, format: OutputFormat = 'text'): FormatOf<C> {
  const formats: readonly FormatOf<C>[] = formatsOf[command];
  const known = formats.find(each => each === format);
  if (known !== undefined) return known;
  const hint = isReport(format) ? `, which is for ${printersOf(format)}` : '';
  throw new UsageError(`${command} cannot print ${format}${hint}. Use -o ${alternatives(formats)}.`);
}

function printersOf(format: OutputFormat): string {
  const commands = Object.entries(formatsOf).filter(([, formats]) => formats.some(each => each === format));
  return enumerated(commands.map(([name]) => name));
}

/** Matches formats for pipelines, which are printed once. */
export function isReport(format: OutputFormat): format is (typeof reports)[number] {
  return reports.some(each => each === format);
}

export function alternatives(formats: readonly string[]): string {
  return `${formats.slice(0, -1).join(', ')} or ${formats.at(-1) ?? ''}`;
}

export function isText(format: OutputFormat): format is 'text' | 'wide' {
  return format === 'text' || format === 'wide';
}

/** Matches formats whose output itself names unknown and empty parts. */
export function isDocument(format: OutputFormat): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}

export function isPicture(format: OutputFormat): format is 'dot' | 'mermaid' | 'svg' | 'html' {
  return format === 'dot' || format === 'mermaid' || format === 'svg' || format === 'html';
}

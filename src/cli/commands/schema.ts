/** `schema`: prints the documents' JSON Schemas. */

import { SimilarWord, shownName } from '../../model/index.ts';
import { padEnd, truncate } from '../../text/index.ts';
import { API_VERSION } from '../documents/basis.ts';
import { printDocument } from '../documents/print/document.ts';
import { type DocumentSchema, readSchemas } from '../documents/schemas.ts';
import type { CommandContext, TargetCommand } from '../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../runtime/errors.ts';
import { formatOf, isDocument } from '../runtime/output-formats.ts';

export async function schema(command: TargetCommand): Promise<number> {
  const { targets, output } = command;
  const [document] = targets;
  const schemas = readSchemas();
  await output.write(
    document === undefined ? listOf(schemas, command) : schemaOf(find(schemas, document), command),
  );
  return EXIT_DONE;
}

function find(schemas: readonly DocumentSchema[], kind: string): DocumentSchema {
  if (kind === '') throw new UsageError('the kind is empty. Leave it out for the list of kinds.');
  const wanted = kind.toLowerCase();
  const found = schemas.find(({ title }) => title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const near = SimilarWord.closest(
    wanted,
    schemas.map(({ title }) => title.toLowerCase()),
  );
  const names = schemas.filter(({ title }) => near.includes(title.toLowerCase())).map(({ title }) => title);
  const advice =
    names.length > 0 ? `Did you mean ${names.join(', ')}?` : 'kubectl gc-tree schema lists the kinds.';
  throw new UsageError(`no document of kind ${shownName(kind)}. ${advice}`);
}

/** Prints the bare schema, which has no apiVersion. */
function schemaOf(found: DocumentSchema, { flags }: CommandContext): Iterable<string> {
  const format = flags.output ?? 'json';
  if (format === 'text') return printDocument(found, 'json');
  if (isDocument(format)) return printDocument(found, format);
  throw new UsageError(`a schema cannot be printed as ${format}. Use -o json or yaml.`);
}

function listOf(schemas: readonly DocumentSchema[], { flags, io }: CommandContext): Iterable<string> {
  const format = formatOf('schema', flags.output);
  if (format === 'name') return schemas.map(({ title }) => `${title}\n`);
  if (isDocument(format)) return printDocument(documentOf(schemas), format);
  const width = Math.max(...schemas.map(({ title }) => title.length));
  const columns = io.columns() ?? Number.POSITIVE_INFINITY;
  return schemas.map(each => `${truncate(`${padEnd(each.title, width)}   ${meaningOf(each)}`, columns)}\n`);
}

/** Drops the sentence that ends every description: `Fields are only ever added.` */
function meaningOf({ description }: DocumentSchema): string {
  return description.replace(/ Fields are only ever added\.$/u, '').replaceAll('`', '');
}

function documentOf(schemas: readonly DocumentSchema[]): object {
  const items = schemas.map(schema => ({ kind: schema.title, id: schema.$id, about: meaningOf(schema) }));
  return { apiVersion: API_VERSION, kind: 'SchemaList', items };
}

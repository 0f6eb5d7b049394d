/** `schema`: prints the documents' JSON Schemas, from the folder they ship in. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { API_VERSION } from '../../documents/basis.ts';
import { printDocument } from '../../documents/print/document.ts';
import { closestWords } from '../../model/text/fuzzy.ts';
import { shownName } from '../../model/text/shown.ts';
import { padEnd, truncate } from '../../text/terminal/width.ts';
import type { CommandContext, TargetCommand } from '../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../runtime/errors.ts';
import { formatOf, isDocument } from '../runtime/format.ts';

interface Schema {
  readonly $id: string;
  readonly title: string;
  readonly description: string;
}

const EXTENSION = '.schema.json';

/** Returns the folder beside the documents or, in a build, one level up. */
function folder(): URL {
  const source = new URL('../../documents/schema/', import.meta.url);
  return existsSync(source) ? source : new URL('../schema/', import.meta.url);
}

function readSchemas(): readonly Schema[] {
  try {
    return readdirSync(folder())
      .filter(file => file.endsWith(EXTENSION))
      .map(file => JSON.parse(readFileSync(new URL(file, folder()), 'utf8')) as Schema)
      .sort((a, b) => (a.title < b.title ? -1 : 1));
  } catch {
    throw new Error('the schemas are missing from this installation. Install kubectl gc-tree again.');
  }
}

export function schemasByKind(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  return new Map(readSchemas().map(schema => [schema.title, { ...schema }]));
}

export function schemaKinds(): readonly string[] {
  return readSchemas().map(({ title }) => title);
}

export async function schema(command: TargetCommand): Promise<number> {
  const { targets, output } = command;
  const [document] = targets;
  const schemas = readSchemas();
  await output.write(
    document === undefined ? listOf(schemas, command) : schemaOf(find(schemas, document), command),
  );
  return EXIT_DONE;
}

function find(schemas: readonly Schema[], kind: string): Schema {
  if (kind === '') throw new UsageError('the kind is empty. Leave it out for the list of kinds.');
  const wanted = kind.toLowerCase();
  const found = schemas.find(({ title }) => title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const near = closestWords(
    wanted,
    schemas.map(({ title }) => title.toLowerCase()),
  );
  const names = schemas.filter(({ title }) => near.includes(title.toLowerCase())).map(({ title }) => title);
  const advice =
    names.length > 0 ? `Did you mean ${names.join(', ')}?` : 'kubectl gc-tree schema lists the kinds.';
  throw new UsageError(`no document of kind ${shownName(kind)}. ${advice}`);
}

/** Prints the bare schema, which has no apiVersion. */
function schemaOf(found: Schema, { flags }: CommandContext): Iterable<string> {
  const format = flags.output ?? 'json';
  if (format === 'text') return printDocument(found, 'json');
  if (isDocument(format)) return printDocument(found, format);
  throw new UsageError(`a schema cannot be printed as ${format}. Use -o json or yaml.`);
}

function listOf(schemas: readonly Schema[], { flags, io }: CommandContext): Iterable<string> {
  const format = formatOf('schema', flags.output);
  if (format === 'name') return schemas.map(({ title }) => `${title}\n`);
  if (isDocument(format)) return printDocument(documentOf(schemas), format);
  const width = Math.max(...schemas.map(({ title }) => title.length));
  const columns = io.columns() ?? Number.POSITIVE_INFINITY;
  return schemas.map(each => `${truncate(`${padEnd(each.title, width)}   ${meaningOf(each)}`, columns)}\n`);
}

/** Drops the sentence that ends every description: `Fields are only ever added.` */
function meaningOf({ description }: Schema): string {
  return description.replace(/ Fields are only ever added\.$/u, '').replaceAll('`', '');
}

function documentOf(schemas: readonly Schema[]): object {
  const items = schemas.map(schema => ({ kind: schema.title, id: schema.$id, about: meaningOf(schema) }));
  return { apiVersion: API_VERSION, kind: 'SchemaList', items };
}

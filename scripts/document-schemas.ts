/**
 * Makes the JSON Schemas of the documents from the types in src/cli/documents/definitions.ts. A comment is a description, and
 * a tag in it a keyword with its value. An alias without a description stands where it is used; other names are `$defs`.
 */

import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type TSInterfaceDeclaration, type TSSignature, type TSType } from 'oxc-parser';
import { API_VERSION } from '../src/cli/documents/basis.ts';

interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

export interface DocumentSchema extends Schema {
  readonly title: string;
  readonly description: string;
}

interface Alias {
  readonly type: TSType;
  readonly keywords: Schema;
}

const file = fileURLToPath(new URL('../src/cli/documents/definitions.ts', import.meta.url));
const text = readFileSync(file, 'utf8');
const { program, comments } = parseSync(file, text);
const interfaces = new Map<string, TSInterfaceDeclaration>();
const aliases = new Map<string, Alias>();
for (const statement of program.body) {
  const { type, start } = statement;
  const declaration = type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type === 'TSInterfaceDeclaration') interfaces.set(declaration.id.name, declaration);
  if (declaration?.type === 'TSTypeAliasDeclaration')
    aliases.set(declaration.id.name, { type: declaration.typeAnnotation, keywords: keywordsAbove(start) });
}

/** The schemas of all documents, by kind. */
export function documentSchemas(): readonly DocumentSchema[] {
  return [...interfaces.keys()].filter(isDocument).sort().map(documentSchema);
}

/** Writes each schema into a file such as `finding-list.schema.json`. */
export async function writeSchemas(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const schema of documentSchemas())
    await writeFile(
      path.join(folder, `${fileName(schema.title)}.schema.json`),
      `${JSON.stringify(schema, undefined, 2)}\n`,
    );
}

function fileName(kind: string): string {
  return kind.replaceAll(/(?<=.)(?=[A-Z][a-z])/gu, '-').toLowerCase();
}

function isDocument(name: string): boolean {
  const version = membersOf(name).get('apiVersion');
  return version !== undefined && text.slice(version.start, version.end).includes(API_VERSION);
}

function documentSchema(title: string): DocumentSchema {
  const schema = definitionOf(title);
  const $defs: Record<string, Schema> = {};
  const open: unknown[] = [schema];
  for (const part of open) {
    if (typeof part !== 'object' || part === null) continue;
    open.push(...Object.values(part));
    const name = '$ref' in part ? String(part.$ref).slice('#/$defs/'.length) : undefined;
    if (name === undefined || name in $defs) continue;
    $defs[name] = definitionOf(name);
    open.push($defs[name]);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `https://${API_VERSION.replace('/', '/schema/')}/${fileName(title)}.json`,
    ...schema,
    title,
    description: schema.description ?? '',
    ...(Object.keys($defs).length > 0 && { $defs }),
  };
}

function definitionOf(name: string): Schema {
  const alias = aliases.get(name);
  if (alias !== undefined) return { ...schemaOf(alias.type), ...alias.keywords };
  const declaration = interfaces.get(name);
  if (declaration === undefined) throw new Error(`src/cli/documents/definitions.ts has no ${name}`);
  const keywords = keywordsAbove(exportOf(declaration));
  const head = { title: name, description: `${keywords.description} Fields are only ever added.` };
  return {
    ...(isDocument(name) ? head : keywords),
    ...objectOf([...membersOf(name).values()]),
  };
}

/** Returns fields with those of the interfaces that it extends before its own. */
function membersOf(name: string): Map<string, TSSignature> {
  const declaration = interfaces.get(name);
  const inherited = declaration?.extends.flatMap(({ expression }) =>
    expression.type === 'Identifier' ? [...membersOf(expression.name)] : [],
  );
  const own = declaration?.body.body.map(member => [nameOf(member), member] as const);
  return new Map([...(inherited ?? []), ...(own ?? [])]);
}

function nameOf(member: TSSignature): string {
  if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') return member.key.name;
  throw new Error(`no field: ${text.slice(member.start, member.end)}`);
}

function objectOf(members: readonly TSSignature[]): Schema {
  const fields = members.filter(member => member.type === 'TSPropertySignature');
  const required = fields.filter(({ optional }) => !optional).map(nameOf);
  const properties = fields.map(field => {
    const { typeAnnotation, start } = field;
    if (typeAnnotation === null) throw new Error(`${nameOf(field)} has no type`);
    return [nameOf(field), { ...schemaOf(typeAnnotation.typeAnnotation), ...keywordsAbove(start) }] as const;
  });
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
}

function schemaOf(type: TSType): Schema {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- Documents need no other types.
  switch (type.type) {
    case 'TSStringKeyword':
    case 'TSNumberKeyword':
    case 'TSBooleanKeyword':
    case 'TSObjectKeyword':
      return { type: text.slice(type.start, type.end) };
    case 'TSUnknownKeyword':
      return {};
    case 'TSLiteralType':
      return { const: 'value' in type.literal ? type.literal.value : undefined };
    case 'TSUnionType':
      return unionOf(type.types.map(schemaOf));
    case 'TSArrayType':
      return { type: 'array', items: schemaOf(type.elementType) };
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return schemaOf(type.typeAnnotation);
    case 'TSTypeLiteral':
      return objectOf(type.members);
    case 'TSTypeReference':
      return referenceTo(
        text.slice(type.typeName.start, type.typeName.end),
        type.typeArguments?.params ?? [],
      );
    default:
      throw new Error(`no schema is made of ${text.slice(type.start, type.end)}`);
  }
}

function unionOf(members: readonly Schema[]): Schema {
  if (members.every(member => 'enum' in member || 'const' in member))
    return { enum: members.flatMap(member => member.enum ?? [member.const]) };
  return { type: members.flatMap(({ type = [] }) => type) };
}

function referenceTo(name: string, [first, second]: readonly TSType[]): Schema {
  if (name === 'Readonly' && first !== undefined) return schemaOf(first);
  if (name === 'Record' && second !== undefined)
    return { type: 'object', additionalProperties: schemaOf(second) };
  const isInline = aliases.has(name) && aliases.get(name)?.keywords.description === undefined;
  return isInline ? definitionOf(name) : { $ref: `#/$defs/${name}` };
}

/** Returns description and tags of the comment that ends right above. */
function keywordsAbove(start: number): Schema {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment === undefined || text.slice(comment.end, start).trim() !== '') return {};
  const words = comment.value
    .replaceAll(/\s*\n\s*\*\s?/gu, ' ')
    .replace(/^\*/u, '')
    .trim();
  const [description, ...tags] = words.split(/(?:^|\s)@(?=[a-zA-Z]+\s)/u);
  const keywords = tags.map(tag => {
    const [name = '', value = ''] = tag.split(/\s+(.*)/su);
    return [name, parseValue(value)] as const;
  });
  return { ...(description !== '' && { description }), ...Object.fromEntries(keywords) };
}

function parseValue(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function exportOf({ start }: TSInterfaceDeclaration): number {
  const isExported = text.slice(0, start).endsWith('export ');
  return isExported ? start - 'export '.length : start;
}

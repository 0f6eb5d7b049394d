/**
 * Compares the documents with those of the last release, whose fields are in `released-fields.txt`; until the first
 * release, with those that it will have. `WRITE_RELEASED=1` writes the file anew, for a release.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DocumentSchema, documentSchemas } from '../../../scripts/document-schemas.ts';

type Schema = Omit<Partial<DocumentSchema>, 'items' | 'properties'> & {
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
};

const file = join(import.meta.dirname, 'released-fields.txt');

/** Lists fields by path, such as `Finding.remedies[].id`, as `required string`; an enumeration with its values. */
function fieldsOf(schemas: readonly DocumentSchema[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const add = (path: string, schema: Schema, presence: string): void => {
    fields.set(path, `${presence} ${typeOf(schema)}`);
    below(path, schema);
  };
  const below = (
    path: string,
    { properties = {}, required = [], items, additionalProperties }: Schema,
  ): void => {
    for (const [name, field] of Object.entries(properties))
      add(`${path}.${name}`, field, required.includes(name) ? 'required' : 'optional');
    if (items !== undefined) add(`${path}[]`, items, 'each');
    if (typeof additionalProperties === 'object') add(`${path}{}`, additionalProperties, 'each');
  };
  for (const { title, $defs = {}, ...document } of schemas) {
    below(title, document);
    for (const [name, schema] of Object.entries($defs)) add(`#${name}`, schema, 'shared');
  }
  return fields;
}

function typeOf({ $ref, const: only, enum: values, type }: Schema): string {
  if ($ref !== undefined) return $ref.replace('#/$defs/', '#');
  if (values !== undefined) return values.map(each => JSON.stringify(each)).join('|');
  return only === undefined ? [type ?? 'any'].flat().join('|') : JSON.stringify(only);
}

/** Lists what a reader of the released documents relies on and no longer finds. */
function breaksOf(
  released: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  return [...released].flatMap(([path, before]) => {
    const after = now.get(path);
    if (after === undefined) return [`${path} is gone`];
    const [wasPresence, wasType = ''] = split(before);
    const [presence, type = ''] = split(after);
    const values = new Set(type.split('|'));
    return [
      ...(wasPresence === 'required' && presence !== 'required' ? [`${path} may be missing`] : []),
      ...(wasType.split('|').every(each => values.has(each))
        ? []
        : [`${path} was ${wasType}, and is ${type}`]),
      ...(!isEnumeration(wasType) && values.size > wasType.split('|').length
        ? [`${path} may be ${type}`]
        : []),
    ];
  });
}

function split(field: string): readonly string[] {
  return [field.slice(0, field.indexOf(' ')), field.slice(field.indexOf(' ') + 1)];
}

function isEnumeration(type: string): boolean {
  return type.startsWith('"');
}

function parsed(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('# '));
  return new Map(lines.map(line => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
}

describe('the documents', () => {
  const now = fieldsOf(documentSchemas());

  it('keep all that readers of the last release rely on', () => {
    if (process.env['WRITE_RELEASED'] !== undefined)
      writeFileSync(file, [...now].map(([path, field]) => `${path}: ${field}\n`).join(''));
    const released = parsed(readFileSync(file, 'utf8'));
    expect(released.size).toBeGreaterThan(500);
    expect(breaksOf(released, now)).toEqual([]);
  });

  it.each<[change: string, before: string, after: string | undefined, broken: readonly string[]]>([
    ['a field that is gone', 'required string', undefined, ['F.a is gone']],
    ['a field that may be missing', 'required string', 'optional string', ['F.a may be missing']],
    ['a field of another type', 'optional string', 'optional integer', ['F.a was string, and is integer']],
    [
      'a field with a further type',
      'optional string',
      'optional string|integer',
      ['F.a may be string|integer'],
    ],
    ['another shared type', 'each #Owner', 'each #Edge', ['F.a was #Owner, and is #Edge']],
    ['a value less', 'required "a"|"b"', 'required "a"', ['F.a was "a"|"b", and is "a"']],
    ['a value more', 'required "a"', 'required "a"|"b"', []],
    ['a field that is always there', 'optional string', 'required string', []],
  ])('%s', (_, before, after, broken) => {
    const later = new Map([
      ['F.b', 'optional string'],
      ...(after === undefined ? [] : [['F.a', after] as const]),
    ]);
    expect(breaksOf(new Map([['F.a', before]]), later)).toEqual(broken);
  });
});

/**
 * The types of documents for other programs, made of their JSON Schemas, which are the contract: so nothing of how they are
 * built here is in them.
 */
import { readFileSync } from 'node:fs';
import { compile } from 'json-schema-to-typescript';

interface Schema {
  readonly title: string;
  readonly $defs?: Readonly<Record<string, object>>;
  readonly [key: string]: unknown;
}

/** The first that defines a type is believed: in lists that leave effects out, remedies are less. */
const files = ['diagnosis', 'finding-list', 'plan', 'ownership-graph'];

export async function documentTypes(): Promise<string> {
  const schemas = files.map(
    name =>
      JSON.parse(
        readFileSync(new URL(`../src/documents/schema/${name}.schema.json`, import.meta.url), 'utf8'),
        plainReference,
      ) as Schema,
  );
  const definitions: Record<string, object> = {};
  for (const { $schema: _, $id: __, $defs = {}, title, ...document } of schemas) {
    for (const [name, definition] of Object.entries($defs)) definitions[name] ??= definition;
    definitions[title] = document;
  }
  const documents = Object.fromEntries(schemas.map(({ title }) => [title, { $ref: `#/$defs/${title}` }]));
  const types = await compile(
    { type: 'object', properties: documents, $defs: definitions } as Parameters<typeof compile>[0],
    'Documents',
    {
      additionalProperties: false,
      bannerComment: '/** Made by `npm run docs` from the JSON Schemas. */',
      style: { singleQuote: true, printWidth: 110 },
      // Lists are as long as they are.
      ignoreMinAndMaxItems: true,
    },
  );
  // Asked for so that all of them are made.
  return types.replace(/^export interface Documents \{[^}]*\}\n/mu, '');
}

/** One that is described where it stands would become a type of its own. */
function plainReference(_key: string, value: unknown): unknown {
  const isReference = typeof value === 'object' && value !== null && '$ref' in value;
  return isReference ? { $ref: value.$ref } : value;
}

/** A tool's answer as a JSON Schema: the document, and the counts of omitted elements. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

export type JsonSchema = Readonly<Record<string, unknown>>;

const omitted = { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } };

/** Drops descriptions, which `gc-tree://schema/KIND` has, because a client holds this for every tool. */
export function outputSchemaOf(schema: JsonSchema): JsonSchema {
  // The schema's name is the document's, without the added field.
  const { $id: _, title: __, ...rest } = undescribed(schema) as Readonly<Record<string, unknown>>;
  const properties = { ...(rest['properties'] as JsonSchema), omitted };
  return { ...rest, properties };
}

function undescribed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undescribed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !(key === 'description' && typeof each === 'string'))
      .map(([key, each]) => [key, undescribed(each)]),
  );
}

/** Accepts every answer: the schemas are tested against the code that makes it. */
export function announced(schema: JsonSchema): StandardSchemaWithJSON {
  return {
    '~standard': {
      version: 1,
      vendor: 'kubectl-gc-tree',
      validate: value => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

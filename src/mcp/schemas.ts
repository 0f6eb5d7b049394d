/** What a tool answers, as a JSON Schema: that of the document, and what was left out of it. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

export type JsonSchema = Readonly<Record<string, unknown>>;

const omitted = { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } };

/** Without descriptions, which are read in `gc-tree://schema/KIND`: a client holds this for every tool. */
export function outputSchemaOf(schema: JsonSchema): JsonSchema {
  // Its name is that of the document without what a limit adds.
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

/** What is answered was made by the code that the schemas are tested against, so it isn't looked at once more. */
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

/** The JSON Schema of a kind of document, as the build makes it. */
import { type DocumentSchema, documentSchemas } from '../../../scripts/document-schemas.ts';

export const schemas = documentSchemas();

export function schemaOf(kind: string): DocumentSchema {
  const schema = schemas.find(({ title }) => title === kind);
  if (schema === undefined) throw new Error(`no document of kind ${kind}`);
  return schema;
}

/** The JSON Schemas of the documents, as the build makes them of `definitions.ts`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface DocumentSchema {
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly [keyword: string]: unknown;
}

/** Returns the folder next to the chunks of a build; code that runs from its source uses that of the last build. */
function schemaFolder(): URL {
  const built = new URL('../schema/', import.meta.url);
  return existsSync(built) ? built : new URL('../../../dist/schema/', import.meta.url);
}

export function readSchemas(): readonly DocumentSchema[] {
  return installed(() => readdirSync(schemaFolder()))
    .filter(file => file.endsWith('.schema.json'))
    .map(readSchema)
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** Reads a file such as `plan.schema.json`. */
export function readSchema(file: string): DocumentSchema {
  return installed(() => JSON.parse(readFileSync(new URL(file, schemaFolder()), 'utf8')) as DocumentSchema);
}

function installed<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error('the schemas are missing from this installation. Install kubectl gc-tree again.');
  }
}

/** Schemas that are current for code that runs from its source, without a build. */
import { fileURLToPath } from 'node:url';
import { writeSchemas } from '../../../scripts/document-schemas.ts';

/** Called by Vitest before it starts the processes of the tests. */
export async function setup(): Promise<void> {
  await writeSchemas(fileURLToPath(new URL('../../../dist/schema/', import.meta.url)));
}

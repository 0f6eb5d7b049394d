/** Inputs that once broke something. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export function corpusOf(target: string): Buffer[] {
  const folder = path.join(import.meta.dirname, 'corpus', target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map(name => readFileSync(path.join(folder, name)));
}

/**
 * Dumps of clusters that are well, as people have published them: GC_TREE_DUMPS names a folder with a folder for each. It
 * prints a table of what is said of each, whole and cut down.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, record } from '../../../../src/model/json/json.ts';
import type { Dump } from './dump.ts';
import { newAlarms } from './judged.ts';

const folder = process.env['GC_TREE_DUMPS'] ?? '';
const cuts = Number(process.env['GC_TREE_CUTS'] ?? 200);

function documentsIn(file: string): JsonRecord[] {
  try {
    const text = readFileSync(file, 'utf8');
    const values = file.endsWith('.json') ? [JSON.parse(text) as unknown] : loadAll(text);
    return values.filter(each => each !== null && !Array.isArray(each)).map(record);
  } catch {
    // What is no manifest is nothing to cut.
    return [];
  }
}

describe.skipIf(folder === '')('of a public dump', () => {
  const names = folder === '' || !existsSync(folder) ? [] : globSync('*/', { cwd: folder }).sort();
  test.each(names)(
    'no part is said to have more errors or warnings: %s',
    { timeout: 7_200_000 },
    async name => {
      const root = path.join(folder, name);
      const files = globSync('**/*.{json,yaml,yml}', { cwd: root }).sort();
      const dump: Dump = new Map(
        files
          .map((file): [string, JsonRecord[]] => [file, documentsIn(path.join(root, file))])
          .filter(([, documents]) => documents.length > 0),
      );
      const { whole, added } = await newAlarms(dump, root, { cuts, seed: 7 });
      const told = [...whole].map(
        ([object, { severity, codes }]) => `${severity} ${codes.join(' ')} ${object}`,
      );
      process.stdout.write(
        `${name} | ${dump.size} files | whole: ${told.join('; ') || 'nothing'} | ${cuts} cuts, more: ${added.length}\n`,
      );
      expect(added).toEqual([]);
    },
  );
});

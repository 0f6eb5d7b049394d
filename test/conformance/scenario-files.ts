/**
 * The scenarios of `test/scenarios` and those that the product ships, which the simulation and a real cluster must bring to the same
 * end.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScenarios } from '../../src/source/demo/parse-scenario.ts';
import type { Scenario } from '../../src/source/demo/scenario.ts';

const folders = [
  join(import.meta.dirname, '..', 'scenarios'),
  join(import.meta.dirname, '..', '..', 'src', 'source', 'demo', 'scenarios'),
];

export interface ScenarioFile {
  readonly file: string;
  readonly scenarios: readonly Scenario[];
}

export function scenarioFiles(): readonly ScenarioFile[] {
  return folders.flatMap(folder => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      file => file.endsWith('.yaml') && !file.startsWith('findings'),
    );
    return files.sort().map(file => ({
      file,
      scenarios: parseScenarios(readFileSync(join(folder, file), 'utf8'), file),
    }));
  });
}

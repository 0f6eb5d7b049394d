/**
 * The scenarios of `test/scenarios` and those that the product ships, which the simulation and a real cluster must bring to the same
 * end.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** All of them, or those that `GC_TREE_SCENARIOS` names, without `.yaml` and separated by commas. */
export function scenarioFiles(): readonly ScenarioFile[] {
  const only = process.env['GC_TREE_SCENARIOS']?.split(',').map(name => `${name}.yaml`);
  return folders.flatMap(scenariosIn).filter(({ file }) => only?.includes(basename(file)) ?? true);
}

/** Those that the product ships and that say what diagnosis finds at their end. */
export function shippedFindings(): readonly ScenarioFile[] {
  return scenarioFiles().filter(({ scenarios }) => scenarios.every(each => each.findings !== undefined));
}

function scenariosIn(folder: string): readonly ScenarioFile[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.yaml') && !file.startsWith('findings'),
  );
  return files.sort().map(file => ({
    file,
    scenarios: parseScenarios(readFileSync(join(folder, file), 'utf8'), file),
  }));
}

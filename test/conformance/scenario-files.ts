/** The scenarios of `test/scenarios`, which the simulation and a real cluster must bring to the same end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScenarios, type Scenario } from './scenario.ts';

const scenarioFolder = join(import.meta.dirname, '..', 'scenarios');

export interface ScenarioFile {
  readonly file: string;
  readonly scenarios: readonly Scenario[];
}

export function scenarioFiles(): readonly ScenarioFile[] {
  const files = readdirSync(scenarioFolder).filter(file => file.endsWith('.yaml'));
  return files.sort().map(file => ({
    file,
    scenarios: parseScenarios(readFileSync(join(scenarioFolder, file), 'utf8'), file),
  }));
}

/** The scenarios shipped with the program as YAML files, named by their files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceError } from '../source.ts';
import type { Scenario } from './scenario.ts';

const EXTENSION = '.yaml';

export const DEFAULT_SCENARIO = 'shop';

export interface NamedScenario extends Scenario {
  readonly name: string;
}

/** Finds the scenarios next to this file, or a folder up in the build. */
function folder(): URL {
  const beside = new URL('./scenarios/', import.meta.url);
  return existsSync(beside) ? beside : new URL('../scenarios/', import.meta.url);
}

/** Lists the default one first, then by name. Throws a `SourceError` if the files are missing. */
export function scenarioNames(): readonly string[] {
  try {
    const names = readdirSync(folder())
      .filter(file => file.endsWith(EXTENSION))
      .map(file => file.slice(0, -EXTENSION.length))
      .sort();
    return [
      ...names.filter(name => name === DEFAULT_SCENARIO),
      ...names.filter(name => name !== DEFAULT_SCENARIO),
    ];
  } catch {
    throw new SourceError('the scenarios are missing from this installation. Install kubectl gc-tree again.');
  }
}

export function checkScenarioName(name: string): void {
  const names = scenarioNames();
  if (!names.includes(name)) {
    throw new SourceError(`no scenario ${JSON.stringify(name)}. Scenarios: ${names.join(', ')}.`);
  }
}

export async function readScenario(name: string): Promise<NamedScenario> {
  // YAML is loaded only if a scenario is needed.
  const { parseScenarios } = await import('./parse-scenario.ts');
  const file = `${name}${EXTENSION}`;
  const [scenario] = parseScenarios(readFileSync(new URL(file, folder()), 'utf8'), file);
  if (scenario === undefined) throw new SourceError(`${file} holds no scenario.`);
  return { name, ...scenario };
}

export function readScenarios(): Promise<readonly NamedScenario[]> {
  return Promise.all(scenarioNames().map(readScenario));
}

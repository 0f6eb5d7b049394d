/** The scenarios that the product ships: YAML files beside the program, named by their files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceError } from '../source.ts';
import type { Scenario } from './scenario.ts';

const EXTENSION = '.yaml';

/** What `kubectl gc-tree demo` shows. */
export const DEFAULT_SCENARIO = 'shop';

export interface NamedScenario extends Scenario {
  readonly name: string;
}

/** Beside this file, or one folder up from where the build puts it. */
function folder(): URL {
  const beside = new URL('./scenarios/', import.meta.url);
  return existsSync(beside) ? beside : new URL('../scenarios/', import.meta.url);
}

/** The default one first, then by name. Throws a `SourceError` where the files are missing. */
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

/** Throws a `SourceError` that names the scenarios there are. */
export function checkScenarioName(name: string): void {
  const names = scenarioNames();
  if (!names.includes(name)) {
    throw new SourceError(`no scenario ${JSON.stringify(name)}. Scenarios: ${names.join(', ')}.`);
  }
}

/** A scenario of `scenarioNames`. */
export async function readScenario(name: string): Promise<NamedScenario> {
  // YAML is only needed once somebody asks for a scenario.
  const { parseScenarios } = await import('./parse-scenario.ts');
  const file = `${name}${EXTENSION}`;
  const [scenario] = parseScenarios(readFileSync(new URL(file, folder()), 'utf8'), file);
  if (scenario === undefined) throw new SourceError(`${file} holds no scenario.`);
  return { name, ...scenario };
}

/** All of them, in the order of `scenarioNames`. */
export function readScenarios(): Promise<readonly NamedScenario[]> {
  return Promise.all(scenarioNames().map(readScenario));
}

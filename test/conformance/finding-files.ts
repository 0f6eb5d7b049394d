/**
 * The scenarios of `test/scenarios/findings`: a file for each code, whose first scenario has the finding and whose
 * second, nearly alike, has not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FindingCode, findingCodes } from '../../src/diagnosis/codes.ts';
import { parseScenarios } from '../../src/source/demo/parse-scenario.ts';
import type { Scenario } from '../../src/source/demo/scenario.ts';

const folder = join(import.meta.dirname, '..', 'scenarios', 'findings');

export interface FindingFile {
  readonly file: string;
  /** Undefined where the file isn't named after one. */
  readonly code: FindingCode | undefined;
  readonly scenarios: readonly Scenario[];
}

/** `foreground-blocked-by-finalizer.yaml` */
export function fileOf(code: FindingCode): string {
  return `${code.replaceAll(/(?<=.)[A-Z]/gu, letter => `-${letter}`).toLowerCase()}.yaml`;
}

export function findingFiles(): readonly FindingFile[] {
  const files = readdirSync(folder).filter(file => file.endsWith('.yaml'));
  return files.sort().map(file => ({
    file,
    code: findingCodes.find(code => fileOf(code) === file),
    scenarios: parseScenarios(readFileSync(join(folder, file), 'utf8'), file),
  }));
}

/**
 * The scenarios of `test/scenarios/findings`: a file for each code, whose first scenario has the finding and whose
 * second, nearly alike, has not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FindingCode, findingCodes } from '../../../src/diagnosis/engine/codes.ts';
import { compareBytes } from '../../../src/graph/node.ts';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import type { Scenario } from '../../../src/source/demo/scenario.ts';

const folder = join(import.meta.dirname, '..', '..', 'scenarios', 'findings');

export interface FindingFile {
  readonly file: string;
  /** Undefined where the file isn't named after one. */
  readonly code: FindingCode | undefined;
  readonly scenarios: readonly Scenario[];
}

/** `foreground-blocked-by-finalizer.yaml`, `job-without-ttl.yaml` */
export function fileOf(code: FindingCode): string {
  return `${code.replaceAll(/(?<=[a-z])[A-Z]|(?<=.)[A-Z](?=[a-z])/gu, letter => `-${letter}`).toLowerCase()}.yaml`;
}

export function findingFiles(): readonly FindingFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.yaml'),
  );
  const files = paths.map(each => ({ each, file: basename(each) }));
  return files
    .sort((a, b) => compareBytes(a.file, b.file))
    .map(({ each, file }) => ({
      file,
      code: findingCodes.find(code => fileOf(code) === file),
      scenarios: parseScenarios(readFileSync(join(folder, each), 'utf8'), file),
    }));
}

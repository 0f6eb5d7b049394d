/**
 * The scenarios of `test/scenarios` and those that the product ships, which the simulation and a real cluster must bring to the same
 * end.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseScenarios } from '../../src/source/demo/parse-scenario.ts';
import { manifestsOf, type Scenario, type ScenarioManifest } from '../../src/source/demo/scenario.ts';
import { builtIn } from '../simulation/fixtures.ts';
import type { GatedKinds } from './real/plane.ts';

const controllerFolder = join(import.meta.dirname, '..', 'scenarios', 'controllers');

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

/** Returns scenarios of built-in controllers that few clusters need, if this minor version serves their kinds. */
export function controllerScenarios(minor: number): readonly ScenarioFile[] {
  const isServed = ({ apiVersion, kind }: ScenarioManifest): boolean => {
    const [since, until = minor] = served[`${apiVersion} ${kind}`] ?? [minor];
    return since <= minor && minor <= until;
  };
  return scenariosIn(controllerFolder).flatMap(({ file, scenarios }) => {
    const played = scenarios.filter(each => [...manifestsOf(each).values()].every(isServed));
    return played.length === 0 ? [] : [{ file, scenarios: played }];
  });
}

/** The first and the last minor version that serves a kind. */
const served: Readonly<Record<string, readonly [since: number, until?: number]>> = {
  'networking.k8s.io/v1 ServiceCIDR': [33],
  'storage.k8s.io/v1 VolumeAttributesClass': [34],
  'resource.k8s.io/v1 ResourceClaim': [34],
  'scheduling.k8s.io/v1alpha2 PodGroup': [36, 36],
  'scheduling.k8s.io/v1beta1 PodGroup': [37],
};

/** Returns kinds that a control plane of this minor version serves with a feature gate; undefined before 1.36. */
export function gatedKinds(minor: number): GatedKinds | undefined {
  if (minor < 36) return undefined;
  const version = minor === 36 ? 'v1alpha2' : 'v1beta1';
  const podGroup = {
    ...builtIn('PriorityClass'),
    version,
    apiVersion: `scheduling.k8s.io/${version}`,
    kind: 'PodGroup',
    resource: 'podgroups',
    singular: 'podgroup',
    shortNames: [],
    namespaced: true,
  };
  return { types: [podGroup], gates: 'GenericWorkload=true' };
}

/** Those that the product ships and that say what diagnosis finds at their end. */
export function shippedFindings(): readonly ScenarioFile[] {
  return scenarioFiles().filter(({ scenarios }) => scenarios.every(each => each.findings !== undefined));
}

function scenariosIn(folder: string): readonly ScenarioFile[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.yaml') && !/^(?:findings|controllers)\b/u.test(file),
  );
  return files.sort().map(file => ({
    file,
    scenarios: parseScenarios(readFileSync(join(folder, file), 'utf8'), file),
  }));
}

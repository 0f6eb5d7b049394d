/**
 * A scenario as its YAML file says it: objects, what is done to them, and when the controller manager runs.
 * Names are symbolic, so that the same scenario can run many times at once, each in namespaces of its own.
 */
import { parse } from 'yaml';
import type { JsonRecord } from '../../src/model/json.ts';

/**
 * A manifest as a user would write it, with two differences. An owner reference names its owner by `of` (see
 * `ObjectName`) in place of apiVersion, kind, name and uid, each of which can still be given, wrongly; and
 * namespaces and names of cluster-scoped objects get a prefix when the scenario is run.
 */
export interface Manifest extends JsonRecord {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
}

export interface ManifestMetadata extends JsonRecord {
  readonly name: string;
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly SymbolicReference[];
}

/** `Kind namespace/name`, or `Kind name` for what is cluster-scoped. */
export type ObjectName = string;

export interface SymbolicReference {
  readonly of?: ObjectName;
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export type Cascade = 'background' | 'foreground' | 'orphan' | 'default';

export type Step =
  | { readonly create: readonly Manifest[] }
  | {
      readonly delete: ObjectName;
      readonly cascade: Cascade;
      readonly gracePeriodSeconds?: number;
    }
  /** A merge patch of metadata, or of spec fields that the simulation knows. */
  | { readonly patch: ObjectName; readonly with: JsonRecord }
  /** Stopping loses its memory; starting waits until it is at rest again. */
  | { readonly controllerManager: 'start' | 'stop' }
  /** Until nothing moves any more. */
  | 'settle';

export interface Scenario {
  readonly title: string;
  /** Ready fake nodes; none unless told. */
  readonly nodes?: number;
  /** Whether pods are bound to nodes; they are unless told. */
  readonly scheduler?: boolean;
  /** The controller manager isn't running when the steps begin. */
  readonly steps: readonly Step[];
  /** Seconds without a change that count as rest on a real cluster, where a controller has timers. */
  readonly quiet?: number;
}

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/**
 * The scenarios in a file's text: one, or one for each combination of its `variants`, whose values take the
 * place of `<name>` everywhere. Throws a `ScenarioError` that says what is wrong with it.
 */
export function parseScenarios(text: string, file: string): readonly Scenario[] {
  const { variants = {} } = (parse(text, { merge: true }) ?? {}) as { variants?: Variants };
  let texts = [text];
  for (const [name, values] of Object.entries(variants)) {
    texts = texts.flatMap(each => values.map(value => each.replaceAll(`<${name}>`, value)));
  }
  return texts.map(each => checked(parse(each, { merge: true }), file));
}

type Variants = Readonly<Record<string, readonly string[]>>;

function checked(value: unknown, file: string): Scenario {
  const scenario = value as Partial<Scenario> | null;
  if (typeof scenario?.title !== 'string') throw new ScenarioError(`${file}: no title`);
  if (!Array.isArray(scenario.steps)) throw new ScenarioError(`${file}: no steps`);
  for (const step of scenario.steps as readonly unknown[]) checkStep(step, file);
  return scenario as Scenario;
}

const stepKeys = ['create', 'delete', 'patch', 'controllerManager'];

function checkStep(step: unknown, file: string): void {
  if (step === 'settle') return;
  const known = typeof step === 'object' && step !== null && stepKeys.some(key => key in step);
  if (!known) throw new ScenarioError(`${file}: not a step: ${JSON.stringify(step)}`);
}

export function nameOf(manifest: Manifest): ObjectName {
  const { name, namespace } = manifest.metadata;
  return namespace === undefined ? `${manifest.kind} ${name}` : `${manifest.kind} ${namespace}/${name}`;
}

/** Every manifest of the scenario, by name. */
export function manifestsOf(scenario: Scenario): ReadonlyMap<ObjectName, Manifest> {
  const found = new Map<ObjectName, Manifest>();
  for (const step of scenario.steps) {
    if (step === 'settle' || !('create' in step)) continue;
    for (const manifest of step.create) found.set(nameOf(manifest), manifest);
  }
  return found;
}

/** The symbolic namespaces that the scenario's objects are in, and that it doesn't make itself. */
export function namespacesOf(scenario: Scenario): readonly string[] {
  const manifests = [...manifestsOf(scenario).values()];
  const made = new Set(
    manifests.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name),
  );
  const used = manifests.flatMap(({ metadata }) => metadata.namespace ?? []);
  return [...new Set(used)].filter(name => !made.has(name)).sort();
}

/** A scenario as in its YAML file (docs/scenarios.md). Names are symbolic, so it can run many times on one cluster. */
import type { JsonRecord } from '../../model/index.ts';
import type { Story, Trial } from '../source.ts';

/** A manifest whose owner references may name owners by `of`. Namespaces and cluster-scoped names may get a prefix. */
export interface ScenarioManifest extends JsonRecord {
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

/** `Kind namespace/name`, or `Kind name` if cluster-scoped. */
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

/** `default`: no policy is sent, so the type's default applies (docs/kubernetes.md §4.3). */
export type ScenarioCascade = 'background' | 'foreground' | 'orphan' | 'default';

/** The oldest or youngest object of a kind below this owner. */
export interface PickedObject {
  readonly ownedBy: ObjectName;
  readonly kind: string;
  readonly pick: 'oldest' | 'youngest';
}

export interface CreateStep {
  readonly create: readonly ScenarioManifest[];
}

export interface DeleteStep {
  /** A picked object only in `live` steps. */
  readonly delete: ObjectName | PickedObject;
  readonly cascade: ScenarioCascade;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * - `status`: a pod's phase and reason, or a disruption budget's counts.
 * - `finalize`: the `spec.finalizers` of a Namespace.
 */
export type PatchedSubresource = 'status' | 'finalize';

/** A merge patch of metadata, or of spec fields that the simulation knows. */
export interface PatchStep {
  readonly patch: ObjectName;
  readonly subresource?: PatchedSubresource;
  readonly with: JsonRecord;
}

export type PlayedStep = CreateStep | DeleteStep | PatchStep;

/**
 * - `stopped`: its kubelet falls silent. `started`: its kubelet is back; a deleted node registers again.
 * - `deleted`: the Node object and its kubelet are deleted.
 * - `deaf`: its kubelet reports ready, but starts and stops no containers.
 * - `cordoned`: nothing new is scheduled on it.
 * - `tainted`: gets `node.kubernetes.io/out-of-service=nodeshutdown` with `NoExecute` or another effect.
 */
export type NodeState = 'stopped' | 'started' | 'deleted' | 'deaf' | 'cordoned' | 'tainted';

export type TaintEffect = 'NoExecute' | 'NoSchedule';

export interface NodeStep {
  readonly node: {
    readonly name: string;
    readonly state: NodeState;
    readonly effect?: TaintEffect;
  };
}

/** Stopping loses its memory; starting waits until it rests. */
export interface ControllerManagerStep {
  readonly controllerManager: 'start' | 'stop';
}

/** Lets milliseconds pass. Comparisons skip it: it changes only ages. */
export interface WaitStep {
  readonly wait: number;
}

/** Changes to the control plane, machines or time. `settle` runs until nothing moves. */
export type ControlStep = 'settle' | ControllerManagerStep | NodeStep | WaitStep;

export type ScenarioStep = PlayedStep | ControlStep;

export interface ExpectedFinding {
  readonly code: string;
  readonly object: ObjectName;
}

export interface Scenario {
  readonly title: string;
  readonly about?: string;
  readonly look?: Story['look'];
  readonly try?: readonly Trial[];
  /** The initial namespace, in which the story takes place. */
  readonly namespace?: string;
  /** Number of ready fake nodes, `node-1` and so on; 0 by default. */
  readonly nodes?: number;
  readonly scheduler?: boolean;
  /** The controller manager isn't running at the start. */
  readonly steps: readonly ScenarioStep[];
  /** Repeated by the demo while it runs. */
  readonly live?: readonly ScenarioStep[];
  /** Seconds without a change that count as rest on a real cluster, if controllers have timers. */
  readonly quiet?: number;
  /** Seconds before a difference counts on a real cluster with slow controllers; at least 45. */
  readonly patience?: number;
  readonly findings?: readonly ExpectedFinding[];
  /** Pods whose phase and disruption are compared too. */
  readonly statuses?: readonly ObjectName[];
}

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

export function isPlayed(step: ScenarioStep): step is PlayedStep {
  return step !== 'settle' && ('create' in step || 'delete' in step || 'patch' in step);
}

export function nameOf(manifest: ScenarioManifest): ObjectName {
  const { name, namespace } = manifest.metadata;
  return namespace === undefined ? `${manifest.kind} ${name}` : `${manifest.kind} ${namespace}/${name}`;
}

/** Splits a name; the namespace is `''` if cluster-scoped. Undefined if invalid. */
export function parseName(
  name: ObjectName,
): { readonly kind: string; readonly namespace: string; readonly name: string } | undefined {
  const match = /^(\S+) (?:([^\s/]+)\/)?([^\s/]+)$/.exec(name);
  if (match === null) return undefined;
  return { kind: match[1] ?? '', namespace: match[2] ?? '', name: match[3] ?? '' };
}

export function manifestsOf(scenario: Scenario): ReadonlyMap<ObjectName, ScenarioManifest> {
  const found = new Map<ObjectName, ScenarioManifest>();
  for (const step of [...scenario.steps, ...(scenario.live ?? [])]) {
    if (step === 'settle' || !('create' in step)) continue;
    for (const manifest of step.create) found.set(nameOf(manifest), manifest);
  }
  return found;
}

/** Lists symbolic namespaces that the scenario uses but doesn't create. */
export function namespacesOf(scenario: Scenario): readonly string[] {
  const manifests = [...manifestsOf(scenario).values()];
  const made = new Set(
    manifests.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name),
  );
  const used = manifests.flatMap(({ metadata }) => metadata.namespace ?? []);
  return [...new Set(used)].filter(name => !made.has(name)).sort();
}

/** Checks if it touches nodes, API services or webhooks, and so can't share a cluster. */
export function needsOwnCluster(scenario: Scenario): boolean {
  const shared = new Set(['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
  return scenario.steps.some(step => {
    if (step === 'settle') return false;
    if ('node' in step) return true;
    return 'create' in step && step.create.some(({ kind }) => shared.has(kind));
  });
}

/**
 * A scenario as its YAML file says it: objects, what is done to them, and what runs meanwhile. Names are
 * symbolic, so that the same scenario can run many times at once on one cluster, each in namespaces of its own.
 * docs/scenarios.md describes the format; `parse-scenario.ts` reads it.
 */
import type { JsonRecord } from '../../model/json/json.ts';
import type { Story, Trial } from '../source.ts';

/**
 * A manifest as a user would write it, with two differences. An owner reference names its owner by `of` (see
 * `ObjectName`) in place of apiVersion, kind, name and uid, each of which can still be given, wrongly; and
 * namespaces and names of cluster-scoped objects get a prefix where several scenarios share a cluster.
 */
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

/** `default`: no policy is sent, and that of the type applies (docs/kubernetes.md §4.3). */
export type ScenarioCascade = 'background' | 'foreground' | 'orphan' | 'default';

/** The oldest or youngest object of a kind that this owner has, itself or through its dependents. */
export interface PickedObject {
  readonly ownedBy: ObjectName;
  readonly kind: string;
  readonly pick: 'oldest' | 'youngest';
}

export interface CreateStep {
  readonly create: readonly ScenarioManifest[];
}

export interface DeleteStep {
  /** A picked object in `live` steps only. */
  readonly delete: ObjectName | PickedObject;
  readonly cascade: ScenarioCascade;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * - `status`: what a pod's kubelet writes, phase and reason, or what the disruption controller counts for a budget.
 * - `finalize`: the `spec.finalizers` of a Namespace.
 */
export type PatchedSubresource = 'status' | 'finalize';

/** A merge patch of metadata, or of spec fields that the simulation knows. */
export interface PatchStep {
  readonly patch: ObjectName;
  readonly subresource?: PatchedSubresource;
  readonly with: JsonRecord;
}

/** What is asked of the API server, by somebody. */
export type PlayedStep = CreateStep | DeleteStep | PatchStep;

/**
 * - `stopped`: its kubelet falls silent.
 * - `started`: its kubelet is back; a node that was deleted registers again.
 * - `deleted`: the Node object goes, and its kubelet with it.
 * - `deaf`: its kubelet goes on to report that it is ready, and starts and stops no containers any more.
 * - `cordoned`: nothing is scheduled on it from now on.
 * - `tainted`: `node.kubernetes.io/out-of-service=nodeshutdown` is put on it, for `NoExecute` or another effect.
 */
export type NodeState = 'stopped' | 'started' | 'deleted' | 'deaf' | 'cordoned' | 'tainted';

export type TaintEffect = 'NoExecute' | 'NoSchedule';

export interface NodeStep {
  readonly node: {
    readonly name: string;
    readonly state: NodeState;
    /** Of the taint; `NoExecute` unless told. */
    readonly effect?: TaintEffect;
  };
}

/** Stopping loses its memory; starting waits until it is at rest again. */
export interface ControllerManagerStep {
  readonly controllerManager: 'start' | 'stop';
}

/** Milliseconds pass. Nobody waits for them where two ends are compared: ages are all that they change. */
export interface WaitStep {
  readonly wait: number;
}

/** What happens to the control plane, its machines and its time. `settle`: until nothing moves any more. */
export type ControlStep = 'settle' | ControllerManagerStep | NodeStep | WaitStep;

export type ScenarioStep = PlayedStep | ControlStep;

/** A finding that diagnosis has at the end of the steps. */
export interface ExpectedFinding {
  readonly code: string;
  readonly object: ObjectName;
}

export interface Scenario {
  /** One line. */
  readonly title: string;
  /** A paragraph on what there is to see. */
  readonly about?: string;
  readonly look?: Story['look'];
  readonly try?: readonly Trial[];
  /** Where the tool starts, and so the namespace that the story is in. */
  readonly namespace?: string;
  /** Ready fake nodes, `node-1` and so on; none unless told. */
  readonly nodes?: number;
  /** Whether pods are bound to nodes; they are unless told. */
  readonly scheduler?: boolean;
  /** The controller manager isn't running when the steps begin. */
  readonly steps: readonly ScenarioStep[];
  /** Repeated for as long as somebody watches; the demo alone does so. */
  readonly live?: readonly ScenarioStep[];
  /** Seconds without a change that count as rest on a real cluster, where a controller has timers. */
  readonly quiet?: number;
  /** Seconds until a difference counts as one on a real cluster, where a controller takes its time; 45 at least. */
  readonly patience?: number;
  readonly findings?: readonly ExpectedFinding[];
  /** Pods whose phase and disruption count where two ends are compared, beside what counts of every object. */
  readonly statuses?: readonly ObjectName[];
}

/** One line: the file, and what is wrong with it or could not be done. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Whether the step is a request, and not something that happens to the control plane. */
export function isPlayed(step: ScenarioStep): step is PlayedStep {
  return step !== 'settle' && ('create' in step || 'delete' in step || 'patch' in step);
}

export function nameOf(manifest: ScenarioManifest): ObjectName {
  const { name, namespace } = manifest.metadata;
  return namespace === undefined ? `${manifest.kind} ${name}` : `${manifest.kind} ${namespace}/${name}`;
}

/** The parts of a name; a namespace of `''` for what is cluster-scoped. Undefined where it isn't a name. */
export function parseName(
  name: ObjectName,
): { readonly kind: string; readonly namespace: string; readonly name: string } | undefined {
  const match = /^(\S+) (?:([^\s/]+)\/)?([^\s/]+)$/.exec(name);
  if (match === null) return undefined;
  return { kind: match[1] ?? '', namespace: match[2] ?? '', name: match[3] ?? '' };
}

/** Every manifest of the scenario, by name; the last where one name is made twice. */
export function manifestsOf(scenario: Scenario): ReadonlyMap<ObjectName, ScenarioManifest> {
  const found = new Map<ObjectName, ScenarioManifest>();
  for (const step of [...scenario.steps, ...(scenario.live ?? [])]) {
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

/** Whether it touches nodes, API services or webhooks, and so cannot share a cluster with others at the same time. */
export function needsOwnCluster(scenario: Scenario): boolean {
  const shared = new Set(['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
  return scenario.steps.some(step => {
    if (step === 'settle') return false;
    if ('node' in step) return true;
    return 'create' in step && step.create.some(({ kind }) => shared.has(kind));
  });
}

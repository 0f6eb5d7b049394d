/**
 * A Kubernetes object as the product needs it: metadata that decides ownership and deletion, plus the few
 * per-kind facts of `facts.ts`. Built from protobuf on the wire or from JSON, never the full object.
 */
import type { Facts, NodeFacts, PodFacts, WorkloadFacts } from './facts/facts.ts';
import { type BuiltInKind, builtInKind, type ResourceType } from './types/resource-type.ts';

declare const brand: unique symbol;
/** An object's uid. Branded, so that a name cannot be passed for it. */
export type Uid = string & { readonly [brand]: 'Uid' };
/** Opaque to clients: it is compared for equality and sent back, nothing else. */
export type ResourceVersion = string & { readonly [brand]: 'ResourceVersion' };

/** One entry of `metadata.ownerReferences`. An absent boolean is `undefined`, which acts as false. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: Uid;
  readonly controller: boolean | undefined;
  readonly blockOwnerDeletion: boolean | undefined;
  /** The uid that was read identifies nothing, and this one goes by the name: another object may be meant. */
  readonly byName?: true;
}

/** Labels as a flat list `[key, value, key, value, …]`: small, and equal lists are shared between objects. */
export type Labels = readonly string[];

type Required = 'type' | 'name' | 'uid' | 'resourceVersion';

/** What a `KubeObject` is made of; what is left out is empty. */
export type ObjectInit = Pick<KubeObject, Required> & {
  readonly [K in Exclude<keyof KubeObject, Required | 'with'>]?: KubeObject[K] | undefined;
};

const none: readonly never[] = Object.freeze([]);

/** A class, so that hundreds of thousands of instances share one hidden class. Immutable. */
export class KubeObject {
  readonly type: ResourceType;
  /** `''` for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly generation: number;
  /** Milliseconds since the epoch; 0 when the object carries none. */
  readonly creationTimestamp: number;
  /** Milliseconds since the epoch; undefined while the object isn't being deleted. For a pod it lies in the
   * future by its grace period. */
  readonly deletionTimestamp: number | undefined;
  /** Seconds. */
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
  readonly labels: Labels;
  /** Those that tell who manages it (`annotations.ts`), in the form of labels. */
  readonly annotations: Labels;
  /** Undefined for kinds without facts, and while only the metadata of this object has arrived. */
  readonly facts: Facts | undefined;

  constructor(init: ObjectInit) {
    this.type = init.type;
    this.namespace = init.namespace ?? '';
    this.name = init.name;
    this.uid = init.uid;
    this.resourceVersion = init.resourceVersion;
    this.generation = init.generation ?? 0;
    this.creationTimestamp = init.creationTimestamp ?? 0;
    this.deletionTimestamp = init.deletionTimestamp;
    this.deletionGracePeriodSeconds = init.deletionGracePeriodSeconds;
    this.finalizers = init.finalizers ?? none;
    this.owners = init.owners ?? none;
    this.labels = init.labels ?? none;
    this.annotations = init.annotations ?? none;
    this.facts = init.facts;
  }

  /** A copy with other values in some fields. */
  with(changes: Partial<ObjectInit>): KubeObject {
    return new KubeObject(Object.assign<object, KubeObject, typeof changes>({}, this, changes));
  }
}

export function labelValue(labels: Labels, key: string): string | undefined {
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === key) return labels[i + 1];
  return undefined;
}

/** The two finalizers that belong to the garbage collector itself. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/** The API server's `namespace/name`, or the bare name of a cluster-scoped object. */
export function namespacedName(object: { readonly namespace: string; readonly name: string }): string {
  return object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
}

const number = /^[1-9]\d*$/u;

/**
 * Negative where `a` is the earlier one, 0 where they are equal. Versions of one kind are numbers that grow
 * (KEP-5504, v1.35); where they aren't, nothing but equality is known: undefined.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!number.test(a) || !number.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** The pod's facts; undefined while only its metadata is known, and for other kinds. */
export function podFacts(pod: KubeObject): PodFacts | undefined {
  return pod.facts?.kind === 'Pod' ? pod.facts : undefined;
}

/** The node's facts; undefined while only its metadata is known, and for other kinds. */
export function nodeFacts(node: KubeObject): NodeFacts | undefined {
  return node.facts?.kind === 'Node' ? node.facts : undefined;
}

/** A workload's facts; undefined while only its metadata is known, and for other kinds. */
export function workloadFacts(workload: KubeObject): WorkloadFacts | undefined {
  return workload.facts?.kind === 'Workload' ? workload.facts : undefined;
}

/** Whether the pod's containers have finished for good: phase Succeeded or Failed. */
export function isFinished(pod: KubeObject): boolean {
  const phase = podFacts(pod)?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** A finished pod, a Job that has ended, or a namespace whose conditions report that its content is deleted. */
export function hasRunItsCourse(owner: KubeObject): boolean {
  const { facts } = owner;
  if (facts?.kind === 'Pod') return isFinished(owner);
  const reports = (name: string, value: string): boolean =>
    (facts?.kind === 'Namespace' || facts?.kind === 'Workload') &&
    facts.conditions.some(({ type, status }) => type === name && status === value);
  if (facts?.kind === 'Namespace')
    return reports('NamespaceContentRemaining', 'False') && reports('NamespaceFinalizersRemaining', 'False');
  const hasEnded = reports('Complete', 'True') || reports('Failed', 'True');
  return facts?.kind === 'Workload' && owner.type.kind === 'Job' && facts.active === 0 && hasEnded;
}

/**
 * Whether the pod counts against the threshold. Any phase but the three live ones does, the empty one too,
 * which pods have that no kubelet has reported on and nothing defaulted.
 */
export function isTerminated(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  return facts !== undefined && !livePhases.has(facts.phase);
}

const livePhases: ReadonlySet<string> = new Set(['Pending', 'Running', 'Unknown']);

/** Whether a kubelet reports to be there. A node without a Ready condition isn't ready. */
export function isNodeReady(node: KubeObject): boolean {
  return nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** The first reference that says `controller: true` (metav1.GetControllerOf, v1.36). */
export function controllerOf(object: {
  readonly owners: readonly OwnerReference[];
}): OwnerReference | undefined {
  return object.owners.find(({ controller }) => controller === true);
}

/** The kind of its controller, if that is one of Kubernetes. */
export function controllerKindOf(object: Pick<KubeObject, 'owners'>): BuiltInKind | undefined {
  const controller = controllerOf(object);
  return controller && builtInKind(controller);
}

/** Claims that a pod names, and those that Kubernetes makes for its generic ephemeral volumes. */
export function claimsOfPod(pod: KubeObject): readonly string[] {
  const facts = podFacts(pod);
  if (facts === undefined) return [];
  if (facts.ephemeralVolumes.length === 0) return facts.claims;
  return [...facts.claims, ...facts.ephemeralVolumes.map(volume => `${pod.name}-${volume}`)];
}

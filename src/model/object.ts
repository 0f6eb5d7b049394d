/** A Kubernetes object reduced to metadata that decides ownership and deletion, and the facts of `facts.ts`. */
import type { Facts, NodeFacts, PodFacts, WorkloadFacts } from './facts/facts.ts';
import { labelsToJson } from './json/json.ts';
import { BuiltInKind, ResourceType } from './types/resource-type.ts';

declare const brand: unique symbol;
/** Branded, so that a name cannot be passed as a uid. */
export type Uid = string & { readonly [brand]: 'Uid' };
/** Opaque to clients, except for `compareResourceVersions`. */
export type ResourceVersion = string & { readonly [brand]: 'ResourceVersion' };

/** One entry of `metadata.ownerReferences`. An absent boolean is `undefined`, which acts as false. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: Uid;
  readonly controller: boolean | undefined;
  readonly blockOwnerDeletion: boolean | undefined;
  /** Set if the original uid identified nothing and this one was found by name, so the object may be another one. */
  readonly byName?: true;
}

/** Flat list `[key, value, key, value, …]`: small, and equal lists are shared between objects. */
export type Labels = readonly string[];

type Required = 'type' | 'name' | 'uid' | 'resourceVersion';

export type ObjectInit = Pick<KubeObject, Required> & {
  readonly [K in Exclude<keyof KubeObject, Required | 'with'>]?: KubeObject[K] | undefined;
};

const none: readonly never[] = Object.freeze([]);

/** A class, so that hundreds of thousands of instances share one hidden class. Immutable. */
export class KubeObject {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: ResourceVersion;
  readonly generation: number;
  /** 0 if unknown. */
  readonly creationTimestamp: number;
  /** In the future for a pod in its grace period. */
  readonly deletionTimestamp: number | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly finalizers: readonly string[];
  readonly owners: readonly OwnerReference[];
  readonly labels: Labels;
  /** Only those that `annotations.ts` keeps. */
  readonly annotations: Labels;
  /** Undefined for kinds without facts, and while only the object's metadata has arrived. */
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

  with(changes: Partial<ObjectInit>): KubeObject {
    return new KubeObject(Object.assign<object, KubeObject, typeof changes>({}, this, changes));
  }
}

function labelValue(labels: Labels, key: string): string | undefined {
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === key) return labels[i + 1];
  return undefined;
}

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

export function namespacedName(object: { readonly namespace: string; readonly name: string }): string {
  return object.namespace === '' ? object.name : `${object.namespace}/${object.name}`;
}

const number = /^[1-9]\d*$/u;

/** Returns a negative number if `a` is older; undefined if the versions aren't numbers (KEP-5504, v1.35). */
function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!number.test(a) || !number.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Returns undefined while only metadata is known, and for other kinds. */
export function podFacts(pod: KubeObject): PodFacts | undefined {
  return pod.facts?.kind === 'Pod' ? pod.facts : undefined;
}

export function nodeFacts(node: KubeObject): NodeFacts | undefined {
  return node.facts?.kind === 'Node' ? node.facts : undefined;
}

export function workloadFacts(workload: KubeObject): WorkloadFacts | undefined {
  return workload.facts?.kind === 'Workload' ? workload.facts : undefined;
}

function isFinished(pod: KubeObject): boolean {
  const phase = podFacts(pod)?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Reports a finished pod or Job, or a namespace whose conditions report that its content is deleted. */
function hasRunItsCourse(owner: KubeObject): boolean {
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

/** Reports whether the pod counts against the threshold: its phase isn't live. A pod without a kubelet may have none. */
function isTerminated(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  return facts !== undefined && !livePhases.has(facts.phase);
}

const livePhases: ReadonlySet<string> = new Set(['Pending', 'Running', 'Unknown']);

/** Reports the Ready condition; a node without one isn't ready. */
function isNodeReady(node: KubeObject): boolean {
  return nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** Returns the first reference with `controller: true` (metav1.GetControllerOf, v1.36). */
export function controllerOf(object: {
  readonly owners: readonly OwnerReference[];
}): OwnerReference | undefined {
  return object.owners.find(({ controller }) => controller === true);
}

export function controllerKindOf(object: Pick<KubeObject, 'owners'>): BuiltInKind | undefined {
  const controller = controllerOf(object);
  return controller && BuiltInKind.of(controller);
}

/** Kinds that keep others from being deleted by what their fields name, or until they are ready. */
const waitedFor: ReadonlySet<string> = new Set([
  'volumesnapshots.snapshot.storage.k8s.io',
  'volumesnapshotcontents.snapshot.storage.k8s.io',
  'gateways.gateway.networking.k8s.io',
  'clusterqueues.kueue.x-k8s.io',
  'workloads.kueue.x-k8s.io',
  'databaseclusterbackups.everest.percona.com',
  'clusterexternalsecrets.external-secrets.io',
  'pushsecrets.external-secrets.io',
]);

/** Checks for objects whose fields are read beyond the facts. */
export function hasContent({
  type,
  deletionTimestamp,
}: Pick<KubeObject, 'type' | 'deletionTimestamp'>): boolean {
  return deletionTimestamp !== undefined || waitedFor.has(ResourceType.groupResource(type));
}

/**
 * Recognizes the mirror of a static pod, which its kubelet runs from a file. Like kubelets, it relies on the annotation,
 * which no update can change (pkg/kubelet/types/pod_update.go; ValidatePodSpecificAnnotationUpdates, v1.36).
 */
export function isMirrorPod(pod: KubeObject): boolean {
  return (
    podFacts(pod) !== undefined && labelValue(pod.annotations, 'kubernetes.io/config.mirror') !== undefined
  );
}

/** Lists the claims that a pod names and those made for its generic ephemeral volumes. */
function claimsOfPod(pod: KubeObject): readonly string[] {
  const facts = podFacts(pod);
  if (facts === undefined) return [];
  if (facts.ephemeralVolumes.length === 0) return facts.claims;
  return [...facts.claims, ...facts.ephemeralVolumes.map(volume => `${pod.name}-${volume}`)];
}

export const objectState = { isFinished, hasRunItsCourse, isNodeReady, isTerminated, claims: claimsOfPod };

export const Labels = { value: labelValue, toJson: labelsToJson };

export const ResourceVersion = { compare: compareResourceVersions };

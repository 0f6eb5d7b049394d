/**
 * Special rules for namespaces, custom resource definitions and volumes (docs/kubernetes.md §4.7, §8;
 * pkg/registry/core/namespace/storage and plugin/pkg/admission, v1.36).
 */
import {
  type ApiServiceFacts,
  type CrdFacts,
  Facts,
  FOREGROUND_FINALIZER,
  type KubeObject,
  type NamespaceFacts,
  ORPHAN_FINALIZER,
  ResourceType,
} from '../../model/index.ts';
import { type ApiRefusal, type DeleteOptions, type ObjectDraft, refusal } from './api-client.ts';
import { wholeSeconds } from './delete-rules.ts';
import type { ObjectKey, ObjectReader } from './object-store.ts';
import { revised } from './revise.ts';
import type { SimulatedDiscovery } from './simulated-discovery.ts';

/** The finalizer that keeps a definition until its instances are deleted. */
const CRD_CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
const NAMESPACE_FINALIZER = 'kubernetes';

/** pkg/registry/scheduling/priorityclass/storage/storage.go (Delete), v1.36. */
const systemPriorityClasses: ReadonlySet<string> = new Set([
  'system-cluster-critical',
  'system-node-critical',
]);

const immortalNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

interface World {
  readonly store: ObjectReader;
  readonly discovery: SimulatedDiscovery;
}

/** Refuses creation if the definition or namespace is terminating, or if the namespace is known to be missing. */
export function refusedByNamespace(world: World, target: ObjectKey, known: boolean): ApiRefusal | undefined {
  const { type, namespace, name } = target;
  const definition = definitionOf(world, type);
  if (definition?.deletionTimestamp !== undefined) {
    return refusal(
      405,
      'MethodNotAllowed',
      'create not allowed while custom resource definition is terminating',
    );
  }
  if (!type.namespaced) return undefined;
  const namespaceType = world.discovery.catalog.resolveKind('v1', 'Namespace');
  const found = namespaceType && world.store.find(namespaceType, '', namespace);
  if (found === undefined) {
    return known ? refusal(404, 'NotFound', `namespaces "${namespace}" not found`) : undefined;
  }
  const phase = found.facts?.kind === 'Namespace' ? found.facts.phase : '';
  if (found.deletionTimestamp === undefined && phase !== 'Terminating') return undefined;
  return refusal(
    403,
    'NamespaceTerminating',
    `${type.resource} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
  );
}

function definitionOf(world: World, type: ResourceType): KubeObject | undefined {
  const crd = world.discovery.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  if (crd === undefined || type.group === '') return undefined;
  return world.store.find(crd, '', `${type.resource}.${type.group}`);
}

/** Returns true for types known from a definition only, which can't be merged strategically. */
export function isCustomType(world: World, type: ResourceType): boolean {
  if (!type.group.includes('.')) return false;
  // If definitions cannot be seen, a group outside Kubernetes' own domain decides.
  return !type.group.endsWith('.k8s.io') || definitionOf(world, type) !== undefined;
}

export function refusedDelete(target: ObjectKey): ApiRefusal | undefined {
  const { type, name } = target;
  const why =
    ResourceType.groupResource(type) === 'priorityclasses.scheduling.k8s.io' &&
    systemPriorityClasses.has(name)
      ? 'this is a system priority class and cannot be deleted'
      : isNamespace(type) && immortalNamespaces.has(name)
        ? 'this namespace may not be deleted'
        : undefined;
  return why === undefined
    ? undefined
    : refusal(403, 'Forbidden', `${ResourceType.groupResource(type)} "${name}" is forbidden: ${why}`);
}

export function admitDraft(draft: ObjectDraft): ObjectDraft {
  const { type, finalizers = [], facts } = draft;
  const protection = protections[`${type.group}/${type.kind}`];
  if (protection !== undefined && !finalizers.includes(protection)) {
    return { ...draft, finalizers: [...finalizers, protection] };
  }
  if (facts?.kind === 'CustomResourceDefinition') return { ...draft, facts: established(facts) };
  if (facts?.kind === 'APIService') return { ...draft, facts: withAvailability(facts) };
  if (!isNamespace(type)) return draft;
  const given = facts?.kind === 'Namespace' ? facts : { conditions: [], specFinalizers: [] };
  const specFinalizers = [...new Set([...given.specFinalizers, NAMESPACE_FINALIZER])];
  const { conditions } = given;
  return { ...draft, facts: { kind: 'Namespace', phase: 'Active', conditions, specFinalizers } };
}

/** Names are accepted at once, because no definitions compete. */
function established(facts: CrdFacts): CrdFacts {
  if (facts.conditions.some(({ type }) => type === 'Established')) return facts;
  const conditions = Facts.withCondition(facts.conditions, {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  });
  return { ...facts, conditions };
}

/**
 * Marks an external group as unavailable, because nothing runs in a simulated cluster (kube-aggregator
 * pkg/controllers/status/remote/remote_available_controller.go, v0.36).
 */
function withAvailability(facts: ApiServiceFacts): ApiServiceFacts {
  if (facts.service === '' || facts.conditions.some(({ type }) => type === 'Available')) return facts;
  const [namespace = '', name = ''] = facts.service.split('/');
  const conditions = Facts.withCondition(facts.conditions, {
    type: 'Available',
    status: 'False',
    reason: 'ServiceNotFound',
    message: `service/${name} in "${namespace}" is not present`,
  });
  return { ...facts, conditions };
}

function isUnavailable({ conditions }: ApiServiceFacts): boolean {
  return conditions.some(({ type, status }) => type === 'Available' && status !== 'True');
}

// Admission plugin StorageObjectInUseProtection, on by default.
const protections: Readonly<Record<string, string>> = {
  '/PersistentVolumeClaim': 'kubernetes.io/pvc-protection',
  '/PersistentVolume': 'kubernetes.io/pv-protection',
};

export function isKeptBySpec(object: KubeObject): boolean {
  return object.facts?.kind === 'Namespace' && object.facts.specFinalizers.length > 0;
}

/** Returns the object to write, `kept` for no change, or undefined for the ordinary rules. */
export function deleteSpecially(
  object: KubeObject,
  options: DeleteOptions,
  now: number,
): KubeObject | 'kept' | undefined {
  const { facts } = object;
  if (facts?.kind === 'Namespace') return deleteNamespace(object, facts, options, now);
  if (facts?.kind === 'CustomResourceDefinition' && object.deletionTimestamp === undefined) {
    return deleteDefinition(object, facts, now);
  }
  return undefined;
}

function deleteNamespace(
  object: KubeObject,
  facts: NamespaceFacts,
  options: DeleteOptions,
  now: number,
): KubeObject | 'kept' | undefined {
  if (object.deletionTimestamp !== undefined) return facts.specFinalizers.length > 0 ? 'kept' : undefined;
  return revised(object, {
    deletionTimestamp: wholeSeconds(now),
    finalizers: namespaceFinalizers(object.finalizers, options),
    facts: { ...facts, phase: 'Terminating' },
  });
}

/** Unlike elsewhere, `orphanDependents: false` means foreground deletion here (docs/kubernetes.md §4.7). */
function namespaceFinalizers(finalizers: readonly string[], options: DeleteOptions): readonly string[] {
  const { orphanDependents, propagationPolicy } = options;
  const wanted = (finalizer: string, policy: string, value: boolean): boolean => {
    if (orphanDependents !== undefined) return orphanDependents === value;
    if (propagationPolicy !== undefined) return propagationPolicy === policy;
    return finalizers.includes(finalizer);
  };
  const all = new Set(finalizers);
  for (const [finalizer, policy, value] of [
    [ORPHAN_FINALIZER, 'Orphan', true],
    [FOREGROUND_FINALIZER, 'Foreground', false],
  ] as const) {
    if (wanted(finalizer, policy, value)) all.add(finalizer);
    else all.delete(finalizer);
  }
  return [...all];
}

/** Ignores the propagation policy of a definition's first DELETE (docs/kubernetes.md §4.7). */
function deleteDefinition(object: KubeObject, facts: CrdFacts, now: number): KubeObject {
  const conditions = Facts.withCondition(facts.conditions, {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    since: wholeSeconds(now),
  });
  return revised(object, {
    deletionTimestamp: wholeSeconds(now),
    finalizers: [...new Set([...object.finalizers, CRD_CLEANUP_FINALIZER])],
    facts: { ...facts, conditions },
  });
}

function isNamespace(type: ResourceType): boolean {
  return type.group === '' && type.kind === 'Namespace';
}

/** Namespaces and definitions, whose deletion deletes other objects. */
export const specialStores = {
  namespaceFinalizer: NAMESPACE_FINALIZER,
  crdFinalizer: CRD_CLEANUP_FINALIZER,
  isUnavailable,
};

/**
 * The API server's validation of metadata (docs/kubernetes.md §4.1, §4.6, §6; apimachinery
 * pkg/api/validation/objectmeta.go, v0.36) and of workload selectors.
 */

import { OwnerChanges } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  labelRules,
  ORPHAN_FINALIZER,
  type OwnerReference,
  parseApiVersion,
} from '../../model/index.ts';
import type { DeleteOptions, ObjectDraft } from './api-client.ts';

const policies: ReadonlySet<string> = new Set(['Background', 'Foreground', 'Orphan']);

export function invalidDeleteOptions(options: DeleteOptions): string | undefined {
  const { orphanDependents, propagationPolicy } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    return 'orphanDependents and propagationPolicy cannot be both set';
  }
  if (propagationPolicy !== undefined && !policies.has(propagationPolicy)) {
    return `propagationPolicy: Unsupported value: ${JSON.stringify(propagationPolicy)}`;
  }
  return undefined;
}

/** Describes invalid owner references, if any. The owner's existence isn't checked. */
export function invalidOwners(owners: readonly OwnerReference[]): string | undefined {
  let controller: OwnerReference | undefined;
  for (const reference of owners) {
    const { group, version } = parseApiVersion(reference.apiVersion);
    if (version === '') return 'ownerReferences.apiVersion: version must not be empty';
    if (reference.kind === '') return 'ownerReferences.kind: must not be empty';
    if (reference.name === '') return 'ownerReferences.name: must not be empty';
    if (reference.uid === '') return 'ownerReferences.uid: must not be empty';
    if (group === '' && version === 'v1' && reference.kind === 'Event') {
      return 'ownerReferences: v1, Kind=Event is disallowed from being an owner';
    }
    if (reference.controller !== true) continue;
    if (controller !== undefined) {
      return `ownerReferences: Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${reference.kind}/${reference.name}`;
    }
    controller = reference;
  }
  return undefined;
}

/**
 * Requires a selector to match its template, as the API server does (pkg/apis/apps/validation,
 * pkg/apis/batch/validation, pkg/apis/core/validation, v1.36), so that controllers don't create children without end.
 */
export function invalidTemplate(facts: ObjectDraft['facts']): string | undefined {
  if (facts?.kind !== 'Workload' || facts.selector === undefined) return undefined;
  return labelRules.selects(facts.selector, facts.templateLabels)
    ? undefined
    : 'spec.template.metadata.labels: `selector` does not match template `labels`';
}

export function invalidFinalizers(
  finalizers: readonly string[],
  before: KubeObject | undefined,
): string | undefined {
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    return `metadata.finalizers: finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
  }
  if (before?.deletionTimestamp === undefined) return undefined;
  const added = finalizers.filter(each => !before.finalizers.includes(each));
  return added.length === 0
    ? undefined
    : `metadata.finalizers: no new finalizers can be added if the object is being deleted, found new finalizers ${added.join(', ')}`;
}

/** Drops exact duplicates; the server warns about them (docs/kubernetes.md §6). */
export function withoutDuplicates(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  if (owners.length < 2) return owners;
  const kept: OwnerReference[] = [];
  for (const reference of owners) {
    if (!kept.some(each => OwnerChanges.equalReferences(each, reference))) kept.push(reference);
  }
  return kept.length === owners.length ? owners : kept;
}

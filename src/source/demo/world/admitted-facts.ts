/**
 * What a simulated API server makes of a manifest's facts beyond what the simulation's own rules do: defaults of
 * new objects, and the spec fields that a merge patch changes.
 */
import type { Facts } from '../../../model/facts/facts.ts';
import { admittedTolerations } from '../../../model/facts/tolerations.ts';
import { factsFromJson } from '../../../model/json/from-json.ts';
import { type JsonRecord, record, text } from '../../../model/json/json.ts';
import type { KubeObject, Labels } from '../../../model/object.ts';

/** A Job's pods are told apart by its uid, unless it says otherwise (pkg/registry/batch/job/strategy.go, v1.36). */
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** What the API server fills in. */
export function withDefaults(facts: Facts | undefined, uid: string, kind: string): Facts | undefined {
  if (facts?.kind === 'Pod') {
    const terminationGracePeriodSeconds = facts.terminationGracePeriodSeconds ?? 30;
    const tolerations = admittedTolerations(facts.tolerations);
    return { ...facts, phase: facts.phase || 'Pending', terminationGracePeriodSeconds, tolerations };
  }
  if (facts?.kind === 'Workload' && kind === 'Job' && facts.selector === undefined) {
    const labels = [CONTROLLER_UID, uid];
    const selector = { matchLabels: labels, matchExpressions: [] };
    return { ...facts, selector, templateLabels: [...facts.templateLabels, ...labels] };
  }
  if (facts?.kind === 'PersistentVolumeClaim') return { ...facts, phase: facts.phase || 'Pending' };
  return facts;
}

/** A JSON merge patch of labels: what is null goes, what isn't named stays. */
export function mergedLabels(labels: Labels, patch: unknown): Labels {
  const merged = new Map<string, string>();
  for (let i = 0; i < labels.length; i += 2) merged.set(labels[i] ?? '', labels[i + 1] ?? '');
  for (const [key, value] of Object.entries(record(patch))) {
    if (value === null) merged.delete(key);
    else merged.set(key, text(value));
  }
  return [...merged].flat();
}

function templateLabels(spec: JsonRecord): unknown {
  return record(record(spec['template'])['metadata'])['labels'];
}

/** Spec fields of workloads that a patch can change. */
export function patchedWorkload(current: KubeObject, patch: JsonRecord): Facts | undefined {
  const { facts, type } = current;
  const spec = record(patch['spec']);
  const wanted = factsFromJson(type, patch);
  if (facts?.kind !== 'Workload' || wanted?.kind !== 'Workload') return facts;
  const retention = 'persistentVolumeClaimRetentionPolicy' in spec;
  return {
    ...facts,
    ...('replicas' in spec ? { desired: wanted.desired } : {}),
    ...('template' in spec
      ? { templateLabels: mergedLabels(facts.templateLabels, templateLabels(spec)) }
      : {}),
    ...('suspend' in spec || 'paused' in spec ? { suspended: wanted.suspended } : {}),
    ...(retention
      ? { claimsWhenDeleted: wanted.claimsWhenDeleted, claimsWhenScaled: wanted.claimsWhenScaled }
      : {}),
  };
}

/** A merge patch of a pod's status, as a kubelet would send it; others have none that steps write. */
export function patchedStatus(facts: Facts | undefined, patch: JsonRecord): Facts | undefined {
  if (facts?.kind !== 'Pod') return facts;
  const { phase, reason } = record(patch['status']);
  return {
    ...facts,
    ...(phase === undefined ? {} : { phase: text(phase) }),
    ...(reason === undefined ? {} : { reason: text(reason) }),
  };
}

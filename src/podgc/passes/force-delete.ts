/** PodGC's requests (docs/kubernetes.md §7, force-delete; pkg/controller/podgc/gc_controller.go, v1.36). */
import { Facts, type KubeObject, objectState, type PodFacts, type Uid } from '../../model/index.ts';
import { type PodGcRule, PodGcRules } from './rules-of-version.ts';

interface PodConditionPatch {
  readonly type: string;
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
  /** Undefined if the version doesn't send it. */
  readonly observedGeneration: number | undefined;
}

export type ForceDeleteRequest =
  /** Strategic merge patch of `status` with the uid. No DELETE follows if it fails. */
  | {
      readonly verb: 'patchStatus';
      readonly uid: Uid;
      readonly phase: 'Failed';
      readonly observedGeneration: number | undefined;
      readonly condition: PodConditionPatch | undefined;
    }
  /** Without preconditions or a propagation policy. */
  | { readonly verb: 'delete'; readonly gracePeriodSeconds: 0 };

function forceDeletion(
  pod: KubeObject,
  rule: PodGcRule,
  rules: PodGcRules = PodGcRules.newest,
): readonly ForceDeleteRequest[] {
  const deletion: ForceDeleteRequest = { verb: 'delete', gracePeriodSeconds: 0 };
  if (!rules.marksFailed || objectState.isFinished(pod)) return [deletion];
  const observedGeneration = rules.marksGeneration ? pod.generation : undefined;
  const condition: PodConditionPatch = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    observedGeneration,
  };
  const patch: ForceDeleteRequest = {
    verb: 'patchStatus',
    uid: pod.uid,
    phase: 'Failed',
    observedGeneration,
    condition: rule === 'Orphaned' && rules.marksDisruption ? condition : undefined,
  };
  return [patch, deletion];
}

/** Applies the status patch in place. Facts keep no transition time of a condition that is True. */
function patchedFacts(
  facts: PodFacts,
  patch: Extract<ForceDeleteRequest, { verb: 'patchStatus' }>,
): PodFacts {
  const { phase, condition } = patch;
  return {
    ...facts,
    phase,
    ...(condition && { conditions: Facts.withCondition(facts.conditions, condition) }),
  };
}

export const ForceDeleteRequest = { of: forceDeletion, patchedFacts };

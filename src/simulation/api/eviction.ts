/** The subresource `eviction` of pods: which PodDisruptionBudget refuses it (pkg/registry/core/pod/storage/eviction.go, v1.36). */
import { budgetRules, type KubeObject, objectState, podFacts } from '../../model/index.ts';
import { type ApiRefusal, refusal } from './api-client.ts';

/** `budget`: the one that the eviction counts against, or that refuses it; undefined if none decides. */
export interface EvictionVerdict {
  readonly refused: ApiRefusal | undefined;
  readonly budget: KubeObject | undefined;
}

const free: EvictionVerdict = { refused: undefined, budget: undefined };

const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget.";

/** `budgets`: those of the pod's namespace. */
function judge(pod: KubeObject, budgets: readonly KubeObject[]): EvictionVerdict {
  if (isUncounted(pod)) return free;
  const [budget, ...others] = budgets.filter(each => budgetRules.selects(each, pod));
  if (budget?.facts?.kind !== 'PodDisruptionBudget') return free;
  if (others.length > 0) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    return { refused: refusal(500, 'InternalError', message), budget };
  }
  const { facts, generation } = budget;
  if (!isReady(pod) && budgetRules.sparesUnready(facts)) return free;
  if (facts.observedGeneration < generation || facts.disruptionsAllowed === 0)
    return { refused: refusal(429, 'TooManyRequests', VIOLATES), budget };
  if (facts.disruptionsAllowed < 0)
    return { refused: refusal(403, 'Forbidden', 'pdb disruptions allowed is negative'), budget };
  return { refused: undefined, budget };
}

/** Budgets don't count pods that are finished, pending or already being deleted. */
function isUncounted(pod: KubeObject): boolean {
  const isPending = podFacts(pod)?.phase === 'Pending';
  return isPending || objectState.isFinished(pod) || pod.deletionTimestamp !== undefined;
}

function isReady(pod: KubeObject): boolean {
  const conditions = podFacts(pod)?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

export const evictions = { judge, free };

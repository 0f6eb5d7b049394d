/** Rules of PodDisruptionBudgets (pkg/registry/core/pod/storage/eviction.go, v1.36). */
import type { KubeObject } from '../object.ts';
import type { Facts } from './facts.ts';
import { labelRules } from './label-selector.ts';

type BudgetFacts = Extract<Facts, { readonly kind: 'PodDisruptionBudget' }>;

function selects({ facts }: Pick<KubeObject, 'facts'>, { labels }: Pick<KubeObject, 'labels'>): boolean {
  return facts?.kind === 'PodDisruptionBudget' && labelRules.selects(facts.selector, labels);
}

/** Reports whether pods that aren't ready may be evicted whatever the budget allows. */
function sparesUnready({ unhealthyPods, currentHealthy, desiredHealthy }: BudgetFacts): boolean {
  return unhealthyPods === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

/** Returns `2 of 3 pods healthy, 3 wanted`. */
function balance({ currentHealthy, expectedPods, desiredHealthy }: BudgetFacts): string {
  return `${currentHealthy} of ${expectedPods} pods healthy, ${desiredHealthy} wanted`;
}

export const budgetRules = { selects, sparesUnready, balance };

/** Conditions that controllers write into a pod's status, as facts keep them. */
import type { Condition } from '../../../model/facts/facts.ts';

/** With this condition in place of the one of its type; the same list where it says so already. */
export function withCondition(
  conditions: readonly Condition[],
  condition: Pick<Condition, 'type' | 'status'> & Partial<Condition>,
): readonly Condition[] {
  const whole: Condition = { reason: '', message: '', since: undefined, ...condition };
  const index = conditions.findIndex(({ type }) => type === whole.type);
  const before = conditions[index];
  if (before === undefined) return [...conditions, whole];
  const same = before.status === whole.status && before.reason === whole.reason;
  return same && before.message === whole.message ? conditions : conditions.with(index, whole);
}

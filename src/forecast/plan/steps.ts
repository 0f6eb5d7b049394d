/** The narrated order of a forecast: the requests that make a difference, and those that were refused. */
import type { KubeObject } from '../../model/object.ts';
import type { LoggedRequest } from '../../simulation/api/types.ts';
import { requestIdentity, requestLine } from '../requests.ts';
import { USER } from '../run.ts';
import type { PlanStep } from './plan.ts';

/** Sorted by time, numbered from 1. What only touches a status is left out. */
export function stepsOf(log: readonly LoggedRequest[]): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (const request of log) {
    if (!matters(request)) continue;
    const { at, actor, verb, status, because } = request;
    steps.push({
      n: steps.length + 1,
      at,
      actor,
      verb,
      object: requestIdentity(request),
      request: requestLine(request),
      status,
      because: because ?? '',
    });
  }
  return steps;
}

function matters({ actor, verb, before, after }: LoggedRequest): boolean {
  if (actor === USER) return true;
  if (verb === 'deletecollection') return false;
  if (before === undefined) return after !== undefined;
  if (after === undefined) return true;
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.finalizers !== after.finalizers ||
    before.owners !== after.owners ||
    specFinalizers(before) !== specFinalizers(after)
  );
}

function specFinalizers({ facts }: KubeObject): number {
  return facts?.kind === 'Namespace' ? facts.specFinalizers.length : 0;
}

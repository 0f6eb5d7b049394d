/** A forecast of the whole cluster cut down to one namespace and what lies outside of all. */
import type { Identity } from '../graph/node.ts';
import type { Forecast, Outcome } from './plan/plan.ts';

/**
 * Only what concerns objects in the namespace, the namespace itself and cluster-scoped objects that are none. The outcome
 * is that of what is left; steps elsewhere are left out, and the others keep their numbers.
 */
export function inNamespace(forecast: Forecast, namespace: string): Forecast {
  const here = ({ object }: { readonly object: Identity }): boolean => {
    if (object.kind === 'Namespace' && object.apiVersion === 'v1') return object.name === namespace;
    return object.namespace === namespace || object.namespace === '';
  };
  const deleted = forecast.deleted.filter(here);
  const terminating = forecast.terminating.filter(here);
  const changed = forecast.changed.filter(here);
  const timingDependent = forecast.timingDependent.filter(here);
  const recreated = forecast.recreated.filter(({ by }) => by === undefined || here({ object: by }));
  const anything = [deleted, terminating, changed, timingDependent, recreated].some(list => list.length > 0);
  const outcome: Outcome = anything ? outcomeOf(forecast, terminating.length > 0) : 'NoChange';
  return {
    ...forecast,
    outcome,
    deleted,
    terminating,
    changed,
    timingDependent,
    recreated,
    steps: () => forecast.steps().filter(here),
  };
}

function outcomeOf({ outcome }: Forecast, terminating: boolean): Outcome {
  if (outcome !== 'Stuck') return outcome;
  return terminating ? 'Stuck' : 'Completes';
}

/** Who has to remove a finalizer, whether it is there, and what follows where it does its work, in words. */
import type { FinalizerHandler } from '../../forecast/handlers.ts';
import {
  deletedAtMost,
  dependsOnUnknown,
  type Forecast,
  heldHere,
  own,
  type TerminatingObject,
} from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';

/**
 * Each finalizer with what is known of who removes it: `example.com/drain: nothing in this cluster handles example.com`.
 * `all`: with everything that was found of it.
 */
export function handlerWords(
  terminating: readonly Pick<TerminatingObject, 'handlers'>[],
  all: boolean,
): string[] {
  const lines = distinct(terminating).map(({ finalizer, words, evidence }) => {
    const found = all && evidence.length > 0 ? ` (${evidence.join('; ')})` : '';
    return `${finalizer}: ${words}${found}`;
  });
  return lines.sort();
}

/** What an end that depends on handlers hangs on: `completes if Deployment dns/external-dns removes external-dns/owner`. */
export function dependence(forecast: Forecast): string {
  const held = heldHere(forecast).filter(({ handlers }) => handlers.length > 0);
  const [first, ...others] = distinct(held.length === 0 ? forecast.terminating : held);
  const condition =
    first === undefined || others.length > 0
      ? `${others.length + 1} handlers remove their finalizers`
      : `${first.handler} removes ${first.finalizer}`;
  return dependsOnUnknown(forecast)
    ? `completes only if ${condition}, and whether ${others.length === 0 ? 'that is' : 'they are'} there is not known`
    : `completes if ${condition}`;
}

/** What is deleted only when handlers have done their work. */
export function deletedThen(forecast: Forecast): readonly Identity[] {
  return own(deletedAtMost(forecast).slice(forecast.deleted.length)).map(({ object }) => object);
}

function distinct(terminating: readonly Pick<TerminatingObject, 'handlers'>[]): FinalizerHandler[] {
  const found = new Map<string, FinalizerHandler>();
  for (const { handlers } of terminating)
    for (const each of handlers) found.set(`${each.finalizer} ${each.words}`, each);
  return [...found.values()];
}

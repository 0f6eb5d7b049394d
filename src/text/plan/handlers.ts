/** Finalizers' handlers in words: their presence, and what follows once they act. */
import { type FinalizerHandler, Forecast, type TerminatingObject } from '../../forecast/index.ts';
import { objectTitleIn } from '../../model/index.ts';

/** Returns `example.com/drain: nothing in this cluster handles example.com`; with `all`, also the evidence. */
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

/** Returns a condition: `completes if Deployment dns/external-dns removes external-dns/owner`. */
export function dependence(forecast: Forecast): string {
  const held = Forecast.heldHere(forecast).filter(({ handlers }) => handlers.length > 0);
  const [first, ...others] = distinct(held.length === 0 ? forecast.terminating : held);
  const condition =
    first === undefined || others.length > 0
      ? `${others.length + 1} handlers remove their finalizers`
      : `${first.handler} removes ${first.finalizer}`;
  return Forecast.dependsOnUnknown(forecast)
    ? `completes only if ${condition}, and whether ${others.length === 0 ? 'that is' : 'they are'} there is not known`
    : `completes if ${condition}`;
}

/** Returns `once Pod p1 is released`, or `then` if the sentence states the time. */
export function releaseWords(
  { outcome }: Pick<Forecast, 'outcome'>,
  { after }: Pick<Forecast['doomed'][number], 'after'>,
  namespace: string,
): string {
  if (outcome === 'Depends') return 'then';
  if (after === undefined) return 'once held objects have been released';
  const shown = after.slice(0, NAMED).map(each => objectTitleIn(each, namespace));
  const more = after.length - shown.length;
  const names = more > 0 ? `${shown.join(', ')} and ${more} more` : enumeration(shown);
  return `once ${names} ${after.length === 1 ? 'is' : 'are'} released`;
}

export function commonRelease(forecast: Forecast, namespace: string): string {
  const words = new Set(Forecast.own(forecast.doomed).map(each => releaseWords(forecast, each, namespace)));
  const [only] = words;
  return words.size === 1 && only !== undefined ? only : 'once what holds them is released';
}

function enumeration(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

const NAMED = 3;

function distinct(terminating: readonly Pick<TerminatingObject, 'handlers'>[]): FinalizerHandler[] {
  const found = new Map<string, FinalizerHandler>();
  for (const { handlers } of terminating)
    for (const each of handlers) found.set(`${each.finalizer} ${each.words}`, each);
  return [...found.values()];
}

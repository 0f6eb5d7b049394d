/** All finalizers that are known by name, and how one is found. */
import { builtInFinalizers } from './built-in.ts';
import { dataFinalizers } from './data.ts';
import { deliveryFinalizers } from './delivery.ts';
import { patternMatcher } from './domain.ts';
import type { FinalizerEntry } from './entry.ts';
import { infrastructureFinalizers } from './infrastructure.ts';

/** The most particular first: where several fit, the first counts. */
export const finalizerCatalogue: readonly FinalizerEntry[] = [
  ...builtInFinalizers,
  ...deliveryFinalizers,
  ...infrastructureFinalizers,
  ...dataFinalizers,
];

const exact = new Map<string, FinalizerEntry>();
const patterns: { readonly fits: (finalizer: string) => boolean; readonly entry: FinalizerEntry }[] = [];
for (const entry of finalizerCatalogue) {
  for (const finalizer of entry.finalizers) {
    if (finalizer.includes('*')) patterns.push({ fits: patternMatcher(finalizer), entry });
    else if (!exact.has(finalizer)) exact.set(finalizer, entry);
  }
}

/** What is known of a finalizer; undefined where it isn't in the catalogue. */
export function catalogueEntry(finalizer: string): FinalizerEntry | undefined {
  return exact.get(finalizer) ?? patterns.find(({ fits }) => fits(finalizer))?.entry;
}

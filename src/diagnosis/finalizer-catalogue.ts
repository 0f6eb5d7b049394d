/** All finalizers that are known by name, and how one is found. */
import { builtInFinalizers } from './finalizer-catalogue-built-in.ts';
import { dataFinalizers } from './finalizer-catalogue-data.ts';
import { deliveryFinalizers } from './finalizer-catalogue-delivery.ts';
import { infrastructureFinalizers } from './finalizer-catalogue-infrastructure.ts';
import { patternMatcher } from './finalizer-domain.ts';
import type { FinalizerEntry } from './finalizer-entry.ts';

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

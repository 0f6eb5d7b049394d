/** The catalogue of finalizers in `catalogue.yaml`, and the one in force for a cluster. */
import type { ClusterView } from '../../graph/index.ts';
import { type CatalogueEntry, FinalizerCatalogue } from '../../model/index.ts';
import catalogue from './catalogue.json' with { type: 'json' };

const builtInEntries = catalogue as readonly CatalogueEntry[];

export const builtInCatalogue = new FinalizerCatalogue(builtInEntries);

/** Adds users' own entries, which precede the built-in ones. */
export function catalogueWith(own: readonly CatalogueEntry[]): FinalizerCatalogue {
  return new FinalizerCatalogue(builtInEntries, own);
}

export function catalogueOf({ settings }: ClusterView): FinalizerCatalogue {
  return settings.catalogue ?? builtInCatalogue;
}

/** Lists well-known names of controllers and tools, and their label values: names that aren't private. */
export function publicNames(): readonly string[] {
  return builtInEntries.flatMap(({ workloads = [], manages = [] }) => [
    ...workloads,
    ...manages.flatMap(({ labelled = {} }) => Object.values(labelled)),
  ]);
}

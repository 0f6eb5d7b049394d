/** The finalizers that are known by name (`catalogue.yaml`), and how one of them is found. */
import catalogue from './catalogue.json' with { type: 'json' };
import { patternMatcher } from './domain.ts';

/** Where a controller runs, and what shows that it is there; `catalogue.yaml` says what each field means. */
export interface ControllerSigns {
  /** `kube-controller-manager`, `Argo CD`: as it stands in a sentence. */
  readonly name: string;
  readonly runsIn: 'API server' | 'control plane' | 'cluster' | 'elsewhere';
  readonly workloads: readonly string[];
  readonly groups: readonly string[];
}

/** What is known of a finalizer, or of several that are alike. */
export interface FinalizerEntry {
  readonly names: readonly string[];
  readonly controller: ControllerSigns;
  readonly carriedBy: string;
  readonly protects: string;
  readonly cost: string;
}

/** An entry of `catalogue.yaml`. */
export interface CatalogueEntry {
  readonly controller: string;
  readonly runsIn: ControllerSigns['runsIn'];
  readonly workloads?: readonly string[];
  readonly groups?: readonly string[];
  readonly finalizers: readonly Omit<FinalizerEntry, 'controller'>[];
}

export function finalizersIn(entries: readonly CatalogueEntry[]): FinalizerEntry[] {
  return entries.flatMap(({ controller: name, runsIn, workloads = [], groups = [], finalizers }) =>
    finalizers.map(each => ({ ...each, controller: { name, runsIn, workloads, groups } })),
  );
}

/** Where several fit, an exact name counts, then the first. */
const exact = new Map<string, FinalizerEntry>();
const patterns: { readonly fits: (finalizer: string) => boolean; readonly entry: FinalizerEntry }[] = [];
for (const entry of finalizersIn(catalogue as readonly CatalogueEntry[]))
  for (const name of entry.names)
    if (name.includes('*')) patterns.push({ fits: patternMatcher(name), entry });
    else exact.set(name, entry);

/** What is known of a finalizer; undefined where it isn't in the catalogue. */
export function knownFinalizer(finalizer: string): FinalizerEntry | undefined {
  return exact.get(finalizer) ?? patterns.find(({ fits }) => fits(finalizer))?.entry;
}

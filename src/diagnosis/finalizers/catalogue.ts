/**
 * The finalizers that are known by name: those of catalogue.yaml, and those that users name in files of their own, which
 * count before them.
 */

import { keepAnnotations } from '../../model/annotations.ts';
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
  /** By API group: of its controller's workloads those that alone remove it from objects of that group. */
  readonly workloadsOf?: Readonly<Record<string, readonly string[]>>;
  /** The object without which nobody removes it, however well its controller runs. */
  readonly standsFor?: {
    readonly group: string;
    readonly resource: string;
    /** What stands before its name in the finalizer's. */
    readonly after: string;
    /** `downstream cluster` */
    readonly called: string;
  };
}

/** An entry of `catalogue.yaml`. */
export interface CatalogueEntry {
  readonly controller: string;
  readonly runsIn: ControllerSigns['runsIn'];
  readonly workloads?: readonly string[];
  readonly groups?: readonly string[];
  readonly finalizers?: readonly Omit<FinalizerEntry, 'controller'>[];
  readonly manages?: readonly Omit<ManagingMarks, 'tool'>[];
}

/** How a tool marks the objects that it manages by one of a kind. */
export interface ManagingMarks {
  /** `Argo CD` */
  readonly tool: string;
  /** What it manages them by: `Application`, `release`. */
  readonly called: string;
  /** Its kind, as `applications.argoproj.io`; left out where it is no object. */
  readonly resource?: string;
  readonly name: Mark;
  /** `own`: the namespace of the managed object. Left out, it isn't known. */
  readonly namespace?: Mark | 'own';
  /** Labels that have to be there as well. */
  readonly labelled?: Readonly<Record<string, string>>;
  /** Further marks that have to be there and fit, which copies of the name don't have. */
  readonly matching?: readonly Mark[];
  /** The kinds that are marked so: `secrets`, `bundles.fleet.cattle.io`; left out, any. */
  readonly on?: readonly string[];
  /** Others set the same mark: it counts where the object that it names is seen. */
  readonly onlyWhereSeen?: boolean;
  /** Others set the same mark beside their own: it counts where no other mark does. */
  readonly otherwise?: boolean;
  /** What manages carries the mark, too, with its own name. */
  readonly notItself?: boolean;
}

/** Where something stands on an object. */
export interface Mark {
  readonly label?: string;
  readonly annotation?: string;
  /** How the value is written, the first that fits; left out, as it is. */
  readonly written?: readonly string[];
}

export function finalizersIn(entries: readonly CatalogueEntry[]): FinalizerEntry[] {
  return entries.flatMap(({ controller: name, runsIn, workloads = [], groups = [], finalizers = [] }) =>
    finalizers.map(each => ({ ...each, controller: { name, runsIn, workloads, groups } })),
  );
}

export function managingIn(entries: readonly CatalogueEntry[]): ManagingMarks[] {
  return entries.flatMap(({ controller, manages = [] }) =>
    manages.map(each => ({ ...each, tool: controller })),
  );
}

function byKey(marks: readonly ManagingMarks[]): Map<string, ManagingMarks[]> {
  return Map.groupBy(marks, ({ name }) => keyOf(name));
}

function resourcesOf(marks: readonly ManagingMarks[]): ReadonlySet<string> {
  return new Set(marks.flatMap(({ resource }) => resource ?? []));
}

/** Of the label or the annotation. */
export function keyOf({ label, annotation = '' }: Mark): string {
  return label ?? annotation;
}

/** Finalizers by name. Where several fit, an exact name counts, then the first. */
class Finalizers {
  readonly exact = new Map<string, FinalizerEntry>();
  readonly patterns: { readonly fits: (finalizer: string) => boolean; readonly entry: FinalizerEntry }[] = [];

  constructor(entries: readonly CatalogueEntry[]) {
    for (const entry of finalizersIn(entries)) for (const name of entry.names) this.#add(name, entry);
  }

  #add(name: string, entry: FinalizerEntry): void {
    if (name.includes('*')) this.patterns.push({ fits: patternMatcher(name), entry });
    else if (!this.exact.has(name)) this.exact.set(name, entry);
  }
}

const builtIn = new Finalizers(catalogue as readonly CatalogueEntry[]);
let own = new Finalizers([]);
const managingBuiltIn = managingIn(catalogue as readonly CatalogueEntry[]);
let managing = managingBuiltIn;
let managingByKey = byKey(managing);
let resources = resourcesOf(managing);

/**
 * What users know beside, for this process from now on, in place of what was given before: to be called before anything
 * is judged. An exact name counts before a pattern, and an entry of theirs before one that is built in.
 */
export function useOwnEntries(entries: readonly CatalogueEntry[]): void {
  own = new Finalizers(entries);
  const theirs = managingIn(entries);
  keepAnnotations(theirs.flatMap(annotationsOf));
  managing = [...theirs, ...managingBuiltIn];
  managingByKey = byKey(managing);
  resources = resourcesOf(managing);
}

/** The annotations that tell, in all places of it. */
export function annotationsOf({ name, namespace, matching = [] }: ManagingMarks): readonly string[] {
  return [name, namespace, ...matching].flatMap(mark =>
    typeof mark === 'object' && mark.annotation !== undefined ? [mark.annotation] : [],
  );
}

/** How tools mark what they manage; those of the user first. */
export function managingMarks(): readonly ManagingMarks[] {
  return managing;
}

/** The kinds that tools manage objects by, as `applications.argoproj.io`. */
export function managingResources(): ReadonlySet<string> {
  return resources;
}

/** Of these, those whose name stands at one of these keys, in their order. Most objects have none. */
export function marksAt(keys: Iterable<string>): readonly ManagingMarks[] {
  const found = new Set<ManagingMarks>();
  for (const key of keys) for (const marks of managingByKey.get(key) ?? []) found.add(marks);
  return found.size < 2 ? [...found] : managing.filter(marks => found.has(marks));
}

/** What is known of a finalizer; undefined where it isn't in the catalogue. */
export function knownFinalizer(finalizer: string): FinalizerEntry | undefined {
  return entryIn([own, builtIn], finalizer);
}

/** Whether it is one of the built-in catalogue. */
export function isWellKnown(finalizer: string): boolean {
  return entryIn([builtIn], finalizer) !== undefined;
}

function entryIn(places: readonly (typeof builtIn)[], finalizer: string): FinalizerEntry | undefined {
  for (const { exact } of places) {
    const entry = exact.get(finalizer);
    if (entry !== undefined) return entry;
  }
  return places.flatMap(({ patterns }) => patterns).find(({ fits }) => fits(finalizer))?.entry;
}

/** What controllers and tools are called wherever they run, with what they write to labels: names that tell nothing. */
export function publicNames(): readonly string[] {
  return (catalogue as readonly CatalogueEntry[]).flatMap(({ workloads = [], manages = [] }) => [
    ...workloads,
    ...manages.flatMap(({ labelled = {} }) => Object.values(labelled)),
  ]);
}

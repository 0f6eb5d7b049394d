/** Finalizers known by name: those of catalogue.yaml, and those in users' files, which take precedence. */

import { keepAnnotations } from '../../model/annotations.ts';
import catalogue from './catalogue.json' with { type: 'json' };
import { patternMatcher } from './domain.ts';

/** A controller's place and signs; `catalogue.yaml` explains each field. */
export interface ControllerSigns {
  readonly name: string;
  readonly runsIn: 'API server' | 'control plane' | 'cluster' | 'elsewhere';
  readonly workloads: readonly string[];
  readonly groups: readonly string[];
}

export interface FinalizerEntry {
  readonly names: readonly string[];
  readonly controller: ControllerSigns;
  readonly carriedBy: string;
  readonly protects: string;
  readonly cost: string;
  /** By API group, the only workloads of the controller that remove it from that group's objects. */
  readonly workloadsOf?: Readonly<Record<string, readonly string[]>>;
  /** The object without which no controller removes the finalizer. */
  readonly standsFor?: {
    readonly group: string;
    readonly resource: string;
    /** Text before the object's name within the finalizer. */
    readonly after: string;
    readonly called: string;
  };
}

export interface CatalogueEntry {
  readonly controller: string;
  readonly runsIn: ControllerSigns['runsIn'];
  readonly workloads?: readonly string[];
  readonly groups?: readonly string[];
  readonly finalizers?: readonly Omit<FinalizerEntry, 'controller'>[];
  readonly manages?: readonly Omit<ManagingMarks, 'tool'>[];
}

/** Marks that a tool sets on the objects it manages. */
export interface ManagingMarks {
  readonly tool: string;
  /** Kind of the manager: `Application`, `release`. */
  readonly called: string;
  /** The manager's resource, such as `applications.argoproj.io`; omitted if it isn't an object. */
  readonly resource?: string;
  readonly name: Mark;
  /** `own`: the managed object's namespace. Omitted if unknown. */
  readonly namespace?: Mark | 'own';
  readonly labelled?: Readonly<Record<string, string>>;
  /** Required marks that copies of the name lack. */
  readonly matching?: readonly Mark[];
  /** Resources marked this way: `secrets`, `bundles.fleet.cattle.io`; omitted for any. */
  readonly on?: readonly string[];
  /** True for a mark that other tools set too: it counts only if the named object is seen. */
  readonly onlyWhereSeen?: boolean;
  /** True for a mark that other tools set beside their own: it counts only if no other mark does. */
  readonly otherwise?: boolean;
  /** True if the manager carries the mark too, with its own name. */
  readonly notItself?: boolean;
}

export interface Mark {
  readonly label?: string;
  readonly annotation?: string;
  /** Forms of the value, of which the first match counts; omitted for the plain value. */
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

export function keyOf({ label, annotation = '' }: Mark): string {
  return label ?? annotation;
}

/** Finalizers by name. An exact name wins, then the first pattern. */
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

/** Replaces the user's entries for this process; call it before any judgement. Their entries precede built-in ones. */
export function useOwnEntries(entries: readonly CatalogueEntry[]): void {
  own = new Finalizers(entries);
  const theirs = managingIn(entries);
  keepAnnotations(theirs.flatMap(annotationsOf));
  managing = [...theirs, ...managingBuiltIn];
  managingByKey = byKey(managing);
  resources = resourcesOf(managing);
}

export function annotationsOf({ name, namespace, matching = [] }: ManagingMarks): readonly string[] {
  return [name, namespace, ...matching].flatMap(mark =>
    typeof mark === 'object' && mark.annotation !== undefined ? [mark.annotation] : [],
  );
}

export function managingMarks(): readonly ManagingMarks[] {
  return managing;
}

export function managingResources(): ReadonlySet<string> {
  return resources;
}

/** Returns, in order, the marks whose name is stored under one of these keys. Most objects have none. */
export function marksAt(keys: Iterable<string>): readonly ManagingMarks[] {
  const found = new Set<ManagingMarks>();
  for (const key of keys) for (const marks of managingByKey.get(key) ?? []) found.add(marks);
  return found.size < 2 ? [...found] : managing.filter(marks => found.has(marks));
}

export function knownFinalizer(finalizer: string): FinalizerEntry | undefined {
  return entryIn([own, builtIn], finalizer);
}

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

/** Lists well-known names of controllers and tools, and their label values: names that aren't private. */
export function publicNames(): readonly string[] {
  return (catalogue as readonly CatalogueEntry[]).flatMap(({ workloads = [], manages = [] }) => [
    ...workloads,
    ...manages.flatMap(({ labelled = {} }) => Object.values(labelled)),
  ]);
}

/** Finalizers and marks of managing tools that are known by name: entries as `catalogue.yaml` has them, and an index. */

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
  /** True if its controller evicts the pods of the node first. */
  readonly drains?: boolean;
  /** True if its controller waits for a process in the pod that carries it. */
  readonly awaitsProcess?: boolean;
  /** By API group or kind, the only workloads of the controller that remove it from such objects. */
  readonly workloadsOf?: Readonly<Record<string, readonly string[]>>;
  /** Mark that the controller's workload shares with the definition of the object's kind: `owner`, or a label's key. */
  readonly definedWith?: string;
  /** Field that names the controller, if several projects have one. */
  readonly controllerField?: string;
  /** Label of the controller's workloads with the only namespace that they work for. */
  readonly namespaceLabel?: string;
  readonly standsFor?: ServedObject;
  /** Objects that have to be gone first: all that it waits for in the cluster. Omitted if not known. */
  readonly waitsFor?: readonly ObjectPattern[];
  /** Objects that have to exist until it is removed. Omitted if not known. */
  readonly needs?: readonly ObjectPattern[];
}

/** The object that a controller runs for, and without which no controller removes the finalizer. */
export interface ServedObject {
  /** `kafkas.kafka.strimzi.io` */
  readonly kind: string;
  readonly name: Naming;
  /** `Kafka` */
  readonly called: string;
  /** The controller: `the topic operator of Kafka {name}`. */
  readonly whose: string;
  /** Its Deployment, StatefulSet or DaemonSet in the object's namespace: `{name}-entity-operator`. */
  readonly workload?: string;
  /** Field with label selectors: the controller leaves objects alone that none of them selects. */
  readonly selecting?: string;
  /** Replaces the finalizer's cost once the object is gone. */
  readonly cost?: string;
}

/** A place on an object that names another one; exactly one of the first three is set. */
export interface Naming {
  readonly label?: string;
  /** A path, `spec.source.name`, in which `*` stands for any letters of a key: of a name, a reference or lists of them. */
  readonly field?: string;
  /** Text in the finalizer after which the name stands. */
  readonly finalizer?: string;
  /** The name made of the value: `{name}-kubeconfig`. */
  readonly written?: string;
}

interface ObjectPattern {
  /** Kinds of objects with the finalizer to which this applies; omitted for all. */
  readonly on?: readonly string[];
  /** Kinds to look for: `nodes`, `providerconfigs.{group}`. Omitted if a reference states its kind. */
  readonly kinds?: readonly string[];
  readonly named?: Naming;
  /** Label that has the name of the object with the finalizer. */
  readonly labelled?: string;
  /** Field with the name of the object with the finalizer; `hasContent` of model/object.ts lists the kinds. */
  readonly referring?: string;
  /** True for those that the object with the finalizer owns. */
  readonly owned?: boolean;
  readonly namespace?: 'any' | 'controller';
  /** Fields of the object with the finalizer and their values, of which all have to match. */
  readonly if?: Readonly<Record<string, string>>;
  /** Fields of which none may match. */
  readonly unless?: Readonly<Record<string, string>>;
  /** Counts only objects that are, or aren't, being deleted. */
  readonly deleting?: boolean;
  /** True if what owns the object found is waited for. */
  readonly itsOwner?: boolean;
  /** True if only some versions of the controller do so. */
  readonly assumed?: boolean;
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
  /** True for a mark that other tools set together with their own: it counts only if no other mark does. */
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

function keyOf({ label, annotation = '' }: Mark): string {
  return label ?? annotation;
}

function annotationsOf({ name, namespace, matching = [] }: ManagingMarks): readonly string[] {
  return [name, namespace, ...matching].flatMap(mark =>
    typeof mark === 'object' && mark.annotation !== undefined ? [mark.annotation] : [],
  );
}

/** Lists users' own entries before the built-in ones, which they override. */
export class FinalizerCatalogue {
  readonly #own: FinalizerIndex;
  readonly #builtIn: FinalizerIndex;
  /** In the order in which they count. */
  readonly managingMarks: readonly ManagingMarks[];
  readonly managingResources: ReadonlySet<string>;
  readonly #marksByKey: ReadonlyMap<string, readonly ManagingMarks[]>;

  constructor(builtIn: readonly CatalogueEntry[], own: readonly CatalogueEntry[] = []) {
    this.#own = new FinalizerIndex(own);
    this.#builtIn = new FinalizerIndex(builtIn);
    this.managingMarks = managingIn([...own, ...builtIn]);
    this.managingResources = new Set(this.managingMarks.flatMap(({ resource }) => resource ?? []));
    this.#marksByKey = Map.groupBy(this.managingMarks, ({ name }) => keyOf(name));
  }

  /** Prefers an exact name, then the first pattern. */
  entryFor(finalizer: string): FinalizerEntry | undefined {
    const places = [this.#own, this.#builtIn];
    for (const { exact } of places) {
      const entry = exact.get(finalizer);
      if (entry !== undefined) return entry;
    }
    return places.flatMap(({ patterns }) => patterns).find(({ fits }) => fits(finalizer))?.entry;
  }

  isBuiltIn(finalizer: string): boolean {
    const { exact, patterns } = this.#builtIn;
    return exact.has(finalizer) || patterns.some(({ fits }) => fits(finalizer));
  }

  /** Returns the marks that read one of these labels or annotations, in order of precedence. */
  marksAt(keys: Iterable<string>): readonly ManagingMarks[] {
    const found = new Set<ManagingMarks>();
    for (const key of keys) for (const marks of this.#marksByKey.get(key) ?? []) found.add(marks);
    return found.size < 2 ? [...found] : this.managingMarks.filter(marks => found.has(marks));
  }
}

class FinalizerIndex {
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

function literally(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\*]/g, '\\$&');
}

/** Compiles a catalogue pattern, in which `*` matches anything. */
function patternMatcher(pattern: string): (text: string) => boolean {
  if (!pattern.includes('*')) return text => text === pattern;
  const source = pattern.split('*').map(literally).join('.*');
  const expression = new RegExp(`^${source}$`);
  return text => expression.test(text);
}

export const FinalizerEntry = { literally, matcher: patternMatcher };

export const Mark = { key: keyOf };

export const ManagingMarks = { annotations: annotationsOf };

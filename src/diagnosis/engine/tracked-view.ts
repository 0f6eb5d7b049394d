/**
 * What rules look things up in: the view of the cluster at one moment, and a record of what was looked at, so
 * that a finding is judged again when just that changes. Nothing here scans the whole cluster more than once.
 */
import { type Judgement, type OwnerStatus, ownerStanding, verdict } from '../../collector/verdict.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { GraphChanges, GraphNode, Identity } from '../../graph/node.ts';
import { keyOfLookUp, type LookUp } from '../../model/exchange/changes.ts';
import type { KubeObject, OwnerReference, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { Dependencies, type Dependency, dependencyOn } from './subscribers.ts';

/** Told of everything that a rule looks at; `at` is the time at which it wants to be asked again. */
export interface DependencyRecorder {
  dependsOn(dependency: Dependency): void;
  recheckAt(at: number): void;
  /** The rule goes by an absence, which a look-up or a watch has confirmed or not. */
  restsOn(lookUp: LookUp, isConfirmed: boolean): void;
  /** The rule would say more if it knew; what it says holds all the same. */
  asks(question: LookUp): void;
}

/** For remedies and explanations, which are made when they are needed and look things up anew. */
const noRecorder: DependencyRecorder = {
  dependsOn: () => {},
  recheckAt: () => {},
  restsOn: () => {},
  asks: () => {},
};

interface Remembered {
  readonly value: unknown;
  readonly dependencies: Dependencies;
  readonly absences: readonly (readonly [LookUp, boolean])[];
}

export class TrackedView {
  readonly view: ClusterView;
  #recorder: DependencyRecorder = noRecorder;
  readonly #index: NamespaceIndex;
  readonly #remembered = new Map<string, Remembered>();
  #time: number;

  constructor(view: ClusterView, now: number) {
    this.view = view;
    this.#time = now;
    this.#index = new NamespaceIndex(view.graph);
  }

  /** Takes in what has changed in the view's graph, as of `now`. */
  apply(changes: GraphChanges, now: number): void {
    this.now = now;
    this.#index.apply(changes);
  }

  /** What `find` returns; what it looks at is recorded by `recorder`. */
  recording<T>(recorder: DependencyRecorder, find: () => T): T {
    const asker = this.#recorder;
    this.#recorder = recorder;
    try {
      return find();
    } finally {
      this.#recorder = asker;
    }
  }

  /** What `find` returns; nobody is told of what it looks at. */
  unrecorded<T>(find: () => T): T {
    return this.recording(noRecorder, find);
  }

  /** Milliseconds since the epoch. Set with every change of the view: what was remembered is forgotten. */
  get now(): number {
    return this.#time;
  }

  set now(now: number) {
    this.#time = now;
    this.#remembered.clear();
  }

  /**
   * What `find` looks up, found once for everybody who asks until the view changes: for answers that cost a look
   * at all objects of a type. Whoever asks is taken to have looked at the same things. Not for ages.
   */
  once<T>(question: string, find: () => T): T {
    let known = this.#remembered.get(question);
    if (known === undefined) {
      const dependencies = new Dependencies();
      const absences: (readonly [LookUp, boolean])[] = [];
      const asker = this.#recorder;
      const recorder: DependencyRecorder = {
        dependsOn: dependency => dependencies.add(dependency),
        recheckAt: at => asker.recheckAt(at),
        restsOn: (lookUp, isConfirmed) => absences.push([lookUp, isConfirmed]),
        asks: question => asker.asks(question),
      };
      known = { value: this.recording(recorder, find), dependencies, absences };
      this.#remembered.set(question, known);
    }
    for (const each of known.dependencies) this.#recorder.dependsOn(each);
    for (const [lookUp, isConfirmed] of known.absences) this.#recorder.restsOn(lookUp, isConfirmed);
    // The question decides the type.
    return known.value as T;
  }

  /** The node of this uid, observed or virtual. */
  node(uid: Uid): GraphNode | undefined {
    this.#recorder.dependsOn(dependencyOn.object(uid));
    return this.view.graph.get(uid);
  }

  /** Observed dependents of an owner, in no order. */
  dependents(owner: GraphNode): KubeObject[] {
    this.#recorder.dependsOn(dependencyOn.dependents(owner.uid));
    const found: KubeObject[] = [];
    for (const { object } of owner.dependents) if (object !== undefined) found.push(object);
    return found;
  }

  /** The object of these coordinates; `namespace` is `''` for cluster-scoped types. */
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    this.#recorder.dependsOn(dependencyOn.name(type, namespace, name));
    return this.view.find(type, namespace, name);
  }

  findKind(apiVersion: string, kind: string, namespace: string, name: string): KubeObject | undefined {
    const type = this.type(apiVersion, kind);
    return type && this.find(type, namespace, name);
  }

  /** The objects of a type in a namespace, in no order; `''` lists a cluster-scoped type. */
  list(type: ResourceType, namespace: string): Iterable<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.type(type, namespace));
    // Noted where it isn't read.
    this.view.sees(type, namespace);
    return this.#index.list(type, namespace);
  }

  /** All objects of a type, in every namespace. Costs as many as there are. */
  *all(type: ResourceType): IterableIterator<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.typeEverywhere(type));
    this.view.seesAll(type);
    for (const { object } of this.view.graph.ofType(type)) if (object !== undefined) yield object;
  }

  /** Everything in a namespace, whatever its type. Indexed at the first call for a namespace. */
  contents(namespace: string): Iterable<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.contents(namespace));
    return this.#index.contents(namespace);
  }

  /** The served type of an apiVersion and kind. */
  type(apiVersion: string, kind: string): ResourceType | undefined {
    return this.view.catalog.resolveKind(apiVersion, kind);
  }

  /** Whether all objects of a type in a namespace are known. */
  sees(type: ResourceType | undefined, namespace: string): boolean {
    return type !== undefined && this.view.sees(type, namespace);
  }

  /** The same of one object. */
  seesAt(type: ResourceType | undefined, namespace: string, name: string): boolean {
    return type !== undefined && this.view.seesAt(type, namespace, name);
  }

  /**
   * Whether there is no object of these coordinates, though its kind is seen: as the lists have it, unless a look-up has
   * found it. Recorded as an absence that something rests on.
   */
  lacks(type: ResourceType | undefined, namespace: string, name: string): boolean {
    if (type === undefined || this.find(type, namespace, name) !== undefined) return false;
    if (!this.view.seesAt(type, namespace, name)) return false;
    const { apiVersion, kind } = type;
    const lookUp: LookUp = { of: 'object', apiVersion, kind, namespace, name, uid: '' };
    this.#recorder.dependsOn(dependencyOn.answer(lookUp));
    const { state } = this.view.absences.of(lookUp);
    if (state === 'found') return false;
    this.#recorder.restsOn(lookUp, state === 'confirmed');
    return true;
  }

  /**
   * Whether the user may remove finalizers from an object; undefined where nobody can tell, or not yet. A refusal is asked
   * about again and again: somebody may mend it. Not within `once`, which forgets who asked.
   */
  mayRemoveFinalizers(user: string, { type, namespace, name }: KubeObject): boolean | undefined {
    if (this.view.settings.listsMayLag !== true) return undefined;
    const { apiVersion, kind } = type;
    let answer: boolean | undefined;
    // A rule may name single objects.
    for (const each of ['', name]) {
      const question: LookUp = { of: 'permission', apiVersion, kind, namespace, name: each, uid: '', user };
      this.#recorder.dependsOn(dependencyOn.answer(question));
      const state = this.view.absences.permission(question);
      if (state === undefined || state === 'denied') this.#recorder.asks(question);
      if (state !== 'denied') return state === 'allowed' ? true : undefined;
      answer = false;
    }
    return answer;
  }

  /** Notes that something goes by there being no other dependents of an object than those that are known. */
  reliesOnDependents(owner: Identity): void {
    const lookUp = lookUpOf('dependents', owner);
    this.#recorder.dependsOn(dependencyOn.answer(lookUp));
    this.#recorder.restsOn(lookUp, this.view.absences.ofDependents(owner).state === 'confirmed');
  }

  /** The collector's next move on a node. */
  verdict(node: GraphNode): Judgement {
    for (const { uid } of node.owners) this.#recorder.dependsOn(dependencyOn.object(uid));
    this.#recorder.dependsOn(dependencyOn.dependents(node.uid));
    const judgement = verdict(this.view, node);
    for (const owner of judgement.absent ?? []) this.reliesOnAbsence(owner);
    return judgement;
  }

  ownerStatus(node: GraphNode, reference: OwnerReference): OwnerStatus {
    this.#recorder.dependsOn(dependencyOn.object(reference.uid));
    const { status, absent } = ownerStanding(this.view, node, reference);
    if (absent !== undefined) this.reliesOnAbsence(absent);
    return status;
  }

  /** Whether the owner of a reference is only assumed to be absent, so that the reference had better stay. */
  mayExist(node: GraphNode, reference: OwnerReference): boolean {
    const { absent, certainty } = ownerStanding(this.view, node, reference);
    return absent !== undefined && certainty === 'assumed';
  }

  /** What `find` concludes, and the absences that it goes by and that no look-up has confirmed. */
  noting<T>(find: () => T): { readonly value: T; readonly assumed: readonly LookUp[] } {
    const asker = this.#recorder;
    const assumed = new Map<string, LookUp>();
    const recorder: DependencyRecorder = {
      dependsOn: dependency => asker.dependsOn(dependency),
      recheckAt: at => asker.recheckAt(at),
      restsOn: (lookUp, isConfirmed) => {
        if (!isConfirmed) assumed.set(keyOfLookUp(lookUp), lookUp);
      },
      asks: question => asker.asks(question),
    };
    return { value: this.recording(recorder, find), assumed: [...assumed.values()] };
  }

  /** Notes that something goes by an owner being absent. */
  reliesOnAbsence(owner: Identity): void {
    this.#recorder.restsOn(lookUpOf('object', owner), this.view.absences.of(owner).state === 'confirmed');
  }

  /** Whether something has lasted for so many milliseconds; where it hasn't yet, the rule is asked again then. */
  lasted(since: number | undefined, milliseconds: number): boolean {
    if (since === undefined) return false;
    const at = since + milliseconds;
    if (this.now >= at) return true;
    this.#recorder.recheckAt(at);
    return false;
  }
}

function lookUpOf(of: LookUp['of'], { apiVersion, kind, namespace, name, uid }: Omit<LookUp, 'of'>): LookUp {
  return { of, apiVersion, kind, namespace, name, uid };
}

/**
 * Objects by type and namespace, which the graph knows, and by namespace alone, built when a namespace is first needed
 * and kept current from then on: most namespaces of a healthy cluster never are.
 */
class NamespaceIndex {
  readonly #graph: OwnershipGraph;
  readonly #namespaces = new Map<string, Map<Uid, KubeObject>>();

  constructor(graph: OwnershipGraph) {
    this.#graph = graph;
  }

  *list(type: ResourceType, namespace: string): IterableIterator<KubeObject> {
    for (const { object } of this.#graph.inNamespace(type, namespace)) if (object !== undefined) yield object;
  }

  contents(namespace: string): Iterable<KubeObject> {
    let table = this.#namespaces.get(namespace);
    if (table === undefined) {
      table = new Map();
      this.#namespaces.set(namespace, table);
      for (const { object } of this.#graph.nodes()) {
        if (object?.namespace === namespace) table.set(object.uid, object);
      }
    }
    return table.values();
  }

  apply({ touched, removed }: GraphChanges): void {
    if (this.#namespaces.size === 0) return;
    for (const { object } of removed) {
      if (object !== undefined) this.#namespaces.get(object.namespace)?.delete(object.uid);
    }
    for (const { object } of touched) {
      if (object !== undefined) this.#namespaces.get(object.namespace)?.set(object.uid, object);
    }
  }
}

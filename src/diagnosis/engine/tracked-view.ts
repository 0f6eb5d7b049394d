/** The cluster at one moment, as rules see it. Each look-up is recorded; none scans the cluster more than once. */
import { Judgement, OwnerStanding, type OwnerStatus } from '../../collector/index.ts';
import {
  type ClusterView,
  type GraphChanges,
  type GraphNode,
  type Identity,
  type OwnershipGraph,
} from '../../graph/index.ts';
import {
  BuiltInKind,
  type Content,
  hasContent,
  type JsonRecord,
  type KubeObject,
  LookUp,
  type OwnerReference,
  type ResourceType,
  record,
  type Uid,
} from '../../model/index.ts';
import { Dependencies, type Dependency, dependencyOn } from './subscribers.ts';

export interface DependencyRecorder {
  dependsOn(dependency: Dependency): void;
  recheckAt(at: number): void;
  /** Records an absence that the rule relies on, confirmed by a look-up or watch or not. */
  restsOn(lookUp: LookUp, isConfirmed: boolean): void;
  /** Records a question whose answer would refine a finding; the finding holds without it. */
  asks(question: LookUp): void;
}

/** For remedies and explanations, which are built on demand and look things up anew. */
const noRecorder: DependencyRecorder = {
  dependsOn: () => {},
  recheckAt: () => {},
  restsOn: () => {},
  asks: () => {},
};

interface Remembered {
  readonly value: unknown;
  readonly dependencies: Dependencies;
  /** Everything else that was recorded, for callers that get the value without a look-up. */
  readonly notes: readonly ((recorder: DependencyRecorder) => void)[];
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

  apply(changes: GraphChanges, now: number): void {
    this.now = now;
    this.#index.apply(changes);
  }

  /** Returns what `find` returns; `recorder` records its look-ups. */
  recording<T>(recorder: DependencyRecorder, find: () => T): T {
    const asker = this.#recorder;
    this.#recorder = recorder;
    try {
      return find();
    } finally {
      this.#recorder = asker;
    }
  }

  unrecorded<T>(find: () => T): T {
    return this.recording(noRecorder, find);
  }

  /** Setting it clears the results of `once`, as every change of the view does. */
  get now(): number {
    return this.#time;
  }

  set now(now: number) {
    this.#time = now;
    this.#remembered.clear();
  }

  /** Caches `find` until the view changes, for scans of a type; each caller depends on all it read. Not for ages. */
  once<T>(question: string, find: () => T): T {
    let known = this.#remembered.get(question);
    if (known === undefined) {
      const dependencies = new Dependencies();
      const notes: ((recorder: DependencyRecorder) => void)[] = [];
      const recorder: DependencyRecorder = {
        dependsOn: dependency => dependencies.add(dependency),
        recheckAt: at => notes.push(each => each.recheckAt(at)),
        restsOn: (lookUp, isConfirmed) => notes.push(each => each.restsOn(lookUp, isConfirmed)),
        asks: asked => notes.push(each => each.asks(asked)),
      };
      known = { value: this.recording(recorder, find), dependencies, notes };
      this.#remembered.set(question, known);
    }
    for (const each of known.dependencies) this.#recorder.dependsOn(each);
    for (const note of known.notes) note(this.#recorder);
    // The question decides the type.
    return known.value as T;
  }

  node(uid: Uid): GraphNode | undefined {
    this.#recorder.dependsOn(dependencyOn.object(uid));
    return this.view.graph.get(uid);
  }

  dependents(owner: GraphNode): KubeObject[] {
    this.#recorder.dependsOn(dependencyOn.dependents(owner.uid));
    const found: KubeObject[] = [];
    for (const { object } of owner.dependents) if (object !== undefined) found.push(object);
    return found;
  }

  /** Finds an object by its coordinates; `namespace` is `''` for cluster-scoped types. */
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined {
    this.#recorder.dependsOn(dependencyOn.name(type, namespace, name));
    return this.view.find(type, namespace, name);
  }

  findKind(apiVersion: string, kind: string, namespace: string, name: string): KubeObject | undefined {
    const type = this.type(apiVersion, kind);
    return type && this.find(type, namespace, name);
  }

  list(type: ResourceType, namespace: string): Iterable<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.type(type, namespace));
    // `sees` requests a read if the kind isn't read here yet.
    this.view.sees(type, namespace);
    return this.#index.list(type, namespace);
  }

  /** Lists all objects of a type in every namespace; the cost grows with their number. */
  *all(type: ResourceType): IterableIterator<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.typeEverywhere(type));
    this.view.seesAll(type);
    for (const { object } of this.view.graph.ofType(type)) if (object !== undefined) yield object;
  }

  /** Lists everything in a namespace, of any type; the first call for a namespace builds its index. */
  contents(namespace: string): Iterable<KubeObject> {
    this.#recorder.dependsOn(dependencyOn.contents(namespace));
    return this.#index.contents(namespace);
  }

  type(apiVersion: string, kind: string): ResourceType | undefined {
    return this.view.catalog.resolveKind(apiVersion, kind);
  }

  sees(type: ResourceType | undefined, namespace: string): boolean {
    return type !== undefined && this.view.sees(type, namespace);
  }

  seesAt(type: ResourceType | undefined, namespace: string, name: string): boolean {
    return type !== undefined && this.view.seesAt(type, namespace, name);
  }

  /** Returns true if the kind is seen but not this object; recorded as an absence that the finding relies on. */
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
   * Returns undefined if the answer can't be known, or not yet. A refusal is asked about repeatedly, since it may be
   * fixed. Not for use within `once`.
   */
  mayRemoveFinalizers(user: string, { type, namespace, name }: KubeObject): boolean | undefined {
    if (this.view.settings.listsMayLag !== true) return undefined;
    const { apiVersion, kind } = type;
    let answer: boolean | undefined;
    // An RBAC rule may name single objects.
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

  /**
   * Returns the fields and events of a deleting custom resource or a snapshot, as last read, and asks for them.
   * Undefined for other objects, whose facts say enough. Not for use within `once`.
   */
  content(object: KubeObject): Content | undefined {
    return hasContent(object) ? this.#contentOf(object) : undefined;
  }

  /** Returns the spec of a custom resource; of a live one in files, only the names in it. Not for use within `once`. */
  spec(object: KubeObject): JsonRecord {
    return record(this.#contentOf(object)?.json['spec']);
  }

  #contentOf(object: KubeObject): Content | undefined {
    const { settings, absences } = this.view;
    const { type, namespace, name, uid } = object;
    if (type.group === '' || BuiltInKind.of(type) !== undefined) return undefined;
    if (settings.listsMayLag !== true) return settings.contentOf?.(object);
    // A forecast also asks about objects that it has changed; their other fields stay as they were seen.
    const version = this.view.graph.get(uid)?.object?.resourceVersion;
    const isLive = !hasContent(object);
    if (version === undefined || !absences.mayReadContent(uid, isLive)) return undefined;
    const { apiVersion, kind } = type;
    const question: LookUp = { of: 'content', apiVersion, kind, namespace, name, uid, version };
    this.#recorder.dependsOn(dependencyOn.answer(question));
    const known = absences.contentOf(uid);
    // A live object's status changes often, and its spec seldom.
    if (!absences.isAnswered(question) && !(isLive && known !== undefined)) this.#recorder.asks(question);
    return known;
  }

  /** Records that a finding relies on there being no unknown dependents of an object. */
  reliesOnDependents(owner: Identity): void {
    const lookUp = lookUpOf('dependents', owner);
    this.#recorder.dependsOn(dependencyOn.answer(lookUp));
    this.#recorder.restsOn(lookUp, this.view.absences.ofDependents(owner).state === 'confirmed');
  }

  verdict(node: GraphNode): Judgement {
    for (const { uid } of node.owners) this.#recorder.dependsOn(dependencyOn.object(uid));
    this.#recorder.dependsOn(dependencyOn.dependents(node.uid));
    const judgement = Judgement.of(this.view, node);
    for (const owner of judgement.absent ?? []) this.reliesOnAbsence(owner);
    return judgement;
  }

  ownerStatus(node: GraphNode, reference: OwnerReference): OwnerStatus {
    this.#recorder.dependsOn(dependencyOn.object(reference.uid));
    const { status, absent } = OwnerStanding.of(this.view, node, reference);
    if (absent !== undefined) this.reliesOnAbsence(absent);
    return status;
  }

  /** Returns true if the reference's owner is only assumed to be absent, so the reference should stay. */
  mayExist(node: GraphNode, reference: OwnerReference): boolean {
    const { absent, certainty } = OwnerStanding.of(this.view, node, reference);
    return absent !== undefined && certainty === 'assumed';
  }

  /** Returns the result of `find` and the unconfirmed absences that it relies on. */
  noting<T>(find: () => T): { readonly value: T; readonly assumed: readonly LookUp[] } {
    const asker = this.#recorder;
    const assumed = new Map<string, LookUp>();
    const recorder: DependencyRecorder = {
      dependsOn: dependency => asker.dependsOn(dependency),
      recheckAt: at => asker.recheckAt(at),
      restsOn: (lookUp, isConfirmed) => {
        if (!isConfirmed) assumed.set(LookUp.key(lookUp), lookUp);
      },
      asks: question => asker.asks(question),
    };
    return { value: this.recording(recorder, find), assumed: [...assumed.values()] };
  }

  reliesOnAbsence(owner: Identity): void {
    this.#recorder.restsOn(lookUpOf('object', owner), this.view.absences.of(owner).state === 'confirmed');
  }

  /** Returns true if the state has lasted for `milliseconds`; otherwise schedules the rule to run again then. */
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

/** Indexes objects by namespace once a namespace is needed: most namespaces of a healthy cluster never are. */
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

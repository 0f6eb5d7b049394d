/**
 * What a view proves about objects that aren't in it. A list may be older than the objects that refer to what it lacks,
 * and lists of different kinds are of different moments: on a live cluster an owner counts as absent only once a look-up
 * has confirmed it, or when it was seen to go. The collector asks the API server too before it acts on an absence
 * (garbagecollector.go isDangling, v1.36).
 */

import {
  type AnsweredLookUp,
  type Connection,
  keyOfLookUp,
  type LookUp,
  type LookUpAnswer,
  type SourceBatch,
} from '../../model/exchange/changes.ts';
import { getOrInsert } from '../../model/maps.ts';
import type { KubeObject, OwnerReference, Uid } from '../../model/object.ts';
import { groupResource, holdsNothing, type ResourceType } from '../../model/types/resource-type.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import type { OwnershipGraph } from '../graph.ts';
import type { GraphChanges, GraphNode, Identity } from '../node.ts';

/**
 * - `confirmed`: it doesn't exist.
 * - `assumed`: the lists don't hold it, and may be older than what refers to it. `reason`: why a look-up couldn't tell;
 *   undefined where none was answered yet.
 * - `found`: a look-up has found it, and the watch has yet to bring it.
 */
export type Absence = Unseen | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean };

/** The same of what no look-up can find one by one. */
export type Unseen =
  | { readonly state: 'confirmed' }
  | { readonly state: 'assumed'; readonly reason: string | undefined };

/** The view, as far as it matters here. */
interface Surroundings {
  readonly graph: OwnershipGraph;
  readonly catalog: TypeCatalog;
  readonly settings: { readonly listsMayLag?: boolean };
  sees(type: ResourceType, namespace: string): boolean;
}

interface Departure {
  /** Milliseconds since the epoch; undefined where nobody said. */
  readonly at: number | undefined;
  /** False once the cluster wasn't followed for a while: its data may have been restored. */
  readonly certain: boolean;
}

const confirmed: Unseen = { state: 'confirmed' };
const unanswered: Unseen = { state: 'assumed', reason: undefined };

export class Absences {
  readonly #view: Surroundings;
  /** Owners that were seen to go while others refer to them. */
  readonly #departed = new Map<Uid, Departure>();
  readonly #answers = new LookUpAnswers();
  readonly #asked = new Map<string, LookUp>();
  #missing: MissingOwners | undefined;
  #moved = 0;

  constructor(view: Surroundings) {
    this.#view = view;
  }

  /** When an object that others still refer to was seen to go; undefined where nobody looked at that moment. */
  departedAt(uid: Uid): number | undefined {
    return this.#departed.get(uid)?.at;
  }

  /** Of an object whose kind is seen and that isn't in the graph. An empty uid stands for any object at these coordinates. */
  of(identity: Omit<Identity, 'uid'> & { readonly uid: Uid | '' }): Absence {
    const { uid } = identity;
    if (this.#view.settings.listsMayLag !== true) return confirmed;
    // A uid is never given twice.
    if (uid !== '' && this.#departed.get(uid)?.certain === true) return confirmed;
    const type = this.#view.catalog.resolveKind(identity.apiVersion, identity.kind);
    if (type !== undefined && holdsNothing(type)) return confirmed;
    const answer = this.#answers.of(lookUpOf('object', identity));
    switch (answer?.state) {
      case 'absent':
        return confirmed;
      case 'found':
        return uid === '' || answer.uid === uid ? answer : confirmed;
      case 'unknown':
        return { state: 'assumed', reason: answer.reason };
      case 'dependents':
      case 'allowed':
      case 'denied':
      case undefined:
        return unanswered;
    }
  }

  /** What was said of a permission; undefined where that isn't asked, or wasn't answered yet. */
  permission(lookUp: LookUp): 'allowed' | 'denied' | 'unknown' | undefined {
    const state = this.#answers.of(lookUp)?.state;
    return state === 'allowed' || state === 'denied' || state === 'unknown' ? state : undefined;
  }

  /** Of dependents of an object beside those that are in the graph. */
  ofDependents(owner: Identity): Unseen {
    if (this.#view.settings.listsMayLag !== true) return confirmed;
    const answer = this.#answers.of(lookUpOf('dependents', owner));
    switch (answer?.state) {
      case 'dependents': {
        const { graph } = this.#view;
        const areKnown = answer.uids.every(each => graph.get(each)?.virtual === false);
        return areKnown
          ? confirmed
          : { state: 'assumed', reason: 'others refer to it that are yet to be seen' };
      }
      case 'unknown':
        return { state: 'assumed', reason: answer.reason };
      case 'absent':
      case 'found':
      case 'allowed':
      case 'denied':
      case undefined:
        return unanswered;
    }
  }

  /** Owners that references name and whose absence nothing confirms yet. */
  *unconfirmed(): IterableIterator<LookUp> {
    const view = this.#view;
    if (view.settings.listsMayLag !== true) return;
    this.#missing ??= new MissingOwners(view.graph, view.catalog);
    for (const lookUp of this.#missing) {
      const type = view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
      if (type === undefined || !view.sees(type, lookUp.namespace)) continue;
      if (this.of(lookUp).state !== 'confirmed') yield lookUp;
    }
  }

  /** Moves whenever `unconfirmed` may have more to tell than when it was asked last. */
  get revision(): number {
    return this.#moved;
  }

  /** Whether a look-up was answered, one way or another. */
  isAnswered(lookUp: LookUp): boolean {
    return this.#answers.of(lookUp) !== undefined;
  }

  /** Notes what an answer would say more of if it knew. */
  ask(question: LookUp): void {
    if (!this.isAnswered(question)) this.#asked.set(keyOfLookUp(question), question);
  }

  /** What was noted since the last call, and is not answered. */
  takeAsked(): LookUp[] {
    const open = [...this.#asked.values()].filter(each => !this.isAnswered(each));
    this.#asked.clear();
    return open;
  }

  /** Whether any look-up of an object of this type could not be answered. */
  failedOf(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.#answers.some(({ lookUp, answer }) => {
      if (answer.state !== 'unknown' || lookUp.of === 'permission') return false;
      const asked = this.#view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
      return asked !== undefined && groupResource(asked) === groupResource(type);
    });
  }

  /** Owners that a look-up has found and that the watch has yet to bring. */
  found(): Iterable<LookUp> {
    return this.#answers.found();
  }

  /**
   * Takes in what a batch did to the graph, and what look-ups said. `now` in milliseconds since the epoch. Returns the
   * look-ups whose answer is another one than before.
   */
  apply(changes: GraphChanges, batch: SourceBatch, now: number): readonly LookUp[] {
    this.#keepDeparted(changes, batch, now);
    const changed = this.#outdate(changes, batch);
    for (const answered of batch.lookUps ?? []) if (this.#keep(answered)) changed.push(answered.lookUp);
    this.#keepMissing(changes, batch);
    for (const answered of batch.lookUps ?? []) changed.push(...this.#keepForMissing(answered));
    if (changed.length > 0) this.#moved += 1;
    return changed;
  }

  /**
   * What was said of any object of a name is said of the missing owners of this name as well; not of those that are heard
   * of later, because they may be younger than the answer. Returns the look-ups that it answers with it.
   */
  #keepForMissing({ lookUp: asked, answer }: AnsweredLookUp): LookUp[] {
    if (asked.of !== 'object' || asked.uid !== '') return [];
    const key = keyOfLookUp(asked);
    this.#missing ??= new MissingOwners(this.#view.graph, this.#view.catalog);
    const missing = [...this.#missing].filter(each => keyOfLookUp({ ...each, uid: '' }) === key);
    for (const lookUp of missing) this.#answers.add({ lookUp, answer });
    return missing;
  }

  #keepDeparted({ touched, removed }: GraphChanges, batch: SourceBatch, at: number | undefined): void {
    const unseen = new Set<Uid>();
    if (removed.size > 0)
      for (const change of batch.changes)
        if (change.op === 'delete' && change.unseen === true) unseen.add(change.uid);
    for (const { uid, object } of removed) {
      const left = this.#view.graph.get(uid);
      if (left?.virtual !== true) this.#departed.delete(uid);
      else if (object !== undefined && !unseen.has(uid)) this.#departed.set(uid, { at, certain: true });
    }
    if (this.#departed.size === 0) return;
    for (const { uid, object } of touched) if (object !== undefined) this.#departed.delete(uid);
  }

  /** Forgets what nobody refers to any more, what was seen itself, and everything where the cluster wasn't followed. */
  #outdate({ touched, removed }: GraphChanges, { connection }: SourceBatch): LookUp[] {
    if (connection !== undefined && mayBeAnother(connection)) {
      for (const [uid, { at }] of this.#departed) this.#departed.set(uid, { at, certain: false });
      return this.#answers.forgetAll();
    }
    if (this.#answers.size === 0) return [];
    for (const { uid } of removed) if (this.#view.graph.get(uid) === undefined) this.#answers.forget(uid);
    for (const { object } of touched) if (object !== undefined) this.#answers.forgetFound(object);
    return [];
  }

  /** False for an answer that was overtaken by what was seen since it was asked for. */
  #keep(answered: AnsweredLookUp): boolean {
    const { of, uid } = answered.lookUp;
    const node = uid === '' ? undefined : this.#view.graph.get(uid);
    if (uid !== '' && (node === undefined || (of === 'object' && !node.virtual))) return false;
    this.#answers.add(answered);
    return true;
  }

  #keepMissing(changes: GraphChanges, { types }: SourceBatch): void {
    if (this.#missing === undefined) return;
    const { graph, catalog } = this.#view;
    if (types !== undefined) this.#missing = new MissingOwners(graph, catalog);
    else if (!this.#missing.apply(changes)) return;
    this.#moved += 1;
  }
}

/** Whether what was asked before may have been told by a cluster whose data went back since, and its uids with it. */
function mayBeAnother(connection: Connection): boolean {
  return connection.state === 'lost' || (connection.state === 'catchingUp' && connection.cause !== 'delayed');
}

function lookUpOf(of: LookUp['of'], identity: Omit<Identity, 'uid'> & { readonly uid: Uid | '' }): LookUp {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return { of, apiVersion, kind, namespace, name, uid };
}

/** What look-ups said, by question, and by the uid that was asked about. */
class LookUpAnswers {
  readonly #answers = new Map<string, AnsweredLookUp>();
  readonly #byUid = new Map<Uid, Set<string>>();

  get size(): number {
    return this.#answers.size;
  }

  of(lookUp: LookUp): LookUpAnswer | undefined {
    return this.#answers.size === 0 ? undefined : this.#answers.get(keyOfLookUp(lookUp))?.answer;
  }

  /** Objects that were found under the very uid that was asked for. */
  *found(): IterableIterator<LookUp> {
    for (const { lookUp, answer } of this.#answers.values())
      if (answer.state === 'found' && answer.uid === lookUp.uid) yield lookUp;
  }

  some(fits: (answered: AnsweredLookUp) => boolean): boolean {
    return this.#answers.values().some(fits);
  }

  add(answered: AnsweredLookUp): void {
    const { uid } = answered.lookUp;
    const key = keyOfLookUp(answered.lookUp);
    this.#answers.set(key, answered);
    if (uid === '') return;
    getOrInsert(this.#byUid, uid, () => new Set()).add(key);
  }

  forget(uid: Uid): void {
    for (const key of this.#byUid.get(uid) ?? []) this.#answers.delete(key);
    this.#byUid.delete(uid);
  }

  /** The object itself was seen: what was said of it isn't needed any more. */
  forgetFound({ uid, type, namespace, name }: KubeObject): void {
    for (const key of this.#byUid.get(uid) ?? [])
      if (this.#answers.get(key)?.lookUp.of === 'object') this.#answers.delete(key);
    const { apiVersion, kind } = type;
    this.#answers.delete(keyOfLookUp({ of: 'object', apiVersion, kind, namespace, name, uid: '' }));
  }

  /** Returns what it was. */
  forgetAll(): LookUp[] {
    const forgotten = [...this.#answers.values()].map(({ lookUp }) => lookUp);
    this.#answers.clear();
    this.#byUid.clear();
    return forgotten;
  }
}

/** Owners that references name and that aren't in the graph, kept current from its changes. */
class MissingOwners {
  readonly #graph: OwnershipGraph;
  readonly #catalog: TypeCatalog;
  readonly #claims = new Map<Uid, Map<string, LookUp>>();

  constructor(graph: OwnershipGraph, catalog: TypeCatalog) {
    this.#graph = graph;
    this.#catalog = catalog;
    for (const { virtual, dependents } of graph.nodes())
      if (virtual) for (const dependent of dependents) this.#note(dependent);
  }

  /** Takes in what a batch did; true where other owners are missing than before, as far as is known. */
  apply({ touched, removed }: GraphChanges): boolean {
    let isNews = false;
    for (const node of touched) {
      if (node.object === undefined) continue;
      isNews = this.#claims.delete(node.uid) || isNews;
      isNews = this.#note(node) || isNews;
    }
    for (const { uid } of removed)
      if (this.#graph.get(uid) === undefined) isNews = this.#claims.delete(uid) || isNews;
    return isNews;
  }

  /** Nobody may refer to one by these very coordinates any more. */
  *[Symbol.iterator](): IterableIterator<LookUp> {
    for (const claims of this.#claims.values()) yield* claims.values();
  }

  /** Those that a node refers to. */
  #note(node: GraphNode): boolean {
    let isNews = false;
    for (const reference of node.owners) {
      if (this.#graph.get(reference.uid)?.virtual !== true) continue;
      const lookUp = ownerLookUp(this.#catalog, reference, (node.object ?? node.identity).namespace);
      if (lookUp === undefined) continue;
      const key = keyOfLookUp(lookUp);
      const claims = getOrInsert(this.#claims, reference.uid, () => new Map());
      if (claims.has(key)) continue;
      claims.set(key, lookUp);
      isNews = true;
    }
    return isNews;
  }
}

/**
 * Where the collector looks for the owner of an object in this namespace (docs/kubernetes.md §2.3); undefined where
 * it doesn't, because the kind isn't served, or is namespaced and the object isn't.
 */
function ownerLookUp(
  catalog: TypeCatalog,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): LookUp | undefined {
  const type = catalog.resolveKind(apiVersion, kind);
  if (type === undefined || (type.namespaced && namespace === '')) return undefined;
  return { of: 'object', apiVersion, kind, namespace: type.namespaced ? namespace : '', name, uid };
}

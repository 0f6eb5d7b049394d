/**
 * Proof that objects don't exist. A live cluster's lists may be older than references to what they lack, so an owner
 * counts as absent only if a look-up confirmed it or its deletion was seen. The collector also asks the API server
 * first (garbagecollector.go isDangling, v1.36).
 */

import {
  type AnsweredLookUp,
  type Connection,
  type Content,
  getOrInsert,
  type KubeObject,
  LookUp,
  type LookUpAnswer,
  type OwnerReference,
  ResourceType,
  type SourceBatch,
  type TypeCatalog,
  type Uid,
} from '../../model/index.ts';
import type { OwnershipGraph } from '../graph.ts';
import type { GraphChanges, GraphNode, Identity } from '../node.ts';

/**
 * - `confirmed`: it doesn't exist.
 * - `assumed`: lists lack it but may be outdated. `reason`: why a look-up failed; undefined before any answer.
 * - `found`: a look-up found it, and the watch hasn't delivered it yet.
 */
export type Absence = Unseen | { readonly state: 'found'; readonly uid: Uid; readonly foreground: boolean };

export type Unseen =
  | { readonly state: 'confirmed' }
  | { readonly state: 'assumed'; readonly reason: string | undefined };

interface Surroundings {
  readonly graph: OwnershipGraph;
  readonly catalog: TypeCatalog;
  readonly settings: { readonly listsMayLag?: boolean };
  sees(type: ResourceType, namespace: string): boolean;
}

interface Departure {
  readonly at: number | undefined;
  /** False after an interruption: the cluster's data may have been restored. */
  readonly certain: boolean;
}

/** Limit of objects whose content is read from a live cluster. */
const MOST_CONTENTS = 200;

const confirmed: Unseen = { state: 'confirmed' };
const unanswered: Unseen = { state: 'assumed', reason: undefined };

export class Absences {
  readonly #view: Surroundings;
  readonly #departed = new Map<Uid, Departure>();
  readonly #answers = new LookUpAnswers();
  readonly #asked = new Map<string, LookUp>();
  readonly #contents = new Map<Uid, Content>();
  /** Objects whose content is asked for. */
  readonly #contentsWanted = new Set<Uid>();
  #missing: MissingOwners | undefined;
  #moved = 0;

  constructor(view: Surroundings) {
    this.#view = view;
  }

  /** Returns when an owner's deletion was seen; undefined if none was. */
  departedAt(uid: Uid): number | undefined {
    return this.#departed.get(uid)?.at;
  }

  /** Judges an object missing from the graph. An empty uid means any object at these coordinates. */
  of(identity: Omit<Identity, 'uid'> & { readonly uid: Uid | '' }): Absence {
    const { uid } = identity;
    if (this.#view.settings.listsMayLag !== true) return confirmed;
    // A uid is never reused.
    if (uid !== '' && this.#departed.get(uid)?.certain === true) return confirmed;
    const type = this.#view.catalog.resolveKind(identity.apiVersion, identity.kind);
    if (type !== undefined && ResourceType.holdsNothing(type)) return confirmed;
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
      case 'content':
      case undefined:
        return unanswered;
    }
  }

  /** Returns undefined for other look-ups, and before an answer. */
  permission(lookUp: LookUp): 'allowed' | 'denied' | 'unknown' | undefined {
    const state = this.#answers.of(lookUp)?.state;
    return state === 'allowed' || state === 'denied' || state === 'unknown' ? state : undefined;
  }

  /**
   * Returns true for the first objects only: each takes two requests, and again whenever it changes. Live ones leave
   * room for those that are being deleted.
   */
  mayReadContent(uid: Uid, isLive = false): boolean {
    if (this.#contentsWanted.has(uid)) return true;
    if (this.#contentsWanted.size >= (isLive ? MOST_CONTENTS / 2 : MOST_CONTENTS)) return false;
    this.#contentsWanted.add(uid);
    return true;
  }

  contentOf(uid: Uid): Content | undefined {
    return this.#contents.get(uid);
  }

  /** Reports if dependents may exist outside the graph. */
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
      case 'content':
      case undefined:
        return unanswered;
    }
  }

  /** Yields referenced owners whose absence isn't confirmed. */
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

  /** Changes whenever `unconfirmed` may yield more. */
  get revision(): number {
    return this.#moved;
  }

  isAnswered(lookUp: LookUp): boolean {
    return this.#answers.of(lookUp) !== undefined;
  }

  /** Requests a look-up unless it is answered. */
  ask(question: LookUp): void {
    if (!this.isAnswered(question)) this.#asked.set(LookUp.key(question), question);
  }

  takeAsked(): LookUp[] {
    const open = [...this.#asked.values()].filter(each => !this.isAnswered(each));
    this.#asked.clear();
    return open;
  }

  failedOf(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
    return this.#answers.some(({ lookUp, answer }) => {
      if (answer.state !== 'unknown' || lookUp.of === 'permission' || lookUp.of === 'content') return false;
      const asked = this.#view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
      return asked !== undefined && ResourceType.groupResource(asked) === ResourceType.groupResource(type);
    });
  }

  /** Returns owners that a look-up found and the watch hasn't delivered yet. */
  found(): Iterable<LookUp> {
    return this.#answers.found();
  }

  /** Applies a batch's graph changes and look-ups. Returns changed look-ups. */
  apply(changes: GraphChanges, batch: SourceBatch, now: number): readonly LookUp[] {
    this.#keepDeparted(changes, batch, now);
    const changed = this.#outdate(changes, batch);
    for (const answered of batch.lookUps ?? []) if (this.#keep(answered)) changed.push(answered.lookUp);
    this.#keepMissing(changes, batch);
    for (const answered of batch.lookUps ?? []) changed.push(...this.#keepForMissing(answered));
    if (changed.length > 0) this.#moved += 1;
    return changed;
  }

  /** Applies an answer about a name to owners missing now; later ones may be younger. Returns the answered look-ups. */
  #keepForMissing({ lookUp: asked, answer }: AnsweredLookUp): LookUp[] {
    if (asked.of !== 'object' || asked.uid !== '') return [];
    const key = LookUp.key(asked);
    this.#missing ??= new MissingOwners(this.#view.graph, this.#view.catalog);
    const missing = [...this.#missing].filter(each => LookUp.key({ ...each, uid: '' }) === key);
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

  /** Forgets unreferenced and observed owners, and every answer after an interruption. */
  #outdate({ touched, removed }: GraphChanges, { connection }: SourceBatch): LookUp[] {
    if (connection !== undefined && mayBeAnother(connection)) {
      for (const [uid, { at }] of this.#departed) this.#departed.set(uid, { at, certain: false });
      this.#contents.clear();
      this.#contentsWanted.clear();
      return this.#answers.forgetAll();
    }
    if (this.#contentsWanted.size > 0) for (const { uid } of removed) this.#forgetContent(uid);
    if (this.#answers.size === 0) return [];
    for (const { uid } of removed) {
      if (this.#view.graph.get(uid) === undefined) this.#answers.forget(uid);
    }
    for (const { object } of touched) if (object !== undefined) this.#answers.forgetFound(object);
    return [];
  }

  #forgetContent(uid: Uid): void {
    this.#contents.delete(uid);
    this.#contentsWanted.delete(uid);
  }

  /** Returns false for an answer that later events made obsolete. */
  #keep(answered: AnsweredLookUp): boolean {
    const { of, uid } = answered.lookUp;
    const node = uid === '' ? undefined : this.#view.graph.get(uid);
    if (uid !== '' && (node === undefined || (of === 'object' && !node.virtual))) return false;
    const { answer } = answered;
    if (answer.state === 'content' && uid !== '') {
      this.#contents.set(uid, answer.content);
      this.#answers.forgetContent(uid);
    }
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

/** Reports an interruption, in which the cluster's data and uids may have been restored to an earlier state. */
function mayBeAnother(connection: Connection): boolean {
  return connection.state === 'lost' || (connection.state === 'catchingUp' && connection.cause !== 'delayed');
}

function lookUpOf(of: LookUp['of'], identity: Omit<Identity, 'uid'> & { readonly uid: Uid | '' }): LookUp {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return { of, apiVersion, kind, namespace, name, uid };
}

class LookUpAnswers {
  readonly #answers = new Map<string, AnsweredLookUp>();
  readonly #byUid = new Map<Uid, Set<string>>();

  get size(): number {
    return this.#answers.size;
  }

  of(lookUp: LookUp): LookUpAnswer | undefined {
    return this.#answers.size === 0 ? undefined : this.#answers.get(LookUp.key(lookUp))?.answer;
  }

  *found(): IterableIterator<LookUp> {
    for (const { lookUp, answer } of this.#answers.values())
      if (answer.state === 'found' && answer.uid === lookUp.uid) yield lookUp;
  }

  some(fits: (answered: AnsweredLookUp) => boolean): boolean {
    return this.#answers.values().some(fits);
  }

  add(answered: AnsweredLookUp): void {
    const { uid } = answered.lookUp;
    const key = LookUp.key(answered.lookUp);
    this.#answers.set(key, answered);
    if (uid === '') return;
    getOrInsert(this.#byUid, uid, () => new Set()).add(key);
  }

  forget(uid: Uid): void {
    for (const key of this.#byUid.get(uid) ?? []) this.#answers.delete(key);
    this.#byUid.delete(uid);
  }

  /** Forgets the content of earlier versions of an object. */
  forgetContent(uid: Uid): void {
    for (const key of this.#byUid.get(uid) ?? [])
      if (this.#answers.get(key)?.lookUp.of === 'content') this.#answers.delete(key);
  }

  forgetFound({ uid, type, namespace, name }: KubeObject): void {
    for (const key of this.#byUid.get(uid) ?? [])
      if (this.#answers.get(key)?.lookUp.of === 'object') this.#answers.delete(key);
    const { apiVersion, kind } = type;
    this.#answers.delete(LookUp.key({ of: 'object', apiVersion, kind, namespace, name, uid: '' }));
  }

  forgetAll(): LookUp[] {
    const forgotten = [...this.#answers.values()].map(({ lookUp }) => lookUp);
    this.#answers.clear();
    this.#byUid.clear();
    return forgotten;
  }
}

/** Referenced owners that aren't in the graph, updated from its changes. */
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

  /** Returns true if more owners may be missing than before. */
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

  /** Some claims may have lost their last reference. */
  *[Symbol.iterator](): IterableIterator<LookUp> {
    for (const claims of this.#claims.values()) yield* claims.values();
  }

  #note(node: GraphNode): boolean {
    let isNews = false;
    for (const reference of node.owners) {
      if (this.#graph.get(reference.uid)?.virtual !== true) continue;
      const lookUp = ownerLookUp(this.#catalog, reference, (node.object ?? node.identity).namespace);
      if (lookUp === undefined) continue;
      const key = LookUp.key(lookUp);
      const claims = getOrInsert(this.#claims, reference.uid, () => new Map());
      if (claims.has(key)) continue;
      claims.set(key, lookUp);
      isNews = true;
    }
    return isNews;
  }
}

/** Locates an owner as the collector does (docs/kubernetes.md §2.3); undefined if it doesn't look it up. */
function ownerLookUp(
  catalog: TypeCatalog,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): LookUp | undefined {
  const type = catalog.resolveKind(apiVersion, kind);
  if (type === undefined || (type.namespaced && namespace === '')) return undefined;
  return { of: 'object', apiVersion, kind, namespace: type.namespaced ? namespace : '', name, uid };
}

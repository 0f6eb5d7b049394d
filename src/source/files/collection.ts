/** Collects the objects of all files: identity without uids, duplicates, and completeness per kind. */

import { createHash } from 'node:crypto';
import {
  BlindSpot,
  type Change,
  type Content,
  eventJson,
  getOrInsert,
  hasContent,
  isoTime,
  type JsonRecord,
  type KubeObject,
  list,
  namespacedName,
  type OwnerReference,
  objectIds,
  objectJson,
  podFacts,
  ResourceType,
  record,
  type Said,
  shownName,
  type TypeStatus,
  text,
  textEscapes,
  type Uid,
} from '../../model/index.ts';
import { asAdmitted } from './admitted.ts';
import { Coverage, type ListRead } from './coverage.ts';
import { FileTypes } from './file-types.ts';
import type { Input } from './inputs.ts';
import { essence, type Kinded, type Manifest, namesIn } from './manifest.ts';
import { failedGroupsIn, unlistableIn } from './signs/api-signs.ts';
import { ClusterSigns } from './signs/cluster-signs.ts';
import { isEvent, LastSign } from './signs/last-sign.ts';
import { Moments, orderOf, type Part, type Succession } from './signs/moments.ts';
import { NodeSigns } from './signs/node-signs.ts';

export interface DocumentLocation {
  readonly input: Input;
  readonly offset: number;
  readonly length: number;
  /** Line of its first byte, from 1; for elements not cut out, that of their list. */
  readonly line: number;
  readonly format: 'json' | 'yaml';
  /** The file's encoding if it isn't UTF-8; `offset` and `length` then refer to its text as UTF-8. */
  readonly encoding?: string;
  /** Cut out of a list or an array. */
  readonly listed: boolean;
  /** The list it is an element of; undefined for single objects and arrays' elements. */
  readonly list: ListRead | undefined;
}

export interface CollectionOptions {
  readonly namespace: string;
  readonly closedWorld: boolean;
  readonly now: () => number;
}

interface Entry {
  readonly object: KubeObject;
  /** Content hash for manifests without a resourceVersion. */
  readonly digest: string;
  readonly place: DocumentLocation;
  /** True if the object was in a cluster, but the files mask its uid. */
  readonly masked: boolean;
  /** All lists with it; the file of a single object counts as one that proves nothing. */
  readonly lists: readonly ListRead[];
}

/** An object whose kind is known only after all files. */
interface Held {
  readonly manifest: Manifest;
  readonly place: DocumentLocation;
}

export interface Settled {
  readonly types: readonly ResourceType[];
  readonly changes: readonly Change[];
  readonly statuses: readonly TypeStatus[];
  readonly failedGroups: readonly BlindSpot[];
  /** One line each, with unsanitised names. */
  readonly warnings: readonly string[];
}

const NAMED = 3;
const NODES = 'nodes';
const MOST_EVENTS = 50;

export class Collection {
  readonly types = new FileTypes();
  readonly lastSign: LastSign;
  readonly clusterSigns = new ClusterSigns();
  readonly #options: CollectionOptions;
  readonly #coverage = new Coverage();
  readonly #byName = new Map<string, Map<string, Entry>>();
  readonly #byUid = new Map<Uid, Entry>();
  readonly #held: Held[] = [];
  /** Objects that refer to uids, some of which can only be matched by name. */
  readonly #pointing: KubeObject[] = [];
  readonly #definitions = new Map<Uid, KubeObject>();
  readonly #tellingOfApis = new Map<Uid, KubeObject>();
  /** Fields of objects that are being deleted, and of snapshots, without data. */
  readonly #contents = new Map<Uid, JsonRecord>();
  /** Names in the specs of custom resources that aren't being deleted. */
  readonly #names = new Map<Uid, JsonRecord>();
  readonly #events = new Map<string, Said[]>();
  readonly #moments = new Moments();
  readonly #nodeSigns = new NodeSigns();
  /** Objects in several states: of unknown order, and of known order. */
  readonly #twice: string[] = [];
  readonly #versions: string[] = [];
  readonly #mixtures: string[] = [];
  /** Uids shared by different objects. */
  readonly #repeated = new Set<string>();
  /** The first object whose uid doesn't identify it. */
  #firstMasked: string | undefined;
  readonly #parts: string[] = [];
  readonly #inputs = new Set<Input>();
  readonly #unread: BlindSpot[] = [];
  readonly #emptyLists: { readonly of: Kinded; readonly read: ListRead }[] = [];

  constructor(options: CollectionOptions) {
    this.#options = options;
    this.lastSign = new LastSign(options.now);
  }

  add(manifest: Manifest, place: DocumentLocation): Change[] {
    const { apiVersion, kind, json } = manifest;
    this.#inputs.add(place.input);
    const metadata = record(json['metadata']);
    const type = this.types.carry(apiVersion, kind, text(metadata['namespace']) !== '');
    if (!this.#options.closedWorld) this.#noteOwnerKinds(type, metadata);
    if (type !== undefined) return this.#take(type, json, place);
    this.#held.push({ manifest: { apiVersion, kind, json: essence(json) }, place });
    return [];
  }

  #noteOwnerKinds(type: ResourceType | undefined, metadata: JsonRecord): void {
    const namespaced = type?.namespaced ?? text(metadata['namespace']) !== '';
    for (const each of list(metadata['ownerReferences'])) {
      const owner = record(each);
      this.types.refer(text(owner['apiVersion']), text(owner['kind']), namespaced);
    }
  }

  /** Notes an empty list, which shows that its kind was read. */
  addEmptyList(of: Kinded, read: ListRead): void {
    this.types.refer(of.apiVersion, of.kind, true);
    this.#emptyLists.push({ of, read });
  }

  /** Notes an incomplete list. `why` is a clause. */
  addPart(why: string, { input }: ListRead, line: number): void {
    this.#parts.push(`${input.name}${line > 1 ? `, line ${line}` : ''} ${why}`);
  }

  /** Notes an unreadable part of a file. `why` is a clause with the line. */
  addUnread(input: Pick<Input, 'name'>, why: string): void {
    this.#unread.push({ resource: input.name, reason: `${BlindSpot.notRead}${why}` });
  }

  get unread(): readonly BlindSpot[] {
    return this.#unread;
  }

  get size(): number {
    return this.#byUid.size + this.#held.length;
  }

  placeOf(type: ResourceType, namespace: string, name: string): DocumentLocation | undefined {
    return this.#byName.get(ResourceType.groupResource(type))?.get(`${namespace}/${name}`)?.place;
  }

  /** Finds the object with this uid, which may be synthetic. */
  placeOfUid(uid: Uid): DocumentLocation | undefined {
    return this.#byUid.get(uid)?.place;
  }

  /** Returns the fields of an object that is being deleted, and events about it. */
  content({ uid }: KubeObject): Content | undefined {
    const json = this.#contents.get(uid);
    if (json === undefined) {
      const spec = this.#names.get(uid);
      return spec && { json: { spec }, partial: true };
    }
    return { json, events: this.eventsAbout(uid) };
  }

  eventsAbout(uid: Uid): readonly Said[] {
    return eventJson.readLatest(this.#events.get(uid) ?? []);
  }

  /** Checks that the uid is unique and not masked. */
  identifies(uid: string): boolean {
    return !objectIds.isMasked(uid) && !this.#repeated.has(uid);
  }

  settle(): Settled {
    const definitions = [...this.#definitions.values()].flatMap(({ facts }) =>
      facts?.kind === 'CustomResourceDefinition' ? [facts] : [],
    );
    this.types.settle(definitions);
    for (const { of, read } of this.#emptyLists) {
      const type = this.types.resolve(of.apiVersion, of.kind);
      if (type !== undefined) this.#coverage.emptyList(ResourceType.groupResource(type), read);
    }
    const changes: Change[] = [];
    for (const { manifest, place } of this.#held) {
      const type = this.types.resolve(manifest.apiVersion, manifest.kind);
      if (type !== undefined) changes.push(...this.#take(type, manifest.json, place));
    }
    this.#held.length = 0;
    this.clusterSigns.requireOne(uid => this.identifies(uid));
    for (const each of this.#moments.successions()) this.#takeNewer(each, changes);
    this.#distrustNodes();
    changes.push(...this.#withoutMaskedUids());
    this.#pointing.length = 0;
    const types = this.types.all;
    const apiServices = this.#coverage.of('apiservices.apiregistration.k8s.io', false);
    return {
      types,
      changes,
      statuses: this.#statuses(types),
      failedGroups: [...failedGroupsIn(this.#tellingOfApis.values(), apiServices === 'all'), ...this.#unread],
      warnings: this.#warnings(),
    };
  }

  #take(type: ResourceType, json: JsonRecord, place: DocumentLocation): Change[] {
    const list = place.list ?? { input: place.input, complete: false };
    this.#moments.noteTime(list, this.lastSign.note(type, json));
    if (isEvent(type)) this.#noteEvent(json);
    this.clusterSigns.note(type, json, place);
    // Events and other unmonitored kinds aren't in the graph.
    if (!ResourceType.isMonitored(type)) return [];
    const metadata = record(json['metadata']);
    const name = text(metadata['name']);
    const namespace = type.namespaced ? text(metadata['namespace']) || this.#options.namespace : '';
    const given = text(metadata['uid']);
    const changes: Change[] = [];
    const key = `${namespace}/${name}`;
    this.#noteRepeated(given, type, key, changes);
    const masked = given !== '' && !this.identifies(given);
    const uid =
      given === '' || masked || objectIds.isSynthetic(given)
        ? objectIds.synthetic(type, namespace, name)
        : given;
    if (masked) this.#firstMasked ??= `${type.kind} ${key.replace(/^\//u, '')} (${textEscapes.json(given)})`;
    const ownerReferences = withUids(metadata['ownerReferences']);
    const identified = { ...json, metadata: { ...metadata, name, namespace, uid, ownerReferences } };
    const object = objectJson.read(type, asAdmitted(type, identified, given === ''));
    if (object === undefined) return [];
    this.#nodeSigns.note(object, json);
    this.#coverage.object(ResourceType.groupResource(type), namespace, name, place.list);
    const digest = object.resourceVersion === '' ? digestOf(json) : '';
    const entry = this.#succeed({ object, digest, place, masked, lists: [list] }, changes);
    if (entry === undefined) return changes;
    this.#put(entry, hasContent(object) ? essence(json) : undefined, changes);
    const names = hasContent(object) || ResourceType.isOfKubernetes(type) ? undefined : namesIn(json['spec']);
    if (names !== undefined) this.#names.set(object.uid, record(names));
    return changes;
  }

  #put(entry: Entry, json: JsonRecord | undefined, changes: Change[]): void {
    const { object } = entry;
    this.#table(object.type).set(keyOf(object), entry);
    this.#byUid.set(object.uid, entry);
    if (object.owners.length > 0 || object.facts?.kind === 'PersistentVolume') this.#pointing.push(object);
    if (object.facts?.kind === 'CustomResourceDefinition') this.#definitions.set(object.uid, object);
    if (object.facts?.kind === 'APIService' || object.facts?.kind === 'Namespace')
      this.#tellingOfApis.set(object.uid, object);
    if (json !== undefined) this.#contents.set(object.uid, json);
    changes.push({ op: 'upsert', object });
  }

  /** A uid shared by two objects identifies neither. */
  #noteRepeated(uid: string, type: ResourceType, key: string, changes: Change[]): void {
    const known = this.#byUid.get(uid as Uid);
    if (known === undefined || objectIds.isSynthetic(uid)) return;
    const { object } = known;
    if (keyOf(object) === key && ResourceType.stored(object.type) === ResourceType.stored(type)) return;
    this.#repeated.add(uid);
    this.#firstMasked ??= `${title(object)} (${textEscapes.json(uid)})`;
    const json = this.#contents.get(object.uid);
    this.#forget(known, changes);
    const renamed = object.with({ uid: objectIds.synthetic(object.type, object.namespace, object.name) });
    this.#put({ ...known, object: renamed, masked: true }, json, changes);
  }

  #noteEvent(json: JsonRecord): void {
    const event = eventJson.read(json);
    if (event === undefined) return;
    const all = getOrInsert(this.#events, event.about, () => []);
    all.push(event.said);
    // A dump may hold tens of thousands about a few objects.
    if (all.length >= MOST_EVENTS) all.splice(0, all.length, ...eventJson.readLatest(all));
  }

  /** Removes the entries this one replaces; undefined if a newer one is known. */
  #succeed(entry: Entry, changes: Change[]): Entry | undefined {
    const { object, digest, place } = entry;
    const sameName = this.#table(object.type).get(keyOf(object));
    let lists = entry.lists;
    if (sameName !== undefined) {
      const known = sameName.object;
      const sameUid = known.uid === object.uid;
      if (sameUid) lists = [...sameName.lists, ...lists];
      // must-gather writes the same state twice, in a list and by itself; a manifest may be a copy.
      const isOther =
        !sameUid || known.resourceVersion !== object.resourceVersion || sameName.digest !== digest;
      const order = orderOf(known, object);
      if (isOther) {
        const told = order === undefined || order === 0 ? this.#twice : this.#versions;
        told.push(`${title(object)} (${where(sameName.place, place)})`);
      }
      for (const first of sameName.lists)
        for (const second of entry.lists)
          this.#moments.noteMeeting({ object: known, list: first }, { object, list: second }, title(object));
      if ((order ?? 0) > 0) {
        if (sameUid) this.#table(object.type).set(keyOf(object), this.#renew({ ...sameName, lists }));
        return undefined;
      }
      this.#forget(sameName, changes);
    }
    const sameUid = this.#byUid.get(object.uid);
    if (sameUid !== undefined) this.#forget(sameUid, changes);
    return { ...entry, lists };
  }

  #renew(entry: Entry): Entry {
    this.#byUid.set(entry.object.uid, entry);
    return entry;
  }

  #forget({ object: { type, uid }, object }: Entry, changes: Change[]): void {
    this.#table(type).delete(keyOf(object));
    this.#byUid.delete(uid);
    this.#definitions.delete(uid);
    this.#tellingOfApis.delete(uid);
    this.#contents.delete(uid);
    this.#names.delete(uid);
    changes.push({ op: 'delete', uid, type });
  }

  #table(type: ResourceType): Map<string, Entry> {
    return getOrInsert(this.#byName, ResourceType.groupResource(type), () => new Map());
  }

  /** Drops objects that may not have coexisted with the newer part, so the mixture proves nothing. */
  #takeNewer({ older, newer, because, isFar, isMixed }: Succession, changes: Change[]): void {
    const names =
      older.name === newer.name ? `${older.name} holds lists` : `${older.name} and ${newer.name} are`;
    const told = `${names} of two moments of one cluster: ${because}`;
    this.#coverage.distrust(each => older.has(each) || (isMixed && newer.has(each)));
    if (isMixed) {
      this.#mixtures.push(
        `${told}, and which of them is the newer one doesn't show. That an object isn't in them proves nothing.`,
      );
      return;
    }
    const left = this.#leaveOut(older, newer, isFar, changes);
    const count = left === 1 ? 'one object' : `${left} objects`;
    const newest =
      older.name === newer.name ? 'The newer one counts' : `${newer.name}, the newer one, counts`;
    this.#mixtures.push(
      isFar
        ? `${told}. ${newest}; what only the older one has is left out (${count}).`
        : `${told}. ${newest}; of what only the older one has ${count} that may be gone ${left === 1 ? 'is' : 'are'} left out, and its lists prove nothing.`,
    );
  }

  /** If Nodes don't report, the time of their list is unknown. */
  #distrustNodes(): void {
    const { heartbeat } = this.lastSign;
    const nodes = this.#byName.get(NODES);
    const missing = this.#nodeSigns
      .staysAround(heartbeat)
      .find(({ pod, nodeName }) => this.#byUid.has(pod.uid) && nodes?.has(`/${nodeName}`) !== true);
    if (heartbeat === 0 || missing === undefined || !this.#coverage.distrustKind(NODES)) return;
    const { pod, nodeName, at } = missing;
    this.#mixtures.push(
      `the Nodes in the files are incomplete or of another moment: ${shownName(nodeName)}, where ${title(pod)} was at ${isoTime(at)}, isn't among them, and the newest of their reports is from ${isoTime(heartbeat)}. That a Node isn't in the files proves nothing.`,
    );
  }

  #leaveOut(older: Part, newer: Part, all: boolean, changes: Change[]): number {
    const isOld = ({ lists }: Entry): boolean => lists.every(each => older.has(each));
    const inNewer = (list: ListRead): boolean => newer.has(list);
    const remains = new Set([...this.#byUid.values()].filter(isOld));
    const before = remains.size;
    // Dependents of objects the newer part lacks are dropped too.
    for (let last = -1; last !== remains.size; ) {
      last = remains.size;
      for (const entry of remains) {
        const { type, namespace, owners } = entry.object;
        const isGone =
          all ||
          this.#coverage.isIn(ResourceType.groupResource(type), namespace, inNewer) ||
          this.#isPlaceGone(entry.object, inNewer);
        if (!isGone && !owners.some(owner => this.#isGone(owner, namespace, inNewer))) continue;
        remains.delete(entry);
        this.#forget(entry, changes);
      }
    }
    return before - remains.size;
  }

  /** Checks if its namespace or node is gone, or its namespace is being emptied. */
  #isPlaceGone(object: KubeObject, inNewer: (list: ListRead) => boolean): boolean {
    const find = (name: string, of: string): Entry | undefined => this.#byName.get(name)?.get(`/${of}`);
    const lacks = (name: string, of: string): boolean =>
      of !== '' && find(name, of) === undefined && this.#coverage.isIn(name, '', inNewer);
    const around = find('namespaces', object.namespace);
    const isEmptied = around?.object.deletionTimestamp !== undefined && around.lists.some(inNewer);
    return (
      isEmptied || lacks('namespaces', object.namespace) || lacks('nodes', podFacts(object)?.nodeName ?? '')
    );
  }

  #isGone(owner: OwnerReference, namespace: string, inNewer: (list: ListRead) => boolean): boolean {
    const type = this.types.resolve(owner.apiVersion, owner.kind);
    if (type === undefined || !this.identifies(owner.uid) || this.#byUid.has(owner.uid)) return false;
    return this.#coverage.isIn(ResourceType.groupResource(type), type.namespaced ? namespace : '', inNewer);
  }

  /** Redirects references with missing or ambiguous uids to the object they name. */
  #withoutMaskedUids(): Change[] {
    const changes: Change[] = [];
    for (const object of this.#pointing) {
      if (this.#byUid.get(object.uid)?.object !== object) continue;
      const owners = object.owners.map(reference => this.#resolved(reference, object.namespace));
      const facts = this.#withoutClaimUid(object);
      if (facts !== object.facts || owners.some((each, index) => each !== object.owners[index]))
        changes.push({ op: 'upsert', object: object.with({ owners, facts }) });
    }
    return changes;
  }

  #resolved(reference: OwnerReference, namespace: string): OwnerReference {
    if (this.#byUid.has(reference.uid)) return reference;
    const { apiVersion, kind, name } = reference;
    const type = this.types.resolveReference(apiVersion, kind) ?? {
      group: '',
      resource: `${apiVersion}/${kind}`,
      namespaced: true,
    };
    const space = type.namespaced ? namespace : '';
    const named = this.#byName.get(ResourceType.groupResource(type))?.get(`${space}/${name}`);
    if (!this.identifies(reference.uid))
      return { ...reference, uid: named?.object.uid ?? objectIds.synthetic(type, space, name), byName: true };
    if (named === undefined || !objectIds.isSynthetic(named.object.uid)) return reference;
    if (type.namespaced && namespace === '') return reference;
    return { ...reference, uid: named.object.uid, ...(named.masked && { byName: true }) };
  }

  /** Drops the uid of a volume's claim if it can't be compared. */
  #withoutClaimUid({ facts }: KubeObject): KubeObject['facts'] {
    if (facts?.kind !== 'PersistentVolume' || facts.claimUid === '') return facts;
    const { claimNamespace, claimName, claimUid } = facts;
    const claim = this.#byName.get('persistentvolumeclaims')?.get(`${claimNamespace}/${claimName}`);
    if (this.identifies(claimUid) && claim?.masked !== true) return facts;
    return { ...facts, claimUid: '' };
  }

  #statuses(types: readonly ResourceType[]): TypeStatus[] {
    const { closedWorld } = this.#options;
    const unlistable = unlistableIn([...this.#definitions.values(), ...this.#tellingOfApis.values()]);
    return types
      .filter(type => (closedWorld ? type.preferred : ResourceType.isMonitored(type)))
      .map((type): TypeStatus => {
        const name = ResourceType.groupResource(type);
        const count = this.#byName.get(name)?.size ?? 0;
        const base = { type, count, facts: true };
        const covered = this.#coverage.of(name, type.namespaced);
        const reason = unlistable.get(`${type.group}/${type.kind}`);
        if (covered === 'none' && reason !== undefined) return { ...base, state: 'blind', reason };
        // The missing owner may be among what couldn't be read.
        if (closedWorld)
          return this.#unread.length === 0
            ? { ...base, state: 'synced' }
            : { ...base, state: 'synced', namespaces: [], reason: BlindSpot.partlyInFiles };
        if (covered === 'none') return { ...base, state: 'blind', reason: BlindSpot.notInFiles };
        if (covered === 'all') return { ...base, state: 'synced' };
        const piecemeal = this.#inputs.size > 1 ? { piecemeal: true as const } : {};
        return {
          ...base,
          state: 'synced',
          namespaces: covered,
          reason: BlindSpot.partlyInFiles,
          ...piecemeal,
        };
      });
  }

  #warnings(): string[] {
    const warnings: string[] = [];
    const told = (found: readonly string[], which: string): void => {
      if (found.length === 0) return;
      const named = found.slice(0, NAMED).join('; ');
      const more = found.length > NAMED ? `; and ${found.length - NAMED} more` : '';
      const stand = found.length === 1 ? 'an object stands' : `${found.length} objects stand`;
      warnings.push(`${stand} in the files more than once, ${which} counts: ${named}${more}.`);
    };
    told(this.#twice, 'the last one read');
    told(this.#versions, 'the newest');
    if (this.#firstMasked !== undefined) {
      const count = this.#byUid.values().reduce((sum, { masked }) => sum + Number(masked), 0);
      warnings.push(
        `${count === 1 ? 'an object has a masked uid,' : `${count} objects have masked or repeated uids, such as`} ${this.#firstMasked}: ${count === 1 ? 'it is identified by its name' : 'they are identified by their names'}, and what owns what is assumed.`,
      );
    }
    warnings.push(...this.#mixtures);
    const parts = this.#parts.slice(0, NAMED);
    warnings.push(...parts.map(part => `${part}.`));
    if (this.#parts.length > NAMED) warnings.push(`${this.#parts.length - NAMED} more lists are incomplete.`);
    return warnings;
  }
}

/** Fills in a masked uid for references without one, so that they resolve by name. */
function withUids(ownerReferences: unknown): readonly JsonRecord[] {
  return list(ownerReferences)
    .map(record)
    .map(each => (text(each['uid']) === '' ? { ...each, uid: 'none' } : each));
}

function keyOf({ namespace, name }: KubeObject): string {
  return `${namespace}/${name}`;
}

function title(object: KubeObject): string {
  return `${object.type.kind} ${namespacedName(object)}`;
}

function digestOf(json: JsonRecord): string {
  return createHash('sha1').update(JSON.stringify(json)).digest('base64');
}

function where(first: DocumentLocation, second: DocumentLocation): string {
  return first.input === second.input ? first.input.name : `${first.input.name}, then ${second.input.name}`;
}

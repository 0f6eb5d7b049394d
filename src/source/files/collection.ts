/**
 * The objects of all files as they are read: identity where a manifest has no uid, what stands there twice, what
 * the files hold of each kind. Turns them into changes, and in the end into types, statuses and warnings.
 */

import { createHash } from 'node:crypto';
import {
  type BlindSpot,
  type Change,
  NOT_IN_FILES,
  PARTLY_IN_FILES,
  type TypeStatus,
} from '../../model/exchange/changes.ts';
import type { Said } from '../../model/exchange/said.ts';
import { eventFromJson, latestEvents } from '../../model/json/events-from-json.ts';
import { objectFromJson } from '../../model/json/from-json.ts';
import { type JsonRecord, list, record, text } from '../../model/json/json.ts';
import { saidIn } from '../../model/json/said-from-json.ts';
import { getOrInsert } from '../../model/maps.ts';
import { type KubeObject, namespacedName, type OwnerReference, type Uid } from '../../model/object.ts';
import { isSyntheticUid, syntheticUid } from '../../model/object-id.ts';
import { groupResource, isMonitored, type ResourceType } from '../../model/types/resource-type.ts';
import { asAdmitted } from './admitted.ts';
import { Coverage, type ListRead } from './coverage.ts';
import { FileTypes } from './file-types.ts';
import type { Input } from './inputs.ts';
import { essence, type Kinded, type Manifest } from './manifest.ts';
import { ClusterSigns } from './signs/cluster.ts';
import { failedGroupsIn } from './signs/failed-groups.ts';
import { isEvent, LastSign } from './signs/latest.ts';

/** Where an object's text stands. */
export interface DocumentLocation {
  readonly input: Input;
  readonly offset: number;
  readonly length: number;
  /** Line of its first byte, from 1; of an element that isn't read by itself that of its list. */
  readonly line: number;
  readonly format: 'json' | 'yaml';
  /** Of the file, of whose text as UTF-8 `offset` and `length` are; missing where the file is UTF-8 itself. */
  readonly encoding?: string;
  /** Cut out as an element of a list or an array. */
  readonly listed: boolean;
  /** The list that it is an element of; undefined for an object by itself and for one of an array. */
  readonly list: ListRead | undefined;
}

export interface CollectionOptions {
  /** Of namespaced objects that don't name one. */
  readonly namespace: string;
  readonly closedWorld: boolean;
}

interface Entry {
  readonly uid: Uid;
  readonly type: ResourceType;
  readonly key: string;
  readonly resourceVersion: string;
  /** Of what never was in a cluster, which has no resourceVersion. */
  readonly digest: string;
  readonly place: DocumentLocation;
}

/** An object whose kind only the end of all files settles. */
interface Held {
  readonly manifest: Manifest;
  readonly place: DocumentLocation;
}

/** What the end of all files adds. */
export interface Settled {
  readonly types: readonly ResourceType[];
  readonly changes: readonly Change[];
  readonly statuses: readonly TypeStatus[];
  readonly failedGroups: readonly BlindSpot[];
  /** One line each, with names from the files in them. */
  readonly warnings: readonly string[];
}

const NAMED = 3;
/** About one object. */
const MOST_EVENTS = 50;

export class Collection {
  readonly types = new FileTypes();
  readonly lastSign = new LastSign();
  readonly clusterSigns = new ClusterSigns();
  readonly #options: CollectionOptions;
  readonly #coverage = new Coverage();
  readonly #byName = new Map<string, Map<string, Entry>>();
  readonly #byUid = new Map<Uid, Entry>();
  readonly #held: Held[] = [];
  /** Those with owner references, for the references that can only be matched by name. */
  readonly #dependents: KubeObject[] = [];
  readonly #definitions = new Map<Uid, KubeObject>();
  /** APIServices and Namespaces. */
  readonly #tellingOfApis = new Map<Uid, KubeObject>();
  readonly #said = new Map<Uid, readonly Said[]>();
  /** By the uid of what they are about. */
  readonly #events = new Map<string, Said[]>();
  readonly #twice: string[] = [];
  readonly #sharedUids: string[] = [];
  readonly #parts: string[] = [];
  readonly #inputs = new Set<Input>();
  readonly #emptyLists: { readonly of: Kinded; readonly read: ListRead }[] = [];
  #nameless = 0;
  /** Of those: with a name that YAML takes for something else. */
  #unquoted = 0;

  constructor(options: CollectionOptions) {
    this.#options = options;
  }

  /** Takes an object in; the changes that can be told at once. */
  add(manifest: Manifest, place: DocumentLocation): Change[] {
    const { apiVersion, kind, json } = manifest;
    this.#inputs.add(place.input);
    const metadata = record(json['metadata']);
    if (text(metadata['name']) === '') {
      this.#nameless++;
      if (['boolean', 'number'].includes(typeof metadata['name'])) this.#unquoted++;
      return [];
    }
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

  /** A list without elements says that its kind was read. */
  addEmptyList(of: Kinded, read: ListRead): void {
    this.#emptyLists.push({ of, read });
  }

  /** A list of which something is missing. `why` is a clause about it. */
  addPart(why: string, { input }: ListRead, line: number): void {
    this.#parts.push(`${input.name}${line > 1 ? `, line ${line}` : ''} ${why}`);
  }

  /** Objects without a name, which are left out. */
  get nameless(): number {
    return this.#nameless;
  }

  /** Objects taken in. */
  get size(): number {
    return this.#byUid.size + this.#held.length;
  }

  /** Where an object was read last. */
  placeOf(type: ResourceType, namespace: string, name: string): DocumentLocation | undefined {
    return this.#byName.get(groupResource(type))?.get(`${namespace}/${name}`)?.place;
  }

  /** Where the object of this uid was read, which may be one of ours. */
  placeOfUid(uid: Uid): DocumentLocation | undefined {
    return this.#byUid.get(uid)?.place;
  }

  /** What the status of an object that is being deleted says; of others it isn't kept. */
  said(uid: Uid): readonly Said[] {
    return this.#said.get(uid) ?? [];
  }

  /** Those in the files, the newest first. */
  eventsAbout(uid: Uid): readonly Said[] {
    return latestEvents(this.#events.get(uid) ?? []);
  }

  /** The end of all files. */
  settle(): Settled {
    const definitions = [...this.#definitions.values()].flatMap(({ facts }) =>
      facts?.kind === 'CustomResourceDefinition' ? [facts] : [],
    );
    this.types.settle(definitions);
    for (const { of, read } of this.#emptyLists) {
      const type = this.types.resolve(of.apiVersion, of.kind);
      if (type !== undefined) this.#coverage.emptyList(groupResource(type), read);
    }
    const changes: Change[] = [];
    for (const { manifest, place } of this.#held) {
      const type = this.types.resolve(manifest.apiVersion, manifest.kind);
      if (type !== undefined) changes.push(...this.#take(type, manifest.json, place));
    }
    this.#held.length = 0;
    changes.push(...this.#ownersByName());
    this.#dependents.length = 0;
    const types = this.types.all;
    const apiServices = this.#coverage.of('apiservices.apiregistration.k8s.io', false);
    return {
      types,
      changes,
      statuses: this.#statuses(types),
      failedGroups: failedGroupsIn(this.#tellingOfApis.values(), apiServices === 'all'),
      warnings: this.#warnings(),
    };
  }

  #take(type: ResourceType, json: JsonRecord, place: DocumentLocation): Change[] {
    this.lastSign.note(type, json);
    if (isEvent(type)) this.#noteEvent(json);
    this.clusterSigns.note(type, json, place);
    // Events and the like have no place in the graph.
    if (!isMonitored(type)) return [];
    const metadata = record(json['metadata']);
    const name = text(metadata['name']);
    const namespace = type.namespaced ? text(metadata['namespace']) || this.#options.namespace : '';
    const given = text(metadata['uid']);
    const uid = given === '' || isSyntheticUid(given) ? syntheticUid(type, namespace, name) : given;
    const identified = { ...json, metadata: { ...metadata, name, namespace, uid } };
    const object = objectFromJson(type, asAdmitted(type, identified, given === ''));
    if (object === undefined) return [];
    this.#coverage.object(groupResource(type), namespace, name, place.list);
    const digest = object.resourceVersion === '' ? digestOf(json) : '';
    const changes = this.#displaced(object, digest, place);
    const key = `${namespace}/${name}`;
    const { resourceVersion } = object;
    const entry = { uid: object.uid, type, key, resourceVersion, digest, place };
    this.#table(type).set(key, entry);
    this.#byUid.set(object.uid, entry);
    if (object.owners.length > 0) this.#dependents.push(object);
    if (object.facts?.kind === 'CustomResourceDefinition') this.#definitions.set(object.uid, object);
    if (object.facts?.kind === 'APIService' || object.facts?.kind === 'Namespace')
      this.#tellingOfApis.set(object.uid, object);
    const said = object.deletionTimestamp === undefined ? [] : saidIn(json);
    if (said.length > 0) this.#said.set(object.uid, said);
    changes.push({ op: 'upsert', object });
    return changes;
  }

  #noteEvent(json: JsonRecord): void {
    const event = eventFromJson(json);
    if (event === undefined) return;
    const all = getOrInsert(this.#events, event.about, () => []);
    all.push(event.said);
    // A dump may hold tens of thousands about the same few objects.
    if (all.length >= MOST_EVENTS) all.splice(0, all.length, ...latestEvents(all));
  }

  /** Objects that another one takes the place of go first. */
  #displaced(object: KubeObject, digest: string, place: DocumentLocation): Change[] {
    const changes: Change[] = [];
    const table = this.#table(object.type);
    const key = `${object.namespace}/${object.name}`;
    const sameName = table.get(key);
    if (sameName !== undefined) {
      const identical =
        sameName.uid === object.uid &&
        sameName.resourceVersion === object.resourceVersion &&
        sameName.digest === digest;
      // The same state of the same object, as must-gather writes it: in a list and by itself; or a copy of a manifest.
      if (!identical) this.#twice.push(`${title(object)} (${where(sameName.place, place)})`);
      this.#forget(sameName, changes);
    }
    const sameUid = this.#byUid.get(object.uid);
    if (sameUid !== undefined) {
      this.#sharedUids.push(`${title(object)} and ${sameUid.type.kind} ${sameUid.key.replace(/^\//u, '')}`);
      this.#forget(sameUid, changes);
    }
    return changes;
  }

  #forget(entry: Entry, changes: Change[]): void {
    this.#table(entry.type).delete(entry.key);
    this.#byUid.delete(entry.uid);
    this.#definitions.delete(entry.uid);
    this.#tellingOfApis.delete(entry.uid);
    this.#said.delete(entry.uid);
    changes.push({ op: 'delete', uid: entry.uid, type: entry.type });
  }

  #table(type: ResourceType): Map<string, Entry> {
    return getOrInsert(this.#byName, groupResource(type), () => new Map());
  }

  /** References to objects that have no uid, whatever uid they carry, lead to the object that they name. */
  #ownersByName(): Change[] {
    const changes: Change[] = [];
    for (const object of this.#dependents) {
      if (this.#byUid.get(object.uid)?.key !== `${object.namespace}/${object.name}`) continue;
      let matched = false;
      const owners = object.owners.map(reference => {
        const uid = this.#byUid.has(reference.uid)
          ? undefined
          : this.#withoutUid(reference, object.namespace);
        if (uid === undefined) return reference;
        matched = true;
        return { ...reference, uid };
      });
      if (matched) changes.push({ op: 'upsert', object: object.with({ owners }) });
    }
    return changes;
  }

  #withoutUid({ apiVersion, kind, name }: OwnerReference, namespace: string): Uid | undefined {
    const type = this.types.resolve(apiVersion, kind);
    if (type === undefined || (type.namespaced && namespace === '')) return undefined;
    const uid = syntheticUid(type, type.namespaced ? namespace : '', name);
    return this.#byUid.has(uid) ? uid : undefined;
  }

  #statuses(types: readonly ResourceType[]): TypeStatus[] {
    const { closedWorld } = this.#options;
    return types
      .filter(type => (closedWorld ? type.preferred : isMonitored(type)))
      .map((type): TypeStatus => {
        const name = groupResource(type);
        const count = this.#byName.get(name)?.size ?? 0;
        const base = { type, count, facts: true };
        if (closedWorld) return { ...base, state: 'synced' };
        const covered = this.#coverage.of(name, type.namespaced);
        if (covered === 'none') return { ...base, state: 'blind', reason: NOT_IN_FILES };
        if (covered === 'all') return { ...base, state: 'synced' };
        const piecemeal = this.#inputs.size > 1 ? { piecemeal: true as const } : {};
        return { ...base, state: 'synced', namespaces: covered, reason: PARTLY_IN_FILES, ...piecemeal };
      });
  }

  #warnings(): string[] {
    const warnings: string[] = [];
    const told = (found: readonly string[], one: string, many: string): void => {
      if (found.length === 0) return;
      const named = found.slice(0, NAMED).join('; ');
      const more = found.length > NAMED ? `; and ${found.length - NAMED} more` : '';
      warnings.push(
        `${found.length === 1 ? one : `${found.length} ${many}`}, the last one read counts: ${named}${more}.`,
      );
    };
    told(
      this.#twice,
      'an object stands in the files more than once',
      'objects stand in the files more than once',
    );
    told(this.#sharedUids, 'two objects have the same uid', 'objects have the uid of another one');
    const parts = this.#parts.slice(0, NAMED);
    warnings.push(...parts.map(part => `${part}.`));
    if (this.#parts.length > NAMED) warnings.push(`${this.#parts.length - NAMED} more lists are incomplete.`);
    if (this.#nameless > 0) {
      const quote = this.#unquoted === 0 ? '' : ': names such as on, y or 12 need quotes';
      warnings.push(
        this.#nameless === 1
          ? `a manifest without a name was left out${quote}.`
          : `${this.#nameless} manifests without a name were left out${quote}.`,
      );
    }
    return warnings;
  }
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

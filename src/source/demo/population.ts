/** The demo's objects as the API server would hold them: JSON by uid, with a resourceVersion that counts up. */
import { parseAllDocuments } from 'yaml';
import type { Change } from '../../model/changes.ts';
import { objectFromJson } from '../../model/from-json.ts';
import { type JsonRecord, list, record, text, texts, truth } from '../../model/json.ts';
import { joinApiVersion, type ResourceType } from '../../model/resource-type.ts';
import { builtInTypes } from '../built-in-types.ts';
import type { Scenario } from './scenarios.ts';

const everything = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The types that a CustomResourceDefinition serves; the first served version is the preferred one. */
function definedTypes(crd: JsonRecord): ResourceType[] {
  const spec = record(crd['spec']);
  const names = record(spec['names']);
  const group = text(spec['group']);
  return list(spec['versions'])
    .map(record)
    .filter(version => truth(version['served']))
    .map((version, index) => ({
      group,
      version: text(version['name']),
      apiVersion: joinApiVersion(group, text(version['name'])),
      kind: text(names['kind']),
      resource: text(names['plural']),
      singular: text(names['singular']),
      shortNames: texts(names['shortNames']),
      categories: texts(names['categories']),
      namespaced: text(spec['scope']) === 'Namespaced',
      verbs: everything,
      preferred: index === 0,
    }));
}

const timeFields = ['creationTimestamp', 'deletionTimestamp', 'lastTransitionTime'];

/** A copy with every timestamp moved by `shift` milliseconds. */
function shifted(value: unknown, shift: number): unknown {
  if (Array.isArray(value)) return value.map(each => shifted(each, shift));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      timeFields.includes(key) && typeof each === 'string'
        ? new Date(Date.parse(each) + shift).toISOString()
        : shifted(each, shift),
    ]),
  );
}

interface Stored {
  readonly type: ResourceType;
  readonly json: JsonRecord;
}

export class Population {
  readonly types: readonly ResourceType[];
  readonly #objects = new Map<string, Stored>();
  #resourceVersion = 1;

  /** `now` in milliseconds since the epoch: the moment at which the scenario's `takenAt` happens. */
  constructor(scenario: Scenario, now: number) {
    const shift = now - Date.parse(scenario.takenAt);
    const documents = parseAllDocuments(scenario.manifests).flatMap(document =>
      'toJS' in document ? [record(shifted(document.toJS(), shift))] : [],
    );
    const crds = documents.filter(each => each['kind'] === 'CustomResourceDefinition');
    this.types = [...builtInTypes, ...crds.flatMap(definedTypes)];
    for (const document of documents) if (document['kind'] !== undefined) this.put(document);
  }

  /** Stores an object under its uid, in place of an earlier one. Throws where a scenario is written wrongly. */
  put(json: JsonRecord): Change {
    const apiVersion = text(json['apiVersion']);
    const kind = text(json['kind']);
    const type = this.types.find(each => each.apiVersion === apiVersion && each.kind === kind);
    if (type === undefined) throw new Error(`the scenario has a ${apiVersion} ${kind}, which nothing serves`);
    this.#resourceVersion += 1;
    const metadata = { ...record(json['metadata']), resourceVersion: String(this.#resourceVersion) };
    const stored = { ...json, metadata };
    const object = objectFromJson(type, stored);
    if (object === undefined) throw new Error(`the scenario has a ${kind} without a name or uid`);
    this.#objects.set(object.uid, { type, json: stored });
    return { op: 'upsert', object };
  }

  /** Takes an object out; undefined where there is none. */
  remove(uid: string): Change | undefined {
    const stored = this.#objects.get(uid);
    const object = stored === undefined ? undefined : objectFromJson(stored.type, stored.json);
    if (stored === undefined || object === undefined) return undefined;
    this.#objects.delete(uid);
    return { op: 'delete', uid: object.uid, type: stored.type };
  }

  /** The JSON of an object, undefined where there is none. */
  byUid(uid: string): JsonRecord | undefined {
    return this.#objects.get(uid)?.json;
  }

  byName(type: ResourceType, namespace: string, name: string): JsonRecord | undefined {
    for (const stored of this.#objects.values()) {
      const metadata = record(stored.json['metadata']);
      const same = stored.type.group === type.group && stored.type.resource === type.resource;
      if (same && metadata['name'] === name && text(metadata['namespace']) === namespace) return stored.json;
    }
    return undefined;
  }

  /** All objects of one type, as they would be listed. */
  listed(type: ResourceType): Change[] {
    const changes: Change[] = [];
    for (const stored of this.#objects.values()) {
      const object = stored.type === type ? objectFromJson(type, stored.json) : undefined;
      if (object !== undefined) changes.push({ op: 'upsert', object });
    }
    return changes;
  }

  /** JSON of the objects whose controlling owner has this uid, in the order of their creation. */
  controlledBy(uid: string): JsonRecord[] {
    return [...this.#objects.values()]
      .map(stored => stored.json)
      .filter(json =>
        list(record(json['metadata'])['ownerReferences'])
          .map(record)
          .some(reference => reference['uid'] === uid && truth(reference['controller'])),
      );
  }
}

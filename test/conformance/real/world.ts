/** A real API server as a scenario's world: the same requests as the simulation gets, over HTTP. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRecord, list, record, text, truth } from '../../../src/model/json/json.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { joinApiVersion, type ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import type { ObjectAddress, PlayedDelete, World, WorldAnswer } from '../../../src/source/demo/player.ts';
import type { PatchedSubresource } from '../../../src/source/demo/scenario.ts';
import { policies } from '../../../src/source/demo/world/simulated-world.ts';
import type { ApiClient, ApiResponse } from '../../harness/api-client.ts';
import { builtIn } from '../../simulation/fixtures.ts';
import type { LeftObject, PodStatus } from '../end-state.ts';

/** A list that cannot be answered is asked for again for so long. */
const BUSY_MS = 60_000;

/** Kinds that controllers make, beside those of the scenarios. */
const watchedKinds = [
  'ConfigMap',
  'Secret',
  'Pod',
  'PersistentVolumeClaim',
  'Namespace',
  'ReplicaSet',
  'ControllerRevision',
  'Job',
];

export class RealWorld implements World {
  readonly #api: ApiClient;
  readonly #types = new Map<string, ResourceType>();
  /** Types of which objects may be left, by path. */
  readonly #listed = new Map<string, ResourceType>();

  constructor(api: ApiClient, customTypes: readonly ResourceType[]) {
    this.#api = api;
    for (const type of [...builtInTypes, ...customTypes]) this.#learn(type);
    for (const kind of watchedKinds) this.#look(builtIn(kind));
  }

  async create(manifest: JsonRecord): Promise<WorldAnswer> {
    if (manifest['kind'] === 'CustomResourceDefinition') this.#learnDefinition(manifest);
    const type = this.#typeOf(text(manifest['apiVersion']), text(manifest['kind']));
    this.#look(type);
    const namespace = text(record(manifest['metadata'])['namespace']);
    const path = pathOf(type, namespace);
    // A new definition or namespace takes a moment until it serves, and the second of two API servers knows one later still.
    // So does a ServiceCIDR until its addresses can be allocated.
    const soon = type.kind === 'Service' ? [404, 422, 503] : [404, 503];
    for (let tries = 0; ; tries++) {
      const answer = await this.#api.send({ method: 'POST', path, body: manifest });
      if (!soon.includes(answer.status) || tries > 100) return answered(answer);
      await sleep(100);
    }
  }

  async patch(
    place: ObjectAddress,
    patch: JsonRecord,
    subresource?: PatchedSubresource,
  ): Promise<WorldAnswer> {
    const contentType = 'application/merge-patch+json';
    const path = subresource === undefined ? this.#path(place) : `${this.#path(place)}/${subresource}`;
    // It takes no patch, and nothing but the finalizers of what is sent.
    if (subresource === 'finalize') {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place.name }, ...patch };
      return answered(await this.#api.send({ method: 'PUT', path, body }));
    }
    return answered(await this.#api.send({ method: 'PATCH', path, body: patch, contentType }));
  }

  async delete(place: ObjectAddress, request: PlayedDelete): Promise<WorldAnswer> {
    const { cascade, gracePeriodSeconds } = request;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(cascade === 'default' ? {} : { propagationPolicy: policies[cascade] }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    return answered(await this.#api.send({ method: 'DELETE', path: this.#path(place), body }));
  }

  /** Everything that is left of all runs, and a mark that changes with any of it. */
  async left(): Promise<{ readonly objects: readonly LeftObject[]; readonly mark: string }> {
    const lists = await Promise.all([...this.#listed].map(([path, type]) => this.#list(path, type)));
    const all = lists.flat();
    const mark = all.map(({ object, version }) => `${object.uid}@${version}`).join(' ');
    return { objects: all.map(({ object }) => object), mark };
  }

  async #list(
    path: string,
    type: ResourceType,
  ): Promise<{ readonly object: LeftObject; readonly version: string }[]> {
    const deadline = Date.now() + BUSY_MS;
    let answer = await this.#api.send({ path });
    // While the storage of a kind is made ready, or etcd is too busy to answer.
    while ((answer.status === 429 || answer.status >= 500) && Date.now() < deadline) {
      await sleep(500);
      answer = await this.#api.send({ path });
    }
    // A definition may be gone, and its objects with it.
    if (answer.status === 404) return [];
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.body}`);
    const { items } = JSON.parse(answer.body) as JsonRecord;
    return list(items).map(item => leftObject(type, record(item)));
  }

  #path(place: ObjectAddress): string {
    return `${pathOf(this.#typeOf(place.apiVersion, place.kind), place.namespace)}/${place.name}`;
  }

  #typeOf(apiVersion: string, kind: string): ResourceType {
    const type = this.#types.get(`${apiVersion} ${kind}`);
    if (type === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
    return type;
  }

  #learn(type: ResourceType): void {
    this.#types.set(`${type.apiVersion} ${type.kind}`, type);
  }

  #look(type: ResourceType): void {
    if (type.preferred) this.#listed.set(pathOf(type, ''), type);
  }

  #learnDefinition(manifest: JsonRecord): void {
    const metadata = { ...record(manifest['metadata']), uid: 'unknown' };
    const facts = objectJson.read(builtIn('CustomResourceDefinition'), { ...manifest, metadata })?.facts;
    if (facts?.kind !== 'CustomResourceDefinition') return;
    const { group, definedKind, plural, singular, namespaced } = facts;
    for (const [index, { name }] of facts.versions.entries()) {
      this.#learn({
        ...builtIn('ConfigMap'),
        group,
        version: name,
        apiVersion: joinApiVersion(group, name),
        kind: definedKind,
        resource: plural,
        singular,
        namespaced,
        preferred: index === 0,
      });
    }
  }
}

function answered({ status, body }: ApiResponse): WorldAnswer {
  if (status < 200 || status > 299) return { status };
  const uid = text(record(record(JSON.parse(body))['metadata'])['uid']);
  return { status, uid: uid === '' ? undefined : uid };
}

/** Of a collection; that of all namespaces where the namespace is `''`. */
function pathOf({ group, version, resource }: ResourceType, namespace: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === '' ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`;
}

function leftObject(type: ResourceType, item: JsonRecord): { object: LeftObject; version: string } {
  const metadata = record(item['metadata']);
  const owners = list(metadata['ownerReferences']).map(each => {
    const owner = record(each);
    return {
      apiVersion: text(owner['apiVersion']),
      kind: text(owner['kind']),
      name: text(owner['name']),
      uid: text(owner['uid']),
      controller: truth(owner['controller']),
      block: truth(owner['blockOwnerDeletion']),
    };
  });
  return {
    version: text(metadata['resourceVersion']),
    object: {
      kind: type.kind,
      namespace: text(metadata['namespace']),
      name: text(metadata['name']),
      uid: text(metadata['uid']),
      deleting: metadata['deletionTimestamp'] !== undefined,
      finalizers: list(metadata['finalizers']).map(text),
      owners,
      ...(type.kind === 'Pod' ? { status: statusOf(record(item['status'])) } : {}),
    },
  };
}

function statusOf(status: JsonRecord): PodStatus {
  const disruption = list(status['conditions'])
    .map(record)
    .find(({ type }) => type === 'DisruptionTarget');
  return { phase: text(status['phase']), disruption: text(disruption?.['reason']) };
}

/** A cluster with other names: every name in it, wherever it stands, with a text put into it. */
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import { KubeObject } from '../../src/model/object.ts';
import { parseApiVersion, ResourceType } from '../../src/model/types/resource-type.ts';

import type { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../../src/source/source.ts';

/** Names that mean something to Kubernetes: another would be another thing. */
const meant = /^(?:kube-|default$|v\d)|\./u;

/** Changes names such as `web` to `q<text>qweb`: in front, because controllers make names by adding to them. */
class Renaming {
  readonly #names: ReadonlySet<string>;
  readonly #text: string;

  constructor(objects: readonly KubeObject[], text: string) {
    const names = objects.flatMap(({ name, namespace, owners, finalizers, facts }) => [
      name,
      namespace,
      ...owners.map(owner => owner.name),
      ...finalizers.filter(finalizer => finalizer.includes('example.com')),
      ...(facts?.kind === 'Pod' ? [facts.nodeName] : []),
    ]);
    this.#names = new Set(
      names.filter(name => name !== '' && (!meant.test(name) || name.includes('example.com/'))),
    );
    this.#text = text;
  }

  object(object: KubeObject): KubeObject {
    const { type, ...rest } = object;
    return new KubeObject({ ...(this.#renamed(rest) as typeof rest), type });
  }

  #renamed(value: unknown): unknown {
    if (typeof value === 'string') return this.#name(value);
    if (Array.isArray(value)) return value.map(each => this.#renamed(each));
    if (value instanceof Map)
      return new Map([...value].map(([key, each]) => [this.#renamed(key), this.#renamed(each)]));
    if (value instanceof Set) return new Set([...value].map(each => this.#renamed(each)));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === 'type' || key === 'kind' || key === 'uid' ? each : this.#renamed(each),
      ]),
    );
  }

  #name(word: string): string {
    if (this.#names.has(word))
      return word.includes('/') ? word.replace('/', `/q${this.#text}q`) : `q${this.#text}q${word}`;
    const [namespace = '', name, ...more] = word.split('/');
    return name !== undefined && more.length === 0 && this.#names.has(namespace) && this.#names.has(name)
      ? `${this.#name(namespace)}/${this.#name(name)}`
      : word;
  }
}

/** Puts the text into all that references say of owners which aren't there: the API server takes anything for it. */
function withAbsent(objects: readonly KubeObject[], kinds: ReadonlySet<string>, text: string): KubeObject[] {
  const living = new Set(objects.map(({ name }) => name));
  const put = (word: string, isKnown: boolean): string => (isKnown ? word : `q${text}q${word}`);
  return objects.map(
    object =>
      new KubeObject({
        ...object,
        owners: object.owners.map(owner => ({
          ...owner,
          name: put(owner.name, living.has(owner.name)),
          kind: put(owner.kind, kinds.has(owner.kind)),
        })),
      }),
  );
}

export type Which = 'names' | 'absent owners';

/** What a client of the simulated API server sees, at once, with the text in these names. */
export function batchOf({ discovery, store }: SimulatedCluster, text: string, which: Which): SourceBatch {
  const { types } = discovery.catalog;
  const served = types
    .filter(ResourceType.isMonitored)
    .map(type => ({ type, seen: discovery.availability(type) === 'served' }));
  const objects = served.flatMap(({ type, seen }) => (seen ? [...store.list(type)] : []));
  const renaming = new Renaming(objects, text);
  const kinds = new Set(types.map(({ kind }) => kind));
  const renamed =
    which === 'names' ? objects.map(each => renaming.object(each)) : withAbsent(objects, kinds, text);
  const groups = new Set(discovery.failedGroupVersions.map(each => parseApiVersion(each).group));
  return {
    changes: renamed.map(object => ({ op: 'upsert', object })),
    types,
    statuses: served.map(({ type, seen }) =>
      seen
        ? { type, state: 'synced', count: 0, facts: true }
        : { type, state: 'blind', count: 0, facts: false, reason: '500' },
    ),
    failedGroups: [...groups].map(group => ({ resource: `*.${group}`, reason: '503' })),
    connection: { state: 'live' },
  };
}

const info: SourceInfo = {
  source: 'cluster',
  context: 'test',
  namespace: 'default',
  serverVersion: 'v1.36.3',
};

/** Serves one batch, and knows nothing more. */
export class BatchSource implements Source {
  readonly info = info;
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #batch: SourceBatch;

  constructor(batch: SourceBatch) {
    this.#batch = batch;
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    listener(this.#batch);
    return Promise.resolve();
  }

  get(_type: ResourceType, _namespace: string, _name: string): Promise<JsonObject | undefined> {
    return Promise.reject(new SourceError('this source has no whole objects'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A cluster source that follows the fake API server, with hours in seconds, and what it said so far. */
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterSource } from '../../src/kube/cluster-source.ts';
import type { Catalogue } from '../../src/kube/discovery/type-catalogue.ts';
import type { Timing } from '../../src/kube/transport/timing.ts';
import type { Connection, TypeStatus } from '../../src/model/exchange/changes.ts';
import type { ReadPlan, ReadScope } from '../../src/model/exchange/reads.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import type { FakeApi } from './fake-api.ts';
import { FastTiming } from './fast-timing.ts';

export const widgets: ResourceType = {
  group: 'example.com',
  version: 'v1',
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  resource: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['delete', 'get', 'list', 'watch'],
  preferred: true,
};

/** Its uid is `namespace-name`. */
export function widget(namespace: string, name: string, resourceVersion: string): KubeObject {
  const object = objectJson.read(widgets, {
    metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion },
  });
  if (object === undefined) throw new Error(name);
  return object;
}

/** A kind with facts. */
export const claims: ResourceType = {
  ...widgets,
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  resource: 'persistentvolumeclaims',
  singular: 'persistentvolumeclaim',
};

export class Follower<Clock extends Timing = FastTiming> {
  readonly source;
  readonly timing: Clock;
  readonly objects = new Map<string, KubeObject>();
  readonly statuses = new Map<ResourceType, TypeStatus>();
  readonly statusLog: TypeStatus[] = [];
  readonly connections: Connection[] = [];
  /** `upsert a/b uid-1@101`, `delete uid-1` */
  readonly log: string[] = [];
  /** Uids of what was deleted and nobody saw go. */
  readonly unseen: string[] = [];
  /** `Node n1 found` */
  readonly answers: string[] = [];
  scope: ReadScope | undefined;
  catalogue: Catalogue;

  constructor(
    api: FakeApi,
    types: readonly ResourceType[],
    namespaces: readonly string[] = [],
    serverVersion = 'v1.36.3',
    timing?: Clock,
  ) {
    this.catalogue = { ...catalogueOf(types), serverVersion };
    this.timing = timing ?? (new FastTiming(api) as Timing as Clock);
    this.source = new ClusterSource({
      transport: api.transport(),
      discovery: {
        refresh: () => Promise.resolve(this.catalogue),
        cached: () => Promise.resolve(undefined),
        recalled: () => Promise.resolve(undefined),
      },
      context: 'fake',
      namespace: 'default',
      namespaces,
      timing: this.timing,
    });
  }

  async start(reading?: ReadPlan): Promise<this> {
    await this.source.start(batch => {
      if (batch.scope !== undefined) this.scope = batch.scope;
      for (const { lookUp, answer } of batch.lookUps ?? [])
        this.answers.push(`${lookUp.kind} ${lookUp.name} ${answer.state}`);
      for (const change of batch.changes) {
        if (change.op === 'upsert') {
          const { namespace, name, uid, resourceVersion } = change.object;
          this.objects.set(uid, change.object);
          this.log.push(`upsert ${namespace}/${name} ${uid}@${resourceVersion}`);
        } else {
          this.objects.delete(change.uid);
          if (change.unseen === true) this.unseen.push(change.uid);
          this.log.push(`delete ${change.uid}`);
        }
      }
      for (const status of batch.statuses ?? []) this.statuses.set(status.type, status);
      this.statusLog.push(...(batch.statuses ?? []));
      if (batch.connection !== undefined) this.connections.push(batch.connection);
    }, reading);
    return this;
  }

  /** `namespace/name uid@version`, sorted. */
  get seen(): string[] {
    return [...this.objects.values()]
      .map(({ namespace, name, uid, resourceVersion }) => `${namespace}/${name} ${uid}@${resourceVersion}`)
      .toSorted();
  }
}

export function catalogueOf(types: readonly ResourceType[], failed: readonly string[] = []): Catalogue {
  return { types, failedGroups: [], failedVersions: new Set(failed), serverVersion: 'v1.36.3' };
}

export function stateOf(api: FakeApi): string[] {
  return [...api.objects.values()]
    .map(({ namespace, name, uid, resourceVersion }) => `${namespace}/${name} ${uid}@${resourceVersion}`)
    .toSorted();
}

/** Tries until it no longer throws; the last error after a while in which nothing comes that would have come at all. */
export async function soon(check: () => void): Promise<void> {
  const deadline = Date.now() + 25_000;
  for (;;) {
    try {
      check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(5);
    }
  }
}

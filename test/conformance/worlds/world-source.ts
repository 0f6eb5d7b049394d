/**
 * One world of many on a cluster as a source of its own: what somebody would see who had that cluster alone. Look-ups go
 * to the real API server.
 */

import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { LookUp, SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { JsonObject, Source, SourceInfo } from '../../../src/source/source.ts';
import type { LiveCluster } from './live-cluster.ts';

export class WorldSource implements Source {
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #cluster: LiveCluster;
  readonly #objects: readonly KubeObject[];
  #stopListening: () => void = () => {};

  /** The objects as they are now. */
  constructor(cluster: LiveCluster, objects: readonly KubeObject[]) {
    this.#cluster = cluster;
    this.#objects = objects;
  }

  get info(): SourceInfo {
    return this.#cluster.source.info;
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    listener(listed(this.#cluster.view, this.#objects));
    this.#stopListening = this.#cluster.onAnswers(lookUps => listener({ changes: [], lookUps }));
    return Promise.resolve();
  }

  lookUp(wanted: Iterable<LookUp>, how: { readonly urgent: boolean }): void {
    this.#cluster.source.lookUp?.(wanted, how);
  }

  get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    return this.#cluster.source.get(type, namespace, name);
  }

  close(): Promise<void> {
    this.#stopListening();
    return Promise.resolve();
  }
}

function listed(view: ClusterView, objects: readonly KubeObject[]): SourceBatch {
  return {
    changes: objects.map(object => ({ op: 'upsert', object })),
    types: view.catalog.types,
    statuses: [...view.statuses.values()],
    failedGroups: view.failedGroups,
    connection: { state: 'live' },
  };
}

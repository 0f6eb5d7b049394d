/** A cluster with many worlds on it, followed by the product's own source. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { AnsweredLookUp } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { Source } from '../../../src/source/source.ts';

type OnAnswers = (answers: readonly AnsweredLookUp[]) => void;

export class LiveCluster {
  readonly source: Source;
  readonly view = new ClusterView();
  readonly #listeners = new Set<OnAnswers>();
  /** When something of a world has changed last, in milliseconds since the epoch. */
  #changedAt = Date.now();

  private constructor(kubeconfig: string) {
    this.source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
  }

  /** Resolves when everything is listed. `isOfWorld`: by the prefix of a name. */
  static async open(kubeconfig: string, isOfWorld: (prefix: string) => boolean): Promise<LiveCluster> {
    const cluster = new LiveCluster(kubeconfig);
    await cluster.source.start(batch => {
      const { removed, touched } = cluster.view.apply(batch, Date.now()).graph;
      const isOurs = ({ identity: { namespace, name } }: { readonly identity: KubeObjectName }): boolean =>
        isOfWorld(prefixOf({ namespace, name }));
      if ([...touched].some(isOurs) || [...removed].some(isOurs)) cluster.#changedAt = Date.now();
      if (batch.lookUps !== undefined) for (const each of cluster.#listeners) each(batch.lookUps);
    });
    await cluster.source.factsComplete;
    return cluster;
  }

  /** Until the function that comes back is called. */
  onAnswers(listener: OnAnswers): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Until nothing of any world has changed for so many milliseconds. */
  async rest(quiet: number): Promise<void> {
    this.#changedAt = Math.max(this.#changedAt, Date.now() - quiet / 2);
    for (let left = quiet; left > 0; left = this.#changedAt + quiet - Date.now()) await sleep(left);
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

interface KubeObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Of the world that an object belongs to, as far as its name tells: `w7` of everything in `w7-a`. */
export function prefixOf({ namespace, name }: KubeObjectName): string {
  const place = namespace === '' ? name : namespace;
  return place.slice(0, Math.max(0, place.indexOf('-')));
}

/** The objects of the view by world; those of no world are under `''`. */
export function byWorld(view: ClusterView, prefixes: ReadonlySet<string>): ReadonlyMap<string, KubeObject[]> {
  const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
  return Map.groupBy(objects, object => {
    const prefix = prefixOf(object);
    return prefixes.has(prefix) ? prefix : '';
  });
}

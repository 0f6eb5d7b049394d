/**
 * The simulated collector, one step at a time: a test says which event arrives and when a worker takes an item.
 * Rate-limited additions are plain ones.
 */
import { CollectorQueue, type QueuedItem } from '../../src/collector/collector-state.ts';
import type { StepWarning } from '../../src/collector/observed-step.ts';
import type { OwnershipGraph } from '../../src/graph/graph.ts';
import { Identity } from '../../src/graph/node.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { type ApiClient, refusal } from '../../src/simulation/api/api-client.ts';
import type { ObjectKey } from '../../src/simulation/api/object-store.ts';
import { GarbageCollector } from '../../src/simulation/collector/garbage-collector.ts';
import type { Controller, ControllerContext } from '../../src/simulation/runtime/controller.ts';
import type { InformerHandler } from '../../src/simulation/runtime/informers.ts';
import type { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { served } from '../graph/fixtures.ts';
import { label, labelOf } from '../graph/invariant.ts';
import { cluster } from './fixtures.ts';

export class CollectorSteps implements Controller {
  readonly name = 'garbage-collector';
  /** Asked before each DELETE; the status of the refusal, if any. */
  refuseDelete: (resourceVersion: string | undefined) => 404 | 409 | undefined = () => undefined;
  readonly #cluster: SimulatedCluster;
  readonly #collector = new GarbageCollector({ backOff: { baseDelay: 0, bucket: undefined } });
  readonly #warned: StepWarning[] = [];
  #handler: InformerHandler = {};
  #lane = '';
  #calls: string[] = [];

  constructor(stored: readonly KubeObject[]) {
    this.#cluster = cluster({
      types: served,
      objects: stored,
      processes: [{ name: 'kube-controller-manager', controllers: () => [this] }],
      chooser: ready =>
        ready.find(task => task.lane.startsWith(this.#lane)) ?? fail(`nothing to do in ${this.#lane}`),
    });
    this.#cluster.start('resume');
  }

  start(context: ControllerContext): void {
    const ignored = (): void => {};
    this.#collector.start({
      ...context,
      onlooker: {
        works: ignored,
        takes: ignored,
        looksUp: ignored,
        sends: ignored,
        queues: ignored,
        warns: warning => this.#warned.push(warning),
      },
      api: this.#watched(context.api),
      informer: (_watches, handler) => {
        this.#handler = handler;
      },
    });
  }

  store(object: KubeObject): void {
    this.#cluster.store.put(object);
  }

  unstore(object: KubeObject): void {
    this.#cluster.store.remove(object);
  }

  add(object: KubeObject): void {
    this.#handler.added?.(object, false);
    this.takeEvent();
  }

  update(object: KubeObject, old: KubeObject): void {
    this.#handler.updated?.(object, old);
    this.takeEvent();
  }

  delete(object: KubeObject): void {
    this.#handler.deleted?.(object);
    this.takeEvent();
  }

  /** The graph takes in its oldest event. */
  takeEvent(): void {
    if (this.graphChanges.length === 0) fail('no graph event is pending');
    this.#step('garbage-collector graph');
  }

  /** One delete worker, one item. Returns the API calls that it made. */
  work(): string[] {
    this.#calls = [];
    if (this.queued.length === 0) fail('the delete queue is empty');
    this.#step('garbage-collector delete');
    if (this.#collector.collectorState().acting.length > 0) this.#step('garbage-collector act');
    return this.#calls;
  }

  get graph(): OwnershipGraph {
    return this.#collector.graph;
  }

  get graphChanges(): readonly QueuedItem[] {
    return this.#queue(CollectorQueue.graphChanges);
  }

  get queued(): string[] {
    return this.#queue(CollectorQueue.attemptToDelete).map(({ object, virtual }) => labelOf(object, virtual));
  }

  get nodes(): string[] {
    return [...this.graph.nodes()].map(label).sort();
  }

  get remembered(): string[] {
    return [...this.graph.absent.values()].map(Identity.describe);
  }

  get warnings(): string[] {
    return this.#warned.map(({ object, reference }) => {
      const { kind, name, namespace } = object;
      return `${kind} ${name} in "${namespace}": ${Identity.describe(Identity.claimed(reference, namespace))}`;
    });
  }

  /** Items that wait, not those that back off. */
  #queue(wanted: string): readonly QueuedItem[] {
    return this.#collector.collectorState().queues.find(({ name }) => name === wanted)?.items ?? [];
  }

  #step(lane: string): void {
    this.#lane = lane;
    this.#cluster.clock.step();
  }

  #watched(api: ApiClient): ApiClient {
    return {
      ...api,
      get: target => {
        this.#call('GET', target, '');
        return api.get(target);
      },
      delete: (target, options) => {
        const version = options?.preconditions?.resourceVersion;
        this.#call('DELETE', target, version === undefined ? '' : ` rv=${version}`);
        const status = this.refuseDelete(version);
        if (status === undefined) return api.delete(target, options);
        return refusal(status, status === 404 ? 'NotFound' : 'Conflict', 'refused by the test');
      },
      because: () => this.#watched(api),
    };
  }

  #call(verb: string, { type, namespace, name }: ObjectKey, suffix: string): void {
    const place = namespace === '' ? name : `${namespace}/${name}`;
    this.#calls.push(`${verb} ${type.resource} ${place}${suffix}`);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

/** A process of the control plane: controllers that share informers, and start, stop and forget together. */
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { KubeObject } from '../../model/object.ts';
import type { SimulatedApiServer } from '../api/server.ts';
import type { Controller, ControllerContext, Flapping, StartMode } from './controller.ts';
import { SharedInformers } from './informers.ts';
import type { Random } from './random.ts';
import { SimulatedQueue } from './work-queue.ts';

export interface ProcessOptions {
  readonly name: string;
  /** Called at every start, so that nothing is remembered from before. */
  readonly controllers: () => readonly Controller[];
  readonly api: SimulatedApiServer;
  readonly random: Random;
  readonly base: OwnershipGraph | undefined;
  /** Items of a queue may overtake each other. */
  readonly anyOrder: boolean;
  readonly flaps: (flapping: Flapping) => void;
}

export class SimulatedProcess {
  readonly name: string;
  readonly #options: ProcessOptions;
  #informers: SharedInformers | undefined;
  #running: readonly Controller[] = [];
  #queues: { stop(): void }[] = [];

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#informers !== undefined;
  }

  /** The controllers that run now. */
  get controllers(): readonly Controller[] {
    return this.#running;
  }

  start(mode: StartMode): void {
    if (this.#informers !== undefined) return;
    const { api } = this.#options;
    const informers = new SharedInformers(api, this.name);
    this.#informers = informers;
    this.#running = this.#options.controllers();
    for (const controller of this.#running) controller.start(this.#context(controller, informers, mode));
    // A snapshot beneath is large and looked at as it is touched; whatever lies above it is shown at once.
    if (mode === 'replay') informers.wake(this.#options.base === undefined ? api.store.all() : written(api));
  }

  /** Whatever was queued, remembered or under way is lost. */
  stop(): void {
    this.#informers?.stop();
    for (const queue of this.#queues) queue.stop();
    for (const controller of this.#running) controller.stop?.();
    this.#informers = undefined;
    this.#running = [];
    this.#queues = [];
  }

  wake(objects: Iterable<KubeObject>): void {
    this.#informers?.wake(objects);
  }

  #context(controller: Controller, informers: SharedInformers, mode: StartMode): ControllerContext {
    const { api, random, base, anyOrder, flaps } = this.#options;
    return {
      api: api.as(controller.name),
      clock: api.clock,
      discovery: api.discovery,
      cache: informers.cache,
      random,
      base,
      start: mode,
      flaps,
      informer: (watches, handler) => informers.subscribe(watches, handler),
      queue: (name, handle, options) => {
        const lane = `${controller.name} ${name}`;
        const queue = new SimulatedQueue(api.clock, lane, handle, { ...options, anyOrder });
        this.#queues.push(queue);
        return queue;
      },
      type: (apiVersion, kind) => api.discovery.catalog.resolveKind(apiVersion, kind),
    };
  }
}

function* written(api: SimulatedApiServer): IterableIterator<KubeObject> {
  for (const [, object] of api.store.changes()) if (object !== null) yield object;
}

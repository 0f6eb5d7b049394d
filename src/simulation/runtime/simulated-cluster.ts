import { type CollectorOnlooker, CollectorState } from '../../collector/index.ts';
import type { OwnershipGraph } from '../../graph/index.ts';
import {
  BuiltInKind,
  joinApiVersion,
  type KubeObject,
  type ResourceType,
  type ServerBehaviour,
  type Sliced,
  serverReleases,
  type TypeCatalog,
  type Uid,
} from '../../model/index.ts';
import { AdmissionControl } from '../api/admission/admission-control.ts';
import { type SnapshotKnowledge, simulatedWorld } from '../api/admission/simulated-admission.ts';
import type { ApiClient } from '../api/api-client.ts';
import { SimulatedApiServer } from '../api/api-server.ts';
import { ApiStore } from '../api/object-store.ts';
import { SimulatedDiscovery } from '../api/simulated-discovery.ts';
import { type Chooser, type RunLimits, type RunOutcome, VirtualClock } from '../clock.ts';
import {
  type Controller,
  type ControllerContext,
  type Flapping,
  isKind,
  type StartMode,
} from './controller.ts';
import { GraphBase } from './graph-base.ts';
import { type InformerCache, type InformerHandler, SharedInformers } from './informers.ts';
import { Random } from './random.ts';
import { SimulatedQueue, type SyncResult, type WorkQueueOptions } from './work-queue.ts';

export interface ProcessSetup {
  readonly name: string;
  readonly controllers: () => readonly Controller[];
}

export interface ClusterOptions {
  readonly behaviour?: ServerBehaviour;
  /** The start of the simulation in virtual milliseconds since the epoch. */
  readonly now: number;
  /** Every served version of each resource, in discovery order. */
  readonly types: readonly ResourceType[];
  readonly catalog?: TypeCatalog;
  readonly undiscoverable?: readonly ResourceType[];
  /** The read-only base snapshot, which must not change during the simulation. */
  readonly base?: OwnershipGraph;
  readonly reader?: GraphBase;
  readonly objects?: Iterable<KubeObject>;
  readonly processes?: readonly ProcessSetup[];
  readonly chooser?: Chooser;
  /** Lets a chooser reorder items of one queue, as among several workers. */
  readonly anyOrder?: boolean;
  readonly seed?: number;
  /** The order of unordered things: as listed or reversed; random by default with `anyOrder`. */
  readonly unordered?: 'forwards' | 'backwards' | undefined;
  readonly logReads?: boolean;
  readonly namespacesKnown?: boolean;
  /** The snapshot's knowledge of webhooks and their backends; complete without a snapshot. */
  readonly admission?: SnapshotKnowledge;
  readonly doubtsRefused?: boolean;
  readonly onlooker?: CollectorOnlooker | undefined;
}

export class SimulatedCluster {
  readonly clock: VirtualClock;
  readonly api: SimulatedApiServer;
  readonly discovery: SimulatedDiscovery;
  /** Workloads whose controllers would repeat forever, each reported once. */
  readonly flapping = new Map<Uid, Flapping>();
  readonly #processes = new Map<string, SimulatedProcess>();

  constructor(options: ClusterOptions) {
    const { base } = options;
    const reader = options.reader ?? (base === undefined ? undefined : new GraphBase(base));
    const store = new ApiStore(reader);
    for (const object of options.objects ?? []) store.put(object);
    this.clock = new VirtualClock(options.now, options.chooser);
    this.discovery = new SimulatedDiscovery(options.types, options);
    const parts = { store, clock: this.clock, discovery: this.discovery };
    this.api = new SimulatedApiServer({
      admission: new AdmissionControl(simulatedWorld(parts, options.admission)),
      store,
      clock: this.clock,
      discovery: this.discovery,
      behaviour: options.behaviour ?? serverReleases.newest,
      logReads: options.logReads ?? false,
      namespacesKnown: options.namespacesKnown ?? false,
      doubtsRefused: options.doubtsRefused ?? false,
    });
    const random = new Random(options.seed ?? 1);
    const { anyOrder = false, unordered = anyOrder ? 'shuffled' : 'forwards' } = options;
    for (const { name, controllers } of options.processes ?? []) {
      const process = new SimulatedProcess({
        name,
        controllers,
        api: this.api,
        random,
        base,
        anyOrder,
        unordered,
        onlooker: options.onlooker,
        flaps: flapping => this.flapping.set(flapping.owner.uid, flapping),
      });
      this.#processes.set(name, process);
    }
  }

  get store(): ApiStore {
    return this.api.store;
  }

  as(actor: string): ApiClient {
    return this.api.as(actor);
  }

  start(mode: StartMode = 'replay', name?: string): void {
    for (const process of this.#chosen(name)) process.start(mode);
  }

  /** Stops one process, or all; its memory is lost. */
  stop(name?: string): void {
    for (const process of this.#chosen(name)) process.stop();
  }

  isRunning(name: string): boolean {
    return this.#processes.get(name)?.isRunning ?? false;
  }

  controller(name: string): Controller | undefined {
    for (const process of this.#processes.values()) {
      const found = process.controllers.find(controller => controller.name === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get collectorState(): CollectorState {
    for (const { controllers } of this.#processes.values()) {
      for (const controller of controllers) {
        if (controller.collectorState !== undefined) return controller.collectorState();
      }
    }
    return CollectorState.stopped(this.clock.now, this.api.behaviour.release);
  }

  /** Shows objects of the snapshot to one or all running processes as newly seen. */
  wake(objects: Iterable<KubeObject>, name?: string): void {
    const woken = [...objects];
    for (const process of this.#chosen(name)) process.wake(woken);
  }

  run(limits: RunLimits = {}): RunOutcome {
    return this.clock.run(limits);
  }

  runInSlices(limits: RunLimits = {}): Sliced<RunOutcome> {
    return this.clock.runInSlices(limits);
  }

  runFor(milliseconds: number): RunOutcome {
    return this.clock.run({ until: this.clock.now + milliseconds });
  }

  #chosen(name: string | undefined): Iterable<SimulatedProcess> {
    if (name === undefined) return this.#processes.values();
    const process = this.#processes.get(name);
    if (process === undefined) throw new Error(`no process ${name}`);
    return [process];
  }
}

export interface ProcessOptions {
  readonly name: string;
  readonly controllers: () => readonly Controller[];
  readonly api: SimulatedApiServer;
  readonly random: Random;
  readonly base: OwnershipGraph | undefined;
  readonly anyOrder: boolean;
  readonly unordered: 'forwards' | 'backwards' | 'shuffled';
  readonly onlooker: CollectorOnlooker | undefined;
  readonly flaps: (flapping: Flapping) => void;
}

type Handlers = (readonly [BuiltInKind | 'all', InformerHandler])[];

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

  get controllers(): readonly Controller[] {
    return this.#running;
  }

  start(mode: StartMode): void {
    if (this.#informers !== undefined) return;
    const { api } = this.#options;
    const informers = new SharedInformers(api, this.name);
    this.#informers = informers;
    this.#running = this.#options.controllers();
    for (const controller of this.#running) this.#subscribe(controller, informers, mode);
    if (mode === 'replay') informers.wake(this.#options.base === undefined ? api.store.all() : written(api));
  }

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

  #subscribe(controller: Controller, informers: SharedInformers, mode: StartMode): void {
    const { kinds } = controller;
    let handlers: Handlers | undefined;
    const start = (): Handlers => {
      controller.start(this.#context(controller, informers.cache, (handlers = []), mode));
      return handlers;
    };
    if (kinds === undefined) start();
    informers.subscribe(type =>
      kinds?.some(kind => isKind(type, kind)) === false
        ? []
        : (handlers ?? start()).flatMap(([kind, each]) => (kind === 'all' || isKind(type, kind) ? each : [])),
    );
  }

  #context(
    controller: Controller,
    cache: InformerCache,
    handlers: Handlers,
    mode: StartMode,
  ): ControllerContext {
    const { api, random, base, anyOrder, unordered, flaps, onlooker } = this.#options;
    const typeOf = (kind: BuiltInKind): ResourceType | undefined =>
      api.discovery.catalog.resolveKind(joinApiVersion(BuiltInKind.group(kind), 'v1'), kind);
    return {
      api: api.as(controller.name),
      clock: api.clock,
      discovery: api.discovery,
      behaviour: api.behaviour,
      cache,
      random,
      anyOrder,
      shuffled: list => {
        if (unordered === 'shuffled') return random.shuffled(list);
        return unordered === 'forwards' ? list : list.toReversed();
      },
      base,
      start: mode,
      onlooker,
      flaps,
      informer: (kind, handler) => void handlers.push([kind, handler]),
      queue: <K>(name: string, sync: (key: K) => SyncResult, options?: WorkQueueOptions) => {
        const lane = `${controller.name} ${name}`;
        const handle = (key: K): void => queue.conclude(key, sync(key));
        const queue = new SimulatedQueue(api.clock, lane, handle, { ...options, anyOrder });
        this.#queues.push(queue);
        return queue;
      },
      type: typeOf,
      find: (kind, namespace, name) => {
        const type = typeOf(kind);
        return type && cache.find(type, namespace, name);
      },
      list: (kind, namespace) => {
        const type = typeOf(kind);
        return type === undefined ? [] : cache.list(type, namespace);
      },
    };
  }
}

function* written(api: SimulatedApiServer): IterableIterator<KubeObject> {
  for (const [, object] of api.store.changes()) if (object !== null) yield object;
}

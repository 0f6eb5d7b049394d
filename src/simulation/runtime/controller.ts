/** What a controller of the simulated cluster is, and what it is given when its process starts. */
import type { CollectorState } from '../../collector/state.ts';
import type { CollectorOnlooker } from '../../collector/step.ts';
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ServerBehaviour } from '../../model/server/server-behaviour.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { SimulatedDiscovery } from '../api/discovery.ts';
import type { ApiClient } from '../api/types.ts';
import type { VirtualClock } from '../clock.ts';
import type { InformerCache, InformerHandler } from './informers.ts';
import type { Random } from './random.ts';
import type { SimulatedQueue, SyncResult, WorkQueueOptions } from './work-queue.ts';

export interface ControllerContext {
  /** Requests are logged under the controller's name. */
  readonly api: ApiClient;
  readonly clock: VirtualClock;
  readonly discovery: SimulatedDiscovery;
  readonly behaviour: ServerBehaviour;
  /** The process's informer cache: as last seen, behind the API server. */
  readonly cache: InformerCache;
  /** The same sequence at each run. */
  readonly random: Random;
  /** Whatever takes several requests goes on step by step, among what others do, in any order it may have. */
  readonly anyOrder: boolean;
  /** What comes in no particular order, as it comes in this run. */
  shuffled<T>(list: readonly T[]): readonly T[];
  /** Handlers for the types that the predicate accepts. Every type is in the cache, with a handler or not. */
  informer(watches: (type: ResourceType) => boolean, handler: InformerHandler): void;
  /** A queue in a lane of its own, stopped with the process. */
  queue<K>(name: string, sync: (key: K) => SyncResult, options?: WorkQueueOptions): SimulatedQueue<K>;
  /** A type by apiVersion and kind, as served now. */
  type(apiVersion: string, kind: string): ResourceType | undefined;
  /** Says that this controller would do the same again for ever, for the sake of `flapping.owner`; it stops there. */
  flaps(flapping: Flapping): void;
  /** The snapshot beneath the simulation, where there is one; it doesn't change. */
  readonly base: OwnershipGraph | undefined;
  /**
   * - `resume`: the process has been running all along and has dealt with the snapshot; it is shown nothing
   *   but changes and what is woken.
   * - `replay`: the process is new; it is shown every object.
   */
  readonly start: StartMode;
  /** Who watches the collector work, where somebody does. */
  readonly onlooker: CollectorOnlooker | undefined;
}

/** A workload whose controller makes no progress: each round leaves everything as it was, but for more objects. */
export interface Flapping {
  readonly owner: KubeObject;
  /** Kind of the objects that are made in each round. */
  readonly child: string;
  readonly because: string;
}

export type StartMode = 'resume' | 'replay';

/** A controller keeps its memory in the instance: a restarted process gets new ones. */
export interface Controller {
  readonly name: string;
  start(context: ControllerContext): void;
  /** The process ends. Queues and informers have been stopped. */
  stop?(): void;
  /** Of a garbage collector: what it holds in memory now. */
  readonly collectorState?: () => CollectorState;
}

/** A choice that a controller had to make without knowing enough: none of its ends is certain. */
export interface Uncertainty {
  readonly objects: readonly KubeObject[];
  /** The possible ends. */
  readonly outcomes: readonly ('deleted' | 'kept')[];
  readonly because: string;
}

export type ReportUncertainty = (uncertainty: Uncertainty) => void;

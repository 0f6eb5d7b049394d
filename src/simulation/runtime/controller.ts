import type { CollectorOnlooker, CollectorState } from '../../collector/index.ts';
import type { OwnershipGraph } from '../../graph/index.ts';
import { BuiltInKind, type KubeObject, type ResourceType, type ServerBehaviour } from '../../model/index.ts';
import type { ApiClient } from '../api/api-client.ts';
import type { SimulatedDiscovery } from '../api/simulated-discovery.ts';
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
  /** The process's informer cache, which lags behind the API server. */
  readonly cache: InformerCache;
  readonly random: Random;
  /** Interleaves multi-request steps with other work in any possible order. */
  readonly anyOrder: boolean;
  shuffled<T>(list: readonly T[]): readonly T[];
  /** Adds handlers for one kind, or for all types. The cache holds every type. */
  informer(kind: BuiltInKind | 'all', handler: InformerHandler): void;
  queue<K>(name: string, sync: (key: K) => SyncResult, options?: WorkQueueOptions): SimulatedQueue<K>;
  /** Returns the kind's stable version, if served. */
  type(kind: BuiltInKind): ResourceType | undefined;
  /** Reads the cache. */
  find(kind: BuiltInKind, namespace: string, name: string): KubeObject | undefined;
  list(kind: BuiltInKind, namespace?: string): readonly KubeObject[];
  /** Reports whether this controller would repeat forever for `flapping.owner`; it stops there. */
  flaps(flapping: Flapping): void;
  readonly base: OwnershipGraph | undefined;
  /** `resume`: the process has been running, so it sees only changes. `replay`: a new process sees every object. */
  readonly start: StartMode;
  readonly onlooker: CollectorOnlooker | undefined;
}

/** A workload whose controller makes no progress: each round only adds objects. */
export interface Flapping {
  readonly owner: KubeObject;
  readonly child: string;
  readonly because: string;
}

export function isKind(type: ResourceType, kind: BuiltInKind): boolean {
  return type.kind === kind && type.group === BuiltInKind.group(kind);
}

export type StartMode = 'resume' | 'replay';

/** An instance holds a controller's memory: a restarted process makes new ones. */
export interface Controller {
  readonly name: string;
  /**
   * The kinds whose events it reacts to; undefined for all kinds, and if it acts without an event. Others start at their
   * first event, because starting only makes queues and registers handlers.
   */
  readonly kinds?: readonly BuiltInKind[];
  start(context: ControllerContext): void;
  /** Called at the end of the process, after queues and informers were stopped. */
  stop?(): void;
  readonly collectorState?: () => CollectorState;
}

export interface Uncertainty {
  readonly objects: readonly KubeObject[];
  readonly outcomes: readonly ('deleted' | 'kept')[];
  readonly because: string;
}

export type ReportUncertainty = (uncertainty: Uncertainty) => void;

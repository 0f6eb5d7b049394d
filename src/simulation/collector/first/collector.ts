/**
 * The garbage collector that kube-controller-manager had in v1.5, in the simulated cluster: one propagator with the
 * event, the dirty and the orphan queue (docs/vintage.md; pkg/controller/garbagecollector/garbagecollector.go, v1.5.8).
 * It stands where today's does; which of them runs is chosen in `simulation/controllers/control-plane.ts`.
 */
import type { CollectorQueue, CollectorState } from '../../../collector/state.ts';
import type { OwnershipGraph } from '../../../graph/graph.ts';
import type { GraphEvent, GraphNode } from '../../../graph/node.ts';
import { type KubeObject, ORPHAN_FINALIZER, type Uid } from '../../../model/object.ts';
import { isMonitored, type ResourceType } from '../../../model/types/resource-type.ts';
import type { TypeCatalog } from '../../../model/types/type-catalog.ts';
import { isCustomType } from '../../api/special-stores.ts';
import { storageKey } from '../../api/store.ts';
import type { ScheduleOptions } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SimulatedQueue, SyncResult } from '../../runtime/work-queue.ts';
import { SnapshotComponents } from '../garbage-collector.ts';
import { objectOf, queuedEvent, queuedNode, virtualNodesOf, watchedEvent } from '../telling.ts';
import type { ReportDeparture } from './departures.ts';
import { PropagatorGraph } from './graph.ts';
import { type FirstOutcome, FirstWorkers } from './workers.ts';

export interface FirstCollectorOptions {
  /** Size of the memory for absent owners, 500 in v1.5. */
  readonly absentOwners?: number;
  /** Of a snapshot: what it has dealt with, so that it comes back to it only when it hears of it. */
  readonly atRest?: ReadonlySet<KubeObject>;
  /** Told of each time that today's collector would have done something else. */
  readonly departed?: ReportDeparture | undefined;
}

const NAME = 'garbage-collector';
const EVENT_QUEUE = 'eventQueue';
const DIRTY_QUEUE = 'dirtyQueue';
const ORPHAN_QUEUE = 'orphanQueue';
const acting: ScheduleOptions = { slow: true, continues: true };
/** Milliseconds between two looks at whether all monitors are synced; until then nothing else is done. */
const SYNC_POLL = 10_000;
/**
 * What failed is queued again at once, without any back-off, as often as the client's limit of requests lets it; one
 * second here, which is the only difference.
 */
const again = { baseDelay: 1000, maxDelay: 1000, bucket: undefined };

/** Each addition is an item of its own, also of a node that waits already. */
interface QueuedItem {
  readonly node: GraphNode;
}

export class FirstCollector implements Controller {
  readonly name = NAME;
  readonly graph: PropagatorGraph;
  readonly #options: FirstCollectorOptions;
  readonly #events = new Set<GraphEvent>();
  readonly #acting = new Set<QueuedItem>();
  #context: ControllerContext | undefined;
  #workers: FirstWorkers | undefined;
  #dirtyQueue: SimulatedQueue<QueuedItem> | undefined;
  #orphanQueue: SimulatedQueue<QueuedItem> | undefined;
  /** What was served when it started: neither monitors nor kinds come or go. */
  #catalog: TypeCatalog | undefined;
  #monitors = new Map<string, ResourceType>();
  /** Monitors are synced, and queues are worked on. */
  #running = false;
  #components: SnapshotComponents | undefined;
  #written = new Set<Uid>();
  /** While a part of the snapshot is taken over, nothing is queued for it. */
  #muted = false;

  constructor(options: FirstCollectorOptions = {}) {
    this.#options = options;
    this.graph = new PropagatorGraph(
      {
        dirty: node => this.#dirty(node),
        orphan: node => {
          if (!this.#muted) this.#orphanQueue?.add({ node });
        },
        unchecked: ({ uid }) => {
          if (!this.#muted) options.departed?.({ code: 'UncheckedReference', uid });
        },
        unnoticed: ({ uid }) => options.departed?.({ code: 'LateOrphaning', uid }),
        mistaken: ({ uid }) => options.departed?.({ code: 'AbsentByUid', uid }),
      },
      options.absentOwners ?? 500,
    );
  }

  start(context: ControllerContext): void {
    this.#context = context;
    const { catalog } = context.discovery;
    this.#catalog = catalog;
    for (const type of catalog.types)
      if (isMonitored(type) && !this.#isCustom(type)) this.#monitors.set(storageKey(type), type);
    this.#workers = new FirstWorkers({
      api: context.api,
      absent: this.graph.absent,
      resolve: (apiVersion, kind) => this.#resolve(apiVersion, kind),
      resolveNow: (apiVersion, kind) => context.type(apiVersion, kind),
      departed: this.#options.departed,
      onlooker: context.onlooker,
    });
    this.#dirtyQueue = context.queue('dirty', item => this.#work(item), { ...again, slow: true });
    this.#orphanQueue = context.queue('orphan', item => this.#orphan(item), again);
    const told = (queue: string) => (item: QueuedItem, at: number) =>
      context.onlooker?.queues({
        queue,
        object: item.node.identity,
        ...(at > context.clock.now ? { until: at } : {}),
      });
    this.#dirtyQueue.onQueued(told(DIRTY_QUEUE));
    this.#orphanQueue.onQueued(told(ORPHAN_QUEUE));
    const watched = (event: GraphEvent & { readonly object: KubeObject }): void => {
      const { type, uid } = event.object;
      if (this.#monitors.has(storageKey(type))) this.#enqueue(event);
      else if (isMonitored(type) && concernsCollector(event.object))
        this.#options.departed?.({ code: 'CustomResources', uid });
    };
    context.informer(() => true, {
      added: object => watched({ op: 'upsert', object, old: undefined }),
      updated: (object, old) => watched({ op: 'upsert', object, old }),
      deleted: object => watched({ op: 'delete', object }),
    });
    if (context.base !== undefined) this.#startOnSnapshot(context, context.base);
    if (context.start === 'resume') this.#running = true;
    else this.#runWhenSynced(context);
  }

  stop(): void {
    this.#events.clear();
    this.#context = undefined;
  }

  /** Every kind that it watches has been listed; while one has not, nothing at all is done. */
  get isSynced(): boolean {
    const { discovery } = this.#context ?? {};
    return [...this.#monitors.values()].every(type => discovery?.availability(type) === 'served');
  }

  collectorState(): CollectorState {
    const { clock, discovery } = this.#context ?? {};
    const now = clock?.now ?? 0;
    const stateOf = (type: ResourceType) =>
      discovery?.availability(type) === 'served' ? 'synced' : 'listing';
    return {
      at: now,
      version: '1.5',
      knowledge: 'simulated',
      running: this.#context !== undefined,
      workersWait: !this.#running,
      queues: [
        { name: EVENT_QUEUE, items: Array.from(this.#events, queuedEvent), backingOff: [] },
        queueNow(DIRTY_QUEUE, this.#dirtyQueue, now),
        queueNow(ORPHAN_QUEUE, this.#orphanQueue, now),
      ],
      acting: Array.from(this.#acting, ({ node }) => node.identity),
      nodes: this.graph.size,
      virtualNodes: virtualNodesOf(this.graph),
      absentOwners: { limit: this.graph.absent.limit, owners: [...this.graph.absent.values()] },
      monitors: [...this.#monitors]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([resource, type]) => ({ resource, state: stateOf(type) })),
      undiscovered: discovery?.failedGroupVersions ?? [],
    };
  }

  #isCustom(type: ResourceType): boolean {
    const { cache, discovery } = this.#context ?? {};
    return cache !== undefined && discovery !== undefined && isCustomType({ store: cache, discovery }, type);
  }

  #resolve(apiVersion: string, kind: string): ResourceType | undefined {
    const type = this.#catalog?.resolveKind(apiVersion, kind);
    return type === undefined || this.#isCustom(type) ? undefined : type;
  }

  #runWhenSynced(context: ControllerContext): void {
    const look = (): void => {
      if (this.#context !== context || this.#running) return;
      if (!this.isSynced) {
        // For ever, where a kind cannot be listed.
        context.clock.schedule(`${NAME} start`, look, { delay: SYNC_POLL, kind: 'retry' });
        return;
      }
      this.#running = true;
      for (const event of this.#events) this.#schedule(event);
    };
    context.clock.schedule(`${NAME} start`, look, { delay: SYNC_POLL });
  }

  #startOnSnapshot(context: ControllerContext, base: OwnershipGraph): void {
    for (const [uid] of context.cache.changes()) this.#written.add(uid);
    if (context.start === 'resume') {
      this.#components = new SnapshotComponents(base);
      return;
    }
    // What was written arrives as the first list does, with everything else.
    for (const { object } of base.nodes())
      if (
        object !== undefined &&
        !this.#written.has(object.uid) &&
        this.#monitors.has(storageKey(object.type))
      )
        this.#enqueue({ op: 'upsert', object, old: undefined });
  }

  /** Takes over the component of a uid from the snapshot, as it was before anything in it was seen to change. */
  #ensure(uid: Uid): void {
    const members = this.#components?.take(uid) ?? [];
    this.#muted = true;
    for (const { object } of members)
      if (
        object !== undefined &&
        !this.#written.has(object.uid) &&
        this.#monitors.has(storageKey(object.type))
      )
        this.graph.process({ op: 'upsert', object, old: undefined });
    this.#muted = false;
    for (const member of members) this.#resume(member);
  }

  /** What it would have under way for an object of the snapshot, had it been running all along. */
  #resume(member: GraphNode): void {
    const node = this.graph.get(member.identity.uid);
    if (node === undefined) return;
    const { object } = node;
    if (object === undefined) this.#dirty(node);
    else if (this.#options.atRest?.has(object)) return;
    else if (object.deletionTimestamp !== undefined && object.finalizers.includes(ORPHAN_FINALIZER))
      this.#orphanQueue?.add({ node });
    else if (node.owners.some(({ apiVersion, kind }) => this.#resolve(apiVersion, kind) === undefined))
      this.#dirty(node);
  }

  #enqueue(event: GraphEvent): void {
    this.#events.add(event);
    const told = { queue: EVENT_QUEUE, object: objectOf(event), event: watchedEvent(event) };
    this.#context?.onlooker?.queues(told);
    if (this.#running) this.#schedule(event);
  }

  #schedule(event: GraphEvent): void {
    const context = this.#context;
    context?.clock.schedule(`${NAME} events`, () => {
      if (context === undefined || this.#context !== context || !this.#events.delete(event)) return;
      if (event.op !== 'virtualDelete') {
        this.#ensure(event.object.uid);
        for (const { uid } of event.object.owners) this.#ensure(uid);
      }
      context.onlooker?.works({ of: 'event', event: watchedEvent(event), object: objectOf(event) });
      const branches = this.graph.process(event);
      for (const branch of branches) context.onlooker?.takes(branch);
    });
  }

  #dirty(node: GraphNode): void {
    if (!this.#muted) this.#dirtyQueue?.add({ node });
  }

  #work(item: QueuedItem): SyncResult {
    this.#tellOfItem(DIRTY_QUEUE, item, 'decision');
    const next = this.#workers?.processItem(item.node) ?? 'done';
    if (typeof next === 'string') return this.#concluded(item, next);
    const context = this.#context;
    // Items that were queued with this one are looked at by other workers before its request is made.
    this.#acting.add(item);
    context?.clock.schedule(
      `${NAME} act ${item.node.identity.uid}`,
      () => {
        this.#acting.delete(item);
        this.#tellOfItem(DIRTY_QUEUE, item, 'requests');
        if (this.#context === context) this.#dirtyQueue?.conclude(item, this.#concluded(item, next()));
      },
      acting,
    );
    return 'pending';
  }

  #concluded({ node }: QueuedItem, outcome: FirstOutcome): SyncResult {
    if (outcome === 'virtualDelete') this.#enqueue({ op: 'virtualDelete', identity: node.identity });
    return outcome === 'retry' ? 'retry' : 'done';
  }

  #orphan(item: QueuedItem): SyncResult {
    this.#tellOfItem(ORPHAN_QUEUE, item, 'requests');
    return this.#workers?.orphan(item.node) === 'retry' ? 'retry' : 'done';
  }

  #tellOfItem(queue: string, { node }: QueuedItem, stage: 'decision' | 'requests'): void {
    this.#context?.onlooker?.works({ of: 'item', queue, object: node.identity, stage });
  }
}

/** Whether today's collector would have something to look at: its owners, or dependents to orphan. */
function concernsCollector({ owners, finalizers, deletionTimestamp }: KubeObject): boolean {
  return owners.length > 0 || (deletionTimestamp !== undefined && finalizers.includes(ORPHAN_FINALIZER));
}

function queueNow(name: string, queue: SimulatedQueue<QueuedItem> | undefined, now: number): CollectorQueue {
  const later = queue?.later ?? [];
  const due = later.filter(({ at }) => at <= now).map(({ key }) => key);
  return {
    name,
    items: [...(queue?.items ?? []), ...due].map(({ node }) => queuedNode(node)),
    backingOff: later
      .filter(({ at }) => at > now)
      .map(({ key, at, failures }) => ({ ...queuedNode(key.node), until: at, failures })),
  };
}

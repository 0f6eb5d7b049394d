/**
 * The garbage collector of v1.5: one propagator with event, dirty and orphan queues (docs/collector.md;
 * pkg/controller/garbagecollector/garbagecollector.go, v1.5.8).
 */
import type { CollectorState } from '../../../collector/index.ts';
import type { GraphEvent, GraphNode, OwnershipGraph } from '../../../graph/index.ts';
import {
  type KubeObject,
  ORPHAN_FINALIZER,
  ResourceType,
  type TypeCatalog,
  type Uid,
} from '../../../model/index.ts';
import { storageKey } from '../../api/object-store.ts';
import { isCustomType } from '../../api/special-stores.ts';
import type { ScheduleOptions } from '../../clock.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SimulatedQueue, SyncResult } from '../../runtime/work-queue.ts';
import { SnapshotComponents } from '../garbage-collector.ts';
import {
  graphEvents,
  objectOf,
  queuedEvent,
  queueState,
  reportQueued,
  virtualNodesOf,
  watchedEvent,
} from '../queue-state.ts';
import type { ReportDeparture } from './departures.ts';
import { type FirstOutcome, FirstWorkers } from './first-workers.ts';
import { PropagatorGraph } from './propagator-graph.ts';

export interface FirstCollectorOptions {
  readonly absentOwners?: number;
  /** Objects of the snapshot already processed, which need no work until they change. */
  readonly atRest?: ReadonlySet<KubeObject>;
  /** Called when today's collector would have acted differently. */
  readonly departed?: ReportDeparture | undefined;
}

const NAME = 'garbage-collector';
const EVENT_QUEUE = 'eventQueue';
const DIRTY_QUEUE = 'dirtyQueue';
const ORPHAN_QUEUE = 'orphanQueue';
const acting: ScheduleOptions = { slow: true, continues: true };
/** Milliseconds between checks if all monitors are synced; nothing else runs before. */
const SYNC_POLL = 10_000;
/** Failed items are retried without back-off, limited only by the client's rate; simulated as one second. */
const again = { baseDelay: 1000, maxDelay: 1000, bucket: undefined };

/** Each addition is a separate item, even for a node already queued. */
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
  /** The types served at the start: later changes aren't noticed. */
  #catalog: TypeCatalog | undefined;
  #monitors = new Map<string, ResourceType>();
  #running = false;
  #components: SnapshotComponents | undefined;
  #written = new Set<Uid>();
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
      if (ResourceType.isMonitored(type) && !this.#isCustom(type)) this.#monitors.set(storageKey(type), type);
    this.#workers = new FirstWorkers({
      api: context.api,
      absent: this.graph.absent,
      resolve: (apiVersion, kind) => this.#resolve(apiVersion, kind),
      resolveNow: (apiVersion, kind) => context.discovery.catalog.resolveKind(apiVersion, kind),
      departed: this.#options.departed,
      onlooker: context.onlooker,
    });
    this.#dirtyQueue = context.queue('dirty', item => this.#work(item), { ...again, slow: true });
    this.#orphanQueue = context.queue('orphan', item => this.#orphan(item), again);
    reportQueued(DIRTY_QUEUE, this.#dirtyQueue, context, nodeOf);
    reportQueued(ORPHAN_QUEUE, this.#orphanQueue, context, nodeOf);
    const watched = graphEvents(event => {
      const { type, uid } = event.object;
      if (this.#monitors.has(storageKey(type))) this.#enqueue(event);
      else if (ResourceType.isMonitored(type) && concernsCollector(event.object))
        this.#options.departed?.({ code: 'CustomResources', uid });
    });
    context.informer('all', watched);
    if (context.base !== undefined) this.#startOnSnapshot(context, context.base);
    if (context.start === 'resume') this.#running = true;
    else this.#runWhenSynced(context);
  }

  stop(): void {
    this.#events.clear();
    this.#context = undefined;
  }

  /** Returns true if every watched kind was listed; until then nothing runs. */
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
        queueState(DIRTY_QUEUE, this.#dirtyQueue, now, nodeOf),
        queueState(ORPHAN_QUEUE, this.#orphanQueue, now, nodeOf),
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
    for (const { object } of base.nodes())
      if (this.#isUnchanged(object)) this.#enqueue({ op: 'upsert', object, old: undefined });
  }

  /** Returns true for a watched object that is still as in the snapshot. */
  #isUnchanged(object: KubeObject | undefined): object is KubeObject {
    if (object === undefined || this.#written.has(object.uid)) return false;
    return this.#monitors.has(storageKey(object.type));
  }

  #ensure(uid: Uid): void {
    const members = this.#components?.take(uid) ?? [];
    this.#muted = true;
    for (const { object } of members)
      if (this.#isUnchanged(object)) this.graph.process({ op: 'upsert', object, old: undefined });
    this.#muted = false;
    for (const member of members) this.#resume(member);
  }

  /** Queues the work that a running collector would have pending for an object of the snapshot. */
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

/** Returns true if today's collector would examine the object: it has owners, or dependents to orphan. */
function concernsCollector({ owners, finalizers, deletionTimestamp }: KubeObject): boolean {
  return owners.length > 0 || (deletionTimestamp !== undefined && finalizers.includes(ORPHAN_FINALIZER));
}

function nodeOf({ node }: QueuedItem): GraphNode {
  return node;
}

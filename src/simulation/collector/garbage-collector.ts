/**
 * Today's garbage collector on the decisions of `src/collector` (docs/kubernetes.md §1 to §3, §5). As with parallel
 * workers, a worker sends requests after its decision, and looks an owner with two references up twice; finer
 * interleaving isn't simulated.
 */

import {
  type CollectorOnlooker,
  CollectorQueue,
  type CollectorState,
  compareAround,
} from '../../collector/index.ts';
import { type GraphEvent, type GraphNode, Identity, OwnershipGraph } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { ScheduleOptions } from '../clock.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SimulatedQueue, SyncResult, WorkQueueOptions } from '../runtime/work-queue.ts';
import { CollectorRequests, CollectorWorkers, type ItemOutcome, type Pending } from './collector-workers.ts';
import { CollectorMonitors } from './monitors.ts';
import {
  graphEvents,
  objectOf,
  queuedEvent,
  queueState,
  reportQueued,
  virtualNodesOf,
  watchedEvent,
} from './queue-state.ts';

export interface GarbageCollectorOptions {
  readonly absentOwners?: number;
  readonly backOff?: WorkQueueOptions;
  /** Objects of the snapshot already processed, which need no work until they change. */
  readonly atRest?: ReadonlySet<KubeObject>;
  /**
   * Lets workers start once monitors have received the lists, before the graph processed them (graph_builder.go
   * `IsSynced`).
   */
  readonly early?: boolean;
}

const NAME = 'garbage-collector';
const GRAPH_LANE = `${NAME} graph`;
/** The prefix of lanes for repeated look-ups of an owner within one item. */
export const LOOKS_FURTHER = `${NAME} looks further`;
const repeating: ScheduleOptions = { kind: 'retry' };
const acting: ScheduleOptions = { slow: true, continues: true };
/** Milliseconds between checks if all monitors are synced, and until workers start regardless. */
const SYNC_POLL = 100;
const SYNC_TIMEOUT = 30_000;

export class GarbageCollector implements Controller {
  readonly name = NAME;
  readonly graph: OwnershipGraph;
  readonly #graphChanges = new Set<GraphEvent>();
  readonly #backOff: WorkQueueOptions;
  readonly #atRest: ReadonlySet<KubeObject>;
  readonly #early: boolean;
  #context: ControllerContext | undefined;
  #monitors: CollectorMonitors | undefined;
  #workers: CollectorWorkers | undefined;
  #components: SnapshotComponents | undefined;
  #deleteQueue: SimulatedQueue<GraphNode> | undefined;
  #orphanQueue: SimulatedQueue<GraphNode> | undefined;
  readonly #acting = new Set<GraphNode>();
  #written = new Map<Uid, KubeObject | null>();
  #held: HeldItem[] | undefined;
  #stopped: HeldItem[] = [];
  #onlooker: CollectorOnlooker | undefined;
  #muted = false;
  readonly #provenAbsent = new Set<string>();
  /** True while queued items are repetitions, which don't keep the cluster from being at rest. */
  #repeating = false;

  constructor(options: GarbageCollectorOptions = {}) {
    const { absentOwners, backOff = {}, atRest = new Set(), early = false } = options;
    this.#backOff = backOff;
    this.#atRest = atRest;
    this.#early = early;
    this.graph = new OwnershipGraph({
      virtualOwners: 'until-collected',
      ...(absentOwners === undefined ? {} : { absentOwners }),
      effects: {
        attemptToDelete: (node, rateLimited) => this.#queueDelete(node, rateLimited),
        attemptToOrphan: node => this.#queueOrphan(node),
        invalidNamespace: (dependent, reference) => {
          if (!this.#muted) this.#onlooker?.warns({ object: dependent.identity, reference });
        },
      },
    });
  }

  start(context: ControllerContext): void {
    this.#context = context;
    this.#onlooker = context.onlooker;
    const monitors = new CollectorMonitors({
      ...context,
      synced: type => this.#relist(type),
      resumed: () => this.#resumeWorkers(),
    });
    this.#monitors = monitors;
    monitors.start(context.start);
    this.#workers = new CollectorWorkers({
      requests: new CollectorRequests({
        ...context,
        resolve: (apiVersion, kind) => monitors.resolve(apiVersion, kind),
        watches: type => monitors.watches(type),
      }),
      absent: this.graph.absent,
      queueDelete: node => this.#deleteQueue?.addAgain(node),
      onlooker: context.onlooker,
    });
    this.#deleteQueue = context.queue('delete', node => this.#work(node), { ...this.#backOff, slow: true });
    this.#orphanQueue = context.queue('orphan', node => this.#orphan(node), this.#backOff);
    reportQueued(CollectorQueue.attemptToDelete, this.#deleteQueue, context, node => node);
    reportQueued(CollectorQueue.attemptToOrphan, this.#orphanQueue, context, node => node);
    const watched = graphEvents(event => {
      if (monitors.watches(event.object.type)) this.#enqueue(event);
    });
    context.informer('all', watched);
    if (context.base !== undefined) this.#startOnSnapshot(context, context.base);
    if (context.start === 'replay') this.#startWorkersWhenSynced(context, monitors);
  }

  stop(): void {
    this.#monitors?.stop();
    this.#graphChanges.clear();
    this.#context = undefined;
  }

  get syncErrors(): number {
    return this.#monitors?.syncErrors ?? 0;
  }

  collectorState(): CollectorState {
    const now = this.#context?.clock.now ?? 0;
    const waiting = (queue: string): GraphNode[] =>
      [...this.#stopped, ...(this.#held ?? [])].filter(each => each.queue === queue).map(({ item }) => item);
    const queueNow = (name: string, queue: SimulatedQueue<GraphNode> | undefined) =>
      queueState(name, queue, now, node => node, waiting(name));
    return {
      at: now,
      version: this.#context?.behaviour.release ?? '',
      knowledge: 'simulated',
      running: this.#context !== undefined,
      workersWait: this.#held !== undefined || this.#monitors?.holdsWorkers === true,
      queues: [
        {
          name: CollectorQueue.graphChanges,
          items: Array.from(this.#graphChanges, queuedEvent),
          backingOff: [],
        },
        queueNow(CollectorQueue.attemptToDelete, this.#deleteQueue),
        queueNow(CollectorQueue.attemptToOrphan, this.#orphanQueue),
      ],
      acting: Array.from(this.#acting, ({ identity }) => identity),
      nodes: this.graph.size,
      virtualNodes: virtualNodesOf(this.graph),
      absentOwners: { limit: this.graph.absent.limit, owners: [...this.graph.absent.values()] },
      monitors: this.#monitors?.states ?? [],
      undiscovered: this.#context?.discovery.failedGroupVersions ?? [],
    };
  }

  #startOnSnapshot(context: ControllerContext, base: OwnershipGraph): void {
    this.#components = new SnapshotComponents(base);
    for (const [uid, object] of context.cache.changes()) this.#written.set(uid, object);
    if (context.start === 'replay') {
      this.#held = [];
      for (const uid of this.#components.suspects()) this.#ensure(uid);
      // Written objects arrive with the first list; removed ones only show in their dependents.
      for (const uid of this.#written.keys()) this.#ensure(uid);
    } else {
      for (const identity of base.absent.values()) this.graph.absent.add(identity);
    }
  }

  /** Waits for every monitor, or for 30 seconds in versions that don't wait forever (docs/kubernetes.md §5). */
  #startWorkersWhenSynced(context: ControllerContext, monitors: CollectorMonitors): void {
    this.#held ??= [];
    if (monitors.holdsWorkers) return;
    const delay = !monitors.allSynced ? SYNC_TIMEOUT : this.#early ? 0 : SYNC_POLL;
    context.clock.schedule(
      `${NAME} start`,
      () => {
        const held = this.#held ?? [];
        this.#held = undefined;
        this.#onlooker?.works({ of: 'task', name: `${NAME} start` });
        this.#onlooker?.takes('WorkersStarted');
        if (this.#context === context) for (const { release } of held) release();
      },
      { delay },
    );
  }

  #resumeWorkers(): void {
    const waiting = [...(this.#held ?? []), ...this.#stopped];
    this.#held = undefined;
    this.#stopped = [];
    for (const { release } of waiting) release();
  }

  #enqueue(event: GraphEvent, repeated = false): void {
    const context = this.#context;
    if (context === undefined) return;
    this.#graphChanges.add(event);
    this.#onlooker?.queues({
      queue: CollectorQueue.graphChanges,
      object: objectOf(event),
      event: watchedEvent(event),
    });
    const take = (): void => {
      this.#repeating = repeated;
      this.#takeEvent(event);
      this.#repeating = false;
    };
    context.clock.schedule(GRAPH_LANE, take, repeated ? repeating : undefined);
  }

  #takeEvent(event: GraphEvent): void {
    this.#graphChanges.delete(event);
    if (this.#context === undefined) return;
    if (event.op !== 'virtualDelete') {
      if (this.#provenAbsent.size > 0) this.#provenAbsent.clear();
      this.#ensure(event.object.uid);
      for (const { uid } of event.object.owners) this.#ensure(uid);
    }
    const onlooker = this.#onlooker;
    if (onlooker === undefined) {
      this.graph.process(event);
      return;
    }
    onlooker.works({ of: 'event', event: watchedEvent(event), object: objectOf(event) });
    const branches = compareAround(this.graph, event);
    this.graph.process(event);
    for (const branch of branches()) onlooker.takes(branch);
  }

  #ensure(uid: Uid): void {
    const members = this.#components?.take(uid) ?? [];
    if (members.length === 0) return;
    const fresh = this.#context?.start === 'replay';
    this.#muted = !fresh;
    for (const { object } of members) {
      if (object === undefined || this.#written.has(object.uid)) continue;
      if (!(this.#monitors?.watches(object.type) ?? false)) continue;
      // Without `old`, a foreground deletion that began before is noticed.
      this.graph.process({ op: 'upsert', object, old: undefined });
    }
    this.#muted = false;
    if (!fresh) for (const member of members) this.#resume(member);
  }

  /** Queues the work that a running collector would have pending for an object of the snapshot. */
  #resume(member: GraphNode): void {
    const node = this.graph.get(member.identity.uid);
    if (node === undefined) return;
    const { object } = node;
    if (object === undefined) this.#queueDelete(node, false);
    else if (this.#atRest.has(object)) return;
    else if (!node.beingDeleted) {
      // An unresolvable reference keeps the item backing off, whatever its other references.
      if (node.owners.some(owner => !this.#resolves(owner))) this.#queueDelete(node, false);
    } else if (object.finalizers.includes(ORPHAN_FINALIZER)) this.#queueOrphan(node);
    else if (object.finalizers.includes(FOREGROUND_FINALIZER)) this.#queueDelete(node, false);
  }

  #resolves({ apiVersion, kind }: OwnerReference): boolean {
    return this.#monitors?.resolve(apiVersion, kind) !== undefined;
  }

  #relist(type: ResourceType): void {
    for (const object of this.#context?.cache.list(type) ?? []) {
      this.#enqueue({ op: 'upsert', object, old: undefined });
    }
  }

  #queueDelete(node: GraphNode, rateLimited: boolean): void {
    if (this.#muted) return;
    const repeating = this.#repeating;
    this.#release(CollectorQueue.attemptToDelete, node, () => {
      if (rateLimited) this.#deleteQueue?.addRateLimited(node);
      else if (repeating) this.#deleteQueue?.addAfter(node, 0, 'retry');
      else this.#deleteQueue?.add(node);
    });
  }

  #queueOrphan(node: GraphNode): void {
    if (!this.#muted) this.#release(CollectorQueue.attemptToOrphan, node, () => this.#orphanQueue?.add(node));
  }

  #release(queue: string, item: GraphNode, release: () => void): void {
    if (this.#held === undefined) {
      release();
      return;
    }
    this.#held.push({ queue, item, release });
    this.#onlooker?.queues({ queue, object: item.identity });
  }

  /** Wraps the delete worker (docs/kubernetes.md §2.1). */
  #work(item: GraphNode): SyncResult {
    this.#tellOfItem(CollectorQueue.attemptToDelete, item, 'decision');
    if (this.#waits(CollectorQueue.attemptToDelete, item, this.#deleteQueue)) return 'done';
    if (item.virtual && this.graph.get(item.identity.uid)?.virtual !== true) {
      this.#onlooker?.takes('VirtualNodeSuperseded');
      return 'done';
    }
    return this.#proceed(item, this.#workers?.attemptToDelete(item) ?? 'done');
  }

  /** Keeps the item until every kind is listed, if the version's workers wait for that. */
  #waits(queue: string, item: GraphNode, items: SimulatedQueue<GraphNode> | undefined): boolean {
    if (!this.#monitors?.holdsWorkers) return false;
    this.#stopped.push({ queue, item, release: () => items?.add(item) });
    this.#onlooker?.takes('WorkersWait');
    return true;
  }

  #proceed(item: GraphNode, next: ItemOutcome | Pending): SyncResult {
    const context = this.#context;
    if (typeof next === 'string') return this.#outcome(item, next);
    if (context === undefined) return 'done';
    this.#acting.add(item);
    context.clock.schedule(
      // A lane for each item, because workers don't wait for each other.
      `${next.stage === 'decision' ? LOOKS_FURTHER : `${NAME} act`} ${item.identity.uid}`,
      () => {
        this.#acting.delete(item);
        this.#tellOfItem(CollectorQueue.attemptToDelete, item, next.stage);
        if (this.#context === context) this.#deleteQueue?.conclude(item, this.#proceed(item, next.go()));
      },
      acting,
    );
    return 'pending';
  }

  #outcome(item: GraphNode, outcome: ItemOutcome): SyncResult {
    if (outcome === 'virtualDelete') {
      this.#enqueue({ op: 'virtualDelete', identity: item.identity }, this.#isRepeated(item));
    }
    // A found but unobserved owner is retried until a watch shows it or it is gone.
    const isUnobserved = outcome === 'done' && item.virtual;
    if (isUnobserved) this.#onlooker?.takes('NotObservedYet');
    return outcome === 'retry' || isUnobserved ? 'retry' : 'done';
  }

  #tellOfItem(queue: string, { identity }: GraphNode, stage: 'decision' | 'requests'): void {
    this.#onlooker?.works({ of: 'item', queue, object: identity, stage });
  }

  /**
   * Detects an absent owner that two dependents describe differently: the collector alternates between both
   * descriptions forever (docs/kubernetes.md §1.4), so repetitions aren't work.
   */
  #isRepeated(item: GraphNode): boolean {
    if (!item.virtual) return false;
    const description = Identity.describe(item.identity);
    const repeated = this.#provenAbsent.has(description);
    this.#provenAbsent.add(description);
    return repeated;
  }

  #orphan(item: GraphNode): SyncResult {
    this.#tellOfItem(CollectorQueue.attemptToOrphan, item, 'requests');
    if (this.#waits(CollectorQueue.attemptToOrphan, item, this.#orphanQueue)) return 'done';
    return this.#workers?.attemptToOrphan(item) === 'retry' ? 'retry' : 'done';
  }
}

interface HeldItem {
  readonly queue: string;
  readonly item: GraphNode;
  readonly release: () => void;
}

export class SnapshotComponents {
  readonly #base: OwnershipGraph;
  readonly #taken = new Set<Uid>();

  constructor(base: OwnershipGraph) {
    this.#base = base;
  }

  /** Returns the members of a uid's component; empty if unknown or already taken. */
  take(uid: Uid): readonly GraphNode[] {
    if (this.#taken.has(uid)) return [];
    const first = this.#base.get(uid);
    if (first === undefined) return [];
    const members: GraphNode[] = [first];
    this.#taken.add(uid);
    const reach = (node: GraphNode | undefined): void => {
      if (node === undefined || this.#taken.has(node.identity.uid)) return;
      this.#taken.add(node.identity.uid);
      members.push(node);
    };
    for (const node of members) {
      for (const owner of node.owners) reach(this.#base.get(owner.uid));
      for (const dependent of node.dependents) reach(dependent);
    }
    return members;
  }

  /** Scans for components that may need work from a new collector. A full scan. */
  *suspects(): IterableIterator<Uid> {
    for (const node of this.#base.nodes()) {
      if (
        node.virtual ||
        node.beingDeleted ||
        node.owners.some(reference => this.#disagrees(node, reference))
      ) {
        yield node.identity.uid;
      }
    }
  }

  #disagrees(node: GraphNode, reference: GraphNode['owners'][number]): boolean {
    const owner = this.#base.get(reference.uid);
    if (owner === undefined || !Identity.matches(reference, owner.identity)) return true;
    const { namespace } = owner.identity;
    return namespace !== '' && namespace !== node.identity.namespace;
  }
}

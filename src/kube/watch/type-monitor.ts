/** One type's reflectors, across the cluster or for each namespace that is read or known, and their joint status. */
import { Facts, type ReadScope, type ResourceType, type TypeStatus } from '../../model/index.ts';
import type { Timing } from '../transport/timing.ts';
import type { Transport } from '../transport/transport.ts';
import type { Pool } from '../wire/pool.ts';
import { CollectionRequests, type Depth } from './collection-requests.ts';
import type { ConnectionMonitor } from './connection-monitor.ts';
import { BEHIND, type Gate, isBulky, rankOf } from './gate.ts';
import type { ObjectStore } from './object-store.ts';
import { Reflector, type ReflectorOptions, type Report } from './reflector.ts';

export interface MonitorContext {
  readonly transport: Transport;
  readonly connection: ConnectionMonitor;
  readonly pool: Pool;
  readonly gate: Gate;
  readonly gateOfNamespaces: Gate;
  readonly timing: Timing;
  /** The namespaces to read if the whole cluster may not be listed. */
  readonly namespaces: readonly string[];
  /** False if one answer is enough, so nothing is watched. */
  readonly follows: () => boolean;
  /** True if the server answers a list of the newest state from its memory. */
  readonly newestIsCheap: () => boolean;
  readonly first: () => First | undefined;
  readonly listed: Promise<void>;
  readonly facts: () => boolean;
  /** True if the state of custom resources is read. */
  readonly states: () => boolean;
  readonly waiting: ReflectorOptions['waiting'];
  readonly vanished: () => void;
}

export interface First {
  readonly namespace: string;
  readonly listed: Promise<void>;
}

export interface TypeMonitorOptions {
  readonly type: ResourceType;
  readonly store: ObjectStore;
  readonly context: MonitorContext;
  readonly scope: ReadScope | undefined;
  /** Called when more of the status changed than its count. */
  readonly changed: () => void;
}

export type Extent = 'cluster' | 'namespace' | 'none';

interface Part {
  readonly reflector: Reflector;
  readonly stopper: AbortController;
  readonly done: Promise<void>;
  readonly reported: PromiseWithResolvers<void>;
  report: Report | undefined;
}

interface Opening {
  readonly namespace?: string;
  /** A list with higher urgency goes first, whatever its type. */
  readonly urgency?: number;
  readonly after?: Promise<void>;
}

/** Cluster-scoped objects matter to the namespace that is read first, so they are read before the rest. */
const AFTER_FIRST = 100;

export class TypeMonitor {
  readonly type: ResourceType;
  readonly store: ObjectStore;
  readonly #context: MonitorContext;
  readonly #changed: () => void;
  readonly #scope: ReadScope | undefined;
  #whole: Part | undefined;
  readonly #byNamespace = new Map<string, Part>();
  /** True once everything required was read; a namespace added later doesn't reset it. */
  #wasRead = false;
  readonly #ending: Promise<void>[] = [];
  #stopped = false;

  constructor(options: TypeMonitorOptions) {
    const { scope } = options;
    this.type = options.type;
    this.store = options.store;
    this.#context = options.context;
    this.#changed = options.changed;
    this.#scope = scope;
    if (scope === undefined) this.#openAll();
    else if (this.type.namespaced) for (const namespace of scope.namespaces) this.#openPart(namespace);
  }

  #openAll(): void {
    const first = this.#context.first();
    if (first === undefined) this.#whole = this.#open({});
    else if (this.type.namespaced) {
      this.#openPart(first.namespace);
      this.#whole = this.#open({ urgency: -BEHIND, after: first.listed });
    } else this.#whole = this.#open({ urgency: -AFTER_FIRST, after: first.listed });
  }

  get #depth(): Depth {
    return this.#context.facts() && Facts.areOf(this.type) ? 'full' : 'metadata';
  }

  /** True as well for types without facts. */
  get #areFactsRead(): boolean {
    return this.#context.facts() || !Facts.areOf(this.type);
  }

  /** Matches the state in `status`, but is cheaper. */
  get isListing(): boolean {
    const whole = this.#whole?.report;
    if (whole?.state === 'synced') return false;
    if (this.#whole !== undefined && whole === undefined) return true;
    let isUnreported = false;
    for (const { report } of this.#byNamespace.values()) {
      if (this.#wasRead && report?.state === 'synced') return false;
      isUnreported ||= report === undefined;
    }
    return isUnreported;
  }

  get status(): TypeStatus {
    const { type } = this;
    const base = { type, count: this.store.count };
    const whole = this.#whole?.report;
    if (whole?.state === 'synced')
      return { ...base, state: 'synced', facts: this.#areFactsRead, ...polledBy([whole]) };
    const parts = [...this.#byNamespace];
    if (this.#whole === undefined && parts.length === 0) return { ...base, state: 'unread', facts: false };
    const reports = parts.flatMap(([, { report }]) => (report === undefined ? [] : [report]));
    const seen = parts.filter(([, { report }]) => report?.state === 'synced');
    const facts = seen.length > 0 && this.#areFactsRead;
    const known = seen.length > 0 && { namespaces: seen.map(([namespace]) => namespace) };
    if (this.isListing) return { ...base, state: 'listing', facts, ...known };
    // The reason why the whole cluster, or one of several namespaces, can't be read.
    const reason = whole?.reason ?? reports.find(report => report.state === 'blind')?.reason;
    const why = reason !== undefined && { reason };
    if (seen.length === 0) return { ...base, state: 'blind', facts: false, ...why };
    return { ...base, state: 'synced', facts, ...why, ...known, ...polledBy(reports) };
  }

  readAll(): void {
    if (this.#whole !== undefined) return;
    this.#whole = this.#open({});
    this.#changed();
  }

  readNamespace(namespace: string): void {
    if (this.#partFor(namespace) !== undefined) return;
    this.#openPart(namespace);
    this.#changed();
  }

  /** Reads the namespace before everything else, unless the whole cluster is known. Higher `urgency` goes first. */
  prefer(namespace: string, urgency: number): void {
    if (!this.type.namespaced || this.#byNamespace.has(namespace)) return;
    if (this.#whole?.report?.state === 'synced') return;
    this.#openPart(namespace, urgency);
    this.#changed();
  }

  /** Returns the extent of the list, finished or under way, that covers the namespace (`''` for none). */
  extent(namespace: string): Extent {
    const part = this.#partFor(namespace);
    if (part === undefined) return 'none';
    return part === this.#whole ? 'cluster' : 'namespace';
  }

  /** Resolves once it is known if the namespace can be listed; false if it can't, or isn't read. */
  async sees(namespace: string): Promise<boolean> {
    await this.#partFor(namespace)?.reported.promise;
    return this.#partFor(namespace)?.report?.state === 'synced';
  }

  wake(): void {
    for (const { reflector } of this.#parts()) reflector.wake();
  }

  beginAnew(): void {
    for (const { reflector } of this.#parts()) reflector.beginAnew();
  }

  /** Stops all reports; resolves when no request is left. The store keeps its objects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const part of this.#parts()) this.#close(part);
    await Promise.all(this.#ending);
  }

  #parts(): readonly Part[] {
    const parts = [...this.#byNamespace.values()];
    return this.#whole === undefined ? parts : [this.#whole, ...parts];
  }

  #partFor(namespace: string): Part | undefined {
    const part = this.#byNamespace.get(namespace);
    return this.#whole?.report?.state === 'blind' ? part : (part ?? this.#whole);
  }

  #close(part: Part): void {
    part.stopper.abort();
    part.reported.resolve();
    this.#ending.push(part.done);
  }

  #openPart(namespace: string, urgency = 0): void {
    this.#byNamespace.set(namespace, this.#open({ namespace, urgency }));
  }

  #open({ namespace, urgency = 0, after }: Opening): Part {
    const { type, store } = this;
    const context = this.#context;
    const stopper = new AbortController();
    const { signal } = stopper;
    const reported = Promise.withResolvers<void>();
    const bulk = namespace === undefined && isBulky(type);
    const reflector = new Reflector({
      ...context,
      gate: namespace === undefined ? context.gate : context.gateOfNamespaces,
      requests: new CollectionRequests({ ...context, type, namespace, signal, bulk }),
      store,
      namespace,
      depth: this.#depth,
      deepens: context.states() && Facts.areOfState(type),
      follows: context.follows(),
      bulk,
      rank: rankOf(type) - urgency,
      after,
      newestIsCheap: context.newestIsCheap(),
      signal,
      report: report => {
        if (this.#stopped || signal.aborted) return;
        part.report = report;
        if (namespace === undefined) this.#wholeReported(report);
        this.#wasRead ||= this.#parts().every(each => each.report !== undefined);
        reported.resolve();
        this.#changed();
      },
    });
    const done = reflector.run();
    const part: Part = { reflector, stopper, done, reported, report: undefined };
    return part;
  }

  #wholeReported(report: Report): void {
    if (report.state === 'synced') {
      for (const part of this.#byNamespace.values()) this.#close(part);
      this.#byNamespace.clear();
    } else if (report.code === 403 && this.type.namespaced && this.#scope === undefined) {
      for (const namespace of this.#context.namespaces)
        if (!this.#byNamespace.has(namespace)) this.#openPart(namespace);
    }
  }
}

function polledBy(reports: readonly Report[]): Pick<TypeStatus, 'polled'> {
  for (const report of reports)
    if (report.state === 'synced' && report.polled !== undefined) return { polled: report.polled };
  return {};
}

/** One watched type: a reflector across the cluster or, where forbidden, one per known namespace; their joint status. */
import type { TypeStatus } from '../../model/exchange/changes.ts';
import { factsKind } from '../../model/facts/facts.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { Transport } from '../transport/transport.ts';
import type { Pool } from '../wire/pool.ts';
import type { ConnectionMonitor } from './connection.ts';
import { type Gate, isBulky, rankOf } from './gate.ts';
import { Reflector, type Report } from './reflector.ts';
import { Requests } from './requests.ts';
import type { ObjectStore } from './store.ts';
import type { Timing } from './timing.ts';

/** What all monitors of a source share. */
export interface MonitorContext {
  readonly transport: Transport;
  readonly connection: ConnectionMonitor;
  readonly pool: Pool;
  readonly gate: Gate;
  readonly timing: Timing;
  /** Where to look when the whole cluster may not be listed. */
  readonly namespaces: readonly string[];
  /** The server answers a list of the newest state from its memory. */
  readonly newestIsCheap: () => boolean;
  readonly graphListed: Promise<void>;
  readonly factsListed: Promise<void>;
  readonly vanished: () => void;
}

export interface TypeMonitorOptions {
  readonly type: ResourceType;
  readonly store: ObjectStore;
  readonly context: MonitorContext;
  /** The status changed in more than its count. */
  readonly changed: () => void;
}

interface Scope {
  readonly reflector: Reflector;
  readonly stopper: AbortController;
  readonly done: Promise<void>;
  report: Report | undefined;
}

export class TypeMonitor {
  readonly type: ResourceType;
  readonly store: ObjectStore;
  readonly #context: MonitorContext;
  readonly #changed: () => void;
  readonly #cluster: Scope;
  #byNamespace: ReadonlyMap<string, Scope> = new Map();
  readonly #ending: Promise<void>[] = [];
  #stopped = false;

  constructor(options: TypeMonitorOptions) {
    this.type = options.type;
    this.store = options.store;
    this.#context = options.context;
    this.#changed = options.changed;
    this.#cluster = this.#open(undefined);
  }

  get status(): TypeStatus {
    const { type } = this;
    const base = { type, count: this.store.count };
    const report = this.#cluster.report;
    if (report === undefined) return { ...base, state: 'listing', facts: false };
    if (report.state === 'synced')
      return { ...base, state: 'synced', facts: report.facts, ...polledBy([report]) };
    const scopes = [...this.#byNamespace];
    if (scopes.some(([, scope]) => scope.report === undefined))
      return { ...base, state: 'listing', facts: false };
    const seen = scopes.filter(([, scope]) => scope.report?.state === 'synced');
    if (seen.length === 0) return { ...base, state: 'blind', facts: false, reason: report.reason };
    const facts = seen.every(([, scope]) => scope.report?.state === 'synced' && scope.report.facts);
    const namespaces = seen.map(([namespace]) => namespace);
    const polled = polledBy(seen.map(([, scope]) => scope.report));
    return { ...base, state: 'synced', facts, reason: report.reason, namespaces, ...polled };
  }

  /** Tries again at once whatever waits after a failure. */
  wake(): void {
    this.#cluster.reflector.wake();
    for (const scope of this.#byNamespace.values()) scope.reflector.wake();
  }

  /** Reads everything anew: what is known may belong to a history that the server no longer has. */
  beginAnew(): void {
    this.#cluster.reflector.beginAnew();
    for (const scope of this.#byNamespace.values()) scope.reflector.beginAnew();
  }

  /** Nothing is reported any more; resolves when no request is left. The store stays as it is. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#close(this.#cluster);
    for (const scope of this.#byNamespace.values()) this.#close(scope);
    await Promise.all(this.#ending);
  }

  #close(scope: Scope): void {
    scope.stopper.abort();
    this.#ending.push(scope.done);
  }

  #open(namespace: string | undefined): Scope {
    const { type, store } = this;
    const context = this.#context;
    const stopper = new AbortController();
    const signal = stopper.signal;
    const bulk = isBulky(type);
    const reflector = new Reflector({
      ...context,
      requests: new Requests({ ...context, type, namespace, signal, bulk }),
      store,
      namespace,
      facts: factsKind(type) !== undefined,
      bulk,
      rank: rankOf(type),
      newestIsCheap: context.newestIsCheap(),
      signal,
      report: report => {
        if (this.#stopped || signal.aborted) return;
        scope.report = report;
        if (namespace === undefined) this.#clusterReported(report);
        this.#changed();
      },
    });
    const scope: Scope = { reflector, stopper, done: reflector.run(), report: undefined };
    return scope;
  }

  #clusterReported(report: Report): void {
    if (report.state === 'synced') {
      // The permission was granted: one reflector is enough, and its list covered everything.
      for (const scope of this.#byNamespace.values()) this.#close(scope);
      this.#byNamespace = new Map();
    } else if (report.code === 403 && this.type.namespaced && this.#byNamespace.size === 0) {
      this.#byNamespace = new Map(
        this.#context.namespaces.map(namespace => [namespace, this.#open(namespace)] as const),
      );
    }
  }
}

/** One reflector that has to poll is enough. */
function polledBy(reports: readonly (Report | undefined)[]): Pick<TypeStatus, 'polled'> {
  for (const report of reports)
    if (report?.state === 'synced' && report.polled !== undefined) return { polled: report.polled };
  return {};
}

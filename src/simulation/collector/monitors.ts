/**
 * The collector's monitors and REST mapper, which follow discovery with a delay (docs/kubernetes.md §5;
 * garbagecollector.go Sync and graph_builder.go syncMonitors, v1.36). An unmonitored or unsynced kind is invisible to
 * the collector.
 */
import type { CollectorState } from '../../collector/index.ts';
import { ResourceType, type TypeCatalog } from '../../model/index.ts';
import { unavailable, unlistable } from '../api/api-client.ts';
import { storageKey } from '../api/object-store.ts';
import type { ControllerContext, StartMode } from '../runtime/controller.ts';

/** Milliseconds between discovery syncs, and between resets of the REST mapper. */
const SYNC_PERIOD = 30_000;

interface MonitorOptions extends Pick<ControllerContext, 'clock' | 'discovery' | 'behaviour' | 'onlooker'> {
  readonly synced: (type: ResourceType) => void;
  readonly resumed: () => void;
}

export class CollectorMonitors {
  readonly #options: MonitorOptions;
  readonly #startedAt: number;
  /** The REST mapper: discovery at the first look-up after its last reset. */
  #mapper: TypeCatalog;
  #resets = 0;
  readonly #monitors = new Map<string, ResourceType>();
  readonly #unsynced = new Set<string>();
  /** Types ever synced: their handlers stay when the monitor is removed. */
  readonly #handled = new Set<string>();
  #syncIsDue = false;
  #holdsWorkers = false;
  #stopped = false;
  #errors = 0;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now;
    this.#mapper = options.discovery.catalog;
    options.discovery.onChange(type => this.#discoveryChanged(type));
  }

  /** Runs the first sync at the start of the process. Lists nothing by itself. */
  start(mode: StartMode): void {
    for (const type of this.#discovered() ?? []) this.#add(type);
    if (mode === 'replay') this.#holdWorkers();
  }

  stop(): void {
    this.#stopped = true;
  }

  get resources(): string[] {
    return [...this.#monitors.keys()].sort();
  }

  get states(): readonly CollectorState['monitors'][number][] {
    const { discovery } = this.#options;
    return this.resources.map(resource => {
      if (!this.#unsynced.has(resource)) return { resource, state: 'synced' };
      const type = this.#monitors.get(resource);
      const refused = type && (unavailable(discovery, type) ?? unlistable(discovery, type));
      return refused === undefined
        ? { resource, state: 'listing' }
        : { resource, state: 'blind', reason: refused.message };
    });
  }

  get allSynced(): boolean {
    return this.#monitors.size > 0 && this.#unsynced.size === 0;
  }

  /** True in versions whose workers stop at a kind that can't be listed (docs/kubernetes.md §5). */
  get holdsWorkers(): boolean {
    return this.#holdsWorkers;
  }

  /** The metric `garbagecollector_controller_resources_sync_error_total`. */
  get syncErrors(): number {
    return this.#errors;
  }

  /** Returns true if events of the type reach the graph, even after its monitor was removed. */
  watches(type: ResourceType): boolean {
    return this.#handled.has(storageKey(type));
  }

  /**
   * A miss isn't retried before the next reset, every 30 s (cmd/kube-controller-manager/app/controllermanager.go,
   * v1.36).
   */
  resolve(apiVersion: string, kind: string): ResourceType | undefined {
    const { clock, discovery } = this.#options;
    const resets = Math.floor((clock.now - this.#startedAt) / SYNC_PERIOD);
    if (resets !== this.#resets) {
      this.#resets = resets;
      this.#mapper = discovery.catalog;
    }
    return this.#mapper.resolveKind(apiVersion, kind);
  }

  #discoveryChanged(type: ResourceType): void {
    if (this.#stopped) return;
    const key = storageKey(type);
    const { clock, discovery } = this.#options;
    if (this.#unsynced.has(key) && discovery.availability(type) === 'served') {
      clock.schedule(`garbage-collector list ${key}`, () => this.#list(type));
    }
    if (this.#syncIsDue) return;
    this.#syncIsDue = true;
    const delay = SYNC_PERIOD - ((clock.now - this.#startedAt) % SYNC_PERIOD);
    clock.schedule('garbage-collector sync', () => this.#sync(), { delay });
  }

  #sync(): void {
    this.#syncIsDue = false;
    if (this.#stopped) return;
    const { behaviour, discovery } = this.#options;
    const discovered = this.#discovered();
    const { onlooker } = this.#options;
    onlooker?.works({ of: 'task', name: 'garbage-collector sync' });
    if (discovered === undefined) {
      onlooker?.takes('MonitorsUnchanged');
      this.#errors++;
      return;
    }
    this.#mapper = discovery.catalog;
    const wanted = new Map(discovered.map(type => [storageKey(type), type]));
    for (const [key, type] of behaviour.has('keepsFailedGroups') ? this.#monitors : []) {
      const unknown = discovery.availability(type) === 'undiscoverable';
      if (unknown && !this.#unsynced.has(key)) wanted.set(key, type);
    }
    const before = this.#monitors.size;
    for (const key of this.#monitors.keys()) {
      if (wanted.has(key)) continue;
      // Its nodes stay in the graph: a removed type causes no deletions.
      this.#monitors.delete(key);
      this.#unsynced.delete(key);
    }
    let changed = wanted.size !== before;
    for (const [key, type] of wanted) {
      if (this.#monitors.has(key)) continue;
      changed = true;
      this.#add(type);
      if (!this.#unsynced.has(key)) this.#options.synced(type);
    }
    if (this.#unsynced.size > 0) this.#errors++;
    onlooker?.takes(changed ? 'MonitorsSynced' : 'MonitorsUnchanged');
    if (changed) this.#holdWorkers();
    this.#resumeWorkers();
  }

  #holdWorkers(): void {
    const stops = !this.#options.behaviour.has('worksUnsynced') && this.#unsynced.size > 0;
    this.#holdsWorkers ||= stops;
  }

  #resumeWorkers(): void {
    if (!this.#holdsWorkers || this.#unsynced.size > 0) return;
    this.#holdsWorkers = false;
    this.#options.resumed();
  }

  #list(type: ResourceType): void {
    if (this.#stopped || this.#options.discovery.availability(type) !== 'served') return;
    const key = storageKey(type);
    if (!this.#unsynced.delete(key)) return;
    this.#options.onlooker?.works({ of: 'task', name: `garbage-collector list ${key}` });
    this.#options.onlooker?.takes('MonitorsSynced');
    this.#handled.add(key);
    this.#options.synced(type);
    this.#resumeWorkers();
  }

  #add(type: ResourceType): void {
    const key = storageKey(type);
    this.#monitors.set(key, type);
    if (this.#options.discovery.availability(type) === 'served') this.#handled.add(key);
    else this.#unsynced.add(key);
  }

  #discovered(): ResourceType[] | undefined {
    const types = this.#options.discovery.catalog.types.filter(ResourceType.isMonitored);
    return types.length === 0 ? undefined : types;
  }
}

/** A source without a cluster: a built-in scenario, played on a simulated one that goes on living. */

import type { ActAnswer, ActRequest, DryRunAnswer, DryRunRequest } from '../../model/exchange/act.ts';
import type { BlindSpot, Change, SourceBatch, TypeStatus } from '../../model/exchange/changes.ts';
import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { isMonitored, parseApiVersion, type ResourceType } from '../../model/types/resource-type.ts';
import type { StoreEvent } from '../../simulation/api/types.ts';
import type { SimulatedCluster } from '../../simulation/runtime/cluster.ts';
import { builtInTypes, builtInVersion } from '../built-in-types.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../source.ts';
import type { DemoSettings, LiveSteps, PlayedScenario } from './play-scenario.ts';
import { type Scenario, ScenarioError } from './scenario.ts';
import { checkScenarioName, DEFAULT_SCENARIO, readScenario } from './scenarios.ts';

/** Time as the demo needs it; tests hand in their own. */
export interface DemoClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back every so many milliseconds until the returned function is called. */
  every(milliseconds: number, callback: () => void): () => void;
}

const systemClock: DemoClock = {
  now: () => Date.now(),
  every: (milliseconds, callback) => {
    const timer = setInterval(callback, milliseconds);
    return () => clearInterval(timer);
  },
};

/** Often enough that a change follows its cause at once, for whoever looks. */
const TICK_MILLISECONDS = 250;

export class DemoSource implements Source {
  readonly #complete = Promise.withResolvers<void>();
  readonly graphComplete = this.#complete.promise;
  readonly factsComplete = this.graphComplete;
  readonly #name: string;
  readonly #clock: DemoClock;
  readonly #settings: DemoSettings;
  #namespace = 'default';
  #played: PlayedScenario | undefined;
  #events: StoreEvent[] = [];
  #statuses = new Map<ResourceType, TypeStatus['state']>();
  #catalogue: readonly ResourceType[] = builtInTypes;
  #failed = '';
  #advancing = false;
  #stop: () => void = () => {};
  #closed = false;

  /** `name`: one of `scenarioNames`. */
  constructor(name: string, clock: DemoClock = systemClock, settings: DemoSettings = {}) {
    this.#name = name;
    this.#clock = clock;
    this.#settings = settings;
    // A failure reaches whoever waits; nobody has to.
    this.graphComplete.catch(() => undefined);
  }

  get info(): SourceInfo {
    return {
      source: 'demo',
      context: this.#name,
      namespace: this.#namespace,
      serverVersion: this.#settings.serverVersion ?? builtInVersion,
      serverVersionFrom: this.#settings.serverVersion === undefined ? 'scenario' : 'flag',
    };
  }

  /** The simulated cluster, once the scenario has been played; requests to it are followed by changes here. */
  get cluster(): SimulatedCluster | undefined {
    return this.#played?.world.cluster;
  }

  async start(listener: (batch: SourceBatch) => void): Promise<void> {
    const scenario = await readScenario(this.#name).catch(asSourceError);
    this.#namespace = scenario.namespace ?? 'default';
    listener({
      changes: [],
      types: builtInTypes,
      failedGroups: [],
      statuses: builtInTypes.filter(isMonitored).map(type => statusOf(type, 'listing', 0)),
      connection: { state: 'live' },
    });
    // Like a cluster's, the lists arrive after the catalogue, type by type; and a screen shows its first frame
    // before the scenario is played.
    setImmediate(() => {
      this.#play(scenario, listener).catch(asSourceError).catch(this.#complete.reject);
    });
  }

  async #play(scenario: Scenario, listener: (batch: SourceBatch) => void): Promise<void> {
    const { playScenario, LiveSteps: Steps } = await import('./play-scenario.ts');
    if (this.#closed) return;
    const played = await playScenario(scenario, this.#clock.now(), this.#settings);
    const { player, world } = played;
    this.#played = played;
    this.#list(listener, world.cluster);
    this.#complete.resolve();
    world.cluster.api.onWrite(event => this.#events.push(event));
    const live = new Steps(scenario.live ?? [], player, world);
    this.#stop = this.#clock.every(TICK_MILLISECONDS, () => {
      void this.#advance(live, listener);
    });
  }

  #list(listener: (batch: SourceBatch) => void, { discovery, store }: SimulatedCluster): void {
    const catalogue = this.#catalogueChange(discovery);
    if (catalogue !== undefined) listener({ changes: [], ...catalogue });
    for (const type of this.#catalogue.filter(isMonitored)) {
      const changes = store.list(type).map((object): Change => ({ op: 'upsert', object }));
      this.#statuses.set(type, 'synced');
      listener({ changes, statuses: [statusOf(type, 'synced', changes.length)] });
    }
  }

  /** The virtual clock follows the wall clock; what happened meanwhile is one batch. */
  async #advance(live: LiveSteps, listener: (batch: SourceBatch) => void): Promise<void> {
    const cluster = this.cluster;
    if (cluster === undefined || this.#advancing) return;
    this.#advancing = true;
    try {
      await live.advance(this.#clock.now());
    } finally {
      this.#advancing = false;
    }
    if (this.#closed) return;
    const catalogue = this.#catalogueChange(cluster.discovery);
    const changes = this.#events.splice(0).flatMap(event => changeOf(event));
    if (changes.length > 0 || catalogue !== undefined) listener({ changes, ...catalogue });
  }

  /** What is different in what is served, since it was last told. */
  #catalogueChange(discovery: SimulatedCluster['discovery']): Omit<SourceBatch, 'changes'> | undefined {
    const types = discovery.catalog.types;
    const failedGroups = discovery.failedGroupVersions.map(blindSpot);
    const statuses: TypeStatus[] = [];
    for (const type of discovery.known.filter(isMonitored)) {
      const availability = discovery.availability(type);
      const state = availability === 'served' ? 'synced' : availability === 'gone' ? 'gone' : 'blind';
      // A type that was never served isn't worth a word.
      if (this.#statuses.get(type) === state || (state !== 'synced' && !this.#statuses.has(type))) continue;
      this.#statuses.set(type, state);
      const status = statusOf(type, state, 0);
      statuses.push(state === 'blind' ? { ...status, reason: '503' } : status);
    }
    const failed = failedGroups.map(({ resource }) => resource).join(' ');
    if (types === this.#catalogue && statuses.length === 0 && failed === this.#failed) return undefined;
    this.#catalogue = types;
    this.#failed = failed;
    return { types, failedGroups, statuses };
  }

  async get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    const { world } = this.#played ?? {};
    const object = world?.cluster.store.find(type, namespace, name);
    if (world === undefined || object === undefined) return undefined;
    const { fullJson } = await import('./answers.ts');
    return fullJson(world, object);
  }

  /** By the requests that the simulated API server took. */
  async nodeRemovals(): Promise<ReadonlyMap<string, NodeRemoval>> {
    await this.graphComplete;
    const removals = new Map<string, NodeRemoval>();
    for (const { type, name, at, before, after } of this.cluster?.api.log.entries ?? [])
      if (type.kind === 'Node' && before !== undefined && after === undefined)
        removals.set(name, { first: removals.get(name)?.first ?? at, last: at });
    return removals;
  }

  /** The simulated API server's answer; what follows from it is told like every other change. */
  act(request: ActRequest): Promise<ActAnswer> {
    return this.#serve(request, false);
  }

  dryRun(request: DryRunRequest): Promise<DryRunAnswer> {
    return this.#serve({ ...request, path: request.path.replace(/\?.*$/u, '') }, true);
  }

  async #serve(request: ActRequest, dryRun: boolean): Promise<ActAnswer> {
    await this.graphComplete;
    const { world } = this.#played ?? {};
    if (world === undefined || this.#closed) throw new SourceError('the demo is closed.');
    const { serve } = await import('./answers.ts');
    return serve(world, request, dryRun);
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    return Promise.resolve();
  }
}

function asSourceError(error: unknown): never {
  throw error instanceof ScenarioError
    ? new SourceError(`the scenario cannot be played: ${error.message}.`)
    : error;
}

function statusOf(type: ResourceType, state: TypeStatus['state'], count: number): TypeStatus {
  return { type, state, count, facts: state === 'synced' };
}

function changeOf(event: StoreEvent): readonly Change[] {
  const { object } = event;
  if (!isMonitored(object.type)) return [];
  if (event.op === 'deleted') return [{ op: 'delete', uid: object.uid, type: object.type }];
  return [{ op: 'upsert', object }];
}

/** As discovery reports an APIService without a backend. */
function blindSpot(apiVersion: string): BlindSpot {
  return { resource: `*.${parseApiVersion(apiVersion).group}`, reason: 'its API server does not answer' };
}

/** The scenario, or the default one, keeping `threshold` finished pods. Throws a `SourceError` naming those there are. */
export function openDemo(
  name: string = DEFAULT_SCENARIO,
  clock?: DemoClock,
  settings?: DemoSettings,
): DemoSource {
  checkScenarioName(name);
  return new DemoSource(name, clock, settings);
}

/** A source without a cluster: a built-in scenario on a simulated one that keeps running. */

import {
  type ActAnswer,
  type ActRequest,
  type BlindSpot,
  BuiltInKind,
  type Change,
  type Content,
  type DryRunAnswer,
  type DryRunRequest,
  type KubeObject,
  type NodeRemoval,
  objectJson,
  parseApiVersion,
  ResourceType,
  record,
  type SourceBatch,
  type TypeStatus,
} from '../../model/index.ts';
import type { SimulatedCluster, Stepper, StoreEvent } from '../../simulation/index.ts';
import { builtInTypes, builtInVersion } from '../built-in-types.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo, type Story } from '../source.ts';
import type { DemoSettings, LiveSteps, PlayedScenario } from './play-scenario.ts';
import { type Scenario, ScenarioError } from './scenario.ts';
import { checkScenarioName, DEFAULT_SCENARIO, readScenario } from './scenarios.ts';
import { trialCommand } from './trial-command.ts';

/** Time for the demo; tests inject their own. */
export interface DemoClock {
  now(): number;
  /** Calls back at this interval until the returned function is called. */
  every(milliseconds: number, callback: () => void): () => void;
}

const systemClock: DemoClock = {
  now: () => Date.now(),
  every: (milliseconds, callback) => {
    const timer = setInterval(callback, milliseconds);
    return () => clearInterval(timer);
  },
};

/** Short enough that changes seem to follow their causes at once. */
const TICK_MILLISECONDS = 250;

export class DemoSource implements Source {
  readonly #complete = Promise.withResolvers<void>();
  readonly graphComplete = this.#complete.promise;
  readonly factsComplete = this.graphComplete;
  readonly #name: string;
  readonly #clock: DemoClock;
  readonly #settings: DemoSettings;
  #namespace = 'default';
  #story: Story | undefined;
  #played: PlayedScenario | undefined;
  #events: StoreEvent[] = [];
  /** Serializes requests and the passage of time. */
  #doing: Promise<unknown> = Promise.resolve();
  #statuses = new Map<ResourceType, TypeStatus['state']>();
  #catalogue: readonly ResourceType[] = builtInTypes;
  #failed = '';
  #advancing = false;
  #stop: () => void = () => {};
  #closed = false;

  constructor(name: string, clock: DemoClock = systemClock, settings: DemoSettings = {}) {
    this.#name = name;
    this.#clock = clock;
    this.#settings = settings;
    // Marks a rejection as handled, because no caller has to await it.
    this.graphComplete.catch(() => undefined);
  }

  get info(): SourceInfo {
    return {
      source: 'demo',
      context: this.#name,
      namespace: this.#namespace,
      serverVersion: this.#settings.serverVersion ?? builtInVersion,
      ...(this.#settings.collector === '1.5' && { collector: '1.5' }),
      serverVersionFrom: this.#settings.serverVersion === undefined ? 'scenario' : 'flag',
      story: this.#story,
    };
  }

  get cluster(): SimulatedCluster | undefined {
    return this.#played?.world.cluster;
  }

  #do<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#doing.then(act);
    this.#doing = done.catch(() => {});
    return done;
  }

  /** Steps through the same scenario from its beginning, in a separate world. Rejects with a `SourceError`. */
  async openStepper(): Promise<Stepper> {
    const { steppedScenario } = await import('./scenario-world.ts');
    const { Stepper: Stepping } = await import('../../simulation/stepping/stepper.ts');
    const scenario = await readScenario(this.#name).catch(asSourceError);
    const make = await steppedScenario(scenario, this.#clock.now(), this.#settings).catch(asSourceError);
    return Stepping.begin(make);
  }

  get collectorState(): SimulatedCluster['collectorState'] | undefined {
    return this.cluster?.collectorState;
  }

  async start(listener: (batch: SourceBatch) => void): Promise<void> {
    const scenario = await readScenario(this.#name).catch(asSourceError);
    this.#namespace = scenario.namespace ?? 'default';
    const { title, look = [], try: trials = [] } = scenario;
    this.#story = {
      title,
      look,
      try: trials.map(trial => ({ ...trial, command: trialCommand(this.#name, trial) })),
    };
    listener({
      changes: [],
      types: builtInTypes,
      failedGroups: [],
      statuses: builtInTypes.filter(ResourceType.isMonitored).map(type => statusOf(type, 'listing', 0)),
      connection: { state: 'live' },
    });
    // Like a cluster's, lists arrive after the catalogue, type by type. The screen draws a frame before the scenario
    // runs.
    setImmediate(() => {
      this.#play(scenario, listener).catch(asSourceError).catch(this.#complete.reject);
    });
  }

  async #play(scenario: Scenario, listener: (batch: SourceBatch) => void): Promise<void> {
    const { LiveSteps: Live, playScenario } = await import('./play-scenario.ts');
    if (this.#closed) return;
    const played = await playScenario(scenario, this.#clock.now(), this.#settings);
    const { cluster } = played.world;
    this.#played = played;
    this.#list(listener, cluster);
    this.#complete.resolve();
    cluster.api.onWrite(event => void this.#events.push(event));
    const live = new Live(scenario.live ?? [], played.player, played.world);
    this.#stop = this.#clock.every(TICK_MILLISECONDS, () => {
      if (!this.#advancing) void this.#do(() => this.#advance(live, cluster, listener));
    });
  }

  #list(listener: (batch: SourceBatch) => void, { discovery, store }: SimulatedCluster): void {
    const catalogue = this.#catalogueChange(discovery);
    if (catalogue !== undefined) listener({ changes: [], ...catalogue });
    for (const type of this.#catalogue.filter(ResourceType.isMonitored)) {
      const changes = store.list(type).map((object): Change => ({ op: 'upsert', object }));
      this.#statuses.set(type, 'synced');
      listener({ changes, statuses: [statusOf(type, 'synced', changes.length)] });
    }
  }

  async #advance(
    live: LiveSteps,
    { discovery }: SimulatedCluster,
    listener: (batch: SourceBatch) => void,
  ): Promise<void> {
    this.#advancing = true;
    try {
      await live.advance(this.#clock.now());
    } finally {
      this.#advancing = false;
    }
    if (this.#closed) return;
    const catalogue = this.#catalogueChange(discovery);
    const changes = this.#events.splice(0).flatMap(event => changeOf(event));
    if (changes.length > 0 || catalogue !== undefined) listener({ changes, ...catalogue });
  }

  #catalogueChange(discovery: SimulatedCluster['discovery']): Omit<SourceBatch, 'changes'> | undefined {
    const types = discovery.catalog.types;
    const failedGroups = discovery.failedGroupVersions.map(blindSpot);
    const statuses: TypeStatus[] = [];
    for (const type of discovery.known.filter(ResourceType.isMonitored)) {
      const availability = discovery.availability(type);
      const state = availability === 'served' ? 'synced' : availability === 'gone' ? 'gone' : 'blind';
      // A type that was never served isn't reported.
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

  content(object: KubeObject): Content | undefined {
    const manifest = this.#played?.world.manifest(object.uid);
    return (
      manifest && {
        json: { ...manifest, metadata: record(objectJson.write(object)['metadata']) },
        events: [],
      }
    );
  }

  async get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    const { world } = this.#played ?? {};
    const object = world?.cluster.store.find(type, namespace, name);
    if (world === undefined || object === undefined) return undefined;
    const { answeredJson } = await import('./answer-requests.ts');
    return answeredJson(world, object);
  }

  /** Reads removals from the simulated API server's log. */
  async nodeRemovals(): Promise<ReadonlyMap<string, NodeRemoval>> {
    await this.graphComplete;
    const removals = new Map<string, NodeRemoval>();
    for (const { type, name, at, before, after } of this.cluster?.api.log.entries ?? [])
      if (BuiltInKind.of(type) === 'Node' && before !== undefined && after === undefined)
        removals.set(name, { first: removals.get(name)?.first ?? at, last: at });
    return removals;
  }

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
    const { serve } = await import('./answer-requests.ts');
    return this.#do(() => serve(world, request, dryRun));
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
  if (!ResourceType.isMonitored(object.type)) return [];
  if (event.op === 'deleted') {
    const { uid, type } = object;
    return [{ op: 'delete', uid, type, ...(event.version && { resourceVersion: event.version }) }];
  }
  return [{ op: 'upsert', object }];
}

/** Mimics discovery of an APIService without a backend. */
function blindSpot(apiVersion: string): BlindSpot {
  return { resource: `*.${parseApiVersion(apiVersion).group}`, reason: 'its API server does not answer' };
}

/** Opens a scenario. Throws a `SourceError` that lists the scenarios if the name is unknown. */
export function openDemo(
  name: string = DEFAULT_SCENARIO,
  clock?: DemoClock,
  settings?: DemoSettings,
): DemoSource {
  checkScenarioName(name);
  return new DemoSource(name, clock, settings);
}

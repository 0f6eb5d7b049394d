/** A source without a cluster: a built-in scenario on a simulated one that keeps running. */

import type { CollectorState } from '../../collector/state.ts';
import type { CollectorStep } from '../../collector/step.ts';
import type { ActAnswer, ActRequest, DryRunAnswer, DryRunRequest } from '../../model/exchange/act.ts';
import type { BlindSpot, Change, SourceBatch, TypeStatus } from '../../model/exchange/changes.ts';
import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import type { KubeObject } from '../../model/object.ts';
import {
  builtInKind,
  isMonitored,
  parseApiVersion,
  type ResourceType,
} from '../../model/types/resource-type.ts';
import type { StoreEvent } from '../../simulation/api/types.ts';
import type { SimulatedCluster } from '../../simulation/runtime/cluster.ts';
import type { Breakpoint } from '../../simulation/stepping/breakpoint.ts';
import type { Stepper } from '../../simulation/stepping/stepper.ts';
import { builtInTypes, builtInVersion } from '../built-in-types.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo, type Story } from '../source.ts';
import type { LivingScenario } from './living.ts';
import type { DemoSettings } from './play-scenario.ts';
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

/** Limits a run to a breakpoint that never comes. */
const MOST_MOVES = 5_000;

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
  #living: LivingScenario | undefined;
  #listener: (batch: SourceBatch) => void = () => {};
  #events: StoreEvent[] = [];
  #watched: SimulatedCluster | undefined;
  /** Virtual milliseconds minus the clock's. Steps run ahead of the clock, and time stands still between them. */
  #ahead = 0;
  #pausedAt: number | undefined;
  /** Serializes steps, requests and the passage of time. */
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
      ...(this.#now === this.#clock.now() ? {} : { clockOffset: this.#now - this.#clock.now() }),
    };
  }

  get cluster(): SimulatedCluster | undefined {
    return this.#living?.world.cluster;
  }

  get #now(): number {
    return this.#pausedAt ?? this.#clock.now() + this.#ahead;
  }

  get stepping(): DemoStepping | undefined {
    const living = this.#living;
    return living && new DemoStepping(living, this);
  }

  get paused(): boolean {
    return this.#pausedAt !== undefined;
  }

  /** Stops time until it is stepped or resumed. */
  pause(): void {
    this.#pausedAt ??= this.cluster?.clock.now ?? this.#clock.now();
  }

  /** Lets time pass with the clock again. */
  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#ahead = this.#pausedAt - this.#clock.now();
    this.#pausedAt = undefined;
  }

  /** Acts on the paused scenario, and reports the changes. */
  step<T>(act: () => Promise<T>): Promise<T> {
    this.pause();
    return this.#do(async () => {
      const before = this.cluster;
      const told = new Map(before === undefined ? [] : [...before.store.all()].map(each => [each.uid, each]));
      const result = await act();
      this.#pausedAt = this.cluster?.clock.now;
      this.#tell(before, told);
      return result;
    });
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
      statuses: builtInTypes.filter(isMonitored).map(type => statusOf(type, 'listing', 0)),
      connection: { state: 'live' },
    });
    // Like a cluster's, lists arrive after the catalogue, type by type. The screen draws a frame before the scenario
    // runs.
    setImmediate(() => {
      this.#play(scenario, listener).catch(asSourceError).catch(this.#complete.reject);
    });
  }

  async #play(scenario: Scenario, listener: (batch: SourceBatch) => void): Promise<void> {
    const { LivingScenario: Living } = await import('./living.ts');
    if (this.#closed) return;
    const living = await Living.begin(scenario, this.#clock.now(), this.#settings);
    this.#living = living;
    this.#listener = listener;
    this.#list(listener, living.world.cluster);
    this.#complete.resolve();
    this.#watch(living.world.cluster);
    this.#stop = this.#clock.every(TICK_MILLISECONDS, () => {
      if (!this.#advancing && !this.paused) void this.#do(() => this.#advance(living));
    });
  }

  #watch(cluster: SimulatedCluster): void {
    this.#watched = cluster;
    this.#events = [];
    cluster.api.onWrite(event => {
      if (cluster === this.#watched) this.#events.push(event);
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

  async #advance({ stepper }: LivingScenario): Promise<void> {
    if (this.paused) return;
    this.#advancing = true;
    try {
      await stepper.pass(this.#now);
    } finally {
      this.#advancing = false;
    }
    this.#tell(this.cluster, new Map());
  }

  /** Reports changes since the last report; if the cluster was rebuilt, its differences from the former. */
  #tell(before: SimulatedCluster | undefined, told: ReadonlyMap<string, KubeObject>): void {
    const cluster = this.cluster;
    if (cluster === undefined || this.#closed) return;
    const catalogue = this.#catalogueChange(cluster.discovery);
    let changes: Change[];
    if (cluster === before) changes = this.#events.splice(0).flatMap(event => changeOf(event));
    else {
      changes = differences(told, cluster.store.all());
      this.#watch(cluster);
    }
    if (changes.length > 0 || catalogue !== undefined) this.#listener({ changes, ...catalogue });
  }

  #catalogueChange(discovery: SimulatedCluster['discovery']): Omit<SourceBatch, 'changes'> | undefined {
    const types = discovery.catalog.types;
    const failedGroups = discovery.failedGroupVersions.map(blindSpot);
    const statuses: TypeStatus[] = [];
    for (const type of discovery.known.filter(isMonitored)) {
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

  async get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    const { world } = this.#living ?? {};
    const object = world?.cluster.store.find(type, namespace, name);
    if (world === undefined || object === undefined) return undefined;
    const { answeredJson } = await import('./answers.ts');
    return answeredJson(world, object);
  }

  /** Reads removals from the simulated API server's log. */
  async nodeRemovals(): Promise<ReadonlyMap<string, NodeRemoval>> {
    await this.graphComplete;
    const removals = new Map<string, NodeRemoval>();
    for (const { type, name, at, before, after } of this.cluster?.api.log.entries ?? [])
      if (builtInKind(type) === 'Node' && before !== undefined && after === undefined)
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
    const living = this.#living;
    if (living === undefined || this.#closed) throw new SourceError('the demo is closed.');
    return this.#do(async () => {
      const answer = await living.serve(request, dryRun);
      // Otherwise the next tick reports it.
      if (this.paused) this.#tell(this.cluster, new Map());
      return answer;
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    return Promise.resolve();
  }
}

/** Steps through a paused demo; the source's listener receives the changes. */
export class DemoStepping {
  readonly #living: LivingScenario;
  readonly #source: DemoSource;

  constructor(living: LivingScenario, source: DemoSource) {
    this.#living = living;
    this.#source = source;
  }

  get state(): CollectorState {
    return this.#living.stepper.state;
  }

  get steps(): readonly CollectorStep[] {
    return this.#living.stepper.steps;
  }

  get count(): number {
    return this.#living.stepper.count;
  }

  /** True if nothing is left to happen; never with live steps. */
  get ended(): boolean {
    return this.#living.stepper.ended;
  }

  runTo(breakpoint: Breakpoint): Promise<CollectorStep | undefined> {
    return this.#source.step(() => this.#living.stepper.runTo(breakpoint, MOST_MOVES));
  }

  get position(): number {
    return this.#living.stepper.position;
  }

  restore(position: number): Promise<void> {
    return this.#source.step(() => this.#living.stepper.restore(position));
  }

  goTo(steps: number): Promise<void> {
    return this.#source.step(() => this.#living.stepper.goTo(steps));
  }
}

function differences(known: ReadonlyMap<string, KubeObject>, objects: Iterable<KubeObject>): Change[] {
  const changes: Change[] = [];
  const there = new Set<string>();
  for (const object of objects) {
    there.add(object.uid);
    if (!isMonitored(object.type)) continue;
    // Each world is the other's past, so equal versions mean equal states.
    if (known.get(object.uid)?.resourceVersion !== object.resourceVersion)
      changes.push({ op: 'upsert', object });
  }
  for (const { uid, type } of known.values())
    if (!there.has(uid) && isMonitored(type)) changes.push({ op: 'delete', uid, type });
  return changes;
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

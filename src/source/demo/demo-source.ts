/** A source without a cluster: a built-in scenario that is listed like one and goes on living. */
import type { Change, SourceBatch, TypeStatus } from '../../model/changes.ts';
import { isMonitored, type ResourceType } from '../../model/resource-type.ts';
import { builtInVersion } from '../built-in-types.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../source.ts';
import { firstDeployment, life } from './life.ts';
import { Population } from './population.ts';
import { type Scenario, scenarios } from './scenarios.ts';

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

const STEP_MILLISECONDS = 2500;

export class DemoSource implements Source {
  readonly info: SourceInfo;
  readonly graphComplete: Promise<void>;
  readonly factsComplete: Promise<void>;
  readonly #clock: DemoClock;
  readonly #population: Population;
  #complete: () => void = () => {};
  #stop: () => void = () => {};
  #closed = false;

  constructor(scenario: Scenario, clock: DemoClock = systemClock) {
    this.#clock = clock;
    this.#population = new Population(scenario, clock.now());
    this.info = {
      source: 'demo',
      context: scenario.name,
      namespace: scenario.namespace,
      serverVersion: builtInVersion,
    };
    this.graphComplete = new Promise(resolve => {
      this.#complete = resolve;
    });
    this.factsComplete = this.graphComplete;
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    const types = this.#population.types;
    const monitored = types.filter(isMonitored);
    const status = (type: ResourceType, state: 'listing' | 'synced', count: number): TypeStatus => ({
      type,
      state,
      count,
      facts: state === 'synced',
    });
    listener({
      changes: [],
      types,
      failedGroups: [],
      statuses: monitored.map(type => status(type, 'listing', 0)),
      connection: { state: 'live' },
    });
    // Like a cluster's, the lists arrive after the catalogue, type by type.
    setImmediate(() => {
      if (this.#closed) return;
      const all: Change[] = [];
      for (const type of monitored) {
        const changes = this.#population.listed(type);
        all.push(...changes);
        listener({ changes, statuses: [status(type, 'synced', changes.length)] });
      }
      this.#complete();
      this.#live(listener, firstDeployment(all));
    });
    return Promise.resolve();
  }

  #live(listener: (batch: SourceBatch) => void, deployment: string | undefined): void {
    if (deployment === undefined) return;
    const steps = life(this.#population, this.#clock, deployment);
    this.#stop = this.#clock.every(STEP_MILLISECONDS, () => {
      const step = steps.next();
      if (step.done === true) this.#stop();
      else if (step.value.length > 0) listener({ changes: step.value });
    });
  }

  get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    return Promise.resolve(this.#population.byName(type, namespace, name));
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    return Promise.resolve();
  }
}

/** The scenario of this name, or the first one. Throws a `SourceError` that names the scenarios there are. */
export function openDemo(name: string | undefined, clock?: DemoClock): DemoSource {
  const scenario = name === undefined ? scenarios[0] : scenarios.find(each => each.name === name);
  if (scenario === undefined)
    throw new SourceError(
      `no scenario ${JSON.stringify(name)}. Scenarios: ${scenarios.map(each => each.name).join(', ')}.`,
    );
  return new DemoSource(scenario, clock);
}

/** Plays a scenario twice, with the first collector and with today's: its steps, and its live steps once. */

import {
  type CollectorComparison,
  type ComparedRun,
  compareRuns,
  type Departure,
} from '../../simulation/index.ts';
import { SourceError } from '../source.ts';
import { type DemoSettings, LiveSteps, playScenario } from './play-scenario.ts';
import { type Scenario, ScenarioError } from './scenario.ts';

/** Milliseconds after the last step before the ends are compared. */
const AFTERWARDS = 5 * 60_000;

/** `now`: end of the steps, in ms since the epoch. Rejects with a `SourceError` if a collector can't play them. */
export async function compareCollectors(
  scenario: Scenario,
  now: number,
  settings: Pick<DemoSettings, 'serverVersion' | 'threshold'> = {},
): Promise<CollectorComparison> {
  const departures: Departure[] = [];
  const departed = (departure: Departure): void => void departures.push(departure);
  const first = await ended(scenario, now, { ...settings, collector: '1.5', departed });
  const today = await ended(scenario, now, { ...settings, collector: '1.36' });
  return compareRuns(first, today, departures);
}

async function ended(scenario: Scenario, now: number, settings: DemoSettings): Promise<ComparedRun> {
  try {
    const { world, player } = await playScenario(scenario, now, settings);
    const live = scenario.live ?? [];
    const lasting = live.reduce(
      (sum, step) => sum + (step !== 'settle' && 'wait' in step ? step.wait : 0),
      0,
    );
    if (live.length > 0) await new LiveSteps(live, player, world).advance(world.now + lasting - 1);
    world.advance(world.now + AFTERWARDS);
    const { log, store } = world.cluster.api;
    return { log: log.entries, left: [...store.all()] };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw new SourceError(
      `with the collector of ${settings.collector ?? '1.36'} the scenario cannot be played: ${error.message}.`,
    );
  }
}

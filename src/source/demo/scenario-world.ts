/** A scenario as a world to step through: each step, live step and simulated task is a move. */
import type { CollectorOnlooker } from '../../collector/index.ts';
import type { MakeWorld, Move, RunLimits, SimulatedCluster, SteppedWorld } from '../../simulation/index.ts';
import {
  beginScenario,
  type DemoSettings,
  LiveSteps,
  type PlayedScenario,
  playStep,
  startOf,
  wholeSecond,
} from './play-scenario.ts';
import { nameOf, type Scenario, type ScenarioStep } from './scenario.ts';
import { RESTLESS, untilRest } from './world/simulated-world.ts';

/** Builds the world before its first step; the steps end at `now` (ms since epoch). Rejects with a `ScenarioError`. */
export async function steppedScenario(
  scenario: Scenario,
  now: number,
  settings: DemoSettings = {},
): Promise<MakeWorld> {
  const start = await startOf(scenario, now, settings);
  return async onlooker => beginStepping(scenario, start, settings, onlooker);
}

async function beginStepping(
  scenario: Scenario,
  start: number,
  settings: DemoSettings,
  onlooker: CollectorOnlooker,
): Promise<SteppedWorld> {
  return new ScenarioWorld(scenario, await beginScenario(scenario, start, settings, onlooker));
}

type Phase =
  | { readonly run: RunLimits }
  | { readonly step: ScenarioStep; readonly act: () => Promise<unknown> };

class ScenarioWorld implements SteppedWorld {
  readonly cluster: SimulatedCluster;
  readonly #phases: Iterator<Phase, void>;
  #run: ReturnType<SimulatedCluster['clock']['running']> | undefined;

  constructor(scenario: Scenario, played: PlayedScenario) {
    this.cluster = played.world.cluster;
    this.#phases = phasesOf(scenario, played);
  }

  /** Always runs to the end: no clock limits it. */
  async move(): Promise<Move | undefined> {
    for (;;) {
      const task = this.#run?.();
      if (task === 'limit') throw new Error(RESTLESS);
      if (task !== undefined && typeof task !== 'string') return { of: 'task', task };
      const { value: phase } = this.#phases.next();
      if (phase === undefined) return undefined;
      if ('run' in phase) {
        this.#run = this.cluster.clock.running(phase.run);
        continue;
      }
      this.#run = undefined;
      await phase.act();
      const described = describe(phase.step);
      if (described !== undefined) return { of: 'outside', ...described };
    }
  }
}

function* phasesOf(scenario: Scenario, { world, player }: PlayedScenario): Generator<Phase, void, void> {
  for (const step of scenario.steps) {
    if (step === 'settle') yield { run: untilRest };
    else if ('wait' in step) for (const run of world.waiting(step.wait)) yield { run };
    else yield { step, act: () => playStep(step, player, world) };
  }
  yield { run: { until: wholeSecond(world.now) } };
  const live = new LiveSteps(scenario.live ?? [], player, world);
  for (const step of scenario.live ?? []) {
    yield { run: { until: live.due } };
    yield { step, act: () => live.step() };
  }
  if (Number.isFinite(live.due)) yield { run: { until: live.due } };
}

/** Describes actor and action; undefined if only time passes. */
function describe(step: ScenarioStep): { readonly by: string; readonly about: string } | undefined {
  if (step === 'settle' || 'wait' in step) return undefined;
  if ('node' in step) return { by: 'node', about: `${step.node.name} ${step.node.state}` };
  if ('controllerManager' in step)
    return { by: 'kube-controller-manager', about: step.controllerManager === 'start' ? 'starts' : 'stops' };
  if ('create' in step) return { by: 'user', about: `create ${step.create.map(nameOf).join(', ')}` };
  if ('patch' in step) return { by: 'user', about: `patch ${step.patch}` };
  const { delete: target, cascade } = step;
  const object = typeof target === 'string' ? target : `${target.pick} ${target.kind} of ${target.ownedBy}`;
  return { by: 'user', about: `delete ${object}${cascade === 'default' ? '' : ` --cascade=${cascade}`}` };
}

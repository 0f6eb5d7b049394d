/** A scenario that keeps running after its steps, and can be stepped forward and back. User requests are replayed. */
import type { ActAnswer, ActRequest } from '../../model/exchange/act.ts';
import type { SimulatedCluster } from '../../simulation/runtime/cluster.ts';
import { type Move, type SteppedWorld, Stepper } from '../../simulation/stepping/stepper.ts';
import { serve } from './answers.ts';
import { type DemoSettings, LiveSteps, type PlayedScenario, play, startOf } from './play-scenario.ts';
import type { Scenario } from './scenario.ts';
import { describe } from './scenario-world.ts';
import { type SimulatedWorld, untilRest } from './world/simulated-world.ts';

/** Limits memory when a demo runs for days. */
const KEPT_STEPS = 5_000;

export class LivingScenario {
  readonly stepper: Stepper;
  readonly #current: { played: PlayedScenario };

  private constructor(stepper: Stepper, current: { played: PlayedScenario }) {
    this.stepper = stepper;
    this.#current = current;
  }

  /** `now`: end of the steps, in ms since the epoch. Rejects with a `ScenarioError` if they can't be played. */
  static async begin(scenario: Scenario, now: number, settings: DemoSettings): Promise<LivingScenario> {
    const start = await startOf(scenario, now, settings);
    const current: { played?: PlayedScenario } = {};
    const stepper = await Stepper.begin(async onlooker => {
      current.played = await play(scenario, start, settings, onlooker);
      return new LiveWorld(scenario, current.played);
    }, KEPT_STEPS);
    const { played } = current;
    if (played === undefined) throw new Error('the scenario was not played');
    return new LivingScenario(stepper, current as { played: PlayedScenario });
  }

  get world(): SimulatedWorld {
    return this.#current.played.world;
  }

  async serve(request: ActRequest, dryRun: boolean): Promise<ActAnswer> {
    if (dryRun) return serve(this.world, request, true);
    let answer: ActAnswer | undefined;
    await this.stepper.interfere({
      by: 'user',
      about: `${request.method} ${request.path}`,
      act: async () => {
        answer = await serve(this.world, request, false);
      },
    });
    return answer ?? serve(this.world, request, false);
  }
}

class LiveWorld implements SteppedWorld {
  readonly cluster: SimulatedCluster;
  readonly #live: LiveSteps;
  /** The run until rest, if nothing comes from outside. */
  #rest: ReturnType<SimulatedCluster['clock']['running']> | undefined;

  constructor(scenario: Scenario, { player, world }: PlayedScenario) {
    this.cluster = world.cluster;
    this.#live = new LiveSteps(scenario.live ?? [], player, world);
  }

  async move(until = Number.POSITIVE_INFINITY): Promise<Move | undefined> {
    const { clock } = this.cluster;
    for (;;) {
      const due = Math.min(until, this.#live.due);
      if (due === Number.POSITIVE_INFINITY) return this.#rests();
      this.#rest = undefined;
      const task = clock.step(due);
      if (task !== undefined) return { of: 'task', task };
      clock.run({ until: due });
      if (until < this.#live.due) return undefined;
      const described = describe(await this.#live.step());
      if (described !== undefined) return { of: 'outside', ...described };
    }
  }

  #rests(): Move | undefined {
    this.#rest ??= this.cluster.clock.running(untilRest);
    const task = this.#rest();
    if (typeof task !== 'string') return { of: 'task', task };
    this.#rest = undefined;
    return undefined;
  }
}

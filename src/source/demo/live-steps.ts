/**
 * What goes on in a demo while somebody looks: a scenario's `live` steps, over and over, each at its virtual
 * moment. The API server answers nothing but what a real one would: an object that is gone is just gone.
 */
import type { KubeObject } from '../../model/object.ts';
import type { Player } from './player.ts';
import { isPlayed, type PickedObject, ScenarioError, type ScenarioStep } from './scenario.ts';
import type { SimulatedWorld } from './world/simulated-world.ts';

export class LiveSteps {
  /** With a wait among them, or they would be repeated without end in no time; the parser sees to it. */
  readonly #steps: readonly ScenarioStep[];
  readonly #player: Player;
  readonly #world: SimulatedWorld;
  #index = 0;
  /** Virtual milliseconds since the epoch: when the next step is due. */
  #due: number;

  constructor(steps: readonly ScenarioStep[], player: Player, world: SimulatedWorld) {
    this.#steps = steps;
    this.#player = player;
    this.#world = world;
    this.#due = world.now;
  }

  /** Everything that happens until this virtual moment. */
  async advance(until: number): Promise<void> {
    while (this.#steps.length > 0 && this.#due <= until) {
      this.#world.advance(this.#due);
      try {
        await this.#step();
      } catch (error) {
        // Whoever watches can delete what a step needs, a whole namespace even; the others go on.
        if (!(error instanceof ScenarioError)) throw error;
      }
    }
    this.#world.advance(until);
  }

  async #step(): Promise<void> {
    const step = this.#steps[this.#index];
    this.#index = (this.#index + 1) % this.#steps.length;
    if (step === undefined || step === 'settle') return;
    if ('wait' in step) this.#due += step.wait;
    else if ('node' in step) this.#world.node(step.node);
    else if ('controllerManager' in step) this.#world.control(step.controllerManager);
    else if (isPlayed(step)) {
      if (!('delete' in step) || typeof step.delete === 'string') await this.#player.play(step);
      else await this.#deletePicked(step.delete, step);
    }
  }

  async #deletePicked(
    pick: PickedObject,
    request: {
      readonly cascade: 'background' | 'foreground' | 'orphan' | 'default';
      readonly gracePeriodSeconds?: number;
    },
  ): Promise<void> {
    const { type, namespace, name } = this.#picked(pick) ?? {};
    if (type === undefined || name === undefined) return;
    const { cascade, gracePeriodSeconds } = request;
    const place = { apiVersion: type.apiVersion, kind: type.kind, namespace: namespace ?? '', name };
    await this.#world.delete(place, { cascade, gracePeriodSeconds });
  }

  #picked({ ownedBy, kind, pick }: PickedObject): KubeObject | undefined {
    const owner = this.#world.find(this.#player.place(ownedBy));
    const found = owner === undefined ? [] : [...this.#below(owner, new Set())];
    const candidates = found
      .filter(object => object.type.kind === kind && object.deletionTimestamp === undefined)
      .sort((a, b) => a.creationTimestamp - b.creationTimestamp || (a.name < b.name ? -1 : 1));
    return pick === 'oldest' ? candidates[0] : candidates.at(-1);
  }

  *#below(owner: KubeObject, seen: Set<string>): IterableIterator<KubeObject> {
    for (const dependent of this.#world.cluster.store.ownedBy(owner.uid)) {
      if (seen.has(dependent.uid)) continue;
      seen.add(dependent.uid);
      yield dependent;
      yield* this.#below(dependent, seen);
    }
  }
}

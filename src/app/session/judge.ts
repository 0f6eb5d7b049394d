/** Judges what there is to judge in slices between which input is looked at, and tells when it is through. */

import type { State } from '../state/state.ts';
import type { Cancel, Ports } from './ports.ts';

/** How long judging may keep input waiting. */
const SLICE_MS = 6;
/** Objects that are judged between two looks at the clock; a healthy one takes a few microseconds. */
const JUDGED = 100;

export interface JudgeRunnerOptions {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly getState: () => State;
  readonly done: () => void;
}

export class JudgeRunner {
  readonly #options: JudgeRunnerOptions;
  #judging: Cancel | undefined;

  constructor(options: JudgeRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#judging ??= this.#options.ports.soon(() => this.#judge());
  }

  stop(): void {
    this.#judging?.();
    this.#judging = undefined;
  }

  #judge(): void {
    const { ports, getState, done } = this.#options;
    this.#judging = undefined;
    const problems = getState().cluster?.problems;
    if (problems === undefined) return;
    const until = ports.now() + SLICE_MS;
    let more = true;
    while (more && ports.now() < until) more = problems.judgeMore(JUDGED);
    if (more) this.start();
    else done();
  }
}

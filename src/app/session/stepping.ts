/** Steps through a demo's scenario in a separate world, or through a recording, in slices that can be paused. */

import { type CollectorStep, type RecordedHistory, RecordedStepper } from '../../collector/index.ts';
import { counted, shownName } from '../../model/index.ts';
import { type Breakpoint, parseBreakpoint, type Stepper } from '../../simulation/index.ts';
import type { Source } from '../../source/index.ts';
import { collectorWords, stepLines, TextLine, timeText } from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import type { Message } from '../state/messages.ts';
import type { StepWish } from '../state/state.ts';

interface ScenarioSource extends Source {
  openStepper(): Promise<Stepper>;
}

interface RecordedSource extends Source {
  readonly history: RecordedHistory;
}

type Steppable = ScenarioSource | RecordedSource;

function canStep(source: Source | undefined): source is Steppable {
  return source !== undefined && ('openStepper' in source || 'history' in source);
}

/** Starts at the shown moment, or at the beginning if nothing follows. */
function recordedFrom({ history, timeline }: RecordedSource): RecordedStepper {
  const shown = timeline?.moment ?? history.from;
  return new RecordedStepper(history, shown < history.to ? shown : history.from);
}

const SLICE = 20;

export interface SteppingRunnerOptions {
  readonly ports: Pick<Ports, 'soon'>;
  readonly source: () => Source | undefined;
  readonly dispatch: (message: Message) => void;
  readonly describe: (error: unknown) => string;
}

export class SteppingRunner {
  readonly #options: SteppingRunnerOptions;
  #stepper: Stepper | RecordedStepper | undefined;
  #stops: number[] = [];
  #busy = false;
  /** Number of the current run; runs of a closed world end themselves. */
  #run = 0;
  #pausing = false;

  constructor(options: SteppingRunnerOptions) {
    this.#options = options;
  }

  /** Takes one step at a time: a further wish only pauses. Reports the end with `stepped`. */
  async take(wish: StepWish): Promise<void> {
    if (this.#busy && wish.of !== 'begin') {
      this.#pausing = true;
      return;
    }
    this.#run += 1;
    const run = this.#run;
    this.#busy = true;
    this.#pausing = false;
    try {
      await this.#take(wish);
    } catch (error) {
      this.#tell([TextLine.of(this.#options.describe(error), 'danger')]);
    } finally {
      if (run === this.#run) this.#busy = false;
    }
  }

  close(): void {
    this.#pausing = true;
    this.#stepper = undefined;
    this.#stops = [];
  }

  async #take(wish: StepWish): Promise<void> {
    if (wish.of === 'begin') {
      const source = this.#options.source();
      if (!canStep(source)) return;
      this.close();
      this.#pausing = false;
      this.#stepper = 'history' in source ? recordedFrom(source) : await source.openStepper();
      this.#tell([TextLine.of(beginning(this.#stepper), 'muted'), TextLine.empty]);
      return;
    }
    const stepper = this.#stepper;
    if (stepper === undefined) return;
    if (wish.of === 'back') return this.#back(stepper);
    const breakpoint = breakpointOf(wish, stepper);
    if (typeof breakpoint === 'string')
      return this.#tell([TextLine.of(breakpoint, 'warning'), TextLine.empty]);
    await this.#go(stepper, breakpoint);
  }

  async #back(stepper: Stepper | RecordedStepper): Promise<void> {
    const to = this.#stops.pop();
    if (to === undefined) return this.#tell([TextLine.of('This is the beginning.', 'muted'), TextLine.empty]);
    await stepper.goTo(to);
    const last = stepper.steps.at(-1);
    this.#tell([
      TextLine.of('Back, exactly as it was.', 'muted'),
      ...(last === undefined ? [TextLine.empty] : stepLines(last, undefined)),
    ]);
  }

  async #go(stepper: Stepper | RecordedStepper, breakpoint: Breakpoint): Promise<void> {
    const from = stepper.count;
    let found: CollectorStep | undefined;
    while (!stepper.ended && found === undefined && !this.#pausing && this.#stepper === stepper) {
      let count = 0;
      const step = await stepper.runTo(each => breakpoint(each) || (count += 1) >= SLICE);
      if (step !== undefined && breakpoint(step)) found = step;
      else await new Promise<void>(resolve => void this.#options.ports.soon(resolve));
    }
    if (this.#stepper !== stepper) return;
    if (stepper.count > from) this.#stops.push(from);
    const taken = stepper.count - from;
    const passed = found === undefined ? taken : taken - 1;
    const step = found ?? stepper.steps.at(-1);
    this.#tell([
      ...(passed === 0 ? [] : [TextLine.of(`${counted(passed, 'other step')} passed.`, 'muted')]),
      ...(stepper.ended && found === undefined ? [TextLine.of('The end.', 'warning')] : []),
      ...(step === undefined ? [] : stepLines(step, stepper.steps.at(-2))),
    ]);
  }

  #tell(lines: readonly TextLine[]): void {
    const stepper = this.#stepper;
    const state = stepper === undefined ? [] : collectorWords.lines(stepper.state);
    const steps = stepper?.count ?? 0;
    const status = stepper === undefined ? '' : `${counted(steps, 'step')} taken`;
    this.#options.dispatch({
      type: 'stepped',
      lines: [...lines, ...state].map(({ spans }) => spans),
      status,
    });
  }
}

function beginning(stepper: Stepper | RecordedStepper): string {
  return stepper instanceof RecordedStepper
    ? `The recording at ${timeText.timestamp(stepper.moment)}. What the collector holds is inferred from the objects; its work items and requests are not recorded, and a step is a change to an object.`
    : 'The scenario as it is before its first step.';
}

/** Returns an explanation if the words name neither an object nor a decision. */
function breakpointOf(
  wish: Exclude<StepWish, { of: 'begin' | 'back' }>,
  stepper: Stepper | RecordedStepper,
): Breakpoint | string {
  if (wish.of === 'run') return () => false;
  const isRecorded = stepper instanceof RecordedStepper;
  if (wish.of === 'unit') return ({ work }) => isRecorded || wish.unit === 'task' || work.of === wish.unit;
  const found = parseBreakpoint(wish.words, stepper.catalog);
  if (typeof found === 'function') return found;
  const hint =
    found.suggestions.length === 0
      ? 'Name an object (pod/web-0), a kind (pods) or a decision (DeleteBackground).'
      : `Did you mean ${found.suggestions.map(shownName).join(', ')}?`;
  return `There is no kind and no decision ${shownName(wish.words)}. ${hint}`;
}

/** Steps by keys on a terminal in plain text, each step below the previous one. */
import type { CollectorStep } from '../../../collector/index.ts';
import { counted, showHidden } from '../../../model/index.ts';
import type { Breakpoint, Stepper, StepUnit } from '../../../simulation/index.ts';
import { collectorWords, stepLines, TextLine } from '../../../text/index.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_DONE, Interrupted } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { breakpointOf } from './breakpoint.ts';
import { KeyReader } from './stepping-keys.ts';

const help = [
  'space, enter  one work item: a worker decides on an object, or sends what it has decided',
  'e             one graph event: the collector takes in what a watch has reported',
  't             one task: whatever anybody does next, such as a kubelet or a watch',
  'b             back to where the last key was pressed',
  'r             run to the end',
  'g             run to an object, a kind or a decision: pod/web-0, pods, DeleteBackground',
  's             what the collector holds: queues, virtual nodes, absent owners, monitors',
  '?             this help',
  'q             quit',
  'The section after a sentence (§2.4) is one of docs/kubernetes.md, with its sources.',
];

const units: Readonly<Record<string, StepUnit>> = {
  ' ': 'item',
  '\r': 'item',
  '\n': 'item',
  e: 'event',
  t: 'task',
};

export class StepConsole {
  readonly #stepper: Stepper;
  readonly #command: CommandContext;
  readonly #stops: number[] = [];

  constructor(stepper: Stepper, command: CommandContext) {
    this.#stepper = stepper;
    this.#command = command;
  }

  /** Runs from a breakpoint, if given, until the user quits. Throws `Interrupted` at Ctrl-C. */
  async run(breakpoint: Breakpoint | undefined): Promise<number> {
    const { io } = this.#command;
    const release = await io.terminal.hold({ question: '' });
    const keys = new KeyReader(io.stdin());
    try {
      await this.#print([
        TextLine.of('space steps, b goes back, r runs to the end, ? helps, q quits', 'muted'),
      ]);
      if (breakpoint !== undefined) await this.#go(breakpoint);
      for (;;) {
        const key = await keys.next();
        if (key === undefined || key === 'q' || key === '\u0004') return EXIT_DONE;
        if (key === '\u0003') throw new Interrupted('SIGINT');
        await this.#press(key, keys);
      }
    } finally {
      keys.close();
      release();
    }
  }

  async #press(key: string, keys: KeyReader): Promise<void> {
    const unit = units[key];
    if (unit !== undefined) await this.#go(step => unit === 'task' || step.work.of === unit);
    else if (key === 'r') await this.#go(() => false);
    else if (key === 'b') await this.#back();
    else if (key === 's') await this.#print(collectorWords.lines(this.#stepper.state));
    else if (key === '?') await this.#print(help.map(line => TextLine.of(line, 'plain', 14)));
    else if (key === 'g') await this.#goTo(keys);
  }

  async #go(breakpoint: Breakpoint): Promise<void> {
    const stepper = this.#stepper;
    const from = stepper.steps.length;
    const { position } = stepper;
    const step = await stepper.runTo(breakpoint);
    if (stepper.position > position) this.#stops.push(position);
    const passed = stepper.steps.slice(from, step === undefined ? undefined : -1);
    await this.#print([
      ...(passed.length === 0 ? [] : [TextLine.of(`      … ${passedWords(passed)}`, 'muted')]),
      ...(step === undefined ? [] : stepLines(step, stepper.steps.at(-2)).slice(0, -1)),
      this.#status(),
    ]);
  }

  async #back(): Promise<void> {
    const to = this.#stops.pop();
    if (to === undefined) {
      await this.#print([TextLine.of('This is the beginning.', 'muted')]);
      return;
    }
    await this.#stepper.restore(to);
    const step = this.#stepper.steps.at(-1);
    await this.#print([
      TextLine.of('Back, exactly as it was:', 'muted'),
      ...(step === undefined ? [] : stepLines(step, undefined).slice(0, -1)),
      this.#status(),
    ]);
  }

  async #goTo(keys: KeyReader): Promise<void> {
    const { output } = this.#command;
    await output.write(['go to: ']);
    const words = await keys.line(text => void output.write([text]));
    await output.write(['\n']);
    if (words === undefined || words.trim() === '') return;
    let breakpoint: Breakpoint;
    try {
      breakpoint = breakpointOf(words, this.#stepper.cluster.discovery.catalog);
    } catch (error) {
      await this.#print([TextLine.of(error instanceof Error ? error.message : String(error), 'warning')]);
      return;
    }
    await this.#go(breakpoint);
  }

  #status(): TextLine {
    const end = this.#stepper.ended ? 'The end. ' : '';
    return TextLine.of(showHidden(`      ${end}${collectorWords.line(this.#stepper.state)}`), 'muted', 6);
  }

  #print(lines: readonly TextLine[]): Promise<void> {
    return this.#command.output.write(lines.map(line => printLine(line, lineLook(this.#command))));
  }
}

/** Returns `12 steps: 6 graph events, 4 work items, 2 others`. */
function passedWords(steps: readonly CollectorStep[]): string {
  const count = (of: CollectorStep['work']['of']): number =>
    steps.filter(({ work }) => work.of === of).length;
  const [events, items, outside] = [count('event'), count('item'), count('outside')];
  const others = steps.length - events - items - outside;
  const parts = [
    ...(outside === 0 ? [] : [`${outside} from outside`]),
    ...(events === 0 ? [] : [counted(events, 'graph event')]),
    ...(items === 0 ? [] : [counted(items, 'work item')]),
    ...(others === 0 ? [] : [counted(others, 'other')]),
  ];
  return `${counted(steps.length, 'step')}: ${parts.join(', ')}`;
}

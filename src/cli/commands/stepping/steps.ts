/** `demo SCENARIO --step`: steps through a scenario by keys on a terminal, and prints the steps elsewhere. */
import type { CollectorStep } from '../../../collector/index.ts';
import { shownName, textEscapes } from '../../../model/index.ts';
import { type Breakpoint, Stepper } from '../../../simulation/index.ts';
import { openDemo, readScenario, steppedScenario } from '../../../source/index.ts';
import { FIRST_COLLECTOR, stepLines } from '../../../text/index.ts';
import { basisOf } from '../../documents/basis.ts';
import { stepDocument } from '../../documents/collector-step.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { say } from '../../runtime/say.ts';
import { breakpointOf } from './breakpoint.ts';
import { StepConsole } from './console.ts';

const everyStep: Breakpoint = () => true;

/** Throws a `UsageError` for an unknown format or breakpoint. */
export async function stepThrough(name: string, command: CommandContext): Promise<number> {
  const { flags, io, output } = command;
  const format = formatOf(flags.output);
  const settings = {
    threshold: flags.terminatedPodGcThreshold,
    serverVersion: flags.serverVersion,
    collector: flags.collector,
  };
  if (flags.collector === '1.5') say(io, `${FIRST_COLLECTOR}\n`);
  const { info } = openDemo(name, undefined, settings);
  const make = await steppedScenario(await readScenario(name), io.now(), settings);
  const stepper = await Stepper.begin(make);
  const { catalog } = stepper.cluster.discovery;
  const breakpoint = flags.break === undefined ? everyStep : breakpointOf(flags.break, catalog);
  if (flags.output === undefined && io.stdinIsTerminal && io.stdoutIsTerminal) {
    return new StepConsole(stepper, command).run(flags.break === undefined ? undefined : breakpoint);
  }
  let printed = 0;
  let previous: CollectorStep | undefined;
  for (;;) {
    const step = await stepper.runTo(breakpoint);
    if (step === undefined) break;
    printed += 1;
    if (format === 'text') {
      await output.write(stepLines(step, previous, true).map(line => printLine(line, lineLook(command))));
      previous = step;
      continue;
    }
    const complete = { complete: true, blindSpots: () => [], polled: () => [] };
    const document = stepDocument(basisOf(info, complete, step.at), step, stepper.state);
    const first = printed === 1 ? [] : ['---\n'];
    await output.write(
      format === 'json'
        ? [`${textEscapes.json(document)}\n`]
        : [...first, ...printDocument(document, 'yaml')],
    );
  }
  if (printed === 0)
    say(io, `No step of ${name} is about ${shownName(flags.break ?? '')}: it has ${stepper.steps.length}.\n`);
  return EXIT_DONE;
}

function formatOf(format: string | undefined): 'text' | 'json' | 'yaml' {
  if (format === undefined || format === 'text') return 'text';
  if (format === 'json' || format === 'yaml') return format;
  throw new UsageError(`demo --step cannot print ${format}. Use -o text, json or yaml.`);
}

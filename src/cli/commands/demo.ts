/** `demo`: the bare command on a built-in scenario, and the list of scenarios. */
import type { NamedScenario, Trial } from '../../source/index.ts';
import { padEnd, TextLine, truncate } from '../../text/index.ts';
import type { CommandContext, TargetCommand } from '../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../runtime/errors.ts';
import { glyphsFor, lineLook } from '../runtime/format.ts';
import { formatOf, isDocument } from '../runtime/output-formats.ts';
import { interactive } from './interactive.ts';

const TOURED = 'shop';

export async function demo(command: TargetCommand): Promise<number> {
  const { flags, output } = command;
  const { checkScenarioName, DEFAULT_SCENARIO, readScenario, readScenarios } = await import(
    '../../source/demo/scenarios.ts'
  );
  if (flags.list === true) {
    const [name] = command.targets;
    if (name !== undefined) checkScenarioName(name);
    const listed = name === undefined ? await readScenarios() : [await readScenario(name)];
    await output.write(await scenarioList(listed, command));
    return EXIT_DONE;
  }
  const scenario = command.targets[0] ?? flags.demo ?? DEFAULT_SCENARIO;
  if (flags.compareCollectors === true) {
    await output.write(await comparison(scenario, command));
    return EXIT_DONE;
  }
  if (flags.step === true) {
    const { stepThrough } = await import('./stepping/steps.ts');
    return stepThrough(scenario, command);
  }
  if (flags.tour === true) checkTour(command, scenario);
  if (flags.break !== undefined) throw new UsageError('--break belongs to --step: give both.');
  return interactive({ ...command, targets: [], flags: { ...flags, demo: scenario } });
}

function checkTour({ flags, io }: CommandContext, scenario: string): void {
  if (scenario !== TOURED) throw new UsageError(`--tour shows around in the scenario ${TOURED}.`);
  if (flags.namespace !== undefined || flags.allNamespaces === true)
    throw new UsageError('--tour begins where the scenario does: leave -n and -A out.');
  if (flags.readOnly === true) throw new UsageError('--tour frees something: leave --read-only out.');
  if (!io.stdoutIsTerminal || !io.stdinIsTerminal || flags.output !== undefined)
    throw new UsageError('--tour needs a terminal: it shows around on the screen.');
}

async function comparison(name: string, command: CommandContext): Promise<Iterable<string>> {
  const { flags, io } = command;
  const format = formatOf('demo', flags.output);
  if (format === 'name')
    throw new UsageError('--compare-collectors has no -o name. Use text, wide, json or yaml.');
  if (flags.step === true)
    throw new UsageError('--compare-collectors and --step exclude each other. Leave one of them out.');
  if (flags.collector !== undefined)
    throw new UsageError('--compare-collectors runs both collectors: leave --collector out.');
  const { checkScenarioName, readScenario } = await import('../../source/demo/scenarios.ts');
  const { compareCollectors } = await import('../../source/demo/compare-collectors.ts');
  checkScenarioName(name);
  const { terminatedPodGcThreshold: threshold, serverVersion } = flags;
  const scenario = await readScenario(name);
  const compared = await compareCollectors(scenario, io.now(), { threshold, serverVersion });
  if (isDocument(format)) {
    const { printDocument } = await import('../documents/print/document.ts');
    const { collectorComparison } = await import('../documents/collector-comparison.ts');
    return printDocument(collectorComparison(name, compared), format);
  }
  const { printLine } = await import('../documents/print/print-lines.ts');
  const { comparisonLines } = await import('../../text/vintage/comparison.ts');
  const look = lineLook(command);
  const lines = comparisonLines(compared, {
    headers: flags.headers,
    width: io.columns(),
    ellipsis: glyphsFor(flags).ellipsis,
    wide: format === 'wide',
  });
  return lines.map(line => printLine(line, look));
}

async function scenarioList(
  scenarios: readonly NamedScenario[],
  command: TargetCommand,
): Promise<Iterable<string>> {
  const { flags, io } = command;
  const format = formatOf('demo', flags.output);
  if (format === 'name') return scenarios.map(({ name }) => `${name}\n`);
  if (isDocument(format)) {
    const { printDocument } = await import('../documents/print/document.ts');
    return printDocument(await documentOf(scenarios), format);
  }
  const { printLine } = await import('../documents/print/print-lines.ts');
  const nameWidth = Math.max(...scenarios.map(({ name }) => name.length));
  const columns = io.columns();
  const look = { ...lineLook(command), width: Math.min(columns ?? 110, 110) };
  const { trialCommand } = await import('../../source/demo/trial-command.ts');
  const isShort = format === 'text' && command.targets.length === 0;
  return scenarios.flatMap((scenario, index) => {
    const { name, title } = scenario;
    const line = `${truncate(`${padEnd(name, nameWidth)}   ${title}`, columns ?? Infinity, glyphsFor(flags).ellipsis)}\n`;
    if (isShort) return [line];
    const lines = storyLines(scenario, trial => trialCommand(name, trial));
    return [index === 0 ? '' : '\n', line, ...lines.map(each => printLine(each, look))];
  });
}

function storyLines(
  { about = '', look = [], try: trials = [] }: NamedScenario,
  commandOf: (trial: Trial) => string,
): readonly TextLine[] {
  const paragraphs = about.split(/\n{2,}/u).map(each => TextLine.of(`    ${unfolded(each)}`, 'plain', 4));
  return [
    ...paragraphs,
    TextLine.of('    Look for', 'title', 4),
    ...look.map(each => TextLine.of(`    - ${unfolded(each)}`, 'plain', 6)),
    TextLine.of('    Try', 'title', 4),
    ...trials.flatMap(trial => [
      { ...TextLine.of(`      ${commandOf(trial)}`, 'info', 8), command: true },
      TextLine.of(`        ${unfolded(trial.shows)}`, 'muted', 8),
    ]),
  ];
}

/** Joins the lines of a YAML paragraph. */
function unfolded(paragraph: string): string {
  return paragraph.trim().replaceAll('\n', ' ');
}

async function documentOf(scenarios: readonly NamedScenario[]): Promise<object> {
  const { API_VERSION } = await import('../documents/basis.ts');
  const { trialCommand } = await import('../../source/demo/trial-command.ts');
  const items = scenarios.map(({ name, title, about, look, try: trials, namespace }) => ({
    name,
    title,
    about: about?.replaceAll(/(?<!\n)\n(?!\n)/gu, ' '),
    look: look?.map(unfolded),
    try: trials?.map(trial => ({ command: trialCommand(name, trial), shows: unfolded(trial.shows) })),
    namespace,
  }));
  return { apiVersion: API_VERSION, kind: 'ScenarioList', items };
}

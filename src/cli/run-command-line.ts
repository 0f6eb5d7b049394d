/** The command line from arguments to exit code, testable without a process. */
import { CommanderError } from 'commander';
import { ownEntry } from '../model/index.ts';
import { normaliseArgv } from './program/argv.ts';
import { buildProgram, sharedFlagsHelp } from './program/program.ts';
import { insteadOf } from './program/removed-flags.ts';
import type { CommandName, Services, TargetCommand } from './runtime/command.ts';
import {
  describeFailure,
  EXIT_DONE,
  EXIT_READER_GONE,
  EXIT_WRONG,
  Interrupted,
  UsageError,
} from './runtime/errors.ts';
import { showsAscii } from './runtime/format.ts';
import type { Io } from './runtime/io.ts';
import { Output, ReaderGone } from './runtime/output.ts';
import { alternatives, formatsOf, type PickedFields } from './runtime/output-formats.ts';

// The width is unknown if help is piped into a pager.
const HELP_COLUMNS = 80;
const MOST_HELP_COLUMNS = 110;

type CommandFunction = (command: TargetCommand) => Promise<number>;

/** Commands load their own dependencies, so that `--help` and `version` start at once. */
const commands: Readonly<Record<CommandName | 'screen', () => Promise<CommandFunction>>> = {
  screen: async () => (await import('./commands/interactive.ts')).interactive,
  tree: async () => (await import('./commands/tree/tree.ts')).tree,
  why: async () => (await import('./commands/why/why.ts')).why,
  check: async () => (await import('./commands/check/check.ts')).check,
  plan: async () => (await import('./commands/plan/plan.ts')).plan,
  podgc: async () => (await import('./commands/podgc/podgc.ts')).podgc,
  activity: async () => (await import('./commands/activity/activity.ts')).activity,
  wait: async () => (await import('./commands/wait/wait.ts')).wait,
  delete: async () => (await import('./commands/actions/delete.ts')).deleteTargets,
  unblock: async () => (await import('./commands/actions/unblock.ts')).unblock,
  undo: async () => (await import('./commands/actions/undo.ts')).undo,
  record: async () => (await import('./commands/record.ts')).record,
  serve: async () => (await import('./servers/serve/serve.ts')).serve,
  mcp: async () => (await import('./servers/mcp/mcp.ts')).mcp,
  demo: async () => (await import('./commands/demo.ts')).demo,
  schema: async () => (await import('./commands/schema.ts')).schema,
  completion: async () => {
    const { completionScript } = await import('./completion/scripts.ts');
    return async ({ targets: [shell = ''], output }) => {
      await output.write([completionScript(shell)]);
      return EXIT_DONE;
    };
  },
  version: async () => (await import('./commands/version.ts')).version,
};

const withFields: ReadonlySet<CommandName | 'screen'> = new Set(['screen', 'tree', 'why', 'check', 'plan']);

/** Runs a command and prints fields of its document, or nothing if it prints none. */
async function printFields(
  name: CommandName | 'screen',
  { as, spec }: PickedFields,
  run: CommandFunction,
  command: TargetCommand,
): Promise<number> {
  const { watch, headers } = command.flags;
  if (!withFields.has(name)) throw new UsageError(`${name} cannot print ${as}.`);
  if (watch === true) throw new UsageError(`--watch can't be combined with -o ${as}.`);
  const print = as === 'jsonpath' ? await templatePrinter(spec) : await columnPrinter(spec, headers);
  const { Gathered } = await import('./asking/captured.ts');
  const gathered = new Gathered(Infinity);
  const exitCode = await run({ ...command, output: new Output(gathered) });
  if (gathered.text !== '') await command.output.write([print(JSON.parse(gathered.text))]);
  return exitCode;
}

async function columnPrinter(spec: string, headers: boolean): Promise<(document: unknown) => string> {
  const { parseColumns, printColumns } = await import('./runtime/custom-columns.ts');
  const columns = parseColumns(spec);
  return document => printColumns(document, columns, headers);
}

async function templatePrinter(spec: string): Promise<(document: unknown) => string> {
  const { parseTemplate, printTemplate } = await import('./runtime/json-path.ts');
  const template = parseTemplate(spec);
  return document => printTemplate(document, template);
}

function unknownFormat(format: string, argv: readonly string[]): string {
  const command = argv.find(word => !word.startsWith('-')) ?? '';
  const name = Object.hasOwn(formatsOf, command) ? (command as keyof typeof formatsOf) : 'tree';
  if (format === 'custom-columns')
    return 'custom-columns needs columns: custom-columns=CODE:.code,NAME:.object.name.';
  if (format === 'jsonpath') return 'jsonpath needs a template: jsonpath={.items[*].code}.';
  const isTemplate = /^(?:jsonpath|go-template|custom-columns|template)/u.test(format);
  const instead = isTemplate ? ' Pick fields with -o json and jq; see docs/pipelines.md.' : '';
  return `unknown output format ${JSON.stringify(format)}.${instead} ${name} prints ${alternatives(formatsOf[name])}.`;
}

/** Rewrites commander's `error: unknown option '--x'` into one line of our own style. */
function usageMessage(error: CommanderError, argv: readonly string[]): string {
  if (error.message.startsWith("error: unknown option '--version'"))
    return 'unknown flag --version. Use the command: kubectl gc-tree version.';
  const [, format] =
    /^error: option '-o, --output[^']*' argument '(.+?)' is invalid\./su.exec(error.message) ?? [];
  if (format !== undefined) return unknownFormat(format, argv);
  const [, unknown = ''] = /^error: unknown option '(--?[\w-]+)/u.exec(error.message) ?? [];
  const instead = ownEntry(insteadOf, unknown);
  if (instead !== undefined) return `unknown flag ${unknown}. ${instead}`;
  const message = error.message
    .replace(/^error: /u, '')
    .replaceAll('\n', ' ')
    .replace(/^unknown option '(.*?)'/u, 'unknown flag $1')
    .replace(
      /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '' is invalid\..*$/su,
      '$1 is empty. Leave it out, or give it a value.',
    )
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./su, '$1: no $2.')
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/u, '$1 needs a value')
    .replace(/^too many arguments.*$/u, 'too many arguments');
  const stop = /[.?!)]$/u.test(message) ? '' : '.';
  return `${message}${stop} See kubectl gc-tree --help.`;
}

/** Resolves with the exit code once all output is written; never rejects. `argv` omits the program's name. */
export async function runCommandLine(
  argv: readonly string[],
  given: Io,
  services: Services,
): Promise<number> {
  const ascii = showsAscii(argv, given);
  const io = ascii ? (await import('./runtime/say.ts')).withAsciiErrors(given) : given;
  const output = new Output(io.stdout);
  const errors = new Output(io.stderr);
  let exitCode = EXIT_DONE;
  const help: string[] = [];
  const program = buildProgram(async (name, targets, flags) => {
    const run = await commands[name]();
    const context = { targets, flags, io, services, output, runLine: runCommandLine };
    exitCode = await (flags.picked === undefined
      ? run(context)
      : printFields(name, flags.picked, run, context));
  });
  if (ascii) program.setOptionValue('ascii', true);
  const flagsHelp = sharedFlagsHelp();
  for (const command of [program, flagsHelp, ...program.commands])
    command.configureOutput({
      writeOut: text => help.push(text),
      // Failures arrive as exceptions and are printed below.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(io.columns() ?? HELP_COLUMNS, MOST_HELP_COLUMNS),
      getOutHasColors: () => false,
    });
  try {
    try {
      if (argv[0] === 'help' && argv[1] === 'flags') flagsHelp.help();
      await program.parseAsync(normaliseArgv(program, argv), { from: 'user' });
    } catch (error) {
      if (error instanceof CommanderError && error.code === 'commander.help' && error.exitCode !== 0)
        throw new UsageError('there is no such command. kubectl gc-tree help lists them.');
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
      const { inAscii } = await import('../text/terminal/ascii.ts');
      await output.write(ascii ? help.map(inAscii.lines) : help);
    }
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT_READER_GONE;
    if (error instanceof Interrupted) return error.exitCode;
    const told = error instanceof CommanderError ? new Error(usageMessage(error, argv)) : error;
    const level = error instanceof CommanderError ? 0 : verbosityOf(program.opts());
    const { folded } = await import('./runtime/say.ts');
    await errors.write([folded(io, describeFailure(told, level))]).catch(() => {});
    return EXIT_WRONG;
  }
}

function verbosityOf(options: { verbosity?: unknown; v?: unknown }): number {
  const level = options.v ?? options.verbosity;
  return typeof level === 'number' ? level : 0;
}

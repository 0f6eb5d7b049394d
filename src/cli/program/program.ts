/** The command line as commander's program, made from the table of commands. */
import { Command } from 'commander';
import { ConnectionFlags } from '../../source/index.ts';
import { type CommandName, commandNames } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, flagOf } from '../runtime/flags.ts';
import { fieldsIn } from '../runtime/output-formats.ts';
import { commandTable } from './command-table.ts';
import { examplesText, helpBelow, helpOf, ignoredFlag, programHelp, targetHelp } from './help.ts';
import { sharedFlags } from './shared-flags.ts';

/** Runs a command with the arguments behind its name; `screen` is the program without a command. */
export type RunCommand = (
  name: CommandName | 'screen',
  words: readonly string[],
  flags: Flags,
) => Promise<void>;

export function buildProgram(run: RunCommand): Command {
  const program = addSharedFlags(new Command('kubectl gc-tree'))
    .description('Show who owns what in a Kubernetes cluster, live, and what a deletion does.')
    .usage('[TARGET...] [flags]\n       kubectl gc-tree COMMAND [flags]')
    .argument('[target...]')
    .configureHelp(programHelp)
    .exitOverride()
    .helpOption('-h, --help', 'this help')
    .helpCommand('help [command]', 'Print the help of a command; help flags: the shared flags.')
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .addHelpText('after', examplesText(programExamples))
    .hook('preAction', (_, command) => refuseIgnoredFlag(command));
  program.action(() => run('screen', program.args, flagsOf(program)));
  for (const name of commandNames) addCommand(program, name, run);
  return program;
}

const programExamples = [
  'tree sts/web -n shop     its owners and its dependents',
  'why sts/web              why it is still here, and what to do',
  'plan delete deploy/api   what that would do',
  '-f dump/                 browse a dump, without a cluster',
  'demo                     try it without a cluster',
];

function addCommand(program: Command, name: CommandName, run: RunCommand): void {
  const { usage, about, words, flags = [] } = commandTable[name];
  const command = program.command(name).usage(`${usage} [flags]`.trim()).description(about);
  if (words !== undefined) command.arguments(words);
  for (const option of flags) command.addOption(option);
  command
    .action(() => run(name, command.args, flagsOf(command)))
    .copyInheritedSettings(program)
    .configureHelp(helpOf(name))
    .addHelpText('after', helpBelow(name));
}

/** Makes a command whose help describes the flags that commands share, and targets. */
export function sharedFlagsHelp(): Command {
  return addSharedFlags(new Command('kubectl gc-tree'))
    .usage('COMMAND [TARGET...] [flags]')
    .helpOption(false)
    .exitOverride()
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', targetHelp);
}

function addSharedFlags(command: Command): Command {
  for (const [heading, flags] of sharedFlags) {
    command.optionsGroup(heading);
    for (const option of flags) command.addOption(option);
  }
  return command;
}

function refuseIgnoredFlag(command: Command): void {
  const ignored = ignoredFlag(command);
  if (ignored !== undefined)
    throw new UsageError(
      `unknown flag for ${command.name()}: ${ignored}. See kubectl gc-tree ${command.name()} --help.`,
    );
}

/** Flags that ignore an empty value, as in kubectl: an unset `-n "$NAMESPACE"` never means an empty name. */
const emptyIsNone: ReadonlySet<string> = new Set(ConnectionFlags.texts);

/** Flags that also ignore a blank value. */
const blankIsNone: ReadonlySet<string> = new Set(['selector', 'fieldSelector']);

function isNone(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return blankIsNone.has(name) ? value.trim() === '' : value === '' && emptyIsNone.has(name);
}

function flagsOf(command: Command): Flags {
  const { v, ...given } = command.optsWithGlobals<Flags & { v?: number }>();
  const entries = Object.entries(given).filter(([name, value]) => !isNone(name, value));
  const picked = fieldsIn(given.output);
  const asFields = picked !== undefined && { output: 'json', picked };
  const flags = { ...Object.fromEntries(entries), ...asFields } as unknown as Flags;
  for (const [name, value] of entries) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.includes(''))
      throw new UsageError(`${flagOf(name)} is empty. Leave it out, or give it a value.`);
  }
  return v === undefined ? flags : { ...flags, verbosity: v };
}

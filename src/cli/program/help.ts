/** The help of the program, of a command, and of the flags that commands share. */
import { type Command, Help, type HelpConfiguration, Option } from 'commander';
import type { CommandName } from '../runtime/command.ts';
import { alternatives, formatsOf, type OutputFormat, outputFormats } from '../runtime/output-formats.ts';
import { commandTable } from './command-table.ts';

/** Shared flags that the help of a command names, if it takes them; `help flags` has the others. */
const named: ReadonlySet<string> = new Set([
  'namespace',
  'all-namespaces',
  'selector',
  'all',
  'filename',
  'demo',
  'replay',
  'watch',
  'show-labels',
  'fail-on-incomplete',
  'read-only',
  'screen-reader',
]);

/** Shared flags that shape an answer, so that ignoring one would mislead. Users keep `-n` in aliases. */
const ignorable: ReadonlySet<string> = new Set([
  'namespace',
  'color',
  'ascii',
  'screen-reader',
  'read-only',
  'verbosity',
  'v',
]);

/** Returns a shared flag on the command line that the command would ignore. */
export function ignoredFlag(command: Command): string | undefined {
  if (command.parent === null) return undefined;
  const { shared, refuses = [] } = commandTable[command.name() as CommandName];
  const ignored = command.parent.options.find(option => {
    const name = option.long?.slice(2) ?? '';
    if (option.helpGroupHeading?.startsWith('Connection') === true || ignorable.has(name)) return false;
    if (shared.includes(name) || refuses.includes(name)) return false;
    return command.getOptionValueSourceWithGlobals(option.attributeName()) === 'cli';
  });
  return ignored?.long ?? undefined;
}

export function formatsFor(command: string): readonly OutputFormat[] {
  return new Map<string, readonly OutputFormat[]>(Object.entries(formatsOf)).get(command) ?? outputFormats;
}

export function helpOf(command: CommandName): HelpConfiguration {
  const plain = new Help();
  const { shared, formatNote } = commandTable[command];
  const formats = alternatives(formatsFor(command));
  const output = new Option('-o, --output <format>', `format: ${formatNote?.(formats) ?? formats}`);
  return {
    visibleArguments: () => [],
    visibleOptions: asked => [
      ...plain.visibleOptions(asked).filter(({ long }) => long !== '--help'),
      ...(shared.includes('output') ? [output] : []),
    ],
    optionDescription: ({ description }) => description,
    styleTitle: title => (title === 'Options:' ? 'Flags:' : title),
  };
}

export const programHelp: HelpConfiguration = {
  visibleArguments: () => [],
  // Flags stay visible for suggestions, and are listed by `help flags`.
  formatItemList: (heading, items) => (heading === 'Commands:' ? [heading, ...items, ''] : []),
  longestOptionTermLength: () => 0,
  subcommandTerm: command => command.name(),
};

/** Lists the examples of a command, and the names of the shared flags that it takes. */
export function helpBelow(command: CommandName): string {
  const { examples, shared } = commandTable[command];
  const names = shared.filter(name => named.has(name)).map(name => `--${name}`);
  const connection = shared.includes('context') ? ['--server'] : [];
  const listed = [...names, ...connection].join(', ');
  const text = `\nShared flags (kubectl gc-tree help flags): ${listed} and more`;
  return `${examplesText(examples)}${listed === '' ? '' : `${new Help().boxWrap(text, 80)}\n`}`;
}

export function examplesText(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map(line => `  kubectl gc-tree ${line}`).join('\n')}\n`;
}

export const targetHelp = `
Targets:
  sts/web                     by short name, singular, plural or kind
  statefulset web api         several objects of one type
  deploy/api sts/web          several objects of several types
  statefulsets.v1.apps/web    with version and group, if names clash
  pods                        every object of a type in the namespace
  all                         every type of a category
`;

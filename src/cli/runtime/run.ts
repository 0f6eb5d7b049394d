/** The command line from arguments to exit code, testable without a process. */

import { CommanderError } from 'commander';
import { showsAscii } from '../output/appearance.ts';
import { Output, ReaderGone } from '../output/output.ts';
import { normaliseArgv } from './argv.ts';
import {
  describeFailure,
  EXIT_DONE,
  EXIT_READER_GONE,
  EXIT_WRONG,
  Interrupted,
  UsageError,
} from './errors.ts';
import type { OutputFormat } from './flags.ts';
import type { Io } from './io.ts';
import { buildProgram, type Handlers } from './program.ts';
import type { Services } from './services.ts';

// Of the pager that help is piped into, nothing is known.
const HELP_COLUMNS = 80;
const MOST_HELP_COLUMNS = 110;

function handlersFor(io: Io, services: Services, output: Output): Handlers {
  return {
    interactive: async (targets, flags) => {
      const { interactive } = await import('../commands/interactive.ts');
      return interactive({ targets, flags, io, services, output });
    },
    tree: async (targets, flags) => {
      const { tree } = await import('../commands/tree/tree.ts');
      return tree({ targets, flags, io, services, output });
    },
    why: async (targets, flags) => {
      const { why } = await import('../commands/why/why.ts');
      return why({ targets, flags, io, services, output });
    },
    check: async (targets, flags) => {
      const { check } = await import('../commands/check/check.ts');
      return check({ targets, flags, io, services, output });
    },
    plan: async (words, flags) => {
      const { plan } = await import('../commands/plan/plan.ts');
      return plan({ words, flags, io, services, output });
    },
    podgc: async (targets, flags) => {
      const { podgc } = await import('../commands/podgc/podgc.ts');
      return podgc({ targets, flags, io, services, output });
    },
    delete: async (targets, flags) => {
      const { deleteTargets } = await import('../commands/actions/delete.ts');
      return deleteTargets({ targets, flags, io, services, output });
    },
    unblock: async (targets, flags) => {
      const { unblock } = await import('../commands/actions/unblock.ts');
      return unblock({ targets, flags, io, services, output });
    },
    undo: async (entry, flags) => {
      const { undo } = await import('../commands/actions/undo.ts');
      return undo({ entry, flags, io, services, output });
    },
    demo: async (scenario, list, flags) => {
      const { demo } = await import('../commands/demo.ts');
      return demo({ scenario, list, flags, io, services, output });
    },
    schema: async (document, flags) => {
      const { schema } = await import('../commands/schema.ts');
      return schema({ document, flags, io, services, output });
    },
    completion: async shell => {
      const { completionScript } = await import('../completion/scripts.ts');
      await output.write([completionScript(shell)]);
      return EXIT_DONE;
    },
    version: async flags => {
      const { version } = services;
      const forms: Partial<Record<OutputFormat, string>> = {
        text: `kubectl gc-tree ${version}\n`,
        json: `{"version": "${version}"}\n`,
        yaml: `version: ${version}\n`,
      };
      const form = forms[flags.output ?? 'text'];
      if (form === undefined)
        throw new UsageError(`version cannot print ${flags.output ?? ''}. Use -o text, json or yaml.`);
      await output.write([form]);
      return EXIT_DONE;
    },
  };
}

/** commander's `error: unknown option '--x'` in the product's voice, on one line. */
function usageMessage(error: CommanderError): string {
  const message = error.message
    .replace(/^error: /u, '')
    .replaceAll('\n', ' ')
    .replace(/^unknown option '(.*?)'/u, 'unknown flag $1')
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./su, '$1: no $2.')
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/u, '$1 needs a value')
    .replace(/^too many arguments.*$/u, 'too many arguments');
  const stop = /[.?!)]$/u.test(message) ? '' : '.';
  return `${message}${stop} See kubectl gc-tree --help.`;
}

/**
 * Runs one command. `argv` is what stands behind the program's name. Resolves with the exit code; never
 * rejects. What a command prints is written when it resolves.
 */
export async function runCommandLine(
  argv: readonly string[],
  given: Io,
  services: Services,
): Promise<number> {
  const ascii = showsAscii(argv, given);
  const io = ascii ? (await import('./say.ts')).withAsciiErrors(given) : given;
  const output = new Output(io.stdout);
  const errors = new Output(io.stderr);
  let exitCode = EXIT_DONE;
  const help: string[] = [];
  const program = buildProgram(handlersFor(io, services, output), code => {
    exitCode = code;
  });
  if (ascii) program.setOptionValue('ascii', true);
  for (const command of [program, ...program.commands])
    command.configureOutput({
      writeOut: text => help.push(text),
      // Failures come as exceptions and are told in one place.
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(io.columns() ?? HELP_COLUMNS, MOST_HELP_COLUMNS),
      getOutHasColors: () => false,
    });
  try {
    try {
      await program.parseAsync(normaliseArgv(program, argv), { from: 'user' });
    } catch (error) {
      if (error instanceof CommanderError && error.code === 'commander.help' && error.exitCode !== 0)
        throw new UsageError('there is no such command. kubectl gc-tree help lists them.');
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
      const { asciiLines } = await import('../../text/terminal/ascii.ts');
      await output.write(ascii ? help.map(asciiLines) : help);
    }
    return exitCode;
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT_READER_GONE;
    if (error instanceof Interrupted) return error.exitCode;
    const told = error instanceof CommanderError ? new Error(usageMessage(error)) : error;
    const level = error instanceof CommanderError ? 0 : verbosityOf(program.opts());
    const { folded } = await import('./say.ts');
    await errors.write([folded(io, describeFailure(told, level))]).catch(() => {});
    return EXIT_WRONG;
  }
}

function verbosityOf(options: { verbosity?: unknown; v?: unknown }): number {
  const level = options.v ?? options.verbosity;
  return typeof level === 'number' ? level : 0;
}

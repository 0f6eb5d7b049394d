/** `mcp`: answers an assistant over the Model Context Protocol while it is connected. */

import { shownName } from '../../../model/index.ts';
import { SourceError } from '../../../source/index.ts';
import { Asker, Unanswered } from '../../asking/asker.ts';
import { readSchemas } from '../../documents/schemas.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { describeFailure, EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { type Flags, filesFlag, standingFlag } from '../../runtime/flags.ts';
import { say } from '../../runtime/say.ts';
import type { McpAnswer } from './server.ts';
import { serveOnStdio } from './stdio.ts';
import type { Asked } from './tools.ts';

export async function mcp(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  refuse(targets, flags);
  const askers = new Askers(command);
  const ending = new AbortController();
  const stopListening = io.onInterrupt(() => ending.abort());
  const log = (line: string): void => say(io, describeFailure(new Error(line), 0));
  try {
    await askers.open(log);
    if (io.stdinIsTerminal)
      say(
        io,
        'Speaks the Model Context Protocol on standard input and output, for an assistant that starts it: docs/serve.md shows how. Ctrl-C ends it.\n',
      );
    await serveOnStdio({
      version: services.version,
      about: aboutOf(flags),
      contexts: flags.allowContext ?? [],
      schemas: new Map(readSchemas().map(schema => [schema.title, schema])),
      ask: (asked, context, signal) => askers.ask(asked, context, signal),
      describe,
      stdin: io.stdin(),
      stdout: io.stdout,
      log,
      ending: ending.signal,
    });
    return EXIT_DONE;
  } finally {
    stopListening();
    await askers.close();
  }
}

function refuse(targets: readonly string[], flags: Flags): void {
  if (targets.length > 0) throw new UsageError('mcp takes no target: an assistant names them.');
  if (flags.filename?.includes('-') === true)
    throw new UsageError('standard input belongs to the protocol here: name a file or a folder with -f.');
  const elsewhere = standingFlag(flags) ?? (flags.demo === undefined ? undefined : '--demo');
  if (flags.allowContext !== undefined && elsewhere !== undefined)
    throw new UsageError(`${elsewhere} has no contexts: leave --allow-context out.`);
}

class Askers {
  readonly #command: TargetCommand;
  readonly #askers = new Map<string | undefined, Asker>();

  constructor(command: TargetCommand) {
    this.#command = command;
  }

  /** Rejects if no question can succeed; retries an unreachable cluster with each question. */
  async open(log: (line: string) => void): Promise<void> {
    const { flags } = this.#command;
    try {
      await this.#of(undefined).open();
    } catch (error) {
      const isGiven = standingFlag(flags) !== undefined || flags.demo !== undefined;
      if (isGiven || !(error instanceof SourceError)) throw error;
      log(error.message);
    }
  }

  ask(asked: Asked, context: string | undefined, signal: AbortSignal): Promise<McpAnswer> {
    const { command, words, flags } = asked;
    return this.#of(context).ask({ command, words, flags }, { signal, inWords: true });
  }

  #of(context: string | undefined): Asker {
    const known = this.#askers.get(context);
    if (known !== undefined) return known;
    const { flags, io, services } = this.#command;
    const { allowContext = [], ...own } = flags;
    // The tool's schema offers no others.
    if (context !== undefined && !allowContext.includes(context))
      throw new UsageError(`the context ${shownName(context)} is not allowed here.`);
    const asker = new Asker({
      flags: { ...own, color: 'never', ...(context !== undefined && { context }) },
      io,
      services,
    });
    this.#askers.set(context, asker);
    return asker;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#askers.values()].map(asker => asker.close()));
  }
}

function aboutOf(flags: Flags): string {
  if (flags.demo !== undefined) return `the simulated cluster ${shownName(flags.demo)}`;
  if (flags.replay !== undefined) return `the recording ${shownName(flags.replay)}`;
  if (filesFlag(flags) !== undefined)
    return `files (${[...(flags.filename ?? []), flags.kustomize ?? []].flat().map(shownName).join(', ')})`;
  return flags.context === undefined
    ? "the cluster of the kubeconfig's current context"
    : `the cluster of the context ${shownName(flags.context)}`;
}

function describe(error: unknown): string {
  const isTold = error instanceof Unanswered;
  const sentence = describeFailure(isTold ? error.cause : error, 0).replace(/^kubectl gc-tree: /u, '');
  return isTold && error.told !== '' ? `${sentence}\n${error.told}` : sentence;
}

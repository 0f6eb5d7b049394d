/**
 * What surrounds every action: the cluster that is to be changed, read whole and kept up to date from then on, the journal
 * of what is done to it, Ctrl-C, and one reader of answers.
 */
import path from 'node:path';
import { Journal } from '../../../actions/journal/journal.ts';
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { ViewSubscription } from '../../../actions/run/follow.ts';
import { type ActingSource, actingSource } from '../../../actions/run/ports.ts';
import { stateFolder } from '../../../disk/user-folders.ts';
import type { SourceKind } from '../../../source/source.ts';
import type { TextLine } from '../../../text/terminal/text-line.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { Interrupted, UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import { Prompter } from './ask.ts';
import type { ActOptions, ActVerb } from './options.ts';

export interface ActSession {
  readonly session: ClusterSession;
  readonly source: ActingSource;
  readonly changes: ViewSubscription;
  readonly journal: Journal;
}

/**
 * Opens and reads the source that the flags name; whoever called closes the session. Throws a `UsageError` for one
 * that can only be read, and the source's `SourceError` where it cannot be reached.
 */
export async function openForActing(
  verb: ActVerb,
  { flags, io, services }: CommandContext,
): Promise<ActSession> {
  const session = await openSession(flags, io, services);
  try {
    const source = actingSource(session.source);
    if (source === undefined) throw new UsageError(`${verb} needs a cluster or --demo.`);
    const changes = new ViewSubscription();
    session.listen(batch => {
      session.view.apply(batch, session.now());
      changes.notify();
    });
    await session.load(true);
    return { session, source, changes, journal: journalOf(session.source.info.source, io) };
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** What is tried on a simulated cluster isn't put among what was done to real ones. */
export function journalOf(source: SourceKind, io: Io): Journal {
  const folder = stateFolder(io.env);
  return new Journal(source === 'demo' ? path.join(folder, 'demo') : folder);
}

export interface ActionCommandContext {
  readonly command: CommandContext;
  readonly options: ActOptions;
  readonly acting: ActSession;
  readonly asker: Prompter;
  /** Aborted with an `Interrupted` by the first Ctrl-C after `catchInterrupts`. */
  readonly signal: AbortSignal;
  /** Until this is called, Ctrl-C ends the process, in the middle of a forecast as well. */
  readonly catchInterrupts: () => void;
  /** Rejects with an `Interrupted` at the second Ctrl-C: nobody waits any more. */
  readonly interruptedTwice: Promise<never>;
}

/** One action of the command line on its way from forecast to end. */
export interface Flow extends ActionCommandContext {
  /** What else the user should know, after the forecast. */
  readonly notes: (prepared: Prepared) => Iterable<TextLine>;
  /** What else there is to say at the end of one that was sent. */
  readonly afterwards: readonly TextLine[];
}

/**
 * Runs `inside` with the cluster read. The first Ctrl-C that is caught aborts the signal, so that a request under way is
 * waited for and the journal says how it ended.
 */
export async function withCluster(
  command: CommandContext,
  options: ActOptions,
  inside: (context: ActionCommandContext) => Promise<number>,
): Promise<number> {
  const acting = await openForActing(options.verb, command);
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: interruptedTwice, reject } = Promise.withResolvers<never>();
  // Who isn't waiting for it needn't know.
  interruptedTwice.catch(() => {});
  let stopListening: (() => void) | undefined;
  const catchInterrupts = (): void => {
    stopListening ??= command.io.onInterrupt(name => {
      const interrupted = new Interrupted(name);
      if (signal.aborted) reject(interrupted);
      controller.abort(interrupted);
    });
  };
  const asker = new Prompter(command.io, signal, catchInterrupts);
  try {
    return await inside({ command, options, acting, asker, signal, catchInterrupts, interruptedTwice });
  } finally {
    stopListening?.();
    asker.close();
    await acting.session.close();
  }
}

/** A cluster that is to be changed: read whole, kept up to date from then on, with the journal of what is done to it. */
import path from 'node:path';
import { Journal } from '../../../actions/journal/journal.ts';
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { ViewSubscription } from '../../../actions/run/follow.ts';
import { type ActingSource, actingSource } from '../../../actions/run/ports.ts';
import { stateFolder } from '../../../disk/user-folders.ts';
import type { SourceKind } from '../../../source/source.ts';
import type { TextLine } from '../../../text/terminal/text-line.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import type { Prompter } from './ask.ts';
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

/** One action of the command line on its way from forecast to end. */
export interface Flow {
  readonly command: CommandContext;
  readonly acting: ActSession;
  readonly options: ActOptions;
  readonly asker: Prompter;
  /** Aborted by Ctrl-C, once `heed` was called, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  readonly heed: () => void;
  /** Rejects with an `Interrupted` at the second Ctrl-C: nobody waits any more. */
  readonly impatient: Promise<never>;
  /** What else a person should know of it, after the forecast. */
  readonly notes: (prepared: Prepared) => Iterable<TextLine>;
  /** What else there is to say at the end of one that was sent. */
  readonly afterwards: () => Iterable<TextLine>;
}

/**
 * What surrounds every action: the cluster that is to be changed, read and kept up to date from then on, the journal
 * of what is done to it, Ctrl-C, and one reader of answers.
 */
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
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
import { readingFor } from '../../session/reading.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import type { TargetQuery } from '../../targets/targets.ts';
import type { ActOptions, ActVerb } from './options.ts';

export interface ActSession {
  readonly session: ClusterSession;
  readonly source: ActingSource;
  readonly changes: ViewSubscription;
  readonly journal: Journal;
}

/**
 * Opens and reads the source that the flags name, as much of it as the query needs; whoever called closes the session.
 * Throws a `UsageError` for one that can only be read, and the source's `SourceError` where it cannot be reached.
 */
export async function openForActing(
  verb: ActVerb,
  { flags, io, services }: CommandContext,
  query?: TargetQuery,
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
    await session.load(true, query && readingFor(session, { query, flags, follows: true }));
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
  /** The same action with what tools that manage objects do beside, once what that takes is read. */
  readonly told: (prepared: Prepared) => Promise<Prepared>;
  /** What else there is to say at the end of one that was sent. */
  readonly afterwards: readonly TextLine[];
}

/**
 * Runs `inside` with the cluster read. The first Ctrl-C that is caught aborts the signal, so that a request under way is
 * waited for and the journal says how it ended.
 */
export async function withCluster(
  command: CommandContext,
  { options, query }: { readonly options: ActOptions; readonly query?: TargetQuery },
  inside: (context: ActionCommandContext) => Promise<number>,
): Promise<number> {
  const acting = await openForActing(options.verb, command, query);
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

export class Prompter {
  readonly #io: Io;
  readonly #signal: AbortSignal;
  readonly #catchInterrupts: () => void;
  #input: Readable | undefined;
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** `signal` ends the wait for an answer; `catchInterrupts` is called before the first. */
  constructor(io: Io, signal: AbortSignal, catchInterrupts: () => void) {
    this.#io = io;
    this.#signal = signal;
    this.#catchInterrupts = catchInterrupts;
  }

  /** The trimmed answer; undefined where there is none: at the end of the input, or interrupted. */
  async ask(question: string): Promise<string | undefined> {
    if (this.#signal.aborted) return undefined;
    this.#catchInterrupts();
    // Nobody may log in at the same place while an answer is waited for.
    const release = await this.#io.terminal.hold({ question });
    try {
      this.#io.stderr.write(question);
      const answer = await Promise.race([this.#next(), this.#aborted()]);
      // What was typed ended its line; what wasn't, leaves the cursor behind the question.
      if (answer === undefined) this.#io.stderr.write('\n');
      return answer?.trim();
    } finally {
      // What is typed from now on may be for somebody else.
      this.#input?.pause();
      release();
    }
  }

  close(): void {
    this.#reader?.close();
  }

  async #next(): Promise<string | undefined> {
    // The terminal edits the line and makes a signal of Ctrl-C, as long as nobody asks it for single keys.
    this.#input ??= this.#io.stdin();
    this.#reader ??= createInterface({ input: this.#input, terminal: false });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    this.#input.resume();
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  #aborted(): Promise<undefined> {
    return new Promise(resolve => {
      this.#signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}

/** The setting of every action: a followed cluster, the journal, Ctrl-C, and the user's answers. */
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import {
  type ActingSource,
  actingSource,
  Journal,
  type Prepared,
  ViewSubscription,
} from '../../../actions/index.ts';
import { userFolders } from '../../../disk/index.ts';
import type { SourceKind } from '../../../source/index.ts';
import type { TextLine } from '../../../text/index.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { Interrupted, UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import { readingFor } from '../../session/reading.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import type { TargetQuery } from '../../targets/targets.ts';
import type { ActOptions, ActVerb } from './action-options.ts';

export interface ActSession {
  readonly session: ClusterSession;
  readonly source: ActingSource;
  readonly changes: ViewSubscription;
  readonly journal: Journal;
}

/**
 * Reads as much as the query needs; the caller closes the session. Throws a `UsageError` for a read-only source, and a
 * `SourceError` for an unreachable one.
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

/** Keeps actions on simulated clusters apart from those on real ones. */
export function journalOf(source: SourceKind, io: Io): Journal {
  const folder = userFolders.state(io.env);
  return new Journal(source === 'demo' ? path.join(folder, 'demo') : folder);
}

export interface ActionCommandContext {
  readonly command: CommandContext;
  readonly options: ActOptions;
  readonly acting: ActSession;
  readonly asker: Prompter;
  /** Aborted with an `Interrupted` by the first Ctrl-C after `catchInterrupts`. */
  readonly signal: AbortSignal;
  /** Starts catching Ctrl-C, which ends the process until then. */
  readonly catchInterrupts: () => void;
  /** Rejects with an `Interrupted` at the second Ctrl-C. */
  readonly interruptedTwice: Promise<never>;
}

export interface Flow extends ActionCommandContext {
  readonly notes: (prepared: Prepared) => Iterable<TextLine>;
  /** Adds what tools do, once their reads are complete. */
  readonly told: (prepared: Prepared) => Promise<Prepared>;
  readonly afterwards: readonly TextLine[];
}

/** Runs `inside` with the cluster read. After the first caught Ctrl-C, the journal still records pending requests. */
export async function withCluster(
  command: CommandContext,
  { options, query }: { readonly options: ActOptions; readonly query?: TargetQuery },
  inside: (context: ActionCommandContext) => Promise<number>,
): Promise<number> {
  const acting = await openForActing(options.verb, command, query);
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: interruptedTwice, reject } = Promise.withResolvers<never>();
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

  /** Resolves with undefined at the end of input or if interrupted. */
  async ask(question: string): Promise<string | undefined> {
    if (this.#signal.aborted) return undefined;
    this.#catchInterrupts();
    // A login mustn't prompt in the same place meanwhile.
    const release = await this.#io.terminal.hold({ question });
    try {
      this.#io.stderr.write(question);
      const answer = await Promise.race([this.#next(), this.#aborted()]);
      // Without Enter, the cursor is still after the question.
      if (answer === undefined) this.#io.stderr.write('\n');
      return answer?.trim();
    } finally {
      // Later input may be for another reader.
      this.#input?.pause();
      release();
    }
  }

  close(): void {
    this.#reader?.close();
  }

  async #next(): Promise<string | undefined> {
    // In line mode the terminal handles editing, and turns Ctrl-C into a signal.
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

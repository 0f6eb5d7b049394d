/** Answers programs' questions with the commands that people use, limited to those that read. */

import type { CommandContext, Services, TargetCommand } from '../runtime/command.ts';
import { Interrupted, UsageError } from '../runtime/errors.ts';
import type { Flags } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';
import { Output } from '../runtime/output.ts';
import { openSource } from '../session/session.ts';
import { capturedIo, Gathered } from './captured.ts';
import { SharedSource } from './shared-source.ts';

const MOST_CHARACTERS = 128 * 1024 * 1024;

const commands = {
  tree: async () => (await import('../commands/tree/tree.ts')).tree,
  why: async () => (await import('../commands/why/why.ts')).why,
  check: async () => (await import('../commands/check/check.ts')).check,
  plan: async () => (await import('../commands/plan/plan.ts')).plan,
  podgc: async () => (await import('../commands/podgc/podgc.ts')).podgc,
} as const satisfies Readonly<Record<string, () => Promise<(command: TargetCommand) => Promise<number>>>>;
export type AskedCommand = keyof typeof commands;

export interface Question {
  readonly command: AskedCommand;
  /** Words after the command's name. */
  readonly words: readonly string[];
  readonly flags: Partial<Flags>;
}

export interface Answer {
  /** The `-o json` document. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The text for people, with its reservations; `''` unless requested. */
  readonly text: string;
}

/** A failed question, with the messages written until then. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly told: string;

  constructor(cause: unknown, told: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.told = told;
  }
}

export interface AskerOptions {
  /** Flags for the source and its assumptions. */
  readonly flags: Flags;
  readonly io: Io;
  readonly services: Pick<Services, 'version' | 'openSource'>;
}

export class Asker {
  readonly #options: AskerOptions;
  readonly #shared: SharedSource;

  constructor({ flags, io, services }: AskerOptions) {
    this.#options = { flags, io, services };
    this.#shared = new SharedSource({ open: () => openSource(flags, io, { ...none, ...services }), io });
  }

  /** Rejects for faulty flags, files or a kubeconfig; asks no cluster. */
  async open(): Promise<void> {
    await (await this.#shared.question()).close();
  }

  /** Rejects with `Unanswered`, or with the signal's reason. */
  async ask(
    { command, words, flags }: Question,
    { signal, inWords = false }: { readonly signal?: AbortSignal; readonly inWords?: boolean } = {},
  ): Promise<Answer> {
    const gone = signal ?? new AbortController().signal;
    gone.throwIfAborted();
    const document = this.#place(gone, { ...flags, output: 'json' });
    const people = this.#place(gone, { ...flags, output: 'text' });
    const told = (): string => `${people.stdout.text}${document.stderr.text}${people.stderr.text}`;
    const run = await commands[command]();
    try {
      await run({
        ...document.context,
        targets: words,
        services: { ...none, ...this.#options.services, shared: () => this.#shared.question() },
        runLine: () => Promise.reject(new Error('no command runs another here')),
        ...(inWords && { beside: people.context }),
      });
    } catch (error) {
      gone.throwIfAborted();
      throw new Unanswered(error, told());
    }
    gone.throwIfAborted();
    if (document.stdout.isFull || people.stdout.isFull)
      throw new Unanswered(
        new UsageError('the answer is too large. Ask for less, by namespace or target.'),
        '',
      );
    return { document: JSON.parse(document.stdout.text) as Answer['document'], text: told() };
  }

  async close(): Promise<void> {
    await this.#shared.close();
  }

  #place(gone: AbortSignal, flags: Partial<Flags>): Place {
    const { io } = this.#options;
    const stdout = new Gathered(MOST_CHARACTERS);
    const stderr = new Gathered(MOST_CHARACTERS);
    return {
      context: {
        flags: { ...this.#options.flags, ...flags },
        io: capturedIo(io, { stdout, stderr, gone, env: io.env }),
        output: new Output(stdout),
      },
      stdout,
      stderr,
    };
  }
}

interface Place {
  readonly context: Pick<CommandContext, 'flags' | 'io' | 'output'>;
  readonly stdout: Gathered;
  readonly stderr: Gathered;
}

/** Services for people at a terminal, all refused. */
const none: Omit<Services, 'version' | 'openSource'> = {
  serverVersion: () => Promise.reject(new Interrupted('SIGTERM')),
  openScreen: () => Promise.reject(new Interrupted('SIGTERM')),
};

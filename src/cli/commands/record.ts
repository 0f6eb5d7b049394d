/** `record`: writes a cluster's events to a file until interrupted. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, type Stats, statSync, writeSync } from 'node:fs';
import { publicNames } from '../../diagnosis/index.ts';
import { replaceFileSync } from '../../disk/index.ts';
import { counted, type ReadPlan, ResourceType, type SourceBatch, shownName } from '../../model/index.ts';
import { Platform } from '../../platform/index.ts';
import { type RecordingHead, RecordingWriter, Redactor } from '../../source/index.ts';
import { timeText } from '../../text/index.ts';
import type { TargetCommand } from '../runtime/command.ts';
import { parseDuration } from '../runtime/duration.ts';
import { EXIT_DONE, Interrupted, UsageError } from '../runtime/errors.ts';
import { type Flags, standingFlag } from '../runtime/flags.ts';
import { say, statusWords } from '../runtime/say.ts';
import { type ClusterSession, scopeOf, withSession } from '../session/session.ts';
import { reservationLines } from '../session/watch.ts';

const REFRESH_MILLISECONDS = 1_000;
const MB = 1_000_000;

export function record(command: TargetCommand): Promise<number> {
  const { flags, targets } = command;
  const [name] = targets;
  const standing = standingFlag(flags);
  if (standing !== undefined)
    throw new UsageError(`record needs something that changes: leave ${standing} out.`);
  if (name === undefined) throw new UsageError('name the file to write: record FILE.');
  const duration = flags.for === undefined ? undefined : parseDuration('--for', flags.for);
  return withSession(command, async session => {
    const file = new OutputFile(name, flags.force === true);
    const recorder = new Recorder(command, session, file);
    try {
      await recorder.run(duration);
    } finally {
      file.close();
    }
    return EXIT_DONE;
  });
}

function readingFor(flags: Flags, session: ClusterSession): ReadPlan {
  const namespace = scopeOf(flags, session.source);
  return { follows: true, scope: () => (namespace === undefined ? undefined : { namespaces: [namespace] }) };
}

class Recorder {
  readonly #command: TargetCommand;
  readonly #session: ClusterSession;
  readonly #file: OutputFile;
  readonly #begun: number;
  readonly #redactor: Redactor | undefined;
  #writer: RecordingWriter | undefined;
  /** Batches from before the served types were known. */
  #early: SourceBatch[] = [];

  constructor(command: TargetCommand, session: ClusterSession, file: OutputFile) {
    this.#command = command;
    this.#session = session;
    this.#file = file;
    this.#begun = session.now();
    const { redactNames } = command.flags;
    // The key ends with the process, so that names can't be guessed.
    this.#redactor =
      redactNames === true ? new Redactor({ key: randomBytes(32), keep: publicNames() }) : undefined;
  }

  async run(duration: number | undefined): Promise<void> {
    const { io, flags } = this.#command;
    const session = this.#session;
    session.listen(batch => {
      session.view.apply(batch, session.now());
      this.#take(batch);
    });
    const timer = setInterval(() => this.#refresh(), REFRESH_MILLISECONDS);
    try {
      await session.load(true, readingFor(flags, session));
      session.source.want?.(
        session.view.catalog.types
          .filter(type => ResourceType.isMonitored(type) && !type.namespaced)
          .map(type => ({ type, namespace: '', name: undefined })),
      );
      this.#writeEarly();
      for (const line of reservationLines(session)) say(io, line);
      if (!io.stderrIsTerminal) say(io, `Recording to ${shownName(this.#file.name)}, until interrupted.\n`);
      await session.until(Promise.race([this.#file.failed, this.#over(duration)]));
    } catch (error) {
      // A recording ends this way.
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      clearInterval(timer);
      io.terminal.status('');
      session.holdStill(false);
    }
    this.#end();
  }

  #over(duration: number | undefined): Promise<void> {
    if (duration === undefined) return new Promise(() => {});
    return this.#command.io.pause(duration);
  }

  #take(batch: SourceBatch): void {
    if (this.#writer === undefined) {
      this.#early.push(batch);
      // Words to keep readable are known once everything is read.
      if (batch.types !== undefined && this.#redactor === undefined) this.#writeEarly();
      return;
    }
    this.#write(this.#writer, batch);
  }

  #writeEarly(): void {
    if (this.#writer !== undefined) return;
    for (const each of this.#early) this.#redactor?.learn(each);
    this.#writer = this.#begin();
    for (const each of this.#early.splice(0)) this.#write(this.#writer, each);
  }

  #begin(): RecordingWriter {
    const { info } = this.#session.source;
    const { scope } = this.#session.view;
    const head: RecordingHead = {
      tool: this.#command.services.version,
      startedAt: this.#session.now(),
      context: info.context,
      namespace: info.namespace,
      serverVersion: info.serverVersion,
      namespaces: scope?.namespaces,
    };
    return new RecordingWriter(bytes => this.#file.write(bytes), this.#redactor?.head(head) ?? head);
  }

  #write(writer: RecordingWriter, batch: SourceBatch): void {
    writer.add(this.#redactor?.batch(batch) ?? batch, this.#session.now());
  }

  #refresh(): void {
    const { io } = this.#command;
    this.#writer?.flushIfDue(this.#session.now());
    if (io.stderrIsTerminal && this.#writer !== undefined)
      io.terminal.status(statusWords(io, `recording for ${this.#words('')}; Ctrl-C ends it`));
  }

  #end(): void {
    const { io } = this.#command;
    if (this.#writer === undefined) {
      throw new UsageError(`nothing was recorded: it was interrupted before the first answer.`);
    }
    this.#writer.end(this.#session.now());
    this.#file.throwIfFailed();
    say(io, `Recorded ${this.#words(` to ${shownName(this.#file.name)}`)}.\n`);
  }

  #words(where: string): string {
    const { objects = 0, changes = 0, bytes = 0 } = this.#writer ?? {};
    const time = timeText.duration(this.#session.now() - this.#begun);
    return `${time}${where}: ${counted(objects, 'object')}, ${counted(changes, 'change')}, ${(bytes / MB).toFixed(1)} MB`;
  }
}

/** An output file for its user alone. It starts under another name, to keep an existing file until the first write. */
class OutputFile {
  readonly name: string;
  /** Rejects if writing fails. */
  readonly failed: Promise<never>;
  readonly #fail: (reason: unknown) => void;
  readonly #descriptor: number;
  /** The temporary name before the first write. */
  #beside: string | undefined;
  #failure: unknown;
  #isEmpty = true;

  /** Throws a `UsageError` for an existing file without `force`, and for one that can't be written. */
  constructor(name: string, force: boolean) {
    this.name = name;
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.failed.catch(() => {});
    this.#fail = reject;
    const unfit = Platform.unfitFileName(name, Platform.current);
    if (unfit !== undefined) throw new UsageError(`${name} ${unfit}. Name another file.`);
    refuseOthers(name);
    this.#beside = force ? `${name}.${process.pid}` : undefined;
    try {
      this.#descriptor = openSync(this.#beside ?? name, 'wx', 0o600);
    } catch (error) {
      if (codeOf(error) === 'EEXIST')
        throw new UsageError(
          this.#beside === undefined
            ? `${name} exists. Name another file, or overwrite it with --force.`
            : `${this.#beside} exists, under which ${name} is begun. Remove it, or name another file.`,
        );
      throw new UsageError(`${name} cannot be written: ${messageOf(error)}.`);
    }
  }

  /** Stops writing at a failure: the file stays readable up to there. */
  write(bytes: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written);
      if (this.#beside !== undefined) replaceFileSync(this.#beside, this.name);
      this.#beside = undefined;
      this.#isEmpty = false;
    } catch (error) {
      const kept = this.#isEmpty ? 'Nothing was recorded.' : 'What was written before can be read.';
      this.#failure = new UsageError(`${this.name} cannot be written: ${messageOf(error)}. ${kept}`);
      this.#fail(this.#failure);
    }
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    closeSync(this.#descriptor);
    if (this.#isEmpty) rmSync(this.#beside ?? this.name, { force: true });
  }
}

/** Refuses to replace a path that isn't a file. */
function refuseOthers(name: string): void {
  let there: Stats | undefined;
  try {
    there = statSync(name, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${name} cannot be written: ${messageOf(error)}.`);
  }
  if (there?.isDirectory() === true) throw new UsageError(`${name} is a folder. Name a file.`);
  if (there?.isFile() === false) throw new UsageError(`${name} is no regular file. Name another one.`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return codeOf(error) === 'ENOSPC'
    ? 'no space is left on the disk'
    : error instanceof Error
      ? error.message
      : String(error);
}

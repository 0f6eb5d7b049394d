/**
 * The files of a history: recordings in a row, each of which begins with everything known at that moment. So the oldest
 * can be deleted at any time, and a damaged one costs only what is in it.
 */
import { closeSync, lstatSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { NotPrivateError, Person, privateFolder } from '../../../disk/index.ts';
import type { SourceBatch } from '../../../model/index.ts';
import { type RecordingHead, RecordingWriter } from '../../../source/index.ts';

const NAME = /^history-(\d{15})\.gctree$/u;
/** Files that a crash left before their state was complete. */
const UNFINISHED = /^history-\d{15}\.gctree\.new$/u;
/** Milliseconds that changes wait in memory; some more pass until they arrive here, and until the next call. */
const UNWRITTEN_MS = 400;
/** A file takes this part of the size or of the retention. */
const PART = 1 / 8;
/** A file takes at least this many times its first state, which every file repeats. */
const STATES = 2;
/** Milliseconds between looks for another server. */
const LOOK_MS = 1_000;
/** Maximum part of the size for one file. */
const MOST = 0.9;

export interface HistoryLimits {
  /** Bytes of all files. */
  readonly size: number;
  /** Milliseconds. */
  readonly retention: number;
}

interface Segment {
  readonly file: string;
  readonly from: number;
  bytes: number;
}

interface Current extends Segment {
  readonly writer: RecordingWriter;
  readonly descriptor: number;
  readonly most: number;
  /** Set once a block had no room: the rest isn't written. */
  isFull: boolean;
}

export class HistoryFolder {
  readonly #folder: string;
  readonly #limits: HistoryLimits;
  /** Oldest first, without the current one. */
  #segments: readonly Segment[];
  #current: Current | undefined;
  #lookedAt = 0;

  /** Throws a `NotPrivateError` if other users can change the folder or a file, and errors of node:fs. */
  constructor(folder: string, limits: HistoryLimits) {
    this.#folder = privateFolder.make(folder);
    this.#limits = limits;
    for (const name of readdirSync(this.#folder))
      if (UNFINISHED.test(name)) rmSync(path.join(this.#folder, name), { force: true });
    this.#segments = this.#found();
  }

  /** Oldest first, without the current one. */
  get files(): readonly string[] {
    return this.#segments.map(({ file }) => file);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, this.#current?.bytes ?? 0);
  }

  /** Begins a file with everything known at a moment. Throws an `Error` if it can't be written. */
  begin(head: Omit<RecordingHead, 'startedAt'>, state: SourceBatch, now: number): void {
    this.#assertAlone();
    this.end(now);
    this.#segments = this.#found();
    // Names and files stay in order even if a clock was set back.
    const from = Math.max(Math.floor(now), (this.#segments.at(-1)?.from ?? -1) + 1);
    this.dropOld(from);
    const first: Buffer[] = [];
    let sink = (bytes: Buffer): void => void first.push(bytes);
    const writer = new RecordingWriter(
      bytes => sink(bytes),
      { ...head, startedAt: from },
      Number.POSITIVE_INFINITY,
    );
    writer.add(state, from);
    writer.flushIfDue(from, 0);
    const { size } = this.#limits;
    const bytes = writer.bytes;
    if (bytes > size * MOST)
      throw new Error(`the state of the cluster alone takes ${bytes} bytes, and --history-size is ${size}`);
    this.#makeRoom(bytes);
    const file = path.join(this.#folder, `history-${String(from).padStart(15, '0')}.gctree`);
    const descriptor = openSync(`${file}.new`, 'wx', 0o600);
    try {
      for (const each of first) writeWhole(descriptor, each);
      renameSync(`${file}.new`, file);
    } catch (error) {
      closeSync(descriptor);
      rmSync(`${file}.new`, { force: true });
      throw error;
    }
    const most = Math.min(size * MOST, Math.max(size * PART, bytes * STATES));
    const current: Current = { file, from, bytes, writer, descriptor, most, isFull: false };
    this.#current = current;
    sink = block => this.#write(current, block);
  }

  /** Takes a change that arrived `at`. Throws if it can't be written. */
  add(batch: SourceBatch, at: number): void {
    const current = this.#current;
    // The state at the beginning has the moment `from` to itself.
    current?.writer.add(batch, Math.max(at, current.from + 1));
  }

  /** Takes a request that a change follows. Throws if it can't be written. */
  addRequest(request: Parameters<RecordingWriter['addRequest']>[0], at: number): void {
    const current = this.#current;
    current?.writer.addRequest(request, Math.max(at, current.from + 1));
  }

  /** Call it several times a second. Throws if it can't be written, or if another server has taken the folder over. */
  flush(now: number): void {
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      this.#assertAlone();
    }
    this.#current?.writer.flushIfDue(now, UNWRITTEN_MS);
  }

  /** Reports if `begin` has to be called again. */
  isDue(now: number): boolean {
    const current = this.#current;
    if (current === undefined) return false;
    return (
      current.isFull || current.bytes >= current.most || now - current.from >= this.#limits.retention * PART
    );
  }

  /** Deletes files that hold only what happened before the retention. */
  dropOld(now: number): void {
    for (;;) {
      const next = this.#segments[1] ?? this.#current;
      if (this.#segments.length === 0 || next === undefined) return;
      if (next.from > now - this.#limits.retention) return;
      this.#dropOldest();
    }
  }

  /** Ends the current file. Throws if the rest can't be written. */
  end(now: number): void {
    const current = this.#current;
    if (current === undefined) return;
    try {
      current.writer.end(now);
    } finally {
      this.#current = undefined;
      this.#segments = [...this.#segments, current];
      closeSync(current.descriptor);
    }
  }

  #write(current: Current, block: Buffer): void {
    if (!current.isFull && !this.#makeRoom(block.length)) current.isFull = true;
    if (current.isFull) return;
    writeWhole(current.descriptor, block);
    current.bytes += block.length;
  }

  /** Returns false if even the current file leaves no room. */
  #makeRoom(bytes: number): boolean {
    while (this.bytes + bytes > this.#limits.size) {
      if (this.#segments.length === 0) return false;
      this.#dropOldest();
    }
    return true;
  }

  #dropOldest(): void {
    const [oldest, ...others] = this.#segments;
    this.#segments = others;
    if (oldest !== undefined) rmSync(oldest.file, { force: true });
  }

  /** Throws if another server began a newer file: the one that started last goes on. */
  #assertAlone(): void {
    const own = this.#current && path.basename(this.#current.file);
    if (own !== undefined && readdirSync(this.#folder).some(name => NAME.test(name) && name > own))
      throw new Error(`another server writes to ${this.#folder}`);
  }

  #found(): Segment[] {
    return readdirSync(this.#folder)
      .sort()
      .flatMap(name => {
        const from = NAME.exec(name)?.[1];
        return from === undefined ? [] : [this.#segment(path.join(this.#folder, name), Number(from))];
      });
  }

  #segment(file: string, from: number): Segment {
    const status = lstatSync(file);
    if (!status.isFile()) throw new NotPrivateError(file, 'is not a file');
    const distrust = Person.distrust(file, status);
    if (distrust !== undefined) throw new NotPrivateError(file, distrust.why.slice(file.length + 1));
    return { file, from, bytes: status.size };
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written);
}

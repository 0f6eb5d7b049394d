/** Reads a recording by an index of its blocks. The file is untrusted: sizes are bounded, and fields are checked. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import {
  type BlindSpot,
  type Connection,
  integer,
  type KubeObject,
  list,
  ResourceType,
  type ResourceVersion,
  record,
  type SourceBatch,
  type TypeStatus,
  text,
  texts,
  type Uid,
} from '../../model/index.ts';
import { SourceError } from '../source.ts';
import { objectOfRow, type RawRow, ReadTables, typeFromJson } from './recorded-rows.ts';
import {
  type BlockHeader,
  FORMAT,
  formatOfFile,
  HEADER_BYTES,
  readHeader,
  unpackBlock,
} from './recording-format.ts';
import type { RecordedRequest, RecordingHead } from './writer.ts';

/** Files with more objects at one moment, or more blocks, are rejected. */
const MOST_OBJECTS = 5_000_000;
const MOST_BLOCKS = 2_000_000;

interface Block extends BlockHeader {
  readonly at: number;
}

export class RecordingFile {
  readonly name: string;
  readonly head: RecordingHead;
  /** True if the file ends before recording was ended. */
  readonly cutOff: boolean;
  readonly #descriptor: number;
  readonly #blocks: readonly Block[];
  readonly #types = new Map<string, ResourceType>();

  /** Throws a `SourceError` if the file is unreadable or no recording. */
  constructor(name: string) {
    this.name = name;
    this.#descriptor = open(name);
    try {
      const { blocks, cutOff } = indexOf(name, this.#descriptor);
      if (!blocks.some(({ kind }) => kind === 'changes'))
        throw new SourceError(
          `${name}: nothing was recorded yet, or it was ended or cut off before the first answer.`,
        );
      this.#blocks = blocks;
      this.cutOff = cutOff;
      this.head = headOf(this.#payload(blocks[0]));
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** The first known moment. */
  get from(): number {
    return this.#blocks.find(({ kind }) => kind === 'changes')?.from ?? this.head.startedAt;
  }

  get to(): number {
    return this.#blocks.at(-1)?.to ?? this.head.startedAt;
  }

  /** Returns the state at a moment (ms since the epoch). Throws a `SourceError` if damaged. */
  stateAt(moment: number): RecordedState {
    const state = new RecordedState();
    const first = this.#keyFrameBefore(moment);
    // Later frames add nothing, and the last one may be cut off.
    let isWithinFrame = this.#blocks[first]?.kind === 'state';
    for (const block of this.#blocks.slice(first)) {
      if (block.from > moment) break;
      if (block.kind === 'changes' || (block.kind === 'state' && isWithinFrame))
        this.#read(block, state, { until: moment });
      isWithinFrame &&= !block.isLast;
    }
    return state;
  }

  /** Replays changes after `from` up to `to`; calls `told` for each, with the state after it. */
  replay(
    from: number,
    to: number,
    told: (event: RecordedEvent, state: RecordedState) => void,
  ): RecordedState {
    const state = this.stateAt(from);
    this.proceed(state, from, to, ({ at, news }) => {
      if (!('around' in news)) told({ at, ...news }, state);
    });
    return state;
  }

  /** Applies the records after `from` up to `to` to the state, and calls `told` for each, `asked` for each request. */
  proceed(
    state: RecordedState,
    from: number,
    to: number,
    told: (news: RecordedNews) => void,
    asked?: (request: RecordedRequest) => void,
  ): void {
    for (const block of this.#blocks) {
      if (block.kind !== 'changes' || block.to <= from) continue;
      if (block.from > to) break;
      this.#read(block, state, { after: from, until: to, told, asked });
    }
  }

  /** Returns the first moment at which everything was listed; the last one if that never happened. */
  listedAt(): number {
    const state = new RecordedState();
    let listed: number | undefined;
    const look = (at: number): void => {
      const statuses = [...state.statuses.values()];
      const isListed = statuses.length > 0 && statuses.every(({ state: each }) => each !== 'listing');
      if (isListed) listed ??= at;
    };
    for (const block of this.#blocks) {
      if (block.kind !== 'changes') continue;
      this.#read(block, state, { until: this.to, told: ({ at, news }) => 'around' in news && look(at) });
      // The first listing came with the last objects.
      if (listed !== undefined) return listed;
    }
    return this.to;
  }

  /** Returns a moment with at least `changes` changes after it until `moment`, or the first; at most a block more. */
  momentBefore(moment: number, changes: number): number {
    let count = 0;
    for (const block of this.#blocks.toReversed()) {
      if (block.kind !== 'changes' || block.from > moment) continue;
      count += block.changes;
      if (count >= changes) return block.from;
    }
    return this.from;
  }

  /** Returns an upper bound of the changes between two moments. */
  changesBetween(from: number, to: number): number {
    let count = 0;
    for (const { kind, from: first, to: last, changes } of this.#blocks)
      if (kind === 'changes' && last > from && first <= to) count += changes;
    return count;
  }

  /** Returns the nearest moment before or after this one with a change. */
  changeBeside(moment: number, direction: 1 | -1): number | undefined {
    const isBeyond = (at: number): boolean => (direction > 0 ? at > moment : at < moment);
    for (const block of direction > 0 ? this.#blocks : this.#blocks.toReversed()) {
      if (block.kind !== 'changes' || !isBeyond(direction > 0 ? block.to : block.from)) continue;
      const moments = this.#momentsOf(block, what => what !== 'around' && what !== 'request');
      const found = direction > 0 ? moments.find(isBeyond) : moments.findLast(isBeyond);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  *deletions(): Generator<readonly number[]> {
    for (const block of this.#blocks)
      if (block.kind === 'changes') yield this.#momentsOf(block, what => what === 'gone');
  }

  #momentsOf(block: Block, wanted: (what: unknown) => boolean): readonly number[] {
    const moments: number[] = [];
    for (const each of list(record(this.#payload(block))['records'])) {
      const line = list(each);
      if (wanted(line[0])) moments.push(block.from + (integer(line[1]) ?? 0));
    }
    return moments;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Returns the index of the first block to read: a complete key frame, or 0. */
  #keyFrameBefore(moment: number): number {
    let found = 0;
    let begun: number | undefined;
    for (const [place, { kind, isFirst, isLast, from }] of this.#blocks.entries()) {
      if (from > moment) break;
      if (kind !== 'state') begun = undefined;
      else if (isFirst) begun = place;
      if (kind === 'state' && isLast && begun !== undefined) found = begun;
    }
    return found;
  }

  /** Applies a block's records after `after` up to `until`. */
  #read(
    block: Block,
    state: RecordedState,
    {
      until,
      after = Number.NEGATIVE_INFINITY,
      told,
      asked,
    }: {
      readonly until: number;
      readonly after?: number;
      readonly told?: (news: RecordedNews) => void;
      readonly asked?: ((request: RecordedRequest) => void) | undefined;
    },
  ): void {
    const payload = record(this.#payload(block));
    const types = list(payload['types']).map(each => this.#type(each));
    const tables = new ReadTables(types, list(payload['values']));
    if (block.kind === 'state' && block.isFirst) state.clear();
    for (const each of list(payload['records'])) {
      const line = list(each);
      const at = block.from + (integer(line[1]) ?? 0);
      if (at > until) return;
      if (at <= after) continue;
      if (line[0] === 'request') {
        const request = requestIn(line);
        if (request !== undefined) asked?.(request);
        continue;
      }
      if (told === undefined) state.take(line, tables);
      else state.tell(line, tables, news => told({ at, news }));
      if (state.size > MOST_OBJECTS) throw damaged(this.name, block.at);
    }
  }

  #type(value: unknown): ResourceType | undefined {
    const key = JSON.stringify(value) ?? '';
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const type = typeFromJson(value);
    if (type !== undefined) this.#types.set(key, type);
    return type;
  }

  #payload(block: Block | undefined): unknown {
    if (block === undefined) throw damaged(this.name, 0);
    const packed = Buffer.allocUnsafe(block.packed);
    const read = readAll(this.#descriptor, packed, block.at);
    const payload = read === block.packed ? unpackBlock(block, packed) : undefined;
    if (payload === undefined) throw damaged(this.name, block.at);
    try {
      return JSON.parse(payload);
    } catch {
      throw damaged(this.name, block.at);
    }
  }
}

export interface RecordedEvent {
  readonly at: number;
  /** Undefined if it is new. */
  readonly before: KubeObject | undefined;
  /** Undefined if it was deleted. */
  readonly after: KubeObject | undefined;
  /** Set for a deletion, if known. */
  readonly version?: ResourceVersion;
  readonly unseen?: true;
}

export interface RecordedNews {
  readonly at: number;
  readonly news: Omit<RecordedEvent, 'at'> | { readonly around: Omit<SourceBatch, 'changes'> };
}

export class RecordedState {
  /** By the recording's numbers; objects are built on demand. */
  readonly #rows = new Map<number, RawRow>();
  types: readonly ResourceType[] = [];
  failedGroups: readonly BlindSpot[] = [];
  readonly statuses = new Map<string, TypeStatus>();
  connection: Connection = { state: 'live' };

  get size(): number {
    return this.#rows.size;
  }

  objects(): KubeObject[] {
    return Array.from(this.#rows.values(), objectOfRow);
  }

  clear(): void {
    this.#rows.clear();
    this.statuses.clear();
  }

  take(line: readonly unknown[], tables: ReadTables): void {
    const [what, , third] = line;
    if (what === 'around') {
      this.#takeSurroundings(third, tables);
      return;
    }
    if (typeof what === 'number') {
      const row = this.#rows.get(what);
      if (row !== undefined) tables.change(row, line, 2);
      return;
    }
    if (typeof third !== 'number') return;
    if (what === 'gone') this.#rows.delete(third);
    const row = what === 'new' ? tables.row(line, 3) : undefined;
    if (row !== undefined) this.#rows.set(third, row);
  }

  /** Applies a record, and reports its change. */
  tell(line: readonly unknown[], tables: ReadTables, told: (news: RecordedNews['news']) => void): void {
    if (line[0] === 'around') {
      told({ around: this.#takeSurroundings(line[2], tables) });
      return;
    }
    const number = typeof line[0] === 'number' ? line[0] : line[2];
    const objectNow = (): KubeObject | undefined => {
      const row = typeof number === 'number' ? this.#rows.get(number) : undefined;
      return row && objectOfRow(row);
    };
    const before = objectNow();
    this.take(line, tables);
    const after = objectNow();
    if (before === undefined && after === undefined) return;
    const [what, , , version, unseen] = line;
    const isKnown = what === 'gone' && typeof version === 'string';
    const isUnseen = what === 'gone' && unseen === true;
    told({
      before,
      after,
      ...(isKnown && { version: version as ResourceVersion }),
      ...(isUnseen && { unseen: isUnseen }),
    });
  }

  get surroundings(): Omit<SourceBatch, 'changes'> {
    return {
      types: this.types,
      failedGroups: this.failedGroups,
      statuses: [...this.statuses.values()],
      connection: this.connection,
    };
  }

  #takeSurroundings(value: unknown, tables: ReadTables): Omit<SourceBatch, 'changes'> {
    const { types, failedGroups, statuses, connection } = record(value);
    if (types !== undefined) this.types = list(types).flatMap(place => tables.type(place) ?? []);
    if (failedGroups !== undefined) this.failedGroups = list(failedGroups).map(blindSpotIn);
    const told = list(statuses).flatMap(each => statusIn(each, tables) ?? []);
    for (const status of told) this.statuses.set(ResourceType.groupResource(status.type), status);
    const connected = connectionIn(connection);
    this.connection = connected ?? this.connection;
    return {
      ...(types !== undefined && { types: this.types }),
      ...(failedGroups !== undefined && { failedGroups: this.failedGroups }),
      ...(told.length > 0 && { statuses: told }),
      ...(connected !== undefined && { connection: connected }),
    };
  }
}

function requestIn([, , uid, value]: readonly unknown[]): RecordedRequest | undefined {
  const { user, verb, at } = record(value);
  const moment = integer(at);
  if (verb !== 'delete' && verb !== 'evict' && verb !== 'update') return undefined;
  return moment === undefined ? undefined : { uid: text(uid) as Uid, user: text(user), verb, at: moment };
}

function blindSpotIn(value: unknown): BlindSpot {
  const { resource, reason } = record(value);
  return { resource: text(resource), reason: text(reason) };
}

const states = ['listing', 'synced', 'blind', 'unread', 'gone'] as const;

function statusIn(value: unknown, tables: ReadTables): TypeStatus | undefined {
  const { type: place, state, count, facts, reason, polled, namespaces, piecemeal } = record(value);
  const type = tables.type(place);
  const known = states.find(each => each === state);
  if (type === undefined || known === undefined) return undefined;
  return {
    type,
    state: known,
    count: integer(count) ?? 0,
    facts: facts === true,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof polled === 'string' && { polled }),
    ...(Array.isArray(namespaces) && { namespaces: texts(namespaces) }),
    ...(piecemeal === true && { piecemeal }),
  };
}

const causes = ['reconnected', 'restored', 'resumed', 'delayed'] as const;

function connectionIn(value: unknown): Connection | undefined {
  const { state, reason, since, cause } = record(value);
  const at = integer(since) ?? 0;
  switch (state) {
    case 'live':
      return { state };
    case 'connecting':
      return { state };
    case 'lost':
      return { state, reason: text(reason), since: at };
    case 'catchingUp':
      return { state, cause: causes.find(each => each === cause) ?? 'delayed', since: at };
    default:
      return undefined;
  }
}

function headOf(value: unknown): RecordingHead {
  const { tool, startedAt, context, namespace, serverVersion, namespaces, redacted } = record(value);
  return {
    tool: text(tool),
    startedAt: integer(startedAt) ?? 0,
    context: text(context) || undefined,
    namespace: text(namespace) || 'default',
    serverVersion: text(serverVersion) || undefined,
    namespaces: Array.isArray(namespaces) ? texts(namespaces) : undefined,
    ...(redacted === true && { redacted }),
  };
}

function open(name: string): number {
  try {
    // A pipe in its place must not keep us waiting; Windows doesn't know the flag.
    const descriptor = openSync(name, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new SourceError(`${name}: there is no such file.`);
    if (code === 'EACCES') throw new SourceError(`${name}: you may not read this file.`);
    throw new SourceError(
      `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  throw new SourceError(
    `${name} is no file. A recording is read from any place in it, so it cannot be piped in.`,
  );
}

function indexOf(name: string, descriptor: number): { blocks: Block[]; cutOff: boolean } {
  const { size } = fstatSync(descriptor);
  // The header is written together with the first changes.
  if (size === 0) return { blocks: [], cutOff: true };
  const beginning = Buffer.alloc(FORMAT.length);
  readAll(descriptor, beginning, 0);
  switch (formatOfFile(beginning)) {
    case 'foreign':
      throw new SourceError(
        `${name} is no recording: kubectl gc-tree record writes them. Manifests are read with -f.`,
      );
    case 'other version':
      throw new SourceError(
        `${name} is a recording in a format that this version cannot read (${text(beginning.toString('latin1')).replaceAll(/[^\w/-]/gu, '?')}). Read it with the version that wrote it, or a newer one.`,
      );
    case 'known':
  }
  const blocks: Block[] = [];
  const bytes = Buffer.alloc(HEADER_BYTES);
  let at = FORMAT.length;
  let latest = Number.NEGATIVE_INFINITY;
  while (at < size) {
    if (at + HEADER_BYTES > size) return { blocks, cutOff: true };
    readAll(descriptor, bytes, at);
    const header = readHeader(bytes);
    if (header === 'blank') return { blocks, cutOff: true };
    if (header === undefined || header.from < latest || blocks.length >= MOST_BLOCKS) throw damaged(name, at);
    at += HEADER_BYTES;
    if (at + header.packed > size) return { blocks, cutOff: true };
    if ((blocks.length === 0) !== (header.kind === 'head')) throw damaged(name, at);
    blocks.push({ ...header, at });
    at += header.packed;
    latest = header.from;
    if (header.kind === 'end') {
      if (at < size) throw damaged(name, at);
      return { blocks, cutOff: false };
    }
  }
  return { blocks, cutOff: true };
}

function readAll(descriptor: number, bytes: Buffer, at: number): number {
  let read = 0;
  while (read < bytes.length) {
    const count = readSync(descriptor, bytes, read, bytes.length - read, at + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}

function damaged(name: string, at: number): SourceError {
  return new SourceError(`${name} is damaged at byte ${at}. Nothing of it was used.`);
}

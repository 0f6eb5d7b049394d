/** Writes a recording while following a cluster: changes in blocks every few seconds, and regular key frames. */

import {
  type BlindSpot,
  type Change,
  type Connection,
  isEqualData,
  type KubeObject,
  ResourceType,
  type SourceBatch,
  type TypeStatus,
  type Uid,
} from '../../model/index.ts';
import { BlockTables, differences, type Row, rowOf } from './recorded-rows.ts';
import { FORMAT, packBlock } from './recording-format.ts';

export interface RecordingHead {
  /** Version of this tool. */
  readonly tool: string;
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly startedAt: number;
  readonly context: string | undefined;
  readonly namespace: string;
  readonly serverVersion: string | undefined;
  /** Recorded namespaces; undefined for the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  readonly redacted?: boolean;
}

export interface RecordedRequest {
  readonly uid: Uid;
  readonly user: string;
  readonly verb: 'delete' | 'evict' | 'update';
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly at: number;
}

/** Receives blocks; an error it throws ends the recording. */
export type Sink = (bytes: Buffer) => void;

/** Limits of a block: records, characters, and milliseconds since its first record, which a crash may lose. */
const BLOCK_RECORDS = 2_000;
const BLOCK_CHARACTERS = 4 * 2 ** 20;
const BLOCK_MS = 5_000;
const KEY_FRAME_CHANGES = 10_000;

export class RecordingWriter {
  readonly #sink: Sink;
  readonly #numbers = new Map<Uid, number>();
  readonly #objects = new Map<number, KubeObject>();
  #nextNumber = 0;
  #types: readonly ResourceType[] = [];
  #failedGroups: readonly BlindSpot[] = [];
  readonly #statuses = new Map<string, TypeStatus>();
  #connection: Connection | undefined;
  #block: OpenBlock | undefined;
  #latest: number;
  readonly #keyFrameChanges: number;
  #sinceKeyFrame = 0;
  #changes = 0;
  #bytes = 0;
  /** The file's header, written with the first changes: alone it is no recording. */
  #unwritten: Buffer;

  /** `keyFrameChanges`: minimum number of changes between key frames; at least the number of objects. */
  constructor(sink: Sink, head: RecordingHead, keyFrameChanges = KEY_FRAME_CHANGES) {
    this.#keyFrameChanges = keyFrameChanges;
    this.#sink = sink;
    this.#latest = head.startedAt;
    const header = { kind: 'head', from: head.startedAt, to: head.startedAt, changes: 0 } as const;
    this.#unwritten = Buffer.concat([Buffer.from(FORMAT, 'latin1'), packBlock(header, JSON.stringify(head))]);
  }

  get objects(): number {
    return this.#objects.size;
  }

  get changes(): number {
    return this.#changes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(batch: SourceBatch, now: number): void {
    // Time never goes back in a recording, even if a clock was set.
    this.#latest = Math.max(this.#latest, now);
    this.#addSurroundings(batch);
    for (const change of batch.changes) this.#addChange(change);
    this.flushIfDue(now);
    if (this.#sinceKeyFrame >= Math.max(this.#keyFrameChanges, this.#objects.size)) this.#writeKeyFrame();
  }

  /** Notes a request that a change follows. Readers that don't know it skip it. */
  addRequest({ uid, ...request }: RecordedRequest, now: number): void {
    this.#latest = Math.max(this.#latest, now);
    this.#record(['request', this.#offset(), uid, request]);
  }

  /** Call it regularly while nothing happens. `age`: milliseconds that a crash may lose. */
  flushIfDue(now: number, age = BLOCK_MS): void {
    const { from, tables, records } = this.#block ?? {};
    if (from === undefined || tables === undefined || records === undefined) return;
    const isFull = records.length >= BLOCK_RECORDS || tables.size >= BLOCK_CHARACTERS;
    if (isFull || now - from >= age) this.#flush();
  }

  end(now: number): void {
    this.#latest = Math.max(this.#latest, now);
    this.#flush();
    this.#put(packBlock({ kind: 'end', from: this.#latest, to: this.#latest, changes: 0 }, '{}'));
  }

  #addSurroundings({ types, failedGroups, statuses = [], connection }: SourceBatch): void {
    if (
      types === undefined &&
      failedGroups === undefined &&
      statuses.length === 0 &&
      connection === undefined
    )
      return;
    if (types !== undefined) this.#types = types;
    if (failedGroups !== undefined) this.#failedGroups = failedGroups;
    for (const status of statuses) this.#statuses.set(ResourceType.groupResource(status.type), status);
    if (connection !== undefined) this.#connection = connection;
    const { tables } = this.#open();
    this.#record([
      'around',
      this.#offset(),
      surroundings(tables, { types, failedGroups, statuses, connection }),
    ]);
  }

  #addChange(change: Change): void {
    const { tables } = this.#open();
    this.#changes += 1;
    this.#sinceKeyFrame += 1;
    if (change.op === 'delete') {
      const number = this.#numbers.get(change.uid);
      if (number === undefined) return;
      this.#numbers.delete(change.uid);
      this.#objects.delete(number);
      const { resourceVersion, unseen } = change;
      const gone = ['gone', this.#offset(), number] as const;
      if (unseen === true) this.#record([...gone, null, unseen], true);
      else this.#record(resourceVersion === undefined ? gone : [...gone, resourceVersion], true);
      return;
    }
    const { object } = change;
    const known = this.#numbers.get(object.uid);
    const before = known === undefined ? undefined : this.#objects.get(known);
    if (known !== undefined && before !== undefined && isSame(before, object)) {
      const changed = differences(before, object, tables);
      if (changed.length > 0) this.#record([known, this.#offset(), ...changed], true);
      this.#objects.set(known, object);
    } else {
      const number = known ?? this.#nextNumber++;
      this.#numbers.set(object.uid, number);
      this.#objects.set(number, object);
      this.#record(['new', this.#offset(), number, ...rowOf(object, tables)], true);
    }
    if (this.#block !== undefined && this.#block.records.length >= BLOCK_RECORDS) this.#flush();
  }

  /** Writes the current state, in as many blocks as needed. */
  #writeKeyFrame(): void {
    this.#flush();
    this.#sinceKeyFrame = 0;
    const at = this.#latest;
    let part = new OpenBlock(at);
    let isFirst = true;
    const write = (isLast: boolean): void => {
      const frame = { kind: 'state', from: at, to: at, changes: 0, isFirst, isLast } as const;
      this.#put(packBlock(frame, part.text));
      part = new OpenBlock(at);
      isFirst = false;
    };
    part.records.push([
      'around',
      0,
      surroundings(part.tables, {
        types: this.#types,
        failedGroups: this.#failedGroups,
        statuses: [...this.#statuses.values()],
        connection: this.#connection,
      }),
    ]);
    for (const [number, object] of this.#objects) {
      part.records.push(['new', 0, number, ...rowOf(object, part.tables)]);
      if (part.tables.size + 100 * part.records.length >= BLOCK_CHARACTERS) write(false);
    }
    write(true);
  }

  #open(): OpenBlock {
    this.#block ??= new OpenBlock(this.#latest);
    return this.#block;
  }

  #offset(): number {
    return this.#latest - this.#open().from;
  }

  #record(record: RecordLine, isChange = false): void {
    const block = this.#open();
    block.records.push(record);
    if (isChange) block.changes += 1;
  }

  #flush(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined || block.records.length === 0) return;
    const { from, changes } = block;
    this.#put(packBlock({ kind: 'changes', from, to: this.#latest, changes }, block.text));
  }

  #put(block: Buffer): void {
    const bytes = this.#unwritten.length === 0 ? block : Buffer.concat([this.#unwritten, block]);
    this.#unwritten = Buffer.alloc(0);
    this.#bytes += bytes.length;
    this.#sink(bytes);
  }
}

/**
 * The second field is milliseconds since the block's first moment.
 * - `new`: an object's number and row.
 * - a number: that object's changes, as from `differences`.
 * - `gone`: the number of a deleted object; a final `true` if its deletion wasn't seen.
 * - `around`: news other than objects.
 * - `request`: the uid of an object, and who sent a request for it.
 */
type RecordLine =
  | readonly ['around', number, object]
  | readonly ['request', number, Uid, Omit<RecordedRequest, 'uid'>]
  | readonly ['new' | 'gone', number, number, ...Row]
  | readonly ['gone', number, number, null, true]
  | readonly [number, number, ...Row];

class OpenBlock {
  readonly from: number;
  readonly tables = new BlockTables();
  readonly records: RecordLine[] = [];
  changes = 0;

  constructor(from: number) {
    this.from = from;
  }

  get text(): string {
    const { types, values } = this.tables;
    return `{"types":${JSON.stringify(types)},"values":[${values.join(',')}],"records":${JSON.stringify(this.records)}}`;
  }
}

/** A change suffices if the identity stays. */
function isSame(before: KubeObject, after: KubeObject): boolean {
  const { type, namespace, name } = before;
  return isEqualData(type, after.type) && namespace === after.namespace && name === after.name;
}

type Surroundings = {
  readonly [K in 'types' | 'failedGroups' | 'statuses' | 'connection']: SourceBatch[K] | undefined;
};

function surroundings(
  tables: BlockTables,
  { types, failedGroups, statuses, connection }: Surroundings,
): object {
  return {
    types: types?.map(type => tables.typePlace(type)),
    failedGroups,
    statuses: statuses?.map(({ type, ...status }) => ({ ...status, type: tables.typePlace(type) })),
    connection,
  };
}

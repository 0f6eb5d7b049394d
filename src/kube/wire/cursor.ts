import { PbfReader } from 'pbf';

/** Malformed bytes. The rest of their connection can't be trusted. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** pbf checks no bounds; `leave` does so once for each message instead of for each value. */
export class Cursor extends PbfReader {
  declare buf: Buffer;

  // biome-ignore lint/complexity/noUselessConstructor: narrows what may be passed
  constructor(bytes: Buffer) {
    super(bytes);
  }

  /** Reads a length and returns the end of the message that begins at `pos`. */
  enter(): number {
    return this.readVarint() + this.pos;
  }

  /** Throws unless the fields filled the message exactly. */
  leave(end: number): void {
    if (this.pos !== end || end > this.length) throw new WireError('a message ends inside one of its fields');
  }

  /** Skips fields that `read` leaves unread. For many objects a loop of the caller's is faster. */
  fields(read: (field: number) => void): void {
    const end = this.enter();
    for (let field = this.nextField(end); field !== 0; field = this.nextField(end)) read(field);
    this.leave(end);
  }

  /** Returns a flat string. `Buffer.toString` takes 70 ns up to 60 bytes; pbf joins pieces, which stay in memory. */
  text(): string {
    const end = this.enter();
    const start = this.pos;
    this.pos = end;
    return end === start ? '' : this.buf.toString('utf8', start, end);
  }

  /** Returns a shared string for values that repeat. */
  shared(cache: ByteCache<string>): string {
    const end = this.enter();
    const start = this.pos;
    this.pos = end;
    if (end === start) {
      cache.hash = 0;
      return '';
    }
    return cache.get(this.buf, start, Math.min(end, this.length));
  }

  signed(): number {
    return this.readVarint(true);
  }

  flag(): boolean {
    return this.readVarint() !== 0;
  }

  /** Reads a `metav1.Time` in milliseconds; undefined for Go's zero time, which is an empty message. */
  time(): number | undefined {
    const end = this.enter();
    if (end === this.pos) return undefined;
    let seconds = 0;
    for (let field = this.nextField(end); field !== 0; field = this.nextField(end))
      if (field === 1) seconds = this.signed();
    this.leave(end);
    return seconds * 1000;
  }
}

/**
 * A direct-mapped cache, whose collisions only cost sharing. One arena holds all keys, because separate `Buffer`s cost
 * some 200 bytes each.
 *
 * On Node 26 with 20,000 pods of 2,000 ReplicaSets, metadata decode in 60 ms into 7 MB instead of 145 ms and 24 MB;
 * whole pods in 110 ms into 8 MB instead of 320 ms and 42 MB.
 */
export class ByteCache<T> {
  /** The hash of the last bytes, for callers' own keys. */
  hash = 0;
  readonly #mask: number;
  readonly #stride: number;
  readonly #arena: Buffer;
  readonly #lengths: Uint16Array;
  /** The slot of the last bytes, which repeat most often. */
  #last = 0;
  #lastHash = 0;
  readonly #values: (T | undefined)[];
  readonly #decode: (bytes: Buffer, start: number, end: number) => T;

  /** `slots` is a power of two; values longer than `stride` bytes are decoded each time. */
  constructor(slots: number, stride: number, decode: (bytes: Buffer, start: number, end: number) => T) {
    this.#mask = slots - 1;
    this.#stride = stride;
    this.#arena = Buffer.alloc(slots * stride);
    this.#lengths = new Uint16Array(slots);
    this.#values = Array.from<T | undefined>({ length: slots });
    this.#decode = decode;
  }

  /** Returns the value encoded in `bytes[start, end)`, which must not be empty. */
  get(bytes: Buffer, start: number, end: number): T {
    const length = end - start;
    if (length > this.#stride) {
      this.hash = length;
      return this.#decode(bytes, start, end);
    }
    if (this.#lengths[this.#last] === length && this.#holds(this.#last, bytes, start, length)) {
      this.hash = this.#lastHash;
      return this.#values[this.#last] as T;
    }
    let hash = 0x811c9dc5; // FNV-1a
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
    hash ^= hash >>> 15;
    const slot = hash & this.#mask;
    if (this.#lengths[slot] !== length || !this.#holds(slot, bytes, start, length)) {
      this.#values[slot] = this.#decode(bytes, start, end);
      bytes.copy(this.#arena, slot * this.#stride, start, end);
      this.#lengths[slot] = length;
    }
    this.#last = slot;
    this.#lastHash = hash;
    this.hash = hash;
    // A slot with a length has a value.
    return this.#values[slot] as T;
  }

  #holds(slot: number, bytes: Buffer, start: number, length: number): boolean {
    const base = slot * this.#stride;
    let same = 0;
    while (same < length && this.#arena[base + same] === bytes[start + same]) same++;
    return same === length;
  }
}

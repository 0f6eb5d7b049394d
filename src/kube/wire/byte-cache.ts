/**
 * Values that repeat on the wire, found again by the bytes that encode them, so that neither a string nor a
 * list is built twice. Of fixed size: a cluster's history cannot make it grow.
 */

/**
 * Direct-mapped: a slot holds the latest bytes of its hash, and a collision only costs sharing. All keys lie
 * in one arena, because a `Buffer` of its own for each costs some 200 bytes.
 *
 * Measured on Node 26 with 20,000 pods of 2,000 ReplicaSets: with it their metadata decode in 60 ms into 7 MB,
 * without in 145 ms into 24 MB; whole pods in 110 ms into 8 MB, without in 320 ms into 42 MB.
 */
export class ByteCache<T> {
  /** Hash of the last bytes asked for; callers combine it into keys of their own. */
  hash = 0;
  readonly #mask: number;
  readonly #stride: number;
  readonly #arena: Buffer;
  readonly #lengths: Uint16Array;
  readonly #values: (T | undefined)[];
  readonly #decode: (bytes: Buffer, start: number, end: number) => T;

  /** `slots` is a power of two; what is longer than `stride` bytes is decoded each time. */
  constructor(slots: number, stride: number, decode: (bytes: Buffer, start: number, end: number) => T) {
    this.#mask = slots - 1;
    this.#stride = stride;
    this.#arena = Buffer.alloc(slots * stride);
    this.#lengths = new Uint16Array(slots);
    this.#values = Array.from<T | undefined>({ length: slots });
    this.#decode = decode;
  }

  /** The value that `bytes[start, end)` encode. Not for empty ranges. */
  get(bytes: Buffer, start: number, end: number): T {
    const length = end - start;
    if (length > this.#stride) {
      this.hash = length;
      return this.#decode(bytes, start, end);
    }
    let hash = 0x811c9dc5; // FNV-1a
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
    hash ^= hash >>> 15;
    const slot = hash & this.#mask;
    const base = slot * this.#stride;
    if (this.#lengths[slot] === length) {
      let same = 0;
      while (same < length && this.#arena[base + same] === bytes[start + same]) same++;
      const value = this.#values[slot];
      if (same === length && value !== undefined) {
        this.hash = hash;
        return value;
      }
    }
    const value = this.#decode(bytes, start, end);
    bytes.copy(this.#arena, base, start, end);
    this.#lengths[slot] = length;
    this.#values[slot] = value;
    this.hash = hash;
    return value;
  }
}

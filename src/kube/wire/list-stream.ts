/** A protobuf list, decoded while it arrives: only part of one item is kept between chunks. */
import { Cursor, WireError } from './cursor.ts';
import { MAGIC, UNKNOWN_RAW } from './envelope.ts';

/** etcd limits an object to 1.5 MB; a longer message is malformed. */
const MAX_MESSAGE = 64 * 1024 * 1024;
const USUAL_MESSAGE = 16 * 1024;

export interface ListMeta {
  readonly resourceVersion: string;
  /** Token for the next page, `''` on the last. */
  readonly continue: string;
}

type Part = 'magic' | 'tag' | 'length' | 'varint' | 'skip' | 'gather';

export class ListStream {
  /** Complete before the first item, because the list's metadata comes first. */
  meta: ListMeta = { resourceVersion: '', continue: '' };
  readonly #item: (cursor: Cursor, end: number) => void;
  #part: Part = 'magic';
  /** Inside `Unknown.raw`, which holds the list. */
  #inside = false;
  #left = 0;
  #outerLeft = Infinity;
  #varint = 0;
  #varintShift = 1;
  #field = 0;
  /** The buffer for an item in several chunks. It is reused: decoded objects keep no bytes. */
  #room = new Cursor(Buffer.alloc(0));
  #gathered = 0;
  #magicSeen = 0;
  #rawSeen = false;

  /** Calls `item` with the cursor at each item's first field. */
  constructor(item: (cursor: Cursor, end: number) => void) {
    this.#item = item;
  }

  /** Throws `WireError` at the first invalid byte. */
  push(chunk: Buffer): void {
    const cursor = new Cursor(chunk);
    let pos = 0;
    while (pos < chunk.length) {
      const start = pos;
      pos = this.#step(chunk, pos, cursor);
      this.#consume(pos - start);
    }
  }

  /** Must be called at the end of the body; throws if it was truncated. */
  finish(): void {
    const open = this.#inside && this.#outerLeft > 0;
    if (!this.#rawSeen || open || this.#part !== 'tag') throw new WireError('the list broke off');
  }

  #consume(count: number): void {
    if (!this.#inside) return;
    this.#outerLeft -= count;
    if (this.#outerLeft > 0) return;
    if (this.#outerLeft < 0 || this.#part !== 'tag') throw new WireError('an item reaches beyond its list');
    this.#inside = false;
    this.#outerLeft = Infinity;
  }

  #step(chunk: Buffer, pos: number, cursor: Cursor): number {
    switch (this.#part) {
      case 'magic':
        if (chunk[pos] !== MAGIC[this.#magicSeen])
          throw new WireError('the answer is no Kubernetes protobuf');
        if (++this.#magicSeen === MAGIC.length) this.#part = 'tag';
        return pos + 1;
      case 'tag':
      case 'length':
      case 'varint':
        return this.#readVarint(chunk, pos);
      case 'skip': {
        const taken = Math.min(this.#left, chunk.length - pos);
        this.#left -= taken;
        if (this.#left === 0) this.#part = 'tag';
        return pos + taken;
      }
      case 'gather':
        return this.#gather(chunk, pos, cursor);
    }
  }

  #readVarint(chunk: Buffer, pos: number): number {
    const byte = chunk[pos] ?? 0;
    this.#varint += (byte & 0x7f) * this.#varintShift;
    if (byte >= 0x80) {
      this.#varintShift *= 128;
      // Ten bytes encode 64 bits; a length may not reach 2^53 either.
      if (this.#varintShift > 2 ** 63) throw new WireError('a number is too long');
      return pos + 1;
    }
    const value = this.#varint;
    this.#varint = 0;
    this.#varintShift = 1;
    if (this.#part === 'varint') this.#part = 'tag';
    else if (this.#part === 'tag') this.#beginField(value);
    else this.#beginValue(value);
    return pos + 1;
  }

  #beginField(tag: number): void {
    this.#field = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        this.#part = 'varint';
        break;
      case 1:
        this.#part = 'skip';
        this.#left = 8;
        break;
      case 2:
        this.#part = 'length';
        break;
      case 5:
        this.#part = 'skip';
        this.#left = 4;
        break;
      default:
        throw new WireError('a field has no known type');
    }
  }

  #beginValue(length: number): void {
    if (!this.#inside) {
      if (this.#field === UNKNOWN_RAW) {
        if (this.#rawSeen) throw new WireError('the answer holds two lists');
        this.#rawSeen = true;
        this.#part = 'tag';
        // The limit applies after this step, so the bytes of the length aren't counted.
        this.#inside = length > 0;
        this.#outerLeft = length > 0 ? length + 1 : Infinity;
      } else this.#skip(length);
      return;
    }
    if (this.#field !== 1 && this.#field !== 2) {
      this.#skip(length);
      return;
    }
    if (length > MAX_MESSAGE || length > this.#outerLeft) throw new WireError('an item is too long');
    this.#part = 'gather';
    this.#left = length;
    if (length === 0) this.#complete(new Cursor(Buffer.alloc(0)), 0);
  }

  #skip(length: number): void {
    this.#left = length;
    this.#part = length === 0 ? 'tag' : 'skip';
  }

  /** Decodes in place if the whole message is in this chunk, else collects it first. */
  #gather(chunk: Buffer, pos: number, cursor: Cursor): number {
    const taken = Math.min(this.#left, chunk.length - pos);
    if (this.#gathered === 0) {
      if (taken === this.#left) {
        cursor.pos = pos;
        this.#complete(cursor, pos + taken);
        return pos + taken;
      }
      // Node's shared slab would be slower and larger.
      if (this.#room.length < this.#left)
        this.#room = new Cursor(Buffer.allocUnsafeSlow(Math.max(this.#left, USUAL_MESSAGE)));
    }
    chunk.copy(this.#room.buf, this.#gathered, pos, pos + taken);
    this.#gathered += taken;
    this.#left -= taken;
    if (this.#left === 0) {
      const end = this.#gathered;
      this.#gathered = 0;
      this.#room.pos = 0;
      this.#complete(this.#room, end);
    }
    return pos + taken;
  }

  #complete(cursor: Cursor, end: number): void {
    this.#left = 0;
    this.#part = 'tag';
    if (this.#field === 2) this.#item(cursor, end);
    else this.meta = readListMeta(cursor, end);
    if (cursor.pos !== end) throw new WireError('an item was not read to its end');
  }
}

function readListMeta(cursor: Cursor, end: number): ListMeta {
  let resourceVersion = '';
  let next = '';
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 2) resourceVersion = cursor.text();
    else if (field === 3) next = cursor.text();
  }
  cursor.leave(end);
  return { resourceVersion, continue: next };
}

/**
 * How a recording is laid out (docs/recording.md): sixteen bytes that name the format and its version, then blocks. Each
 * has a header of fixed length that tells its size and its time, so that an index is made without unpacking anything, and
 * a payload that is unpacked without any other block.
 */
import { crc32, constants as zlib, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** The format's version is its end. Readers take this one alone; another is written where an old reader would misread. */
export const FORMAT = 'gc-tree-record/1';
const NAME = FORMAT.slice(0, FORMAT.indexOf('/') + 1);

/**
 * - `head`: what was recorded, by whom; the first block and no other.
 * - `state`: a part of a key frame: everything that is known at one moment.
 * - `changes`: what happened since the block before.
 * - `end`: recording was ended, and not cut off.
 */
export type BlockKind = 'head' | 'state' | 'changes' | 'end';

const kinds: readonly BlockKind[] = ['head', 'state', 'changes', 'end'];

export interface BlockHeader {
  readonly kind: BlockKind;
  /** Of a key frame, which may be several blocks: whether this is its first and its last one. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Bytes of the payload, as it stands in the file and unpacked. */
  readonly packed: number;
  readonly length: number;
  /** The first and the last moment of what is in it, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Changes to objects. */
  readonly changes: number;
  /** Whether header and payload are as they were written, as far as a CRC-32 tells. */
  readonly isIntact: (packed: Buffer) => boolean;
}

export const HEADER_BYTES = 40;
const SUM_AT = 36;
/** What a block may hold, unpacked: a writer begins another one long before. */
const MOST_BYTES = 64 * 2 ** 20;
const MARK = 0x6b6c_4247;
const LEVEL = 5;

/** A block as it stands in the file. */
export function packBlock(
  header: Pick<BlockHeader, 'kind' | 'from' | 'to' | 'changes'> & Partial<BlockHeader>,
  payload: string,
): Buffer {
  const plain = Buffer.from(payload);
  const packed = zstdCompressSync(plain, { params: { [zlib.ZSTD_c_compressionLevel]: LEVEL } });
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(MARK, 0);
  head.writeUInt8(kinds.indexOf(header.kind), 4);
  head.writeUInt8((header.isFirst === true ? 1 : 0) + (header.isLast === true ? 2 : 0), 5);
  head.writeUInt32LE(packed.length, 8);
  head.writeUInt32LE(plain.length, 12);
  head.writeDoubleLE(header.from, 16);
  head.writeDoubleLE(header.to, 24);
  head.writeUInt32LE(header.changes, 32);
  head.writeUInt32LE(crc32(packed, crc32(head.subarray(0, SUM_AT))), SUM_AT);
  return Buffer.concat([head, packed]);
}

/**
 * The header that stands there; `blank` where nothing was written, as a power failure leaves the end of a file, and
 * undefined where it is no header.
 */
export function readHeader(bytes: Buffer): BlockHeader | 'blank' | undefined {
  if (bytes.every(byte => byte === 0)) return 'blank';
  const kind = kinds[bytes.readUInt8(4)];
  const header = {
    isFirst: (bytes.readUInt8(5) & 1) !== 0,
    isLast: (bytes.readUInt8(5) & 2) !== 0,
    packed: bytes.readUInt32LE(8),
    length: bytes.readUInt32LE(12),
    from: bytes.readDoubleLE(16),
    to: bytes.readDoubleLE(24),
    changes: bytes.readUInt32LE(32),
  };
  const beginning = crc32(bytes.subarray(0, SUM_AT));
  const sum = bytes.readUInt32LE(SUM_AT);
  const isIntact = (packed: Buffer): boolean => crc32(packed, beginning) === sum;
  const isWhole =
    bytes.readUInt32LE(0) === MARK && header.length <= MOST_BYTES && header.packed <= MOST_BYTES + 1024;
  const isTime = isMoment(header.from) && isMoment(header.to) && header.from <= header.to;
  return kind === undefined || !isWhole || !isTime ? undefined : { kind, ...header, isIntact };
}

/** Within the range of Date. */
function isMoment(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= 8.64e15;
}

/** The payload as text; undefined where it isn't what was written. */
export function unpackBlock(header: BlockHeader, packed: Buffer): string | undefined {
  if (!header.isIntact(packed)) return undefined;
  try {
    const plain = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, header.length) });
    return plain.length === header.length ? plain.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file that begins like this is a recording of this format, of another version of it, or something else. */
export function formatOfFile(beginning: Buffer): 'known' | 'other version' | 'foreign' {
  const name = beginning.toString('latin1');
  if (name === FORMAT) return 'known';
  return name.startsWith(NAME) ? 'other version' : 'foreign';
}

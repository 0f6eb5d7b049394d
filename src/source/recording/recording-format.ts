/**
 * The layout of a recording: format and version in 16 bytes, then blocks with fixed headers (little-endian) and
 * independent payloads (JSON, compressed with Zstandard), so that an index needs no unpacking.
 */
import { crc32, constants as zlib, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Readers accept only this version; raise it if an old reader would misread. */
export const FORMAT = 'gc-tree-record/1';
const NAME = FORMAT.slice(0, FORMAT.indexOf('/') + 1);

/**
 * - `head`: the first block, about the recording.
 * - `state`: part of a key frame, everything known at one moment.
 * - `changes`: changes since the block before.
 * - `end`: recording was ended, not cut off.
 */
export type BlockKind = 'head' | 'state' | 'changes' | 'end';

const kinds: readonly BlockKind[] = ['head', 'state', 'changes', 'end'];

export interface BlockHeader {
  readonly kind: BlockKind;
  /** First and last block of a key frame. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Bytes of the payload, in the file and unpacked. */
  readonly packed: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
  readonly changes: number;
  /** Checks header and payload by CRC-32. */
  readonly isIntact: (packed: Buffer) => boolean;
}

export const HEADER_BYTES = 40;
const SUM_AT = 36;
/** Maximum unpacked size of a block; writers stay far below. */
const MOST_BYTES = 64 * 2 ** 20;
const MARK = 0x6b6c_4247;
const LEVEL = 5;

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

/** Reads a header; `blank` if nothing was written, as after a power failure; undefined if invalid. */
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

/** The range of Date. */
function isMoment(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= 8.64e15;
}

/** Returns the payload as text; undefined if damaged. */
export function unpackBlock(header: BlockHeader, packed: Buffer): string | undefined {
  if (!header.isIntact(packed)) return undefined;
  try {
    const plain = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, header.length) });
    return plain.length === header.length ? plain.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Recognizes the format by a file's first bytes. */
export function formatOfFile(beginning: Buffer): 'known' | 'other version' | 'foreign' {
  const name = beginning.toString('latin1');
  if (name === FORMAT) return 'known';
  return name.startsWith(NAME) ? 'other version' : 'foreign';
}

/** Reads audit logs of any size as streams. Only lines with one of the words are parsed: logs have gigabytes. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { type AuditEvent, auditEvents } from '../../model/index.ts';
import { SourceError } from '../source.ts';

export interface AuditLogOptions {
  /** Files as given, plain or compressed with gzip or Zstandard; `-` is standard input. */
  readonly files: readonly string[];
  /** Byte sequences; relevant lines contain at least one. */
  readonly words: readonly string[];
  readonly stdin: () => Readable;
}

export interface AuditLogTotals {
  /** Matching lines that are torn, too long, or no JSON. */
  unreadable: number;
  /** Unpacked bytes. */
  bytes: number;
}

/** An event with RequestResponse bodies is seldom larger than the object, which etcd limits to 1.5 MB. */
const LONGEST_LINE = 16 * 2 ** 20;
const CHUNK = 2 ** 20;
/** Chunk size for packed files, of which each chunk is a new buffer. */
const PACKED_CHUNK = 2 ** 18;
const NEWLINE = 0x0a;

/** Calls `told` for each event in matching lines. Rejects with a `SourceError` if a file can't be read. */
export async function readAuditLogs(
  { files, words, stdin }: AuditLogOptions,
  told: (event: AuditEvent) => void,
): Promise<AuditLogTotals> {
  const totals = { unreadable: 0, bytes: 0 };
  const needles = words.map(word => Buffer.from(word));
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    try {
      const lines = new LineFinder(needles, line => {
        try {
          for (const event of auditEvents(JSON.parse(line.toString('utf8')))) told(event);
        } catch {
          totals.unreadable += 1;
        }
      });
      for await (const chunk of await streamOf(file, stdin)) {
        totals.bytes += (chunk as Buffer).length;
        lines.take(chunk as Buffer);
      }
      lines.end();
      totals.unreadable += lines.tooLong;
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new SourceError(
        `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
  }
  return totals;
}

async function streamOf(file: string, stdin: () => Readable): Promise<AsyncIterable<unknown>> {
  if (file === '-') return unpacked(stdin());
  const { isDirectory, isFile } = await stat(file).then(
    status => ({ isDirectory: status.isDirectory(), isFile: status.isFile() }),
    (error: unknown) => {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isMissing ? new SourceError(`${file}: there is no such file.`) : error;
    },
  );
  if (isDirectory) throw new SourceError(`${file} is a folder: name the files in it.`);
  if (!isFile) return unpacked(createReadStream(file));
  const handle = await open(file);
  const beginning = Buffer.alloc(4);
  await handle.read(beginning, 0, 4, 0);
  return codecOf(beginning) === undefined
    ? chunksOf(handle)
    : unpack(handle.createReadStream({ start: 0, highWaterMark: PACKED_CHUNK }), beginning);
}

/** Alternates two buffers, so memory stays constant; one is read while the consumer searches the other. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  const read = (
    chunk: Buffer,
    at: number,
  ): Promise<{ readonly chunk: Buffer; readonly bytesRead: number }> => {
    const reading = handle.read(chunk, 0, CHUNK, at).then(({ bytesRead }) => ({ chunk, bytesRead }));
    // Marks a failure as handled: the consumer may never await it.
    reading.catch(() => {});
    return reading;
  };
  let spare: Buffer = Buffer.allocUnsafe(CHUNK);
  let next = read(Buffer.allocUnsafe(CHUNK), 0);
  try {
    for (let at = 0; ; ) {
      const { chunk, bytesRead } = await next;
      if (bytesRead === 0) return;
      at += bytesRead;
      next = read(spare, at);
      yield chunk.subarray(0, bytesRead);
      spare = chunk;
    }
  } finally {
    await Promise.allSettled([next]);
    await handle.close();
  }
}

/** Unpacks a stream that can be read only once, by putting its beginning back. */
async function* unpacked(stream: Readable): AsyncGenerator<unknown> {
  for await (const first of stream) {
    const beginning = Buffer.from(first as Buffer);
    stream.unshift(beginning);
    yield* unpack(stream, beginning);
    return;
  }
}

function unpack(stream: Readable, beginning: Buffer): AsyncIterable<unknown> {
  const codec = codecOf(beginning);
  return codec === undefined ? stream : pipeline(stream, codec(), () => {});
}

function codecOf(beginning: Buffer): (() => Transform) | undefined {
  const magic = beginning.length < 4 ? 0 : beginning.readUInt32BE(0);
  if (magic >>> 16 === 0x1f8b) return () => createGunzip({ chunkSize: PACKED_CHUNK });
  return magic === 0x28b52ffd ? () => createZstdDecompress({ chunkSize: PACKED_CHUNK }) : undefined;
}

class LineFinder {
  readonly #needles: readonly Buffer[];
  readonly #found: (line: Buffer) => void;
  #rest: Buffer[] = [];
  #length = 0;
  tooLong = 0;

  constructor(needles: readonly Buffer[], found: (line: Buffer) => void) {
    this.#needles = needles;
    this.#found = found;
  }

  take(chunk: Buffer): void {
    const first = chunk.indexOf(NEWLINE);
    if (first < 0) return this.#keep(chunk);
    this.#keep(chunk.subarray(0, first));
    this.end();
    const last = chunk.lastIndexOf(NEWLINE);
    this.#search(chunk.subarray(first + 1, last + 1));
    this.#keep(chunk.subarray(last + 1));
  }

  end(): void {
    const line = this.#rest.length === 1 ? this.#rest[0] : Buffer.concat(this.#rest);
    if (this.#length > LONGEST_LINE) this.tooLong += 1;
    else if (line !== undefined && line.length > 0) this.#search(line);
    this.#rest = [];
    this.#length = 0;
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) this.#rest = [];
    // A copy doesn't keep the whole chunk in memory.
    else if (part.length > 0) this.#rest.push(Buffer.from(part));
  }

  #search(lines: Buffer): void {
    const next = this.#needles.map(needle => lines.indexOf(needle));
    for (;;) {
      let at = -1;
      for (const place of next) if (place >= 0 && (at < 0 || place < at)) at = place;
      if (at < 0) return;
      const begin = at === 0 ? 0 : lines.lastIndexOf(NEWLINE, at - 1) + 1;
      const newline = lines.indexOf(NEWLINE, at);
      const end = newline < 0 ? lines.length : newline;
      this.#found(lines.subarray(begin, end));
      for (const [which, place] of next.entries())
        if (place >= 0 && place < end) next[which] = lines.indexOf(this.#needles[which] ?? '', end);
    }
  }
}

/** Reads objects from a file piece by piece, with bounded memory, and explains faults in one or two lines. */

import { constants, createReadStream, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate as afterInput } from 'node:timers/promises';
import { record, text, type YamlPath } from '../../model/index.ts';
import { Platform } from '../../platform/index.ts';
import { builtInType } from '../built-in-types.ts';
import { SourceError } from '../source.ts';
import * as ascii from './ascii-bytes.ts';
import type { DocumentLocation } from './collection.ts';
import type { ListRead } from './coverage.ts';
import { fileError, type Input } from './inputs.ts';
import { JsonCutter } from './json-cutter.ts';
import { type Content, type Kinded, type Manifest, manifestsIn } from './manifest.ts';
import { metadataFault } from './metadata.ts';
import { lineOfValue, parsePiece } from './parse-piece.ts';
import { type Cutter, ParseError, type Piece } from './piece.ts';
import { versionIn } from './signs/cluster-signs.ts';
import { YamlCutter } from './yaml-cutter.ts';

export interface Receiver {
  object(manifest: Manifest, place: DocumentLocation): void;
  emptyList(of: Kinded, list: ListRead): void;
  /** An incomplete list; `why` is a clause. */
  partOfList(why: string, list: ListRead, line: number): void;
  /** A server's own version, `v1.36.3`. */
  version(version: string): void;
  /** Enables metadata checks; receives parts left out. `why` is a clause about what begins in this line. */
  leftOut?(why: string, line: number): void;
  /** Called regularly, for delivering objects. */
  breathe(): void;
}

/** Maximum milliseconds without yielding, except for a single piece that takes longer. */
const SLICE = 8;

/** `objects` counts those in lists too; `lists` counts documents that are lists. */
export interface InputSummary {
  readonly objects: number;
  readonly lists: number;
}

/** A file that isn't a manifest, skipped in folders. `meant`: it may have been meant to hold objects. */
export class ForeignFile extends SourceError {
  readonly meant: boolean;

  constructor(message: string, meant: boolean) {
    super(message);
    this.meant = meant;
  }
}

/** Rejects with a `SourceError` for broken text, a `ForeignFile` without manifests, or the signal's reason. */
export async function readInput(
  input: Input,
  stream: Readable,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<InputSummary> {
  const reader = new InputReader(input, receiver);
  // A silent pipe would keep the process alive.
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop);
  let turn = performance.now();
  try {
    for await (const chunk of stream) {
      signal.throwIfAborted();
      reader.push(chunk as Buffer);
      if (performance.now() - turn < SLICE) continue;
      receiver.breathe();
      await afterInput();
      signal.throwIfAborted();
      turn = performance.now();
    }
    return reader.end();
  } catch (error) {
    signal.throwIfAborted();
    throw describe(error, input, reader);
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

/** Opens a file, standard input or a program's output. Throws a `SourceError` if a pipe can't be opened. */
export function openInput({ name, path, pipe, open }: Input, stdin: () => Readable): Readable {
  if (open !== undefined) return open();
  if (path === undefined) return stdin();
  // Outside Linux, a pipe without a writer seems to be at its end.
  if (pipe && Platform.current.name === 'linux') return openPipe(name, path);
  return createReadStream(path, { highWaterMark: 128 * 1024 });
}

/** Opens a named pipe without waiting for a writer: a blocked thread would keep the process alive. */
function openPipe(name: string, path: string): Readable {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return new Socket({ fd, readable: true, writable: false });
  } catch (error) {
    throw fileError(name, error);
  }
}

function describe(error: unknown, input: Input, reader: InputReader): Error {
  if (error instanceof SourceError) return error;
  if (error instanceof ParseError) {
    const column = error.column === undefined ? '' : `, column ${error.column}`;
    const message = `${input.name}, line ${error.line}${column}: ${error.message}.`;
    return reader.looksLikeManifest ? new SourceError(message) : new ForeignFile(message, false);
  }
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? (error as Error) : fileError(input.name, error);
}

/** Keys at the start of a document or element, in JSON and YAML. */
const marks = [/^[ \t"{,-]*apiVersion"?[ \t]*:/mu, /^[ \t"{,-]*kind"?[ \t]*:/mu];

/** Counts blank lines and comments before a document. */
function linesBefore(bytes: Buffer): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(ascii.NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    while (at < end && (bytes[at] ?? 0) <= ascii.SPACE) at++;
    if (newline < 0 || (at < end && bytes[at] !== ascii.HASH)) break;
    lines++;
    at = newline + 1;
  }
  return lines;
}

type Foreign = Extract<Content, { readonly is: 'foreign' }>;

interface Element {
  readonly value: unknown;
  readonly place: DocumentLocation;
}

/** Checks if a list's end is missing: `kind` comes before or after `items`, so the rest shows it. */
function isCutOff(piece: Piece, value: unknown, content: Content): boolean {
  if (piece.cutOff === true) {
    if (content.is === 'list' || (content.is === 'foreign' && record(value)['kind'] === undefined))
      return true;
    throw endsWithin(piece);
  }
  if (piece.items === 0 || piece.format === 'json') return false;
  if (content.is === 'foreign')
    return text(record(value)['apiVersion']) !== '' && text(record(value)['kind']) === '';
  return content.is === 'object';
}

function endsWithin({ line }: Piece): ParseError {
  return new ParseError(`the file ends in the middle of the document of line ${line}`, line);
}

const CUT_OFF = 'is a list that the end of the file cuts off: its missing objects are unknown';
const PAGE = 'is one page of a longer list: what the others hold is unknown';

class InputReader {
  readonly #input: Input;
  readonly #receiver: Receiver;
  #begin: Buffer = Buffer.alloc(0);
  #cutter: Cutter | undefined;
  #decoder: TextDecoder | undefined;
  /** Bytes before the cutter's first byte. */
  #shift = 0;
  #waiting: Element[] = [];
  #list: ListRead | undefined;
  /** The last element of a YAML list; the next text shows if it is complete. */
  #last: Element | undefined;
  #ending = false;
  #broken: unknown;
  #lastByte: number | undefined;
  #objects = 0;
  #lists = 0;
  /** True if the file has a version, without objects. */
  #told = false;
  /** Faults in metadata, by an object's value, until the object is processed. */
  readonly #faults = new WeakMap<object, { readonly what: string; readonly line: number }>();
  readonly #torn = new WeakSet<ListRead>();
  #leftOut: SourceError | undefined;
  /** A document that isn't an object, before any object: the file isn't a manifest. */
  #foreign: string | undefined;

  constructor(input: Input, receiver: Receiver) {
    this.#input = input;
    this.#receiver = receiver;
  }

  /** Checks if the text so far has a manifest's keys. */
  get looksLikeManifest(): boolean {
    if (!this.#input.found || this.#objects > 0) return true;
    const text = this.#begin.toString('latin1');
    return marks.some(mark => mark.test(text));
  }

  push(chunk: Buffer): void {
    if (this.#cutter !== undefined) {
      this.#pass(this.#asUtf8(chunk, true));
      return;
    }
    this.#begin = this.#begin.length === 0 ? chunk : Buffer.concat([this.#begin, chunk]);
    if (this.#begin.length >= SNIFF_BYTES) this.#start();
  }

  end(): InputSummary {
    if (this.#cutter === undefined) this.#start();
    this.#pass(this.#asUtf8(Buffer.alloc(0), false));
    this.#ending = true;
    this.#cutter?.end();
    if (this.#leftOut !== undefined && this.#objects === 0 && !this.#input.found) throw this.#leftOut;
    if (this.#leftOut !== undefined) return { objects: this.#objects, lists: this.#lists };
    if (this.#foreign !== undefined && this.#objects === 0) throw this.#foreigner(this.#foreign);
    if (this.#told && this.#input.found) return { objects: this.#objects, lists: this.#lists };
    if (this.#objects === 0 && this.#lists === 0) throw this.#foreigner('holds no Kubernetes object');
    return { objects: this.#objects, lists: this.#lists };
  }

  #start(): void {
    const encoding = encodings.find(({ mark }) => mark.equals(this.#begin.subarray(0, mark.length)))?.name;
    if (encoding !== undefined) this.#decoder = new TextDecoder(encoding);
    const marked = byteOrderMark.equals(this.#begin.subarray(0, byteOrderMark.length));
    this.#shift = marked ? byteOrderMark.length : 0;
    const bytes = this.#asUtf8(this.#begin.subarray(this.#shift), true);
    const format = sniff(bytes);
    if (format.is === 'foreign') throw this.#foreigner(format.what, true);
    // More than blanks may follow.
    if (format.is === 'empty' && this.#begin.length < SNIFF_BYTES)
      throw this.#foreigner(
        this.#input.path === undefined ? 'is empty. Did the command in front of the pipe fail?' : 'is empty',
      );
    const hand = (piece: Piece): void => this.#piece(piece);
    this.#cutter = format.is === 'json' ? new JsonCutter(hand) : new YamlCutter(hand);
    this.#pass(bytes);
  }

  /** `more`: later chunks may begin within a character. */
  #asUtf8(chunk: Buffer, more: boolean): Buffer {
    return this.#decoder === undefined ? chunk : Buffer.from(this.#decoder.decode(chunk, { stream: more }));
  }

  #pass(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#lastByte = bytes.at(-1);
    this.#cutter?.push(bytes);
  }

  #foreigner(what: string, meant = false): ForeignFile {
    return new ForeignFile(`${this.#input.name} ${what}${/[.?!]$/u.test(what) ? '' : '.'}`, meant);
  }

  #piece(piece: Piece): void {
    if (piece.part === 'item') this.#item(piece);
    else this.#document(piece);
  }

  #placeOf(piece: Piece, list: ListRead | undefined): DocumentLocation {
    return {
      input: this.#input,
      offset: piece.offset + this.#shift,
      length: piece.bytes.length,
      line: piece.line + (piece.format === 'yaml' ? linesBefore(piece.bytes) : 0),
      format: piece.format,
      listed: piece.part === 'item',
      list,
      ...(this.#decoder === undefined ? {} : { encoding: this.#decoder.encoding }),
    };
  }

  #item(piece: Piece): void {
    this.#list ??= { input: this.#input, complete: false };
    this.#take();
    try {
      this.#last = { value: this.#parsed(piece), place: this.#placeOf(piece, this.#list) };
    } catch (error) {
      if (!this.#ending && this.#leavesOut(error, piece, this.#list)) return;
      if (!this.#ending || piece.format === 'json') throw error;
      this.#broken = error;
    }
    if (piece.format === 'json') this.#take();
  }

  #take(): void {
    const element = this.#last;
    this.#last = undefined;
    if (element === undefined) return;
    this.#element(element.value, element.place, undefined, value =>
      this.#waiting.push({ value, place: element.place }),
    );
  }

  #element(
    value: unknown,
    place: DocumentLocation,
    of: Kinded | undefined,
    unknown: (value: unknown, content: Foreign) => void,
  ): void {
    const content = manifestsIn(value, false, of);
    if (content.is === 'object') this.#object(content.manifest, place);
    else if (content.is === 'list') {
      this.#noteEmpty(content, { input: this.#input, complete: content.extent === 'all' });
      for (const each of content.elements) this.#element(each, place, content.of, unknown);
    } else if (content.is === 'foreign') unknown(value, content);
  }

  #noteEmpty({ of, elements }: Content & { readonly is: 'list' }, list: ListRead): void {
    if (elements.length === 0 && of !== undefined && list.complete) this.#receiver.emptyList(of, list);
  }

  #document(piece: Piece): void {
    const list: ListRead = this.#list ?? { input: this.#input, complete: false };
    this.#list = undefined;
    const { value, broken } = this.#valueOf(piece);
    const content = manifestsIn(value, piece.items > 0);
    if (broken || isCutOff(piece, value, content)) {
      this.#partOf(list, piece, content);
      return;
    }
    if (this.#broken !== undefined) throw this.#broken;
    this.#take();
    if (content.is === 'nothing') return;
    const waiting = this.#waiting.splice(0);
    if (content.is === 'object') this.#object(content.manifest, this.#placeOf(piece, undefined));
    // A list without a header still has its elements.
    else if (content.is === 'foreign') {
      const version = versionIn(value);
      if (version !== undefined && piece.items === 0) {
        this.#told = true;
        this.#receiver.version(version);
      } else if (piece.items === 0 || waiting.length > 0) this.#refuse(content, piece.line);
    } else {
      this.#lists++;
      list.complete = content.extent === 'all' && !this.#torn.has(list) && !this.#mayGoOn(piece, value);
      if (content.extent === 'page') this.#receiver.partOfList(PAGE, list, piece.line);
      if (piece.items === 0) this.#noteEmpty(content, list);
      for (const each of waiting) this.#late(each.value, each.place, content.of);
      const listed = { ...this.#placeOf(piece, list), listed: true };
      for (const each of content.elements) this.#late(each, listed, content.of);
    }
  }

  /** Handles a list cut off by the end of the file, without its last element, which may be incomplete. */
  #partOf(list: ListRead, piece: Piece, content: Content): void {
    this.#last = undefined;
    this.#broken = undefined;
    const waiting = this.#waiting.splice(0);
    const of = content.is === 'list' ? content.of : undefined;
    // Without the list's end, their kind is unknown.
    if (of !== undefined) for (const each of waiting) this.#late(each.value, each.place, of);
    if (this.#objects === 0 && of === undefined) throw endsWithin(piece);
    this.#lists++;
    this.#receiver.partOfList(CUT_OFF, list, piece.line);
  }

  /** `broken`: a YAML list is followed by half a line. */
  #valueOf(piece: Piece): { readonly value: unknown; readonly broken: boolean } {
    try {
      return { value: this.#parsed(piece), broken: false };
    } catch (error) {
      if (piece.items > 0 && piece.format === 'yaml' && this.#endsInLine)
        return { value: undefined, broken: true };
      if (piece.items > 0 || !this.#leavesOut(error, piece, undefined)) throw error;
      return { value: undefined, broken: false };
    }
  }

  get #endsInLine(): boolean {
    return this.#ending && this.#lastByte !== ascii.NEWLINE;
  }

  /** Checks if the unterminated last line is a list element: more may be missing. */
  #mayGoOn({ format, items }: Piece, value: unknown): boolean {
    return (
      format === 'yaml' && items > 0 && this.#endsInLine && Object.keys(record(value)).at(-1) === 'items'
    );
  }

  #late(value: unknown, place: DocumentLocation, of: Kinded | undefined): void {
    this.#element(value, place, of, (_, content) => this.#refuse(content, place.line, place.list));
  }

  #object(manifest: Manifest, place: DocumentLocation): void {
    if (this.#receiver.leftOut !== undefined) {
      const fault = this.#faults.get(manifest.json);
      if (fault !== undefined) {
        this.#leaveOut(`${manifest.kind}: ${fault.what}`, fault.line, place.list);
        return;
      }
      if (!this.#hasName(manifest, place)) return;
    }
    this.#objects++;
    this.#receiver.object(manifest, place);
  }

  #hasName({ apiVersion, kind, json }: Manifest, place: DocumentLocation): boolean {
    const metadata = record(json['metadata']);
    if (text(metadata['name']) !== '') return true;
    const line = place.line;
    if (text(metadata['generateName']) !== '') {
      const why = `${kind} has generateName and no name, which only kubectl create takes`;
      this.#leftOut ??= new SourceError(`${this.#input.name}, line ${line}: ${why}.`);
      this.#tear(place.list);
      this.#receiver.leftOut?.(why, line);
      return false;
    }
    // Other programs' configuration has apiVersion and kind too.
    if (this.#input.found && json['metadata'] === undefined && builtInType(apiVersion, kind) === undefined)
      this.#foreign ??= `holds no Kubernetes object: the ${kind} has no metadata`;
    else this.#leaveOut(`${kind} has no name`, line, place.list);
    return false;
  }

  /** Omits the faulty part if it is in a folder and is reported. */
  #leavesOut(error: unknown, piece: Piece, list: ListRead | undefined): boolean {
    if (!(error instanceof ParseError) || !this.#input.found || this.#receiver.leftOut === undefined)
      return false;
    const bytes = piece.bytes.toString('latin1');
    if (this.#objects === 0 && piece.part === 'document' && !marks.some(mark => mark.test(bytes)))
      return false;
    this.#leaveOut(error.message, error.line, list);
    return true;
  }

  #leaveOut(why: string, line: number, list: ListRead | undefined): void {
    const fault = new SourceError(`${this.#input.name}, line ${line}: ${why}.`);
    if (!this.#input.found) throw fault;
    this.#leftOut ??= fault;
    this.#tear(list);
    this.#receiver.leftOut?.(why, line);
  }

  #tear(list: ListRead | undefined): void {
    if (list === undefined) return;
    list.complete = false;
    this.#torn.add(list);
  }

  #parsed(piece: Piece): unknown {
    const value = parsePiece(piece);
    if (this.#receiver.leftOut !== undefined) this.#noteFaults(value, [], piece);
    return value;
  }

  #noteFaults(value: unknown, path: YamlPath, piece: Piece): void {
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) this.#noteFaults(each, [...path, index], piece);
      return;
    }
    const json = record(value);
    if (Array.isArray(json['items']) && (json['kind'] === undefined || text(json['kind']).endsWith('List')))
      this.#noteFaults(json['items'], [...path, 'items'], piece);
    const fault = metadataFault(json);
    if (fault !== undefined)
      this.#faults.set(json, { what: fault.what, line: lineOfValue(piece, [...path, ...fault.path]) });
  }

  #refuse({ what, meant }: Foreign, line: number, list?: ListRead): void {
    if (this.#input.found) {
      if (meant && this.#receiver.leftOut !== undefined) this.#leaveOut(what, line, list);
      else this.#foreign ??= this.#objects === 0 ? what : undefined;
      return;
    }
    throw new SourceError(`${this.#input.name}${line > 1 ? `, line ${line},` : ''} ${what}.`);
  }
}

/** A file's format by its first bytes, or an explanation. */
type Format = { readonly is: 'json' | 'yaml' | 'empty' } | { readonly is: 'foreign'; readonly what: string };

const SNIFF_BYTES = 8 * 1024;

const signatures: readonly { readonly bytes: readonly number[]; readonly what: string }[] = [
  { bytes: [0x1f, 0x8b], what: 'is compressed with gzip. Unpack it first (gunzip, tar xzf)' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: 'is compressed with zstd. Unpack it first' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: 'is compressed with xz. Unpack it first' },
  { bytes: [0x42, 0x5a, 0x68], what: 'is compressed with bzip2. Unpack it first' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'is a zip archive. Unpack it first' },
];

/** PowerShell's `>` writes these. */
const encodings = [
  { name: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { name: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
];

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** `begin`: up to `SNIFF_BYTES` first bytes, without a UTF-8 byte order mark. */
function sniff(begin: Buffer): Format {
  for (const { bytes, what } of signatures)
    if (begin.length >= bytes.length && bytes.every((byte, index) => begin[index] === byte))
      return { is: 'foreign', what };
  if (begin.subarray(257, 262).toString('latin1') === 'ustar')
    return { is: 'foreign', what: 'is a tar archive. Unpack it first' };
  if (begin.subarray(0, SNIFF_BYTES).includes(0))
    return { is: 'foreign', what: 'is a binary file, not YAML or JSON' };
  let at = 0;
  while (at < begin.length && isSpace(begin[at])) at++;
  const text = begin.subarray(at, at + 200).toString('utf8');
  if (text === '') return { is: 'empty' };
  if (text.startsWith('{{'))
    return { is: 'foreign', what: 'is a template. Render it first (helm template, for a chart)' };
  if (text.startsWith('{') || text.startsWith('[')) return { is: 'json' };
  if (text.startsWith('<')) return { is: 'foreign', what: 'is HTML or XML, not YAML or JSON' };
  if (/^NAME(?:SPACE)?\s+[A-Z]/u.test(text))
    return { is: 'foreign', what: 'is a table for people. Print with -o yaml or -o json' };
  return { is: 'yaml' };
}

function isSpace(byte: number | undefined): boolean {
  return byte === ascii.SPACE || byte === ascii.NEWLINE || byte === ascii.RETURN || byte === ascii.TAB;
}

/** Lists and watches of an API server in protobuf, taken apart as far as something is added to them. */

// Fields of the messages below (apimachinery's runtime and meta, v0.36: Unknown, ListMeta, WatchEvent, ObjectMeta).
const UNKNOWN_RAW = 2;
const LIST_METADATA = 1;
const LIST_ITEMS = 2;
const LIST_RESOURCE_VERSION = 2;
const EVENT_OBJECT = 2;
const EXTENSION_RAW = 1;
const OBJECT_METADATA = 1;
const OBJECT_RESOURCE_VERSION = 6;
const MAGIC = 4;

/** The resourceVersion of a list that begins with `k8s\0`. */
export function listVersion(body: Buffer): string {
  const raw = bytesOf(body.subarray(MAGIC), UNKNOWN_RAW);
  return bytesOf(bytesOf(raw, LIST_METADATA), LIST_RESOURCE_VERSION).toString();
}

/** The list with more items. */
export function withItems(body: Buffer, items: readonly Uint8Array[]): Buffer {
  const added = items.flatMap(item => [varint(LIST_ITEMS * 8 + 2), varint(item.length), item]);
  const unknown = replaced(body.subarray(MAGIC), UNKNOWN_RAW, raw => Buffer.concat([raw, ...added]));
  return Buffer.concat([body.subarray(0, MAGIC), unknown]);
}

/** Of the object, or the bookmark, in a frame of a watch; undefined for an error. */
export function eventVersion(frame: Buffer): string | undefined {
  const event = frame.subarray(4);
  if (bytesOf(event, 1).toString() === 'ERROR') return undefined;
  const object = bytesOf(bytesOf(event, EVENT_OBJECT), EXTENSION_RAW).subarray(MAGIC);
  return bytesOf(bytesOf(bytesOf(object, UNKNOWN_RAW), OBJECT_METADATA), OBJECT_RESOURCE_VERSION).toString();
}

/** Takes chunks of a watch, and hands over its frames as they are complete. */
export function cutFrames(take: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return chunk => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const end = 4 + rest.readUInt32BE(0);
      if (rest.length < end) return;
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

/** Cuts a watch in JSON into lines, each of which is an event. */
export function cutLines(take: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  const decoder = new TextDecoder();
  return chunk => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(`${line}\n`);
  };
}

function bytesOf(message: Buffer, field: number): Buffer {
  const [, start, end] = placeOf(message, field);
  return message.subarray(start, end);
}

/** The message with what `make` makes of the bytes of a field, which has to be there. */
export function replaced(message: Buffer, field: number, make: (bytes: Buffer) => Uint8Array): Buffer {
  const [from, start, end] = placeOf(message, field);
  const bytes = make(message.subarray(start, end));
  return Buffer.concat([
    message.subarray(0, from),
    varint(field * 8 + 2),
    varint(bytes.length),
    bytes,
    message.subarray(end),
  ]);
}

/** Where a field with bytes begins, and its bytes do and end. */
function placeOf(message: Buffer, field: number): readonly [number, number, number] {
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const from = at;
    const tag = read();
    const type = tag % 8;
    if (type === 0) {
      read();
      continue;
    }
    if (type !== 2) throw new Error(`a field of type ${type}`);
    const length = read();
    if (Math.floor(tag / 8) === field) return [from, at, at + length];
    at += length;
  }
  throw new Error(`no field ${field}`);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

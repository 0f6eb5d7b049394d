/**
 * The envelope of protobuf objects: `k8s\0`, then a `runtime.Unknown`. Source: k8s.io/apimachinery v0.36.3,
 * pkg/runtime/{serializer/protobuf,generated.proto}.
 */

import { count, list, record, text } from '../../model/index.ts';
import { type Cursor, WireError } from './cursor.ts';

export const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];
export const UNKNOWN_RAW = 2;

export interface Envelope {
  /** The message's position within the cursor's buffer. */
  readonly start: number;
  readonly end: number;
}

export function openEnvelope(cursor: Cursor, end: number): Envelope {
  for (const byte of MAGIC)
    if (cursor.buf[cursor.pos++] !== byte) throw new WireError('the answer is no Kubernetes protobuf');
  let start = end;
  let rawEnd = end;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field !== UNKNOWN_RAW) continue;
    rawEnd = cursor.enter();
    start = cursor.pos;
    cursor.pos = rawEnd;
  }
  cursor.leave(end);
  return { start, end: rawEnd };
}

export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  /** The server's unchecked text, which must be sanitised before it is shown. */
  readonly message: string;
  readonly retryAfterSeconds: number;
  /** The storage keys of objects that can't be decoded, as the server wrote them. */
  readonly undecodable: readonly string[];
}

/** The reason for failed lists that may name such objects (apiserver pkg/storage/etcd3/errors.go, v0.36). */
const STORAGE_READ_ERROR = 'StorageReadError';

/** Reads a Status up to `end`. Source: k8s.io/apimachinery v0.36.3, pkg/apis/meta/v1/generated.proto. */
export function readStatus(cursor: Cursor, end: number): ApiStatus {
  let code = 0;
  let reason = '';
  let message = '';
  let retryAfterSeconds = 0;
  const fields: string[] = [];
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 3) message = cursor.text();
    else if (field === 4) reason = cursor.text();
    else if (field === 6) code = cursor.signed();
    else if (field === 5)
      cursor.fields(inner => {
        if (inner === 5) retryAfterSeconds = cursor.signed();
        else if (inner === 4)
          cursor.fields(each => {
            if (each === 3) fields.push(cursor.text());
          });
      });
  }
  cursor.leave(end);
  const undecodable = reason === STORAGE_READ_ERROR ? fields : [];
  return { code, reason, message, retryAfterSeconds, undecodable };
}

export function statusFromJson(value: unknown): ApiStatus {
  const status = record(value);
  const reason = text(status['reason']);
  const causes = list(record(status['details'])['causes']);
  return {
    code: count(status['code']),
    reason,
    undecodable: reason === STORAGE_READ_ERROR ? causes.map(each => text(record(each)['field'])) : [],
    message: text(status['message']),
    retryAfterSeconds: count(record(status['details'])['retryAfterSeconds']),
  };
}

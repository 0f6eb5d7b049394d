/** `metav1.Status`, the API server's way to say what went wrong, from protobuf or JSON. */
import { count, record, text } from '../../model/json/json.ts';
import type { Cursor } from './cursor.ts';

export interface ApiStatus {
  /** HTTP status code; 0 where the answer holds none. */
  readonly code: number;
  readonly reason: string;
  /** As the server wrote it: may hold anything, and is to be made fit before it is shown. */
  readonly message: string;
  /** 0 where the server gives no advice. */
  readonly retryAfterSeconds: number;
}

/** Fields of a Status up to `end`. Source: k8s.io/apimachinery v0.36.3, pkg/apis/meta/v1/generated.proto. */
export function readStatus(cursor: Cursor, end: number): ApiStatus {
  let code = 0;
  let reason = '';
  let message = '';
  let retryAfterSeconds = 0;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field === 3) message = cursor.text();
    else if (field === 4) reason = cursor.text();
    else if (field === 6) code = cursor.signed();
    else if (field === 5) {
      const detailsEnd = cursor.enter();
      for (let inner = cursor.nextField(detailsEnd); inner !== 0; inner = cursor.nextField(detailsEnd))
        if (inner === 5) retryAfterSeconds = cursor.signed();
      cursor.leave(detailsEnd);
    }
  }
  cursor.leave(end);
  return { code, reason, message, retryAfterSeconds };
}

export function statusFromJson(value: unknown): ApiStatus {
  const status = record(value);
  return {
    code: count(status['code']),
    reason: text(status['reason']),
    message: text(status['message']),
    retryAfterSeconds: count(record(status['details'])['retryAfterSeconds']),
  };
}

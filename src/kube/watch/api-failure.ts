import { plainText } from '../config/known-credentials.ts';
import { LONGEST_WAIT_MS, retryAfter } from '../transport/retry-policy.ts';
import type { WireResponse } from '../transport/transport.ts';
import { Cursor } from '../wire/cursor.ts';
import { type ApiStatus, openEnvelope, readStatus, statusFromJson } from '../wire/envelope.ts';
import { parseJson } from '../wire/json-list.ts';

/** An error answer. `message` is one line of displayable text. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: number;
  /** Milliseconds that the server asks to wait, at most a minute; 0 if it doesn't say. */
  readonly retryAfter: number;

  constructor(code: number, message: string, retryAfter = 0) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }

  /** The text for `BlindSpot.reason`: the status code, then the server's message if it adds anything. */
  get reason(): string {
    if (this.code === 403 || this.code === 401 || this.message === '') return String(this.code);
    return `${this.code}: ${this.message}`;
  }
}

const MAX_BODY = 64 * 1024;

/** Reads the answer's body to the end, or destroys it if it is long. */
export async function readFailure(response: WireResponse): Promise<ApiFailure> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      parts.push(chunk);
      length += chunk.length;
      if (length > MAX_BODY) break;
    }
  } catch {}
  const status = parseStatus(response.headers['content-type'] ?? '', Buffer.concat(parts));
  const asked = retryAfter(response.headers, Date.now()) ?? status.retryAfterSeconds * 1_000;
  return new ApiFailure(response.status, messageOf(status), bounded(asked));
}

const KEYS_NAMED = 3;

/** Names the objects that cannot be decoded: `undecodable.ts` of the diagnosis reads this text. */
function messageOf({ message, undecodable }: ApiStatus): string {
  if (undecodable.length === 0) return plainText(message, 200);
  const keys = undecodable.slice(0, KEYS_NAMED).map(key => plainText(key, 400));
  const more = undecodable.length - KEYS_NAMED;
  return `stored objects cannot be decoded: ${keys.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function failureOfEvent(status: ApiStatus): ApiFailure {
  const asked = status.retryAfterSeconds * 1_000;
  return new ApiFailure(status.code, messageOf(status), bounded(asked));
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(0, milliseconds), LONGEST_WAIT_MS);
}

function parseStatus(contentType: string, body: Buffer): ApiStatus {
  if (contentType.startsWith('application/vnd.kubernetes.protobuf')) {
    try {
      const cursor = new Cursor(body);
      const envelope = openEnvelope(cursor, body.length);
      cursor.pos = envelope.start;
      return readStatus(cursor, envelope.end);
    } catch {
      return statusFromJson(undefined);
    }
  }
  const source = body.toString('utf8');
  if (contentType.startsWith('application/json')) return statusFromJson(parseJson(source));
  // A proxy or the aggregation layer answers in plain text; HTML pages carry no useful message.
  const message = contentType.startsWith('text/plain') ? source : '';
  return { code: 0, reason: '', message, retryAfterSeconds: 0, undecodable: [] };
}

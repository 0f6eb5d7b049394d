/**
 * Events in the encoding of a watch, such as the ERROR by which an API server ends one whose resourceVersion is too old (k8s.io/apimachinery pkg/apis/meta/v1/generated.proto and pkg/runtime/generated.proto, v0.36.3).
 */
import { PbfWriter } from 'pbf';

const GONE = 'too old resource version: 1 (2)';

export interface StatusObject {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export function statusObject(code: number, message: string): StatusObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: reasons[code] ?? '',
    code,
  };
}

/** Bytes to append to a watch with the given response content type. */
export function goneEvent(contentType: string): Uint8Array {
  const status = statusObject(410, GONE);
  if (!contentType.includes('protobuf')) {
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }
  return watchFrame('ERROR', unknown(status));
}

/**
 * WatchEvent { type = 1; object = 2 (RawExtension { raw = 1 }) } behind its length, as it stands in a watch in protobuf.
 * `object` begins with `k8s\0`.
 */
export function watchFrame(type: 'ERROR' | 'MODIFIED', object: Uint8Array): Uint8Array {
  const writer = new PbfWriter();
  writer.writeStringField(1, type);
  writer.writeMessage(2, (raw, extension) => extension.writeBytesField(1, raw), object);
  const event = writer.finish();
  const frame = Buffer.alloc(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}

/** `k8s\0`, then Unknown { typeMeta = 1 { apiVersion = 1; kind = 2 }; raw = 2 } */
function unknown(status: StatusObject): Uint8Array {
  const writer = new PbfWriter();
  writer.writeMessage(
    1,
    (_, typeMeta) => {
      typeMeta.writeStringField(1, 'v1');
      typeMeta.writeStringField(2, 'Status');
    },
    undefined,
  );
  const encoded = new PbfWriter();
  encoded.writeStringField(2, status.status);
  encoded.writeStringField(3, status.message);
  encoded.writeStringField(4, status.reason);
  encoded.writeVarintField(6, status.code);
  writer.writeBytesField(2, encoded.finish());
  return Buffer.concat([Buffer.from('k8s\0'), writer.finish()]);
}

/** Answers that a server compressed, as kubectl lets it unless told otherwise. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { WireResponse } from './transport.ts';

/** The same answer with its body as it was before it was compressed. One that is cut short breaks off. */
export function decompressed(response: WireResponse): WireResponse {
  const { 'content-encoding': encoding, 'content-length': _length, ...headers } = response.headers;
  // Only what was asked for is known, under both of its names.
  if (encoding === undefined || !/^(?:x-)?gzip$/i.test(encoding)) return response;
  return { ...response, headers, body: gunzip(response.body) };
}

function gunzip(body: Readable): Readable {
  // Node's 16 KB would make 80 MB of facts into five thousand pieces.
  const plain = createGunzip({ chunkSize: 128 * 1024 });
  // Either side's end is the other's; who reads learns of an error by its own side.
  pipeline(body, plain, () => {});
  plain.on('error', () => {});
  return plain;
}

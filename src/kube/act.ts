/** Sends one request with a body, as it is, once: what may be sent is decided above. */
import type { ActAnswer, ActRequest } from '../model/act.ts';
import type { Transport, WireResponse } from './transport.ts';
import { parseJson } from './wire/json-list.ts';

/** Resolves with whatever the API server answers; rejects with a `SourceError` where no answer came. */
export async function act(
  transport: Transport,
  { method, path, contentType, body }: ActRequest,
): Promise<ActAnswer> {
  const response = await transport.request({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': contentType },
    body: JSON.stringify(body),
  });
  return textAnswer(response);
}

/** The status with the parsed body. */
async function textAnswer({ status, body }: WireResponse): Promise<ActAnswer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of body) parts.push(chunk);
  return { status, body: parsed(Buffer.concat(parts).toString('utf8')) };
}

/** Proxies and the aggregation layer answer in plain text. */
function parsed(source: string): unknown {
  const json = parseJson(source);
  return json === undefined && source !== '' ? { message: source.slice(0, 500) } : json;
}

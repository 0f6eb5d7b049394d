import { text as asText, jsonValue, record } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { plainText } from '../config/known-credentials.ts';
import { parseJson } from '../wire/json-list.ts';
import { brokenAnswer } from './connection-failure.ts';
import { longWait } from './retry-policy.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';

export interface JsonAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly etag: string | undefined;
  /** Undefined unless the status is 200 and the body is JSON. */
  readonly json: unknown;
  /** The server's reason for another status, as one printable line; `''` if it gave none. */
  readonly message: string;
}

/** Rejects with a `SourceError` like the transport, for a truncated body, and for a 200 without JSON. */
export async function getJson(
  transport: Transport,
  path: string,
  { headers, signal }: Pick<WireRequest, 'headers' | 'signal'> = {},
): Promise<JsonAnswer> {
  const response = await transport.request({
    method: 'GET',
    path,
    headers: { accept: 'application/json', ...headers },
    ...(signal && { signal }),
  });
  const text = await wholeBody(response, transport.server);
  const { status } = response;
  return {
    status,
    contentType: response.headers['content-type'] ?? '',
    etag: response.headers['etag'],
    json: status === 200 ? parse(text, `${transport.server}${path}`) : undefined,
    message:
      status === 200 ? '' : plainText(statusMessage(text), 200) + longWait(response.headers, Date.now()),
  };
}

function parse(text: string, where: string): unknown {
  try {
    return jsonValue(text);
  } catch {
    throw new SourceError(`${where} answered, but not in JSON; is it a Kubernetes API server?`);
  }
}

// Errors are a `Status` object, or plain text from proxies.
function statusMessage(text: string): string {
  const json = parseJson(text);
  return json === undefined ? text : asText(record(json)['message']);
}

/** Rejects with a `SourceError` if the body breaks off. */
export async function wholeBody({ body }: WireResponse, server: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    throw brokenAnswer(error, server);
  }
  return Buffer.concat(chunks).toString('utf8');
}

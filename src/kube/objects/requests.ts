/**
 * Requests about single objects, apart from the lists and watches of kinds: one read as JSON, by a GET at no version, so
 * that it is what is stored at that moment; and the requests of actions, reviews and dry runs, sent as they were made.
 */

import {
  type ActAnswer,
  type ActRequest,
  changesNothing,
  type DryRunAnswer,
  type DryRunRequest,
} from '../../model/exchange/act.ts';
import { record } from '../../model/json/json.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { type JsonObject, SourceError } from '../../source/source.ts';
import { concealed, plainText } from '../auth/known-credentials.ts';
import { longWait, retryAfter } from '../retry/retry-policy.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { wholeBody } from '../transport/whole-answer.ts';
import { collectionPath } from '../watch/requests.ts';
import { parseJson } from '../wire/json-list.ts';

export interface ObjectRequest {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly accept: string;
  readonly signal?: AbortSignal | undefined;
}

/** Undefined where there is none. Rejects with a `SourceError` where it cannot be read. */
export async function getObject(
  transport: Transport,
  { type, namespace, name, accept, signal }: ObjectRequest,
): Promise<JsonObject | undefined> {
  const { server } = transport;
  const scope = type.namespaced ? namespace : undefined;
  const response = await transport.request({
    method: 'GET',
    path: `${collectionPath(type, scope)}/${encodeURIComponent(name)}`,
    headers: { accept },
    ...(signal !== undefined && { signal }),
  });
  return readObject(response, {
    server,
    what: `${type.kind} ${scope === undefined ? name : `${scope}/${name}`}`,
    name,
  });
}

export interface ReadRequest {
  readonly server: string;
  /** `ConfigMap shop/web`, for messages. */
  readonly what: string;
  readonly name: string;
}

/** Undefined where the object doesn't exist. Rejects with a `SourceError`. */
export async function readObject(
  response: WireResponse,
  { server, what, name }: ReadRequest,
): Promise<JsonObject | undefined> {
  const { status, headers } = response;
  const source = await wholeBody(response, server);
  const json = parseJson(source);
  const fail = (said: string): SourceError =>
    new SourceError(`cannot read ${what} from ${server}: ${said}`, { status });
  if (status === 404) {
    // A path that nothing serves, and a proxy that knows nothing, say 404 as well, and nothing of the object.
    if (record(record(json)['details'])['name'] === name) return undefined;
    throw fail('nothing is served there (404)');
  }
  if (status !== 200) {
    const { message } = record(json);
    // A proxy in between, or the aggregation layer, which answers in plain text; pages of HTML say nothing.
    const isPlain = (headers['content-type'] ?? '').startsWith('text/plain');
    const text = typeof message === 'string' ? message : isPlain ? source : '';
    throw fail((plainText(text, 200) || `status ${status}`) + longWait(headers, Date.now()));
  }
  if (typeof json !== 'object' || json === null) throw fail('the answer is no object');
  // JSON.parse yields an index-signature record for every object.
  return json as JsonObject;
}

/**
 * Resolves with whatever the API server answers; rejects with a `SourceError` where no answer came. Once `enough` is
 * aborted nothing is sent again: what only asks ends at once, and for what changes something the answer is waited for.
 */
export async function act(
  transport: Transport,
  { method, path, contentType, body }: ActRequest | DryRunRequest,
  { asks, enough }: { readonly asks: boolean; readonly enough?: AbortSignal | undefined },
): Promise<ActAnswer> {
  const response = await transport.request({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': contentType },
    body: JSON.stringify(body),
    harmless: asks,
    ...(enough !== undefined && (asks ? { signal: enough } : { enough })),
  });
  const { status, headers } = response;
  const asked = retryAfter(headers, Date.now());
  return {
    status,
    body: parsed(await wholeBody(response, transport.server)),
    ...(asked !== undefined && { retryAfterMs: asked }),
  };
}

/** Proxies and the aggregation layer answer in plain text. */
function parsed(source: string): unknown {
  const json = parseJson(source);
  if (json === undefined) return source === '' ? undefined : { message: concealed(source).slice(0, 500) };
  const { message } = record(json);
  // The words of a webhook, for instance, which may have seen the request's headers.
  return typeof message === 'string' ? { ...record(json), message: concealed(message) } : json;
}

/** Resolves with any HTTP status. Rejects with a `SourceError` without an answer, and unsent for what isn't a dry run. */
export async function dryRun(
  transport: Transport,
  request: DryRunRequest,
  signal?: AbortSignal,
): Promise<DryRunAnswer> {
  if (!changesNothing(request))
    throw new SourceError(`not sent, because it is no dry run: ${request.method} ${request.path}`);
  return act(transport, request, { asks: true, enough: signal });
}

/** Sends one request with a body: what may be sent is decided above, and what may be sent twice in `retry/`. */
import type { ActAnswer, ActRequest } from '../../model/exchange/act.ts';
import type { DryRunRequest } from '../../model/exchange/dry-run.ts';
import { record } from '../../model/json/json.ts';
import { concealed } from '../auth/known-credentials.ts';
import { retryAfter } from '../retry/retry-after.ts';
import type { Transport } from '../transport/transport.ts';
import { wholeBody } from '../transport/whole-body.ts';
import { parseJson } from '../wire/json-list.ts';

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

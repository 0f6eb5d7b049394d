/** The answer to a GET of one object: the object, that it doesn't exist, or why nobody knows. */
import { record } from '../../model/json/json.ts';
import { type JsonObject, SourceError } from '../../source/source.ts';
import { plainText } from '../auth/plain-text.ts';
import { longWait } from '../retry/retry-after.ts';
import type { WireResponse } from '../transport/transport.ts';
import { wholeBody } from '../transport/whole-body.ts';
import { parseJson } from '../wire/json-list.ts';

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

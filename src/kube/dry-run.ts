/**
 * Sends requests that change nothing, and no others. Apart from the source, so that the one place that sends
 * anything but GET is easy to see.
 */
import { changesNothing, type DryRunAnswer, type DryRunRequest } from '../model/dry-run.ts';
import { SourceError } from '../source/source.ts';
import type { Transport, WireResponse } from './transport.ts';
import { parseJson } from './wire/json-list.ts';

/**
 * Resolves with whatever the API server answers. Rejects with a `SourceError` where no answer came, and where the
 * request would change something: then nothing was sent.
 */
export async function dryRun(transport: Transport, request: DryRunRequest): Promise<DryRunAnswer> {
  const { method, path, contentType, body } = request;
  if (!changesNothing(request))
    throw new SourceError(`not sent, because it is no dry run: ${method} ${path}`);
  const response = await transport.request({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': contentType },
    body: JSON.stringify(body),
  });
  return textAnswer(response);
}

/** The status with the parsed body. */
export async function textAnswer({
  status,
  body,
}: WireResponse): Promise<{ readonly status: number; readonly body: unknown }> {
  const parts: Uint8Array[] = [];
  for await (const chunk of body) parts.push(chunk);
  return { status, body: parsed(Buffer.concat(parts).toString('utf8')) };
}

/** Proxies and the aggregation layer answer in plain text. */
function parsed(source: string): unknown {
  const json = parseJson(source);
  return json === undefined && source !== '' ? { message: source.slice(0, 500) } : json;
}

/** One object as JSON, by a GET at no version: what is stored at that moment. */
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { JsonObject } from '../../source/source.ts';
import type { Transport } from '../transport/transport.ts';
import { collectionPath } from '../watch/requests.ts';
import { readObject } from './read-object.ts';

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

/**
 * The requests behind look-ups, all of them without a resourceVersion, so that the API server answers with what is
 * stored at that moment and not with what its cache holds: a GET for one object, a list in place of many.
 */

import type { LookUp, LookUpAnswer } from '../../model/exchange/changes.ts';
import { objectFromJson } from '../../model/json/from-json.ts';
import { record, text } from '../../model/json/json.ts';
import { FOREGROUND_FINALIZER, type KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { wholeBody } from '../transport/whole-answer.ts';
import { ApiFailure, readFailure } from '../watch/failure.ts';
import type { MonitorContext } from '../watch/monitor.ts';
import { collectionPath, Requests } from '../watch/requests.ts';
import { parseJson } from '../wire/json-list.ts';

export type LookUpContext = Pick<MonitorContext, 'transport' | 'connection' | 'pool'>;

const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** What is at the coordinates. Rejects with an `ApiFailure`, or with whatever broke the connection. */
export async function lookUpObject(
  { transport }: LookUpContext,
  type: ResourceType,
  { namespace, name }: LookUp,
  signal: AbortSignal,
): Promise<LookUpAnswer> {
  const response = await transport.request({
    method: 'GET',
    path: `${collectionPath(type, type.namespaced ? namespace : undefined)}/${encodeURIComponent(name)}`,
    headers: { accept: metadata },
    signal,
  });
  if (response.status !== 200 && response.status !== 404) throw await readFailure(response);
  const json = record(parseJson(await wholeBody(response, transport.server)));
  if (response.status === 404) {
    // A path that nothing serves is answered with 404 as well, and says nothing of the object.
    if (text(record(json['details'])['name']) === name) return { state: 'absent' };
    throw new ApiFailure(404, `${type.resource} is no longer served`);
  }
  const object = objectFromJson(type, json);
  if (object === undefined) throw new ApiFailure(200, 'the answer is no object');
  return foundAs(object);
}

/** Every object of a type, in one namespace or in all. Rejects like `lookUpObject`. */
export async function listObjects(
  context: LookUpContext,
  type: ResourceType,
  { namespace, signal }: { readonly namespace: string | undefined; readonly signal: AbortSignal },
  item: (object: KubeObject) => void,
): Promise<void> {
  const requests = new Requests({ ...context, type, namespace, signal, bulk: false });
  await requests.list({ depth: 'metadata', resourceVersion: undefined, item });
}

export function foundAs({ uid, deletionTimestamp, finalizers }: KubeObject): LookUpAnswer {
  const foreground = deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
  return { state: 'found', uid, foreground };
}

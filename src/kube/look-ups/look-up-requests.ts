/** The requests behind look-ups. Without a resourceVersion the API server answers from storage, not from its cache. */

import {
  type Content,
  eventJson,
  Facts,
  FOREGROUND_FINALIZER,
  type JsonRecord,
  type KubeObject,
  type LookUp,
  type LookUpAnswer,
  list,
  type ResourceType,
  record,
  text,
} from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { deadline, type Timing } from '../transport/timing.ts';
import { wholeBody } from '../transport/whole-answer.ts';
import { ApiFailure, readFailure } from '../watch/api-failure.ts';
import { CollectionRequests, collectionPath, type Depth } from '../watch/collection-requests.ts';
import type { MonitorContext } from '../watch/type-monitor.ts';
import { objectFromAnswer, parseJson } from '../wire/json-list.ts';

export type LookUpContext = Pick<MonitorContext, 'transport' | 'connection' | 'pool'>;

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface ReadOptions {
  /** Kinds without facts are always read as metadata: no data of a Secret is transferred. */
  readonly depth: Depth;
  readonly signal: AbortSignal;
}

/** Limit of events about one object. */
const MOST_EVENTS = 50;

const metadata = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** Returns undefined if there is none. Rejects with an `ApiFailure`, or with the connection's error. */
export async function readObjectAt(
  { transport }: LookUpContext,
  type: ResourceType,
  { namespace, name }: Place,
  { depth, signal }: ReadOptions,
): Promise<KubeObject | undefined> {
  const isWhole = depth === 'full' && Facts.areOf(type);
  const response = await transport.request({
    method: 'GET',
    path: `${collectionPath(type, type.namespaced ? namespace : undefined)}/${encodeURIComponent(name)}`,
    headers: { accept: isWhole ? 'application/json' : metadata },
    signal,
  });
  if (response.status !== 200 && response.status !== 404) throw await readFailure(response);
  const json = record(parseJson(await wholeBody(response, transport.server)));
  if (response.status === 404) {
    // An unserved path also answers 404, without the object's name.
    if (text(record(json['details'])['name']) === name) return undefined;
    throw new ApiFailure(404, `${type.resource} is no longer served`);
  }
  const object = objectFromAnswer(type, json, isWhole);
  if (object === undefined) throw new ApiFailure(200, 'the answer is no object');
  return object;
}

/**
 * Reads a whole object and the events about it, if those may be read. Undefined if it is gone. Rejects like
 * `readObjectAt`.
 */
export async function readContentAt(
  { transport }: LookUpContext,
  type: ResourceType,
  { namespace, name, uid }: LookUp,
  signal: AbortSignal,
): Promise<Content | undefined> {
  const path = `${collectionPath(type, type.namespaced ? namespace : undefined)}/${encodeURIComponent(name)}`;
  const response = await transport.request({
    method: 'GET',
    path,
    headers: { accept: 'application/json' },
    signal,
  });
  if (response.status === 404) return undefined;
  if (response.status !== 200) throw await readFailure(response);
  const json = record(parseJson(await wholeBody(response, transport.server)));
  if (record(json['metadata'])['uid'] !== uid) return undefined;
  const query = new URLSearchParams({
    fieldSelector: `involvedObject.uid=${uid}`,
    limit: String(MOST_EVENTS),
  });
  const events = await transport.request({
    method: 'GET',
    // Events about cluster-scoped objects may be in any namespace.
    path: `${namespace === '' ? '/api/v1' : `/api/v1/namespaces/${encodeURIComponent(namespace)}`}/events?${query.toString()}`,
    headers: { accept: 'application/json' },
    signal,
  });
  const body = await wholeBody(events, transport.server);
  if (events.status !== 200) return { json };
  const items = list(record(parseJson(body))['items']);
  const said = items.flatMap(each => eventJson.read(record(each))?.said ?? []);
  return { json, events: eventJson.readLatest(said) };
}

/**
 * Checks if a user may update or patch the object or, except for custom resources, its status. Undefined if the API
 * server couldn't tell. Rejects like `readObjectAt`.
 */
export async function mayRemoveFinalizers(
  { transport }: LookUpContext,
  { group, version, resource }: ResourceType,
  { namespace, name, user = '' }: LookUp,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const isBuiltIn = !group.includes('.') || group.endsWith('.k8s.io');
  let isSure = true;
  for (const subresource of isBuiltIn ? ['', 'status'] : [''])
    for (const verb of ['patch', 'update']) {
      const resourceAttributes = { group, version, resource, subresource, namespace, name, verb };
      const { allowed, evaluationError } = await reviewed(transport, { user, resourceAttributes }, signal);
      if (allowed) return true;
      if (evaluationError !== '') isSure = false;
    }
  return isSure ? false : undefined;
}

interface Reviewed {
  readonly allowed: boolean;
  readonly evaluationError: string;
}

async function reviewed(
  transport: LookUpContext['transport'],
  { user, resourceAttributes }: { readonly user: string; readonly resourceAttributes: JsonRecord },
  signal: AbortSignal,
): Promise<Reviewed> {
  const response = await transport.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups: groupsOf(user), resourceAttributes },
    }),
    harmless: true,
    signal,
  });
  if (response.status !== 201 && response.status !== 200) throw await readFailure(response);
  const status = record(record(parseJson(await wholeBody(response, transport.server)))['status']);
  if (typeof status['allowed'] !== 'boolean') throw new ApiFailure(200, 'the answer is no review');
  return { allowed: status['allowed'], evaluationError: text(status['evaluationError']) };
}

/** Returns a ServiceAccount's groups (apiserver pkg/authentication/serviceaccount/util.go, v0.36). */
function groupsOf(user: string): string[] {
  const [, , namespace = ''] = user.split(':');
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

interface ListOptions extends ReadOptions {
  readonly namespace: string | undefined;
  readonly name?: string;
}

/** Lists a type's objects, or those of a name, in one namespace or in all. Rejects like `readObjectAt`. */
export async function listObjects(
  context: LookUpContext,
  type: ResourceType,
  { namespace, name, depth, signal }: ListOptions,
  item: (object: KubeObject) => void,
): Promise<void> {
  const requests = new CollectionRequests({ ...context, type, namespace, signal, bulk: false });
  await requests.list({ depth, resourceVersion: undefined, item, ...(name !== undefined && { name }) });
}

export function unreadReason(error: unknown): string {
  if (error instanceof ApiFailure) {
    if (error.code === 403) return 'reading it is forbidden';
    return error.message === '' ? `status ${error.code}` : error.message;
  }
  return error instanceof SourceError ? error.message : 'the connection broke';
}

const NO_ANSWER_MS = 10_000;

/** Limits a request's time; rejects with a `SourceError` when it is over. */
export async function withinLimit<T>(
  timing: Timing,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = deadline(timing, NO_ANSWER_MS, signal);
  try {
    return await request(limit.signal);
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted) throw new SourceError('no answer came');
    throw error;
  } finally {
    limit.end();
  }
}

export function foundAs({ uid, deletionTimestamp, finalizers }: KubeObject): LookUpAnswer {
  const foreground = deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
  return { state: 'found', uid, foreground };
}

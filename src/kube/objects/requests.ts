/** Requests about single objects: consistent reads, actions, reviews, dry runs, and Events, which aren't watched. */

import {
  type ActAnswer,
  type ActRequest,
  changesNothing,
  type DryRunAnswer,
  type DryRunRequest,
} from '../../model/exchange/act.ts';
import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { eventFromJson, latestEvents } from '../../model/json/events-from-json.ts';
import { type JsonRecord, list, record, text, time } from '../../model/json/json.ts';
import type { Said } from '../../model/said.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import {
  type EventSubject,
  type GoneSubject,
  type JsonObject,
  SourceError,
  type ToldEvent,
} from '../../source/source.ts';
import { concealed, plainText } from '../config/known-credentials.ts';
import { longWait, retryAfter } from '../transport/retry-policy.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { getJson, wholeBody } from '../transport/whole-answer.ts';
import { collectionPath } from '../watch/requests.ts';
import { parseJson } from '../wire/json-list.ts';

export interface ObjectRequest {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly accept: string;
  readonly signal?: AbortSignal | undefined;
}

/** Returns undefined if there is none. Rejects with a `SourceError` if it can't be read. */
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
  readonly what: string;
  readonly name: string;
}

/** Returns undefined if the object doesn't exist. Rejects with a `SourceError`. */
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
    // Unserved paths and some proxies answer 404, too, without the object's name.
    if (record(record(json)['details'])['name'] === name) return undefined;
    throw fail('nothing is served there (404)');
  }
  if (status !== 200) {
    const { message } = record(json);
    // A proxy or the aggregation layer answers in plain text; HTML pages carry no useful message.
    const isPlain = (headers['content-type'] ?? '').startsWith('text/plain');
    const text = typeof message === 'string' ? message : isPlain ? source : '';
    throw fail((plainText(text, 200) || `status ${status}`) + longWait(headers, Date.now()));
  }
  if (typeof json !== 'object' || json === null) throw fail('the answer is no object');
  return json as JsonObject;
}

/**
 * Rejects with a `SourceError` if no answer came. Once `enough` is aborted, nothing is sent again: a question ends at
 * once, a change still waits for its answer.
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
  // A webhook, for instance, may quote the request's headers.
  return typeof message === 'string' ? { ...record(json), message: concealed(message) } : json;
}

/** Resolves with any status. Rejects with a `SourceError` without an answer, and for anything but a dry run. */
export async function dryRun(
  transport: Transport,
  request: DryRunRequest,
  signal?: AbortSignal,
): Promise<DryRunAnswer> {
  if (!changesNothing(request))
    throw new SourceError(`not sent, because it is no dry run: ${request.method} ${request.path}`);
  return act(transport, request, { asks: true, enough: signal });
}

// Events about cluster-scoped objects are in this namespace.
const EVENTS = '/api/v1/namespaces/default/events';
/** An object that is stuck for long has few Events, which are repeated. */
const MOST_ABOUT_ONE = 200;

/** Returns the newest first, without duplicates. Rejects with a `SourceError`, also if Events are forbidden. */
export async function eventsAbout(
  transport: Transport,
  { namespace, uid }: EventSubject,
  signal?: AbortSignal,
): Promise<readonly Said[]> {
  const items = await listEvents(transport, namespace, `involvedObject.uid=${uid}`, signal);
  return latestEvents(items.flatMap(each => eventFromJson(each)?.said ?? []));
}

/** The reason for a child's deletion by a workload controller (record.Eventf in their controller_utils.go, v1.36). */
const CHILD_DELETED = 'reason=SuccessfulDelete';

/** Returns the oldest first, at most a few hundred. Rejects with a `SourceError`, also if Events are forbidden. */
export async function eventsOfGone(
  transport: Transport,
  { namespace, kind, name }: GoneSubject,
  signal?: AbortSignal,
): Promise<readonly ToldEvent[]> {
  const own = `involvedObject.kind=${fieldValue(kind)},involvedObject.name=${fieldValue(name)}`;
  const [about, controllers] = await Promise.all([
    listEvents(transport, namespace, own, signal),
    listEvents(transport, namespace, CHILD_DELETED, signal),
  ]);
  const told = [...about.flatMap(toldEvent), ...controllers.flatMap(toldEvent).filter(isAbout(name))];
  return told.sort((a, b) => (a.said.at ?? 0) - (b.said.at ?? 0));
}

/** Escapes as field selectors require (apimachinery/pkg/fields/selector.go, EscapeValue). */
function fieldValue(text: string): string {
  return text.replace(/[\\,=]/gu, String.raw`\$&`);
}

/** Matches messages that contain the name as a word: `Deleted pod: web-0`. */
function isAbout(name: string): (event: ToldEvent) => boolean {
  return ({ said: { message } }) => message.split(/[^A-Za-z0-9.-]+/u).includes(name);
}

function toldEvent(event: JsonRecord): ToldEvent[] {
  const said = eventFromJson(event)?.said;
  if (said === undefined) return [];
  const { namespace, kind, name } = record(event['involvedObject']);
  return [{ about: { namespace: text(namespace), kind: text(kind), name: text(name) }, said }];
}

async function listEvents(
  transport: Transport,
  namespace: string,
  fieldSelector: string,
  signal: AbortSignal | undefined,
): Promise<readonly JsonRecord[]> {
  const path = namespace === '' ? EVENTS : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
  const query = new URLSearchParams({ fieldSelector, limit: String(MOST_ABOUT_ONE) });
  const { json, status, message } = await getJson(transport, `${path}?${query.toString()}`, {
    ...(signal && { signal }),
  });
  if (status !== 200)
    throw new SourceError(`cannot read the events: ${message || `status ${status}`}`, { status });
  return list(record(json)['items']).map(record);
}

const REMOVING_NODE = 'involvedObject.kind=Node,reason=RemovingNode';
/** Events are kept for an hour, with far fewer removed nodes. */
const EVENT_LIMIT = 2_000;

/**
 * Reads node removals from Events of the node lifecycle controller
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36), in whole seconds and up to a node monitor period
 * (5 s by default) late. Empty if Events are forbidden. Rejects with a `SourceError` if no answer came.
 */
export async function nodeRemovals(transport: Transport): Promise<ReadonlyMap<string, NodeRemoval>> {
  const query = new URLSearchParams({ fieldSelector: REMOVING_NODE, limit: String(EVENT_LIMIT) });
  const { json } = await getJson(transport, `${EVENTS}?${query.toString()}`);
  const removals = new Map<string, NodeRemoval>();
  for (const item of list(record(json)['items'])) {
    const event = record(item);
    const name = text(record(event['involvedObject'])['name']);
    const made = time(event['eventTime']) ?? time(record(event['metadata'])['creationTimestamp']);
    const last = time(event['lastTimestamp']) ?? made;
    if (name === '' || last === undefined) continue;
    // A repeated Event updates its last timestamp; a node registered again has Events of its own.
    const first = time(event['firstTimestamp']) ?? made ?? last;
    const known = removals.get(name) ?? { first, last };
    removals.set(name, { first: Math.min(first, known.first), last: Math.max(last, known.last) });
  }
  return removals;
}

/** Requests about single objects: consistent reads, actions, reviews, dry runs, and Events, which aren't watched. */

import {
  type ActAnswer,
  ActRequest,
  type DryRunRequest,
  eventJson,
  type JsonRecord,
  list,
  type NodeRemoval,
  type ResourceType,
  record,
  text,
  time,
} from '../../model/index.ts';
import { type JsonObject, type Source, SourceError, type ToldEvent } from '../../source/index.ts';
import { concealed, plainText } from '../config/known-credentials.ts';
import { longWait, retryAfter } from '../transport/retry-policy.ts';
import type { Transport, WireResponse } from '../transport/transport.ts';
import { getJson, wholeBody } from '../transport/whole-answer.ts';
import { collectionPath } from '../watch/collection-requests.ts';
import { parseJson } from '../wire/json-list.ts';

// Events about cluster-scoped objects are in this namespace.
const EVENTS = '/api/v1/namespaces/default/events';
/** An object that is stuck for long has few Events, which are repeated. */
const MOST_ABOUT_ONE = 200;

/** The reason for a child's deletion by a workload controller (record.Eventf in their controller_utils.go, v1.36). */
const CHILD_DELETED = 'reason=SuccessfulDelete';

const REMOVING_NODE = 'involvedObject.kind=Node,reason=RemovingNode';
/** Events are kept for an hour, with far fewer removed nodes. */
const EVENT_LIMIT = 2_000;

/** Whole objects are large: a list of more is left unread. */
const PAGE = 500;
const MOST_PAGES = 20;

const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** The port of kube-controller-manager's pages. */
const MANAGER_PORT = 10257;

type Answers = Required<Source>;

/** All methods reject with a `SourceError`. */
export class ObjectRequests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get server(): string {
    return this.#transport.server;
  }

  readonly get: Answers['get'] = (type, namespace, name, signal) =>
    this.#get({ type, namespace, name }, 'application/json', signal);

  readonly getMetadata: Answers['getMetadata'] = (type, namespace, name) =>
    this.#get({ type, namespace, name }, PARTIAL);

  readonly list: Answers['list'] = async (type, namespace, signal) => {
    const path = collectionPath(type, type.namespaced ? namespace : undefined);
    const items: JsonRecord[] = [];
    let next = '';
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next !== '' && { continue: next }) });
      const { json, status, message } = await getJson(this.#transport, `${path}?${query.toString()}`, {
        ...(signal && { signal }),
      });
      if (status !== 200)
        throw new SourceError(`cannot list ${type.resource}: ${message || `status ${status}`}`, { status });
      items.push(...list(record(json)['items']).map(record));
      next = text(record(record(json)['metadata'])['continue']);
      if (next === '') return items;
    }
    throw new SourceError(`there are more than ${PAGE * MOST_PAGES} ${type.resource}`);
  };

  async #get(
    { type, namespace, name }: Place,
    accept: string,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const scope = type.namespaced ? namespace : undefined;
    const response = await this.#transport.request({
      method: 'GET',
      path: `${collectionPath(type, scope)}/${encodeURIComponent(name)}`,
      headers: { accept },
      ...(signal !== undefined && { signal }),
    });
    const what = `${type.kind} ${scope === undefined ? name : `${scope}/${name}`}`;
    return readObject(response, { server: this.server, what, name });
  }

  /** Once `enough` is aborted, nothing is sent again: a question ends at once, a change still waits for its answer. */
  readonly act: Answers['act'] = (request, enough) =>
    this.#send(request, ActRequest.isReview(request), enough);

  async #send(
    { method, path, contentType, body }: ActRequest | DryRunRequest,
    asks: boolean,
    enough: AbortSignal | undefined,
  ): Promise<ActAnswer> {
    const response = await this.#transport.request({
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
      body: parsed(await wholeBody(response, this.server)),
      ...(asked !== undefined && { retryAfterMs: asked }),
    };
  }

  /** Resolves with any status. Refuses anything but a dry run. */
  readonly dryRun: Answers['dryRun'] = async (request, signal) => {
    if (!ActRequest.changesNothing(request))
      throw new SourceError(`not sent, because it is no dry run: ${request.method} ${request.path}`);
    return this.#send(request, true, signal);
  };

  /** Returns the newest first, without duplicates. */
  readonly events: Answers['events'] = async ({ namespace, uid }, signal) => {
    const items = await this.#listEvents(namespace, `involvedObject.uid=${uid}`, signal);
    return eventJson.readLatest(items.flatMap(each => eventJson.read(each)?.said ?? []));
  };

  /** Returns the oldest first, at most a few hundred. */
  readonly eventsOfGone: Answers['eventsOfGone'] = async ({ namespace, kind, name }, signal) => {
    const own = `involvedObject.kind=${fieldValue(kind)},involvedObject.name=${fieldValue(name)}`;
    const [about, controllers] = await Promise.all([
      this.#listEvents(namespace, own, signal),
      this.#listEvents(namespace, CHILD_DELETED, signal),
    ]);
    const told = [...about.flatMap(toldEvent), ...controllers.flatMap(toldEvent).filter(isAbout(name))];
    return told.sort((a, b) => (a.said.at ?? 0) - (b.said.at ?? 0));
  };

  async #listEvents(
    namespace: string,
    fieldSelector: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly JsonRecord[]> {
    const path = namespace === '' ? EVENTS : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    const query = new URLSearchParams({ fieldSelector, limit: String(MOST_ABOUT_ONE) });
    const { json, status, message } = await getJson(this.#transport, `${path}?${query.toString()}`, {
      ...(signal && { signal }),
    });
    if (status !== 200)
      throw new SourceError(`cannot read the events: ${message || `status ${status}`}`, { status });
    return list(record(json)['items']).map(record);
  }

  /**
   * Reads node removals from Events of the node lifecycle controller
   * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36), in whole seconds and up to a node monitor
   * period (5 s by default) late. Empty if Events are forbidden.
   */
  readonly nodeRemovals: Answers['nodeRemovals'] = async () => {
    const query = new URLSearchParams({ fieldSelector: REMOVING_NODE, limit: String(EVENT_LIMIT) });
    const { json } = await getJson(this.#transport, `${EVENTS}?${query.toString()}`);
    return removalsIn(list(record(json)['items']).map(record));
  };

  /**
   * Reads a page of kube-controller-manager anonymously through the API server, which reaches its pod only if it
   * listens beyond its own machine: most clusters show nothing. Undefined if the page isn't shown; never rejects.
   */
  readonly managerPage: Answers['managerPage'] = async (pod, page, signal) => {
    try {
      const response = await this.#transport.request({
        method: 'GET',
        path: `/api/v1/namespaces/kube-system/pods/https:${encodeURIComponent(pod)}:${MANAGER_PORT}/proxy/${page}`,
        headers: { accept: 'text/plain' },
        signal,
      });
      const text = await wholeBody(response, this.server);
      return response.status === 200 ? text : undefined;
    } catch {
      return undefined;
    }
  };
}

interface Place {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** Returns undefined if the object doesn't exist. */
async function readObject(
  response: WireResponse,
  { server, what, name }: { readonly server: string; readonly what: string; readonly name: string },
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

/** Proxies and the aggregation layer answer in plain text. */
function parsed(source: string): unknown {
  const json = parseJson(source);
  if (json === undefined) return source === '' ? undefined : { message: concealed(source).slice(0, 500) };
  const { message } = record(json);
  // A webhook, for instance, may quote the request's headers.
  return typeof message === 'string' ? { ...record(json), message: concealed(message) } : json;
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
  const said = eventJson.read(event)?.said;
  if (said === undefined) return [];
  const { namespace, kind, name } = record(event['involvedObject']);
  return [{ about: { namespace: text(namespace), kind: text(kind), name: text(name) }, said }];
}

function removalsIn(events: readonly JsonRecord[]): ReadonlyMap<string, NodeRemoval> {
  const removals = new Map<string, NodeRemoval>();
  for (const event of events) {
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

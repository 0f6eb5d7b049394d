/**
 * Looks at the object of a request of which nobody knows whether it took effect: no answer came, or one that leaves it
 * open. Such a request is never sent again by itself; what is found says what became of it so far.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { type ActRequest, isUnreadable } from '../../model/exchange/act.ts';
import { type JsonRecord, record, text, texts } from '../../model/json/json.ts';
import { objectAt } from './fresh.ts';
import type { FoundState, FreshRead, RunPorts } from './ports.ts';

const PATIENCE_MILLISECONDS = 15_000;
const PAUSE_MILLISECONDS = 1_000;

type Ports = Pick<RunPorts, 'view' | 'source' | 'now' | 'changed' | 'signal'>;

/** The objects of requests before they are sent, by the requests' paths. */
export function objectsOf(requests: readonly ActRequest[], view: ClusterView): ReadonlyMap<string, Before> {
  const found = new Map<string, Before>();
  for (const { path } of requests) {
    const place = objectAt(path, view);
    const object = place && view.graph.find(place.type, place.namespace, place.name)?.object;
    if (object === undefined) continue;
    const { resourceVersion, deletionTimestamp } = object;
    found.set(path, {
      identity: identityOfObject(object),
      resourceVersion,
      isDeleting: deletionTimestamp !== undefined,
    });
  }
  return found;
}

export interface Before {
  readonly identity: Identity;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
}

/** `before`: the object as it was when the request was sent; undefined for one that was to be made. */
export async function readBack(
  request: ActRequest,
  before: Before | undefined,
  ports: Ports,
): Promise<FreshRead> {
  const made = before === undefined ? identityIn(request) : undefined;
  const object = before?.identity ?? made;
  const type = object && ports.view.catalog.resolveKind(object.apiVersion, object.kind);
  if (object === undefined || type === undefined) {
    const unnamed = {
      apiVersion: '',
      kind: 'object',
      namespace: '',
      name: request.path,
      uid: '',
    } as Identity;
    return { request, object: object ?? unnamed, now: { is: 'unread', because: 'it is not known here' } };
  }
  const deadline = ports.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      const json = await ports.source.get(type, object.namespace, object.name);
      return { request, object, now: before === undefined ? birthOf(json) : changeOf(json, before) };
    } catch (error) {
      // What took the answer away may take this one as well, for a moment; what may not be read stays so.
      if (isUnreadable(error) || ports.now() >= deadline || ports.signal?.aborted === true) {
        const because = error instanceof Error ? error.message : String(error);
        return { request, object, now: { is: 'unread', because } };
      }
    }
    await ports.changed(PAUSE_MILLISECONDS, ports.signal);
  }
}

/** What can be said of the request from what was found. */
export function observedEffect({ request, now }: FreshRead): 'some' | 'none' | 'unknown' {
  switch (now.is) {
    case 'same':
    case 'absent':
      return 'none';
    case 'unread':
      return 'unknown';
    case 'changed':
      // Somebody else's change, for a deletion shows.
      return request.method === 'DELETE' ? 'none' : 'some';
    case 'deleting':
    case 'gone':
    case 'replaced':
    case 'made':
      return 'some';
  }
}

function changeOf(json: JsonRecord | undefined, before: Before): FoundState {
  if (json === undefined) return { is: 'gone' };
  const { uid, resourceVersion, deletionTimestamp, finalizers } = record(json['metadata']);
  if (uid !== before.identity.uid) return { is: 'replaced', uid: text(uid) };
  const left = texts(finalizers);
  if (typeof deletionTimestamp === 'string' && !before.isDeleting) {
    return { is: 'deleting', since: deletionTimestamp, finalizers: left };
  }
  const is = resourceVersion === before.resourceVersion ? 'same' : 'changed';
  return { is, resourceVersion: text(resourceVersion), finalizers: left };
}

function birthOf(json: JsonRecord | undefined): FoundState {
  return json === undefined ? { is: 'absent' } : { is: 'made', uid: text(record(json['metadata'])['uid']) };
}

/** Of the object in a POST. */
function identityIn({ body }: ActRequest): Identity | undefined {
  const { apiVersion, kind, metadata } = record(body);
  const { namespace, name } = record(metadata);
  if (text(kind) === '' || text(name) === '') return undefined;
  const names = {
    apiVersion: text(apiVersion),
    kind: text(kind),
    namespace: text(namespace),
    name: text(name),
  };
  return { ...names, uid: '' } as Identity;
}

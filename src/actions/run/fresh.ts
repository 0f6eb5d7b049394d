/**
 * Reads the objects of an action from the API server. After a conflict it waits until the view has caught up: a forecast
 * would otherwise be made from the very state that has just been refused. Where nobody knows whether a request took effect
 * (no answer came, or one that leaves it open), its object says what became of it so far: it is never sent again by itself.
 */
import type { DeleteAction } from '../../forecast/action.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { mapConcurrently } from '../../model/concurrently.ts';
import { type ActRequest, isUnreadable, placeOf, refusalOf } from '../../model/exchange/act.ts';
import { keyOfLookUp, type LookUp } from '../../model/exchange/changes.ts';
import { type JsonRecord, record, text, texts } from '../../model/json/json.ts';
import { compareResourceVersions, type KubeObject, type Uid } from '../../model/object.ts';
import { asDryRun } from '../prepare/examine.ts';
import { identityIn } from '../prepare/expectations.ts';
import type { Intent } from '../prepare/intent.ts';
import { planUndo, undoIntent } from '../undo/undo.ts';
import type { FoundState, FreshRead, RunPorts } from './ports.ts';

const PATIENCE_MILLISECONDS = 15_000;
const AT_ONCE = 8;

type ServedObject = Pick<KubeObject, 'type' | 'namespace' | 'name'>;

type Ports = Pick<RunPorts, 'view' | 'source' | 'now' | 'changed' | 'signal'>;

/**
 * Resolves when the view shows the objects that the requests name as they were a moment ago, or newer; with false
 * where that doesn't happen. What the user may not read is taken to be as shown, unless it is known to have `changed`:
 * requests are bound to it. Rejects where something cannot be read for another reason.
 */
export async function catchUp(
  requests: readonly ActRequest[],
  ports: Ports,
  { changed }: { readonly changed: boolean },
): Promise<boolean> {
  const paths = [...new Set(requests.map(({ path }) => path))];
  const places = paths.flatMap(path => objectAt(path, ports.view) ?? []);
  const fresh = await mapConcurrently(places, AT_ONCE, place => catchUpOn(place, ports, changed));
  return fresh.every(each => each);
}

/**
 * Of the absences that an action goes by, the first that the API server contradicts now; undefined where all hold. They
 * were confirmed before they were offered, and a change is worth a second look. Rejects where that isn't answered.
 */
export async function contradicted(absences: readonly LookUp[], ports: Ports): Promise<LookUp | undefined> {
  const distinct = [...new Map(absences.map(each => [keyOfLookUp(each), each])).values()];
  const found = await mapConcurrently(distinct, AT_ONCE, each => isContradicted(each, ports));
  return distinct[found.indexOf(true)];
}

async function isContradicted(lookUp: LookUp, ports: Ports): Promise<boolean> {
  const { namespace, name } = lookUp;
  const type = ports.view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
  if (lookUp.of !== 'object' || type === undefined) return false;
  const live = await liveOf({ type, namespace, name }, ports);
  // A list has confirmed what may not be read one by one.
  if (live === undefined || live === 'unreadable') return false;
  return lookUp.uid === '' || record(live['metadata'])['uid'] === lookUp.uid;
}

/** The object that a path names; undefined for a collection, and for types that aren't served. */
function objectAt(path: string, view: ClusterView): ServedObject | undefined {
  const { group, resource, namespace, name = '' } = placeOf(path) ?? {};
  if (name === '' || resource === undefined) return undefined;
  const type = view.catalog.preferredOf({ group: group ?? '', resource });
  return type === undefined ? undefined : { type, namespace: namespace ?? '', name };
}

async function catchUpOn(place: ServedObject, ports: Ports, changed: boolean): Promise<boolean> {
  const live = await liveOf(place, ports);
  if (live === 'unreadable' && !changed) return true;
  const before = shown(place, ports.view);
  const isSo = (): boolean => {
    const now = shown(place, ports.view);
    // Anything newer than what was shown is later than the answer, or will be followed by it at once.
    return live === 'unreadable'
      ? now?.resourceVersion !== before?.resourceVersion
      : isAsNew(now, live, before);
  };
  const deadline = ports.now() + PATIENCE_MILLISECONDS;
  while (!isSo()) {
    const left = deadline - ports.now();
    // Where it cannot be read, nobody knows that anything has changed.
    if (left <= 0 || ports.signal?.aborted === true) return live === 'unreadable';
    await ports.changed(left, ports.signal);
  }
  return true;
}

async function liveOf(
  { type, namespace, name }: ServedObject,
  { source, signal }: Ports,
): Promise<JsonRecord | undefined | 'unreadable'> {
  try {
    return await source.get(type, namespace, name, signal);
  } catch (error) {
    if (isUnreadable(error)) return 'unreadable';
    throw error;
  }
}

type Shown = Pick<KubeObject, 'uid' | 'resourceVersion'>;

function shown({ type, namespace, name }: ServedObject, { graph }: ClusterView): Shown | undefined {
  return graph.find(type, namespace, name)?.object;
}

function isAsNew(now: Shown | undefined, live: JsonRecord | undefined, before: Shown | undefined): boolean {
  if (live === undefined) return now === undefined || now.uid !== before?.uid;
  const { uid, resourceVersion } = record(live['metadata']);
  if (now === undefined) return false;
  if (now.uid === uid && now.resourceVersion === resourceVersion) return true;
  return (compareResourceVersions(now.resourceVersion, String(resourceVersion)) ?? -1) > 0;
}

export interface Renewing extends Pick<RunPorts, 'view' | 'journal' | 'remedyFor'> {
  /** Objects whose deletion this action has asked for already. */
  readonly done: ReadonlySet<Uid>;
}

/** Undefined where nothing is left to do. */
export async function renew(intent: Intent, renewing: Renewing): Promise<Intent | undefined> {
  switch (intent.verb) {
    case 'delete':
      return renewDeletion(intent, renewing);
    case 'unblock': {
      const { view } = renewing;
      const among = intent.among?.flatMap(({ uid }) => view.graph.get(uid)?.object ?? []);
      // Of several that were chosen any may go first.
      const target = view.graph.get(intent.target.uid)?.object ?? among?.[0];
      const remedy = target && renewing.remedyFor(target, intent.remedy.id, among);
      return target === undefined || remedy === undefined ? undefined : { ...intent, target, remedy, among };
    }
    case 'undo': {
      const { view, journal } = renewing;
      const entry = await journal.entry(intent.entry);
      if (entry === undefined) return undefined;
      const kept = await journal.backupOf(entry);
      return undoIntent(entry, planUndo(entry, kept, view), kept, view);
    }
  }
}

/**
 * An object that was made under the same name since is what the name means now; it is another one, so a forecast
 * for it never promises the same. What this action has begun to delete needs no second request, and neither does
 * what went with it.
 */
function renewDeletion(intent: DeleteAction, { view, done }: Renewing): DeleteAction | undefined {
  const targets = intent.targets.flatMap(seen => {
    if (done.has(seen.uid)) return [];
    const living = view.graph.get(seen.uid)?.object;
    if (living !== undefined) {
      return done.size > 0 && isDeleting(living) && !isDeleting(seen) ? [] : [living];
    }
    // In the middle of it, one that is gone has gone with the others.
    return done.size > 0 ? [] : (view.graph.find(seen.type, seen.namespace, seen.name)?.object ?? []);
  });
  return targets.length === 0 ? undefined : { ...intent, targets };
}

const PAUSE_MILLISECONDS = 1_000;

/** What requests are about, as the view has it, by the requests' paths. */
function byPath(requests: readonly ActRequest[], view: ClusterView): ReadonlyMap<string, KubeObject> {
  const found = new Map<string, KubeObject>();
  for (const { path } of requests) {
    const place = objectAt(path, view);
    const object = place && view.graph.find(place.type, place.namespace, place.name)?.object;
    if (object !== undefined) found.set(path, object);
  }
  return found;
}

export function objectsNamed(requests: readonly ActRequest[], view: ClusterView): readonly KubeObject[] {
  return [...byPath(requests, view).values()];
}

/** The objects of requests before they are sent, by the requests' paths. */
export function objectsOf(requests: readonly ActRequest[], view: ClusterView): ReadonlyMap<string, Before> {
  const found = new Map<string, Before>();
  for (const [path, object] of byPath(requests, view)) {
    const { resourceVersion, deletionTimestamp } = object;
    found.set(path, {
      identity: identityOfObject(object),
      resourceVersion,
      isDeleting: deletionTimestamp !== undefined,
    });
  }
  return found;
}

/** The API server serves what a new definition defines some seconds after it has taken it. */
const SERVED_MILLISECONDS = 30_000;

/**
 * Tries a request about a kind whose definition was created a moment ago until the kind is served. What would be answered
 * against it then, or that it isn't served yet; undefined where it would be taken, or nobody can be asked.
 */
export async function untilServed(request: ActRequest, ports: Ports): Promise<string | undefined> {
  const { source, signal } = ports;
  if (source.dryRun === undefined) return undefined;
  const deadline = ports.now() + SERVED_MILLISECONDS;
  for (;;) {
    const answer = await source.dryRun(asDryRun(request), signal);
    const refusal = refusalOf(answer);
    // Until then nothing is served there, or it says that it isn't ready.
    if (refusal === undefined || (answer.status !== 404 && answer.status !== 503)) return refusal;
    if (ports.now() >= deadline)
      return `CustomResourceDefinition ${request.definition ?? ''} is created, and not served yet: ${refusal}`;
    await ports.changed(PAUSE_MILLISECONDS / 4, signal);
    signal?.throwIfAborted();
  }
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
  const object = before?.identity ?? identityIn(request.body, '');
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

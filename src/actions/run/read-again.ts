/**
 * Reads an action's objects: after a conflict, until the view catches up; after a doubtful request, to see its effect.
 * No request is ever resent.
 */
import { type DeleteAction, requestWords } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  ActAnswer,
  type ActRequest,
  type JsonRecord,
  type KubeObject,
  LookUp,
  list,
  mapConcurrently,
  ResourceVersion,
  record,
  shownName,
  text,
  texts,
  type Uid,
} from '../../model/index.ts';
import type { Intent } from '../prepare/action-intent.ts';
import { asDryRun } from '../prepare/examine.ts';
import { identityIn } from '../prepare/expectations.ts';
import { Undo } from '../undo/plan-undo.ts';
import type { Departure, FoundState, FreshRead, RunPorts } from './run-ports.ts';

const PATIENCE_MILLISECONDS = 15_000;
const AT_ONCE = 8;

type ServedObject = Pick<KubeObject, 'type' | 'namespace' | 'name'>;

type Ports = Pick<RunPorts, 'view' | 'source' | 'now' | 'changed' | 'signal'>;

/** Resolves with true once the view is up to date. Unreadable objects count as up to date unless `changed`. */
export async function catchUp(
  requests: readonly ActRequest[],
  ports: Ports,
  { changed }: { readonly changed: boolean },
): Promise<boolean> {
  const paths = [...new Set(requests.map(({ path }) => path))];
  const places = paths.flatMap(path => requestWords.placeAt(ports.view.catalog, path) ?? []);
  const fresh = await mapConcurrently(places, AT_ONCE, place => catchUpOn(place, ports, changed));
  return fresh.every(each => each);
}

/** Returns the first assumed absence that the API server contradicts. Rejects if one can't be checked. */
export async function contradicted(absences: readonly LookUp[], ports: Ports): Promise<LookUp | undefined> {
  const distinct = [...new Map(absences.map(each => [LookUp.key(each), each])).values()];
  const found = await mapConcurrently(distinct, AT_ONCE, each => isContradicted(each, ports));
  return distinct[found.indexOf(true)];
}

async function isContradicted(lookUp: LookUp, ports: Ports): Promise<boolean> {
  const { namespace, name } = lookUp;
  const type = ports.view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
  if (lookUp.of !== 'object' || type === undefined) return false;
  const live = await liveOf({ type, namespace, name }, ports);
  // A list confirmed those that can't be read one by one.
  if (live === undefined || live === 'unreadable') return false;
  return lookUp.uid === '' || record(live['metadata'])['uid'] === lookUp.uid;
}

async function catchUpOn(place: ServedObject, ports: Ports, changed: boolean): Promise<boolean> {
  const live = await liveOf(place, ports);
  if (live === 'unreadable' && !changed) return true;
  const before = shown(place, ports.view);
  const isSo = (): boolean => {
    const now = shown(place, ports.view);
    // A newer version than shown is later than the answer, or about to be followed by it.
    return live === 'unreadable'
      ? now?.resourceVersion !== before?.resourceVersion
      : isAsNew(now, live, before);
  };
  const deadline = ports.now() + PATIENCE_MILLISECONDS;
  while (!isSo()) {
    const left = deadline - ports.now();
    // An unreadable object may not have changed at all.
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
    if (ActAnswer.isUnreadable(error)) return 'unreadable';
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
  return (ResourceVersion.compare(now.resourceVersion, String(resourceVersion)) ?? -1) > 0;
}

/** Returns how the object of a request differs from `seen`. Removed finalizers and owner references don't count. */
export async function differenceFrom(
  seen: KubeObject | undefined,
  ports: Ports,
): Promise<Departure | undefined> {
  const live = seen && (await liveOf(seen, ports));
  // If it is gone, the answer to the request says so.
  if (seen === undefined || live === undefined || live === 'unreadable') return undefined;
  const { uid, finalizers, ownerReferences } = record(live['metadata']);
  const differs = (expected: string, actual: string): Departure => ({
    object: identityOfObject(seen),
    expected,
    actual,
  });
  if (uid !== seen.uid) return differs('is the same object', 'is another object now');
  const added = texts(finalizers).find(each => !seen.finalizers.includes(each));
  if (added !== undefined)
    return differs('has only those that it had', `has another finalizer now, ${added}`);
  const uids = new Set<string>(seen.owners.map(owner => owner.uid));
  const owner = list(ownerReferences)
    .map(record)
    .find(each => !uids.has(text(each['uid'])));
  if (owner === undefined) return undefined;
  const { kind, name } = owner;
  return differs('has only those that it had', `has another owner now, ${text(kind)} ${text(name)}`);
}

export interface Renewing extends Pick<RunPorts, 'view' | 'journal' | 'remedyFor'> {
  readonly done: ReadonlySet<Uid>;
}

/** Returns undefined if nothing is left to do. */
export async function renew(intent: Intent, renewing: Renewing): Promise<Intent | undefined> {
  switch (intent.verb) {
    case 'delete':
      return renewDeletion(intent, renewing);
    case 'unblock': {
      const { view } = renewing;
      const among = intent.among?.flatMap(({ uid }) => view.graph.get(uid)?.object ?? []);
      // Any of several chosen objects may be deleted first.
      const target = view.graph.get(intent.target.uid)?.object ?? among?.[0];
      const remedy = target && renewing.remedyFor(target, intent.remedy.id, among);
      return target === undefined || remedy === undefined ? undefined : { ...intent, target, remedy, among };
    }
    case 'undo': {
      const { view, journal } = renewing;
      const entry = await journal.entry(intent.entry);
      if (entry === undefined) return undefined;
      const kept = await journal.backupOf(entry);
      return Undo.intent(entry, Undo.plan(entry, kept, view), kept, view);
    }
  }
}

/** Targets the object that has the name now; another one never promises the same. Skips deletions begun. */
function renewDeletion(intent: DeleteAction, { view, done }: Renewing): DeleteAction | undefined {
  const targets = intent.targets.flatMap(seen => {
    if (done.has(seen.uid)) return [];
    const living = view.graph.get(seen.uid)?.object;
    if (living !== undefined) {
      return done.size > 0 && isDeleting(living) && !isDeleting(seen) ? [] : [living];
    }
    // Once begun, missing targets were deleted with the others.
    return done.size > 0 ? [] : (view.graph.find(seen.type, seen.namespace, seen.name)?.object ?? []);
  });
  return targets.length === 0 ? undefined : { ...intent, targets };
}

const PAUSE_MILLISECONDS = 1_000;

export function objectsByPath(
  requests: readonly ActRequest[],
  view: ClusterView,
): ReadonlyMap<string, KubeObject> {
  const found = new Map<string, KubeObject>();
  for (const { path } of requests) {
    const place = requestWords.placeAt(view.catalog, path);
    const object = place && view.graph.find(place.type, place.namespace, place.name)?.object;
    if (object !== undefined) found.set(path, object);
  }
  return found;
}

export function objectsOf(requests: readonly ActRequest[], view: ClusterView): ReadonlyMap<string, Before> {
  const found = new Map<string, Before>();
  for (const [path, object] of objectsByPath(requests, view)) {
    const { resourceVersion, deletionTimestamp } = object;
    found.set(path, {
      identity: identityOfObject(object),
      resourceVersion,
      isDeleting: deletionTimestamp !== undefined,
    });
  }
  return found;
}

/** The API server serves a new definition some seconds after accepting it. */
const SERVED_MILLISECONDS = 30_000;

/** Dry-runs a request until its kind is served. Returns the obstacle; undefined if it can be sent or not tried. */
export async function untilServed(request: ActRequest, ports: Ports): Promise<string | undefined> {
  const { source, signal } = ports;
  if (source.dryRun === undefined) return undefined;
  const deadline = ports.now() + SERVED_MILLISECONDS;
  for (;;) {
    const answer = await source.dryRun(asDryRun(request), signal);
    const refusal = ActAnswer.refusal(answer);
    // An unserved kind answers 404, one not ready 503.
    if (refusal === undefined || (answer.status !== 404 && answer.status !== 503)) return refusal;
    if (ports.now() >= deadline)
      return `CustomResourceDefinition ${request.definition ?? ''} is created, and not served yet: ${refusal}`;
    await ports.changed(PAUSE_MILLISECONDS / 4, signal);
    signal?.throwIfAborted();
  }
}

/** Waits until the object that the request replaces is gone. Returns the obstacle. */
export async function untilGone(
  { body, formerUid }: ActRequest,
  ports: Ports,
  patience: number,
): Promise<string | undefined> {
  const object = identityIn(body, formerUid ?? '');
  const type = object && ports.view.catalog.resolveKind(object.apiVersion, object.kind);
  if (object === undefined || type === undefined) return undefined;
  const deadline = ports.now() + patience;
  for (;;) {
    const live = await ports.source.get(type, object.namespace, object.name, ports.signal);
    if (record(live?.['metadata'])['uid'] !== formerUid) return undefined;
    if (ports.now() >= deadline) return `${object.kind} ${shownName(object.name)} is still there`;
    await ports.changed(PAUSE_MILLISECONDS / 4, ports.signal);
    ports.signal?.throwIfAborted();
  }
}

export interface Before {
  readonly identity: Identity;
  readonly resourceVersion: string;
  readonly isDeleting: boolean;
}

/** `before` is the object when the request was sent; undefined if it was to be created. */
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
      // The failure may last a moment; a forbidden read stays forbidden.
      if (ActAnswer.isUnreadable(error) || ports.now() >= deadline || ports.signal?.aborted === true) {
        const because = error instanceof Error ? error.message : String(error);
        return { request, object, now: { is: 'unread', because } };
      }
    }
    await ports.changed(PAUSE_MILLISECONDS, ports.signal);
  }
}

export function observedEffect({ request, now }: FreshRead): 'some' | 'none' | 'unknown' {
  switch (now.is) {
    case 'same':
    case 'absent':
      return 'none';
    case 'unread':
      return 'unknown';
    case 'changed':
      // A deletion would show, so another client made the change.
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

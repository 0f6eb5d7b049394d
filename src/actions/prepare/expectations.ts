/**
 * What a forecast lets one expect of each object, and of those around that it leaves alone: made before the
 * action, looked at while it is followed.
 */

import { type ChangedObject, expectedEnd } from '../../forecast/plan/plan.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { finalizersOf } from '../../graph/deletion.ts';
import type { GraphNode, Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import { type JsonRecord, record, text } from '../../model/json/json.ts';
import type { KubeObject, OwnerReference, Uid } from '../../model/object.ts';
import { isSameKind } from '../../model/types/resource-type.ts';
import { targetsOf, type UndoIntent } from './intent.ts';
import type { Prepared } from './prepare.ts';

export type Expectation =
  | { readonly end: 'gone'; readonly object: Identity }
  /** Still there and not being deleted, with what is to be left on it. */
  | ({ readonly end: 'changed'; readonly object: Identity } & Left)
  /** The same, being deleted and so held. `mayGo`: some handler of a finalizer may yet do its work. */
  | ({ readonly end: 'held'; readonly object: Identity; readonly mayGo: boolean } & Left)
  /** Made again, with a new uid. */
  | { readonly end: 'made'; readonly object: Identity }
  /** Still there as it was: not deleted, with the same owners. */
  | { readonly end: 'kept'; readonly object: Identity; readonly owners: ReadonlySet<Uid> }
  /** A controller makes so many new objects of a kind. */
  | {
      readonly end: 'recreated';
      readonly by: Identity;
      /** Who makes `by`, where that is made as well. */
      readonly above: Identity | undefined;
      readonly apiVersion: string;
      readonly kind: string;
      readonly count: number;
      /** What was there of the kind; where `by` is made as well, of the kind of `by`. */
      readonly before: ReadonlySet<Uid>;
    };

/** In no order. */
export interface Left {
  readonly finalizers: readonly string[];
  /** These, and so many references in all: several may have the same uid. Undefined where an owner is only made then. */
  readonly owners: { readonly uids: ReadonlySet<Uid>; readonly count: number } | undefined;
  /** Owners that it no longer blocks. */
  readonly unblocked: readonly Uid[];
  /** References that say something else by then. */
  readonly altered: readonly OwnerReference[];
}

/** Objects beside those that the forecast names which are watched for staying as they are. */
const MOST_ONLOOKERS = 2_000;

/**
 * `view` as it is before the action. `begun`: objects that earlier requests of the same action are about, so that
 * what becomes of them anyway is expected too.
 */
export function expectationsOf(
  prepared: Prepared,
  view: ClusterView,
  begun: ReadonlySet<Uid> = new Set(),
): readonly Expectation[] {
  const { forecast, intent } = prepared;
  const { deleted, terminating, changed } = expectedEnd(forecast);
  const found: Expectation[] = [];
  const spokenFor = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  const made = new Set<Uid>();
  for (const object of intent.verb === 'undo' ? madeBy(intent) : []) {
    made.add(object.uid);
    found.push({ end: 'made', object });
  }
  for (const { object, anyway } of deleted) {
    spokenFor.add(object.uid);
    if (!anyway || begun.has(object.uid)) found.push({ end: 'gone', object });
  }
  const changes = new Map(changed.map(each => [each.object.uid, each]));
  const isWorthIt = (each: { readonly object: Identity; readonly anyway: boolean } | undefined): boolean =>
    each !== undefined && (!each.anyway || begun.has(each.object.uid));
  const mayGo = terminating.some(({ handlers }) => handlers.some(({ state }) => state !== 'absent'));
  for (const each of [...terminating, ...changed]) {
    const { object } = each;
    if (spokenFor.has(object.uid)) continue;
    spokenFor.add(object.uid);
    const before = view.graph.get(object.uid)?.object;
    const change = changes.get(object.uid);
    if (before === undefined || !(isWorthIt(each) || isWorthIt(change))) continue;
    const left = leftOf(before, change, { view, made });
    found.push(
      'waitingFor' in each ? { end: 'held', object, mayGo, ...left } : { end: 'changed', object, ...left },
    );
  }
  // What follows where some handlers do their work, and others keep the whole from its end, is left open.
  const open = forecast.ifHandled;
  for (const { object } of [...(open?.deleted ?? []), ...(open?.changed ?? [])]) spokenFor.add(object.uid);
  for (const { by, above, apiVersion, kind, count, anyway } of forecast.recreated) {
    if (anyway || by === undefined) continue;
    const maker = above ?? by;
    const node = view.graph.get(maker.uid);
    if (node === undefined && !made.has(maker.uid)) continue;
    const below = above === undefined ? { apiVersion, kind } : by;
    const before = node === undefined ? new Set<Uid>() : uidsBelow(node, below);
    found.push({ end: 'recreated', by, above, apiVersion, kind, count, before });
  }
  const start = [...targetsOf(intent), ...prepared.concerned].map(({ uid }) => uid);
  for (const object of onlookers(view, start)) {
    if (spokenFor.has(object.uid) || object.deletionTimestamp !== undefined) continue;
    const owners = new Set(object.owners.map(({ uid }) => uid));
    found.push({ end: 'kept', object: identityOfObject(object), owners });
  }
  return found;
}

/** With the uids that objects have got when they were made again; `born` by the uids before. */
export function withBorn(
  expectations: readonly Expectation[],
  born: ReadonlyMap<string, string>,
): readonly Expectation[] {
  if (born.size === 0) return expectations;
  const uids = new Map<string, Uid>();
  for (const [former, uid] of born) uids.set(forecastUid(former), uid as Uid);
  const now = (uid: Uid): Uid => uids.get(uid) ?? uid;
  const named = (object: Identity): Identity => ({ ...object, uid: now(object.uid) });
  return expectations.map((each): Expectation => {
    if (each.end === 'recreated')
      return { ...each, by: named(each.by), above: each.above && named(each.above) };
    const object = named(each.object);
    if (each.end !== 'changed' && each.end !== 'held') return { ...each, object };
    const { owners } = each;
    return { ...each, object, owners: owners && { ...owners, uids: new Set([...owners.uids].map(now)) } };
  });
}

/** By the uids that the forecast gives them. */
function madeBy({ requests }: UndoIntent): Identity[] {
  return requests.flatMap(({ formerUid, body }) => {
    if (formerUid === undefined) return [];
    return identityIn(body, forecastUid(formerUid)) ?? [];
  });
}

/** Of the object that a request creates; undefined where it names none. */
export function identityIn(body: unknown, uid: string): Identity | undefined {
  const { apiVersion, kind, metadata } = record(body);
  const { namespace, name } = record(metadata);
  if (text(kind) === '' || text(name) === '') return undefined;
  return {
    apiVersion: text(apiVersion),
    kind: text(kind),
    namespace: text(namespace),
    name: text(name),
    uid: uid as Uid,
  };
}

interface Known {
  readonly view: ClusterView;
  /** Objects that the action makes. */
  readonly made: ReadonlySet<Uid>;
}

function leftOf(before: KubeObject, change: ChangedObject | undefined, { view, made }: Known): Left {
  const finalizers = finalizersOf(before);
  const uids = before.owners.map(({ uid }) => uid);
  if (change === undefined) {
    return { finalizers, owners: { uids: new Set(uids), count: uids.length }, unblocked: [], altered: [] };
  }
  const { ownerReferencesAdded: added, ownerReferencesRemoved: removed } = change;
  const isKnown = (uid: Uid): boolean => made.has(uid) || view.graph.get(uid) !== undefined;
  const left = uids.filter(uid => !removed.includes(uid));
  return {
    finalizers: [
      ...finalizers.filter(each => !change.finalizersRemoved.includes(each)),
      ...change.finalizersAdded,
    ],
    owners: added.every(isKnown)
      ? { uids: new Set([...left, ...added]), count: change.ownerReferencesLeft }
      : undefined,
    unblocked: change.ownerReferencesUnblocked,
    // Of several to the same owner, any may be the one that is altered.
    altered: before.owners.filter(
      ({ uid }) => change.ownerReferencesAltered.includes(uid) && uids.indexOf(uid) === uids.lastIndexOf(uid),
    ),
  };
}

export function uidsBelow(node: GraphNode, of: Pick<Identity, 'apiVersion' | 'kind'>): Set<Uid> {
  const found = new Set<Uid>();
  for (const { object } of node.dependents)
    if (object !== undefined && isSameKind(object.type, of)) found.add(object.uid);
  return found;
}

/**
 * Everything below the objects that the action is about or alters, and the other owners of it. Others are none of
 * its business: what becomes of them meanwhile is somebody else's doing.
 */
function* onlookers(view: ClusterView, start: Iterable<Uid>): IterableIterator<KubeObject> {
  const seen = new Set<Uid>(start);
  const owners = new Set<Uid>();
  // What is added to a set while it is gone through comes later in it.
  for (const uid of seen) {
    const node = view.graph.get(uid);
    if (node?.object === undefined) continue;
    yield node.object;
    for (const { identity } of node.dependents) if (seen.size < MOST_ONLOOKERS) seen.add(identity.uid);
    for (const owner of node.owners) owners.add(owner.uid);
  }
  for (const uid of owners) {
    const owner = seen.has(uid) ? undefined : view.graph.get(uid)?.object;
    if (owner !== undefined) yield owner;
  }
}

/** The uid by which a forecast speaks of an object that will be recreated: its new one isn't known before. */
export function forecastUid(formerUid: string): Uid {
  return `again-${formerUid}` as Uid;
}

/** The request as it is sent: former uids in owner references replaced, but not where it tests what is there now. */
export function withNewOwners(request: ActRequest, born: ReadonlyMap<string, string>): ActRequest {
  if (born.size === 0) return request;
  return { ...request, body: replaced(request.body, born) };
}

function replaced(value: unknown, born: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[]).map(each => replaced(each, born));
  if (typeof value !== 'object' || value === null) return value;
  const fields: JsonRecord = record(value);
  if (fields['op'] === 'test') return value;
  const isReference = typeof fields['uid'] === 'string' && 'kind' in fields && 'apiVersion' in fields;
  return Object.fromEntries(
    Object.entries(fields).map(([key, each]) => [
      key,
      isReference && key === 'uid' ? (born.get(String(each)) ?? each) : replaced(each, born),
    ]),
  );
}

/** Lists the end expected for each object and for bystanders. Made before the action, checked while it is followed. */

import { type ChangedObject, Forecast } from '../../forecast/index.ts';
import {
  type ClusterView,
  type GraphNode,
  type Identity,
  identityOfObject,
  objectDeletion,
} from '../../graph/index.ts';
import {
  ActRequest,
  type JsonRecord,
  type KubeObject,
  type OwnerReference,
  ResourceType,
  record,
  text,
  type Uid,
} from '../../model/index.ts';
import { Intent } from './action-intent.ts';
import type { Prepared } from './prepare.ts';

export type Expectation =
  | { readonly end: 'gone'; readonly object: Identity }
  /** Still exists and isn't being deleted, with this much left on it. */
  | ({ readonly end: 'changed'; readonly object: Identity } & Left)
  /** Being deleted and held, with this much left on it. `mayGo`: a finalizer's handler may still act. */
  | ({ readonly end: 'held'; readonly object: Identity; readonly mayGo: boolean } & Left)
  /** Recreated with a new uid. */
  | { readonly end: 'made'; readonly object: Identity }
  /** A volume bound to a new claim instead of the one with the uid `former`. */
  | { readonly end: 'bound'; readonly object: Identity; readonly former: string }
  /** Unchanged: not deleted, and with the same owners. */
  | { readonly end: 'kept'; readonly object: Identity; readonly owners: ReadonlySet<Uid> }
  /** A controller creates `count` new objects of a kind. */
  | {
      readonly end: 'recreated';
      readonly by: Identity;
      /** The controller that creates `by`, if that is new as well. */
      readonly above: Identity | undefined;
      readonly apiVersion: string;
      readonly kind: string;
      readonly count: number;
      /** Existing objects of the kind; if `by` is new, of the kind of `by`. */
      readonly before: ReadonlySet<Uid>;
    };

export interface Left {
  readonly finalizers: readonly string[];
  /** The uids and the number of references: several may share a uid. Undefined if an owner doesn't exist yet. */
  readonly owners: { readonly uids: ReadonlySet<Uid>; readonly count: number } | undefined;
  readonly unblocked: readonly Uid[];
  readonly altered: readonly OwnerReference[];
}

/** Limit on unnamed objects watched for staying unchanged. */
const MOST_ONLOOKERS = 2_000;

/** `view` is the state before the action. `begun`: objects of earlier requests, so their `anyway` ends count too. */
export function expectationsOf(
  prepared: Prepared,
  view: ClusterView,
  begun: ReadonlySet<Uid> = new Set(),
): readonly Expectation[] {
  const { forecast, intent } = prepared;
  const { deleted, terminating, changed } = Forecast.expectedEnd(forecast);
  const found: Expectation[] = [];
  const spokenFor = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  const made = new Set<Uid>();
  for (const object of madeBy(prepared)) {
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
  // If only some handlers act, the end can't be known, so nothing is expected.
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
  for (const each of forecast.warnings)
    if (each.code === 'dataKept') found.push(...each.volumes.flatMap(name => boundVolume(view, name)));
  const start = [...Intent.targets(intent), ...prepared.concerned].map(({ uid }) => uid);
  for (const object of onlookers(view, start)) {
    if (spokenFor.has(object.uid) || object.deletionTimestamp !== undefined) continue;
    const owners = new Set(object.owners.map(({ uid }) => uid));
    found.push({ end: 'kept', object: identityOfObject(object), owners });
  }
  return found;
}

/** Replaces former uids by those of the recreated objects. */
export function withBorn(
  expectations: readonly Expectation[],
  born: ReadonlyMap<string, string>,
): readonly Expectation[] {
  if (born.size === 0) return expectations;
  const uids = new Map<string, Uid>();
  for (const [former, uid] of born) uids.set(ActRequest.newUid(former), uid as Uid);
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

function boundVolume({ catalog, graph }: ClusterView, name: string): Expectation[] {
  const type = catalog.resolveKind('v1', 'PersistentVolume');
  const volume = type && graph.find(type, '', name)?.object;
  return volume?.facts?.kind === 'PersistentVolume'
    ? [{ end: 'bound', object: identityOfObject(volume), former: volume.facts.claimUid }]
    : [];
}

function madeBy({ requests }: Prepared): Identity[] {
  return requests.flatMap(({ formerUid, body }) => {
    if (formerUid === undefined) return [];
    return identityIn(body, ActRequest.newUid(formerUid)) ?? [];
  });
}

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
  readonly made: ReadonlySet<Uid>;
}

function leftOf(before: KubeObject, change: ChangedObject | undefined, { view, made }: Known): Left {
  const finalizers = objectDeletion.finalizers(before);
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
    // If several references share an owner, any of them may be the altered one.
    altered: before.owners.filter(
      ({ uid }) => change.ownerReferencesAltered.includes(uid) && uids.indexOf(uid) === uids.lastIndexOf(uid),
    ),
  };
}

export function uidsBelow(node: GraphNode, of: Pick<Identity, 'apiVersion' | 'kind'>): Set<Uid> {
  const found = new Set<Uid>();
  for (const { object } of node.dependents)
    if (object !== undefined && ResourceType.isSameKind(object.type, of)) found.add(object.uid);
  return found;
}

/** Yields everything below the action's objects, and its other owners. Changes elsewhere are unrelated. */
function* onlookers(view: ClusterView, start: Iterable<Uid>): IterableIterator<KubeObject> {
  const seen = new Set<Uid>(start);
  const owners = new Set<Uid>();
  // Iterating a set includes members added meanwhile.
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

/** Replaces former uids in owner references, but not in test operations. */
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

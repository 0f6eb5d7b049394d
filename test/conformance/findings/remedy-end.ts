/**
 * What a forecast says is left of a run, and what is: the same words for both, so that they can be compared object
 * by object.
 */

import type { ChangedObject, Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { objectDeletion } from '../../../src/graph/deletion.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import type { PrefixedPlayer } from '../prefixed-player.ts';

export interface ForecastDifference {
  readonly object: string;
  readonly forecast: string;
  readonly real: string;
}

/** A description of each object, or how many new ones there are of a sort. */
export type DescribedEnd = ReadonlyMap<string, { readonly name: string; readonly is: string }>;

const GONE = 'gone';

/** Made by controllers that forecasts leave out, in every namespace or for every Service. */
function isFurniture({ type: { kind }, name }: KubeObject): boolean {
  return (
    (kind === 'ConfigMap' && name === 'kube-root-ca.crt') ||
    (kind === 'ServiceAccount' && name === 'default') ||
    kind === 'EndpointSlice' ||
    kind === 'Endpoints'
  );
}

/** The run's objects, its namespaces included. */
function* ownObjects(view: ClusterView, player: PrefixedPlayer): IterableIterator<KubeObject> {
  const { prefix } = player.placement;
  for (const { object } of view.graph.nodes()) {
    if (object === undefined || isFurniture(object)) continue;
    const { type, name } = object;
    const owned = player.owns({ kind: type.kind, namespace: object.namespace, name, uid: object.uid });
    if (owned || (type.kind === 'Namespace' && name.startsWith(`${prefix}-`))) yield object;
  }
}

export function forecastEnd(view: ClusterView, forecast: Forecast, player: PrefixedPlayer): DescribedEnd {
  const deleted = new Set(forecast.deleted.map(({ object }) => object.uid));
  const terminating = new Set(forecast.terminating.map(({ object }) => object.uid));
  const changed = new Map(forecast.changed.map(each => [each.object.uid, each]));
  const end = new Map<string, { name: string; is: string }>();
  for (const object of ownObjects(view, player)) {
    const { uid } = object;
    const change = changed.get(uid);
    const finalizers = new Set(objectDeletion.finalizers(object));
    for (const each of change?.finalizersRemoved ?? []) finalizers.delete(each);
    for (const each of change?.finalizersAdded ?? []) finalizers.add(each);
    const owners = ownersLeft(object, change);
    const added = (change?.ownerReferencesAdded ?? []).map(each => ({ uid: each, blocks: undefined }));
    const is = deleted.has(uid)
      ? GONE
      : describe({ deleting: terminating.has(uid), finalizers, owners: [...owners, ...added] });
    end.set(uid, { name: nameOf(object, player), is });
  }
  for (const { kind, by, count } of forecast.recreated) {
    const name = `new ${kind} of ${by === undefined ? 'nobody' : `${by.kind} ${by.name}`}`;
    end.set(name, { name, is: String(count) });
  }
  return end;
}

/** Of several references to one uid the forecast tells how many are left, but not which. */
function ownersLeft({ owners }: KubeObject, change: ChangedObject | undefined): Described['owners'] {
  const {
    ownerReferencesRemoved = [],
    ownerReferencesUnblocked = [],
    ownerReferencesAltered = [],
  } = change ?? {};
  let surplus =
    change === undefined
      ? 0
      : owners.length + change.ownerReferencesAdded.length - change.ownerReferencesLeft;
  return owners
    .filter(({ uid }) => {
      const goes = ownerReferencesRemoved.includes(uid) && surplus > 0;
      if (goes) surplus--;
      return !goes;
    })
    .map(({ uid, blockOwnerDeletion }) => ({
      uid,
      blocks: ownerReferencesAltered.includes(uid)
        ? undefined
        : blockOwnerDeletion === true && !ownerReferencesUnblocked.includes(uid),
    }));
}

/** `born`: the uids that forecasts give to new objects, by those that they got. */
export function actualEnd(
  view: ClusterView,
  player: PrefixedPlayer,
  expected: DescribedEnd,
  born: ReadonlyMap<string, Uid> = new Map(),
): DescribedEnd {
  const end = new Map<string, { name: string; is: string }>();
  for (const [uid, { name }] of expected) if (!name.startsWith('new ')) end.set(uid, { name, is: GONE });
  for (const object of ownObjects(view, player)) {
    const known = expected.get(object.uid);
    if (known === undefined) {
      if (object.deletionTimestamp !== undefined) continue;
      const controller = object.owners.find(owner => owner.controller === true);
      const by = controller === undefined ? 'nobody' : `${controller.kind} ${controller.name}`;
      const name = `new ${object.type.kind} of ${by}`;
      end.set(name, { name, is: String(Number(end.get(name)?.is ?? 0) + 1) });
      continue;
    }
    const owners = object.owners.map(({ uid, blockOwnerDeletion }) => ({
      uid: born.get(uid) ?? uid,
      blocks: blockOwnerDeletion === true,
    }));
    const is = describe({
      deleting: object.deletionTimestamp !== undefined,
      finalizers: new Set(objectDeletion.finalizers(object)),
      owners,
    });
    end.set(object.uid, { name: known.name, is });
  }
  return end;
}

interface Described {
  readonly deleting: boolean;
  readonly finalizers: ReadonlySet<string>;
  /** `blocks` is undefined where the forecast doesn't say. */
  readonly owners: readonly { readonly uid: Uid; readonly blocks: boolean | undefined }[];
}

function describe({ deleting, finalizers, owners }: Described): string {
  return [
    deleting ? 'deleting' : 'there',
    ...[...finalizers].sort(),
    ...owners
      .map(({ uid, blocks }) => `owned by ${uid}${blocks === undefined ? '*' : blocks ? ' b' : ''}`)
      .sort(),
  ].join('; ');
}

/** Where the forecast names several ends of an object, any of them will do. */
export function unlike(
  expected: DescribedEnd,
  actual: DescribedEnd,
  forecast: Forecast,
): ForecastDifference[] {
  const timing = new Set<string>(forecast.timingDependent.map(({ object }) => object.uid));
  const found: ForecastDifference[] = [];
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    if (timing.has(key)) continue;
    const told = expected.get(key);
    const real = actual.get(key);
    if (alike(told?.is ?? GONE, real?.is ?? GONE)) continue;
    found.push({
      object: told?.name ?? real?.name ?? key,
      forecast: told?.is ?? GONE,
      real: real?.is ?? GONE,
    });
  }
  return found;
}

function alike(told: string, real: string): boolean {
  if (told === real) return true;
  if (!told.includes('*')) return false;
  const plain = (words: string): string => words.replaceAll(/ b(?=;|$)|\*/gu, '');
  return plain(told) === plain(real);
}

function nameOf({ type, namespace, name, uid }: KubeObject, player: PrefixedPlayer): string {
  return player.naming.made.get(uid) ?? `${type.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

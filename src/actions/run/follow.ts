/** Whether reality follows a forecast: looked at after every change of the cluster, until it has or has not. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { finalizersOf, isDeleting } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import type { KubeObject, OwnerReference, Uid } from '../../model/object.ts';
import { type Expectation, type Left, uidsBelow } from '../prepare/expectations.ts';

/** An object that went another way than the forecast said. */
export interface Departure {
  readonly object: Identity;
  /** What the forecast said, and what is: `stays` and `is gone`. */
  readonly expected: string;
  readonly actual: string;
}

export interface Progress {
  /** Expectations that hold now, of all that the action was to bring about. */
  readonly done: number;
  readonly total: number;
  /** What isn't yet as the forecast says, in words: `StatefulSet web is still there`. */
  readonly pending: readonly { readonly object: Identity; readonly state: string }[];
  readonly departures: readonly Departure[];
}

/** What the forecast said of an object, and what is. */
export interface Comparison {
  /** For `recreated` the controller. */
  readonly object: Identity;
  readonly expected: Expectation['end'];
  /** `recreated` alone: so many of this kind. */
  readonly makes?: { readonly kind: string; readonly count: number };
  /** `pending`: not yet, and it may still come. `departed`: it went another way. */
  readonly standing: 'asForecast' | 'pending' | 'departed';
  /** What is, in words, unless it is as forecast: `is still there`. */
  readonly actual?: string;
}

/** Of what was to stay as it is only what didn't. */
export function comparisonsOf(
  expectations: readonly Expectation[],
  view: ClusterView,
): readonly Comparison[] {
  const found: Comparison[] = [];
  for (const expectation of expectations) {
    const standing = standingOf(expectation, view);
    const { end: expected } = expectation;
    const compared =
      expectation.end === 'recreated'
        ? {
            object: expectation.by,
            expected,
            makes: { kind: expectation.kind, count: expectation.count },
          }
        : { object: expectation.object, expected };
    if (standing.stands === 'pending')
      found.push({ ...compared, standing: 'pending', actual: standing.state });
    else if (standing.stands === 'broken')
      found.push({ ...compared, standing: 'departed', actual: standing.actual });
    else if (expected !== 'kept') found.push({ ...compared, standing: 'asForecast' });
  }
  return found;
}

/** How one expectation stands. */
type Standing =
  | { readonly stands: 'holds' }
  | { readonly stands: 'pending'; readonly state: string }
  | { readonly stands: 'broken'; readonly expected: string; readonly actual: string };

const holds: Standing = { stands: 'holds' };

export function progressOf(expectations: readonly Expectation[], view: ClusterView): Progress {
  const pending: { object: Identity; state: string }[] = [];
  const departures: Departure[] = [];
  let done = 0;
  let total = 0;
  for (const expectation of expectations) {
    const standing = standingOf(expectation, view);
    const object = expectation.end === 'recreated' ? expectation.by : expectation.object;
    // What is to stay as it is needs no doing.
    if (expectation.end !== 'kept') total += 1;
    if (standing.stands === 'holds' && expectation.end !== 'kept') done += 1;
    if (standing.stands === 'pending') pending.push({ object, state: standing.state });
    if (standing.stands === 'broken') {
      departures.push({ object, expected: standing.expected, actual: standing.actual });
    }
  }
  return { done, total, pending, departures };
}

function standingOf(expectation: Expectation, view: ClusterView): Standing {
  if (expectation.end === 'recreated') return recreated(expectation, view);
  const object = view.graph.get(expectation.object.uid)?.object;
  switch (expectation.end) {
    case 'gone':
      if (object === undefined) return holds;
      return { stands: 'pending', state: isDeleting(object) ? 'is being deleted' : 'is still there' };
    case 'held':
      return held(object, expectation);
    case 'changed':
      return changed(object, expectation);
    case 'made':
      if (object === undefined) return { stands: 'pending', state: 'has not shown up yet' };
      return isDeleting(object) ? { stands: 'pending', state: 'is being deleted' } : holds;
    case 'kept':
      return kept(object, expectation.owners);
  }
}

function held(object: KubeObject | undefined, left: Left): Standing {
  const expected = `is being deleted and stays, held by ${left.finalizers.join(' and ')}`;
  if (object === undefined) return { stands: 'broken', expected, actual: 'is gone' };
  if (!isDeleting(object)) return { stands: 'pending', state: 'is not being deleted yet' };
  if (!sameMembers(finalizersOf(object), left.finalizers)) {
    return { stands: 'pending', state: `carries ${finalizersOf(object).join(', ') || 'no finalizer'}` };
  }
  return isLeft(object, left) ? holds : { stands: 'pending', state: 'is not altered yet' };
}

function changed(object: KubeObject | undefined, left: Left): Standing {
  if (object === undefined) return { stands: 'broken', expected: 'is altered and stays', actual: 'is gone' };
  return isLeft(object, left) ? holds : { stands: 'pending', state: 'is not altered yet' };
}

function isLeft(object: KubeObject, { owners, unblocked, altered, finalizers }: Left): boolean {
  const uids = new Set(object.owners.map(({ uid }) => uid));
  return (
    (owners === undefined ||
      (object.owners.length === owners.count && [...owners.uids].every(uid => uids.has(uid)))) &&
    !object.owners.some(owner => owner.blockOwnerDeletion === true && unblocked.includes(owner.uid)) &&
    !object.owners.some(owner => altered.some(before => isSame(owner, before))) &&
    sameMembers(finalizersOf(object), finalizers)
  );
}

function isSame(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    a.name === b.name &&
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}

function kept(object: KubeObject | undefined, owners: ReadonlySet<Uid>): Standing {
  const expected = 'stays as it is';
  if (object === undefined) return { stands: 'broken', expected, actual: 'is gone' };
  if (isDeleting(object)) return { stands: 'broken', expected, actual: 'is being deleted' };
  const now = object.owners.map(({ uid }) => uid);
  if (sameMembers(now, [...owners])) return holds;
  const actual = now.length < owners.size ? 'lost an owner reference' : 'has other owners';
  return { stands: 'broken', expected, actual };
}

function recreated(
  { by, kind, count, before }: Expectation & { readonly end: 'recreated' },
  view: ClusterView,
): Standing {
  const node = view.graph.get(by.uid);
  let made = 0;
  for (const uid of node === undefined ? [] : uidsBelow(node, kind)) if (!before.has(uid)) made += 1;
  return made >= count ? holds : { stands: 'pending', state: `has made ${made} of ${count} new ${kind}s` };
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(b);
  return new Set(a).size === set.size && a.every(each => set.has(each));
}
